/* Implements FrequencyLimit\ConcurrencyLimit, an attribute. */
#include "php_ratelimit.h"

#include "access_rule.h"
#include "enforce.h"

/* The declared properties, in the order of the stub. */
enum {
	CONCURRENCY_LIMIT,
	CONCURRENCY_SECONDS,
	CONCURRENCY_NEED_LOGIN,
	CONCURRENCY_ACTION,
};

ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, __construct)
{
	zval *seconds, values[PHP_RATELIMIT_ARGS];
	zend_long limit;
	bool need_login = false;
	zend_string *action = NULL;
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_LONG(limit)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(need_login)
		Z_PARAM_STR_OR_NULL(action)
	ZEND_PARSE_PARAMETERS_END();

	if (!Z_ISUNDEF_P(OBJ_PROP_NUM(object, CONCURRENCY_LIMIT))) {
		zend_throw_error(NULL, "A FrequencyLimit\\ConcurrencyLimit is constructed only once");
		RETURN_THROWS();
	}
	if (!php_ratelimit_limit_check(PHP_RATELIMIT_CONCURRENCY_LIMIT, values, seconds, limit, need_login, action)) {
		RETURN_THROWS();
	}
	ZVAL_LONG(OBJ_PROP_NUM(object, CONCURRENCY_LIMIT), limit);
	ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, CONCURRENCY_SECONDS), seconds);
	ZVAL_BOOL(OBJ_PROP_NUM(object, CONCURRENCY_NEED_LOGIN), need_login);
	ZVAL_COPY(OBJ_PROP_NUM(object, CONCURRENCY_ACTION), &values[PHP_RATELIMIT_ARG_ACTION]);
}

ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, enforce)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETVAL_NULL();
	php_ratelimit_enforce(EX(prev_execute_data), return_value);
}
