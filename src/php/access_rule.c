#include "access_rule.h"

#include "zend_attributes.h"

#include "arguments.h"

#define MAX_COUNT_DEFAULT 5

static const char *const names[PHP_RATELIMIT_ARGS] = {"seconds", "maxCount", "needLogin", "action"};

static zend_string *wrong_type(unsigned argument, const char *type, const zval *value)
{
	return strpprintf(0, "$%s must be of type %s, %s given", names[argument], type, zend_zval_type_name(value));
}

/* Returns whether the value is the default, or is known only at run time. */
static bool is_open(const zval *value)
{
	return Z_TYPE_P(value) == IS_UNDEF || Z_TYPE_P(value) == IS_CONSTANT_AST;
}

static zend_string *read_seconds(const zval *value, rl_limit *limit)
{
	if (Z_TYPE_P(value) == IS_CONSTANT_AST) {
		return NULL;
	}
	if (Z_TYPE_P(value) == IS_UNDEF) {
		return strpprintf(0, "$seconds is missing");
	}
	if (Z_TYPE_P(value) != IS_LONG && Z_TYPE_P(value) != IS_DOUBLE) {
		return wrong_type(PHP_RATELIMIT_ARG_SECONDS, "int|float", value);
	}
	if (!php_ratelimit_to_duration(value, RL_PERIOD_MIN_US, &limit->period_us)) {
		return php_ratelimit_no_duration("$seconds", value, RL_PERIOD_MIN_US);
	}
	return NULL;
}

static zend_string *read_max_count(const zval *value, rl_limit *limit)
{
	if (is_open(value)) {
		limit->limit = MAX_COUNT_DEFAULT;
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_LONG) {
		return wrong_type(PHP_RATELIMIT_ARG_MAX_COUNT, "int", value);
	}
	if (Z_LVAL_P(value) < 1 || Z_LVAL_P(value) > RL_LIMIT_MAX) {
		return strpprintf(0, "$maxCount must be between 1 and %" PRId64 ", " ZEND_LONG_FMT " given", RL_LIMIT_MAX,
			Z_LVAL_P(value));
	}
	limit->limit = (uint32_t) Z_LVAL_P(value);
	return NULL;
}

static zend_string *read_need_login(const zval *value, bool *need_login)
{
	if (is_open(value)) {
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_TRUE && Z_TYPE_P(value) != IS_FALSE) {
		return wrong_type(PHP_RATELIMIT_ARG_NEED_LOGIN, "bool", value);
	}
	*need_login |= Z_TYPE_P(value) == IS_TRUE;
	return NULL;
}

/* Reads the action. One decision has one count, so all attributes of a function have the same action. */
static zend_string *read_action(const zval *value, php_ratelimit_access_rule *rule)
{
	zend_string *action = NULL;

	if (Z_TYPE_P(value) == IS_CONSTANT_AST) {
		rule->action_open = true;
		return NULL;
	}
	if (Z_TYPE_P(value) == IS_STRING) {
		action = Z_STR_P(value);
		if (ZSTR_LEN(action) < 1 || ZSTR_LEN(action) > RL_NAME_MAX) {
			return strpprintf(0, "$action must be between 1 and %d bytes long, %zu given", RL_NAME_MAX,
				ZSTR_LEN(action));
		}
	} else if (Z_TYPE_P(value) != IS_UNDEF && Z_TYPE_P(value) != IS_NULL) {
		return wrong_type(PHP_RATELIMIT_ARG_ACTION, "?string", value);
	}
	if (rule->action_open) {
		return NULL;
	}
	if (rule->n_limits == 0) {
		rule->action = action ? zend_string_copy(action) : NULL;
		return NULL;
	}
	if (rule->action != action && (!rule->action || !action || !zend_string_equals(rule->action, action))) {
		return strpprintf(0, "$action must be the same in all of a function's attributes, which are decided together");
	}
	return NULL;
}

