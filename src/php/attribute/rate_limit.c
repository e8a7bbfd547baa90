/* Implements FrequencyLimit\RateLimit, an attribute. */
#include "php_ratelimit.h"

#include "../limiter/identities.h"
#include "access_rule.h"
#include "enforce.h"

/* The declared properties, in the order of the stub. */
enum {
	RATE_LIMIT_NAME,
	RATE_LIMIT_COST,
	RATE_LIMIT_ID,
	RATE_LIMIT_NEED_LOGIN,
};

/* An array of the code has no count of references. */
static void set_array(zval *value, HashTable *array)
{
	ZVAL_ARR(value, array);
	if (GC_FLAGS(array) & GC_IMMUTABLE) {
		Z_TYPE_INFO_P(value) = IS_ARRAY;
	}
}

ZEND_METHOD(FrequencyLimit_RateLimit, __construct)
{
	zend_string *name;
	php_ratelimit_cost cost = {.number = 1};
	zend_string *id = NULL;
	HashTable *ids = NULL;
	zval values[PHP_RATELIMIT_ARGS];
	bool need_login = false;
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(ids, id)
		Z_PARAM_BOOL(need_login)
	ZEND_PARSE_PARAMETERS_END();

	if (!Z_ISUNDEF_P(OBJ_PROP_NUM(object, RATE_LIMIT_NAME))) {
		zend_throw_error(NULL, "A FrequencyLimit\\RateLimit is constructed only once");
		RETURN_THROWS();
	}
	ZVAL_STR(&values[PHP_RATELIMIT_ARG_NAME], name);
	ZVAL_LONG(&values[PHP_RATELIMIT_ARG_COST], cost.number);
	if (cost.array) {
		set_array(&values[PHP_RATELIMIT_ARG_COST], cost.array);
	}
	ZVAL_NULL(&values[PHP_RATELIMIT_ARG_ID]);
	if (ids) {
		set_array(&values[PHP_RATELIMIT_ARG_ID], ids);
	} else if (id) {
		ZVAL_STR(&values[PHP_RATELIMIT_ARG_ID], id);
	}
	ZVAL_BOOL(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], need_login);
	if (!php_ratelimit_attribute_check(PHP_RATELIMIT_RATE_LIMIT, values)) {
		RETURN_THROWS();
	}
	ZVAL_COPY(OBJ_PROP_NUM(object, RATE_LIMIT_NAME), &values[PHP_RATELIMIT_ARG_NAME]);
	ZVAL_COPY(OBJ_PROP_NUM(object, RATE_LIMIT_COST), &values[PHP_RATELIMIT_ARG_COST]);
	ZVAL_COPY(OBJ_PROP_NUM(object, RATE_LIMIT_ID), &values[PHP_RATELIMIT_ARG_ID]);
	ZVAL_BOOL(OBJ_PROP_NUM(object, RATE_LIMIT_NEED_LOGIN), need_login);
}

ZEND_METHOD(FrequencyLimit_RateLimit, enforce)
{
	bool of_class = false;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(of_class)
	ZEND_PARSE_PARAMETERS_END();
	RETVAL_NULL();
	php_ratelimit_enforce_named(EX(prev_execute_data), return_value, of_class);
}
