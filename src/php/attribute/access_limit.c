#include "php_ratelimit.h"

#include "zend_attributes.h"

#include "access_rule.h"
#include "../base/arguments.h"
#include "attribute_hook.h"
#include "enforce.h"

/* The declared properties, in the order of the stub. */
enum {
	PROP_SECONDS,
	PROP_MAX_COUNT,
	PROP_NEED_LOGIN,
	PROP_ACTION,
};

/* Checks an attribute; the compiler calls this for each attribute of ours, with its function or class as the active one. Returns an
 * error for wrong arguments, and for an attribute that the hook has not seen: PHP never ignores a limit without a
 * message. */
static zend_string *validate(const zend_attribute *attribute, uint32_t target, const zend_class_entry *active)
{
	const zend_op_array *function = CG(active_op_array);
	bool of_class = target & ZEND_ATTRIBUTE_TARGET_CLASS;
	HashTable *attributes = of_class ? active->attributes : function ? function->attributes : NULL;
	php_ratelimit_access_rule rule = {0};
	zend_string *error;

	if (!attributes) {
		return NULL;
	}
	error = php_ratelimit_access_rule_read(&rule, attributes, NULL, false);
	php_ratelimit_access_rule_release(&rule);
	if (error) {
		const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[rule.latest];
		/* The validator of the other class has its own turn, and the line. */
		bool own = strcmp(ZSTR_VAL(attribute->lcname), class->lc_name) == 0;
		zend_string *message = own ? strpprintf(0, "#[%s]: %s", class->name, ZSTR_VAL(error)) : NULL;

		zend_string_release(error);
		return message;
	}
	if (php_ratelimit_attribute_hook_is_on()
		&& !(of_class ? php_ratelimit_is_enforced(active->info.user.line_start, active->info.user.line_end)
					  : php_ratelimit_is_enforced(function->line_start, function->line_end))) {
		return strpprintf(0, "#[%s] cannot be enforced here", ZSTR_VAL(attribute->name));
	}
	return NULL;
}

#if PHP_VERSION_ID >= 80500
static zend_string *validator(zend_attribute *attribute, uint32_t target, zend_class_entry *scope)
{
	zend_string *error = validate(attribute, target, scope);

	if (error) {
		CG(zend_lineno) = attribute->lineno;
	}
	return error;
}
#else
static void validator(zend_attribute *attribute, uint32_t target, zend_class_entry *scope)
{
	zend_string *error = validate(attribute, target, scope);

	if (error) {
		CG(zend_lineno) = attribute->lineno;
		zend_error_noreturn(E_COMPILE_ERROR, "%s", ZSTR_VAL(error));
	}
}
#endif

void php_ratelimit_attribute_startup(zend_class_entry *ce, uint32_t flags)
{
	/* The stub's #[\Attribute] is no replacement: its flags differ between versions of PHP. */
	zend_internal_attribute *attribute = zend_internal_attribute_register(ce,
		ZEND_ATTRIBUTE_TARGET_FUNCTION | ZEND_ATTRIBUTE_TARGET_METHOD | flags);

	attribute->validator = validator;
}

bool php_ratelimit_attribute_check(php_ratelimit_attribute attribute, const zval *values)
{
	php_ratelimit_access_rule rule = {0};
	zend_string *error = php_ratelimit_access_rule_add(&rule, attribute, values);

	php_ratelimit_access_rule_release(&rule);
	if (error) {
		php_ratelimit_invalid("%s", ZSTR_VAL(error));
		zend_string_release(error);
		return false;
	}
	return true;
}

bool php_ratelimit_limit_check(php_ratelimit_attribute attribute, zval *values, zval *seconds, zend_long number,
	bool need_login, zend_string *action)
{
	ZVAL_COPY_VALUE(&values[PHP_RATELIMIT_ARG_SECONDS], seconds);
	ZVAL_LONG(&values[PHP_RATELIMIT_ARG_NUMBER], number);
	ZVAL_BOOL(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], need_login);
	ZVAL_NULL(&values[PHP_RATELIMIT_ARG_ACTION]);
	if (action) {
		ZVAL_STR(&values[PHP_RATELIMIT_ARG_ACTION], action);
	}
	return php_ratelimit_attribute_check(attribute, values);
}

ZEND_METHOD(FrequencyLimit_AccessLimit, __construct)
{
	zval *seconds, values[PHP_RATELIMIT_ARGS];
	zend_long max_count = 5;
	bool need_login = false;
	zend_string *action = NULL;
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(max_count)
		Z_PARAM_BOOL(need_login)
		Z_PARAM_STR_OR_NULL(action)
	ZEND_PARSE_PARAMETERS_END();

	if (!Z_ISUNDEF_P(OBJ_PROP_NUM(object, PROP_SECONDS))) {
		zend_throw_error(NULL, "A FrequencyLimit\\AccessLimit is constructed only once");
		RETURN_THROWS();
	}
	if (!php_ratelimit_limit_check(PHP_RATELIMIT_ACCESS_LIMIT, values, seconds, max_count, need_login, action)) {
		RETURN_THROWS();
	}
	ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, PROP_SECONDS), seconds);
	ZVAL_LONG(OBJ_PROP_NUM(object, PROP_MAX_COUNT), max_count);
	ZVAL_BOOL(OBJ_PROP_NUM(object, PROP_NEED_LOGIN), need_login);
	ZVAL_COPY(OBJ_PROP_NUM(object, PROP_ACTION), &values[PHP_RATELIMIT_ARG_ACTION]);
}

ZEND_METHOD(FrequencyLimit_AccessLimit, enforce)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_enforce(EX(prev_execute_data), NULL);
}