zend_string *php_ratelimit_access_rule_add(php_ratelimit_access_rule *rule, const zval *values)
{
	rl_limit *limit = &rule->limits[rule->n_limits];
	zend_string *error;

	if (rule->n_limits == RL_LIMITS_MAX) {
		return strpprintf(0, "at most %d limits can be decided together", RL_LIMITS_MAX);
	}
	memset(limit, 0, sizeof(*limit));
	limit->algorithm = RL_FIXED_WINDOW;
	error = read_seconds(&values[PHP_RATELIMIT_ARG_SECONDS], limit);
	if (!error) {
		error = read_max_count(&values[PHP_RATELIMIT_ARG_MAX_COUNT], limit);
	}
	if (!error) {
		error = read_need_login(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], &rule->need_login);
	}
	if (!error) {
		error = read_action(&values[PHP_RATELIMIT_ARG_ACTION], rule);
	}
	rule->n_limits += error == NULL;
	return error;
}

/* Returns the parameter of an argument, by its name or by its position. */
static unsigned parameter_of(const zend_attribute_arg *argument, unsigned place)
{
	unsigned i = 0;

	if (!argument->name) {
		return place;
	}
	while (i < PHP_RATELIMIT_ARGS && strcmp(ZSTR_VAL(argument->name), names[i]) != 0) {
		i++;
	}
	return i;
}

static zend_string *read_attribute(php_ratelimit_access_rule *rule, zend_attribute *attribute, zend_class_entry *scope,
	bool evaluate)
{
	zval values[PHP_RATELIMIT_ARGS];
	zend_string *error = NULL;

	for (unsigned i = 0; i < PHP_RATELIMIT_ARGS; i++) {
		ZVAL_UNDEF(&values[i]);
	}
	for (uint32_t i = 0; i < attribute->argc && !error; i++) {
		unsigned parameter = parameter_of(&attribute->args[i], i);

		if (parameter >= PHP_RATELIMIT_ARGS) {
			error = attribute->args[i].name
				? strpprintf(0, "there is no parameter $%s", ZSTR_VAL(attribute->args[i].name))
				: strpprintf(0, "at most %d arguments are allowed, %" PRIu32 " given", PHP_RATELIMIT_ARGS,
					attribute->argc);
		} else if (Z_TYPE(values[parameter]) != IS_UNDEF) {
			error = strpprintf(0, "$%s is given twice", names[parameter]);
		} else if (!evaluate) {
			ZVAL_COPY(&values[parameter], &attribute->args[i].value);
		} else if (zend_get_attribute_value(&values[parameter], attribute, i, scope) == FAILURE) {
			ZVAL_UNDEF(&values[parameter]);
			error = ZSTR_EMPTY_ALLOC(); /* the exception has the message */
		}
	}
	if (!error) {
		error = php_ratelimit_access_rule_add(rule, values);
	}
	for (unsigned i = 0; i < PHP_RATELIMIT_ARGS; i++) {
		zval_ptr_dtor(&values[i]);
	}
	return error;
}

zend_string *php_ratelimit_access_rule_read(php_ratelimit_access_rule *rule, HashTable *attributes,
	zend_class_entry *scope, bool evaluate)
{
	zend_attribute *attribute;

	rule->n_limits = 0;
	rule->need_login = false;
	rule->action = NULL;
	rule->action_open = false;
	/* The list also has the attributes of the function's parameters, with an offset. */
	ZEND_HASH_FOREACH_PTR(attributes, attribute) {
		if (attribute->offset == 0
			&& zend_string_equals_literal(attribute->lcname, PHP_RATELIMIT_ACCESS_LIMIT_LCNAME)) {
			zend_string *error = read_attribute(rule, attribute, scope, evaluate);

			if (error) {
				return error;
			}
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

void php_ratelimit_access_rule_release(php_ratelimit_access_rule *rule)
{
	if (rule->action) {
		zend_string_release(rule->action);
		rule->action = NULL;
	}
}
