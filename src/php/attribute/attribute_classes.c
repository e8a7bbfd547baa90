/* Implements FrequencyLimit\AccessLimit, ConcurrencyLimit and RateLimit, the attributes. */
#include "php_ratelimit.h"

#include "zend_attributes.h"

#include "access_rule.h"
#include "../base/arguments.h"
#include "../limiter/identities.h"
#include "attribute_hook.h"
#include "enforce.h"

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

/* ---- Constructors ---- */

/* Checks the arguments of a constructor, by PHP_RATELIMIT_ARG_*, and sets the properties, which the stub has in the order of the
 * parameters. */
static void construct_attribute(zend_object *object, php_ratelimit_attribute attribute, const zval *values)
{
	const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[attribute];
	php_ratelimit_access_rule rule = {0};
	zend_string *error;

	if (!Z_ISUNDEF_P(OBJ_PROP_NUM(object, 0))) {
		zend_throw_error(NULL, "A %s is constructed only once", class->name);
		return;
	}
	error = php_ratelimit_access_rule_add(&rule, attribute, values);
	php_ratelimit_access_rule_release(&rule);
	if (error) {
		php_ratelimit_invalid("%s", ZSTR_VAL(error));
		zend_string_release(error);
		return;
	}
	for (unsigned i = 0; i < PHP_RATELIMIT_PARAMETERS; i++) {
		ZVAL_COPY(OBJ_PROP_NUM(object, i), &values[class->order[i]]);
	}
}

/* Constructs an attribute that has a limit of its own. */
static void construct_limit(zend_object *object, php_ratelimit_attribute attribute, const zval *seconds,
	zend_long number, bool need_login, zend_string *action)
{
	zval values[PHP_RATELIMIT_ARGS];

	ZVAL_COPY_VALUE(&values[PHP_RATELIMIT_ARG_SECONDS], seconds);
	ZVAL_LONG(&values[PHP_RATELIMIT_ARG_NUMBER], number);
	ZVAL_BOOL(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], need_login);
	ZVAL_NULL(&values[PHP_RATELIMIT_ARG_ACTION]);
	if (action) {
		ZVAL_STR(&values[PHP_RATELIMIT_ARG_ACTION], action);
	}
	construct_attribute(object, attribute, values);
}

ZEND_METHOD(FrequencyLimit_AccessLimit, __construct)
{
	zval *seconds;
	zend_long max_count = 5;
	bool need_login = false;
	zend_string *action = NULL;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(max_count)
		Z_PARAM_BOOL(need_login)
		Z_PARAM_STR_OR_NULL(action)
	ZEND_PARSE_PARAMETERS_END();

	construct_limit(Z_OBJ_P(ZEND_THIS), PHP_RATELIMIT_ACCESS_LIMIT, seconds, max_count, need_login, action);
}

ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, __construct)
{
	zval *seconds;
	zend_long limit;
	bool need_login = false;
	zend_string *action = NULL;

	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_LONG(limit)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(need_login)
		Z_PARAM_STR_OR_NULL(action)
	ZEND_PARSE_PARAMETERS_END();

	construct_limit(Z_OBJ_P(ZEND_THIS), PHP_RATELIMIT_CONCURRENCY_LIMIT, seconds, limit, need_login, action);
}

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

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(ids, id)
		Z_PARAM_BOOL(need_login)
	ZEND_PARSE_PARAMETERS_END();

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
	construct_attribute(Z_OBJ_P(ZEND_THIS), PHP_RATELIMIT_RATE_LIMIT, values);
}

/* ---- The calls that the hook inserts ---- */

ZEND_METHOD(FrequencyLimit_AccessLimit, enforce)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_enforce(EX(prev_execute_data), NULL);
}

ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, enforce)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETVAL_NULL();
	php_ratelimit_enforce(EX(prev_execute_data), return_value);
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
