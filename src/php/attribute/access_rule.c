#include "access_rule.h"

#include "zend_smart_str.h"
#include "zend_attributes.h"

#include "../base/arguments.h"
#include "../base/optional_string.h"

#define NAMES(short_name, lc_short_name)                                                                               \
 short_name, "FrequencyLimit\\" short_name, "frequencylimit\\" lc_short_name, sizeof("FrequencyLimit\\" short_name) - 1

const php_ratelimit_attribute_class php_ratelimit_attribute_classes[PHP_RATELIMIT_ATTRIBUTES] = {
	{NAMES("AccessLimit", "accesslimit"),
		{PHP_RATELIMIT_ARG_SECONDS, PHP_RATELIMIT_ARG_NUMBER, PHP_RATELIMIT_ARG_NEED_LOGIN, PHP_RATELIMIT_ARG_ACTION},
		{"seconds", "maxCount", "needLogin", "action"}, RL_FIXED_WINDOW, RL_COUNTER_MAX, 5},
	{NAMES("ConcurrencyLimit", "concurrencylimit"),
		{PHP_RATELIMIT_ARG_NUMBER, PHP_RATELIMIT_ARG_SECONDS, PHP_RATELIMIT_ARG_NEED_LOGIN, PHP_RATELIMIT_ARG_ACTION},
		{"seconds", "limit", "needLogin", "action"}, RL_CONCURRENT, RL_LOG_LIMIT_MAX, 0},
	{NAMES("RateLimit", "ratelimit"),
		{PHP_RATELIMIT_ARG_NAME, PHP_RATELIMIT_ARG_COST, PHP_RATELIMIT_ARG_ID, PHP_RATELIMIT_ARG_NEED_LOGIN},
		{NULL, NULL, "needLogin", NULL, "name", "cost", "id"}, 0, 0, 0},
};

static ZEND_COLD zend_string *wrong_type(const char *parameter, const char *type, const zval *value)
{
	return strpprintf(0, "$%s must be of type %s, %s given", parameter, type, zend_zval_type_name(value));
}

static ZEND_COLD zend_string *missing(const char *parameter)
{
	return strpprintf(0, "$%s is missing", parameter);
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
		return missing("seconds");
	}
	if (Z_TYPE_P(value) != IS_LONG && Z_TYPE_P(value) != IS_DOUBLE) {
		return wrong_type("seconds", "int|float", value);
	}
	if (!php_ratelimit_to_duration(value, RL_PERIOD_MIN_US, &limit->period_us)) {
		return php_ratelimit_no_duration("$seconds", value, RL_PERIOD_MIN_US);
	}
	return NULL;
}

static zend_string *read_number(const php_ratelimit_attribute_class *class, const zval *value, rl_limit *limit)
{
	const char *parameter = class->parameters[PHP_RATELIMIT_ARG_NUMBER];

	if (Z_TYPE_P(value) == IS_UNDEF && class->number_default == 0) {
		return missing(parameter);
	}
	if (is_open(value)) {
		limit->limit = class->number_default;
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_LONG) {
		return wrong_type(parameter, "int", value);
	}
	if (UNEXPECTED(Z_LVAL_P(value) < 1 || Z_LVAL_P(value) > class->number_max)) {
		return strpprintf(0, "$%s must be between 1 and %" PRId64 ", " ZEND_LONG_FMT " given", parameter,
			class->number_max, Z_LVAL_P(value));
	}
	limit->limit = (uint64_t) Z_LVAL_P(value);
	return NULL;
}

static zend_string *read_need_login(const zval *value, bool *need_login)
{
	if (is_open(value)) {
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_TRUE && Z_TYPE_P(value) != IS_FALSE) {
		return wrong_type("needLogin", "bool", value);
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
		if (UNEXPECTED(ZSTR_LEN(action) < 1 || ZSTR_LEN(action) > RL_NAME_MAX)) {
			return strpprintf(0, "$action must be between 1 and %d bytes long, %zu given", RL_NAME_MAX,
				ZSTR_LEN(action));
		}
	} else if (Z_TYPE_P(value) != IS_UNDEF && Z_TYPE_P(value) != IS_NULL) {
		return wrong_type("action", "?string", value);
	}
	if (rule->action_open) {
		return NULL;
	}
	if (rule->n_limits == 0) {
		rule->action = php_ratelimit_string_copy(action);
		return NULL;
	}
	if (UNEXPECTED(!php_ratelimit_string_equals(rule->action, action))) {
		return strpprintf(0, "$action must be the same in all of a function's attributes, which are decided together");
	}
	return NULL;
}

static zend_string *read_limit(php_ratelimit_access_rule *rule, const php_ratelimit_attribute_class *class,
	const zval *values)
{
	rl_limit *limit = &rule->limits[rule->n_limits];
	zend_string *error;

	memset(limit, 0, sizeof(*limit));
	limit->algorithm = class->algorithm;
	error = read_seconds(&values[PHP_RATELIMIT_ARG_SECONDS], limit);
	if (!error) {
		error = read_number(class, &values[PHP_RATELIMIT_ARG_NUMBER], limit);
	}
	if (!error) {
		error = read_action(&values[PHP_RATELIMIT_ARG_ACTION], rule);
	}
	rule->n_limits += error == NULL;
	rule->has_concurrent |= error == NULL && class->algorithm == RL_CONCURRENT;
	return error;
}

/* ---- RateLimit ---- */

static zend_string *read_limiter_name(const zval *value, const php_ratelimit_access_rule *rule)
{
	if (Z_TYPE_P(value) == IS_UNDEF) {
		return missing("name");
	}
	if (Z_TYPE_P(value) == IS_CONSTANT_AST) {
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_STRING) {
		return wrong_type("name", "string", value);
	}
	if (Z_STRLEN_P(value) < 1 || Z_STRLEN_P(value) > RL_NAME_MAX) {
		return strpprintf(0, "$name must be between 1 and %d bytes long, %zu given", RL_NAME_MAX, Z_STRLEN_P(value));
	}
	for (unsigned i = 0; i < rule->n_named; i++) {
		if (zend_string_equals(rule->named[i].name, Z_STR_P(value))) {
			return strpprintf(0, "$name must differ in all of a function's attributes, \"%.64s\" given twice",
				Z_STRVAL_P(value));
		}
	}
	return NULL;
}

/* Checks the numbers. Whether a limiter has limits of these names is known at the first call. */
static zend_string *read_limiter_cost(const zval *value)
{
	zend_string *name;
	zval *cost;

	if (is_open(value)) {
		return NULL;
	}
	if (Z_TYPE_P(value) == IS_LONG) {
		return Z_LVAL_P(value) >= 1 && Z_LVAL_P(value) <= RL_LIMIT_MAX
			? NULL
			: strpprintf(0, "$cost must be between 1 and %" PRId64 ", " ZEND_LONG_FMT " given", RL_LIMIT_MAX,
				Z_LVAL_P(value));
	}
	if (Z_TYPE_P(value) != IS_ARRAY) {
		return wrong_type("cost", "int|array", value);
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(value), name, cost)
	{
		ZVAL_DEREF(cost);
		if (!name || Z_TYPE_P(cost) != IS_LONG || Z_LVAL_P(cost) < 0 || Z_LVAL_P(cost) > RL_LIMIT_MAX) {
			return strpprintf(0, "$cost must have costs of 0 to %" PRId64 " by the names of the limits", RL_LIMIT_MAX);
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

static bool is_parameter_name(const zval *value)
{
	return Z_TYPE_P(value) == IS_STRING && Z_STRLEN_P(value) > 0;
}

static zend_string *read_id(const zval *value)
{
	zend_string *label;
	zval *parameter;

	if (is_open(value) || Z_TYPE_P(value) == IS_NULL || is_parameter_name(value)) {
		return NULL;
	}
	if (Z_TYPE_P(value) != IS_ARRAY) {
		return Z_TYPE_P(value) == IS_STRING ? strpprintf(0, "$id must be the name of a parameter, \"\" given")
											: wrong_type("id", "string|array|null", value);
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(value), label, parameter)
	{
		ZVAL_DEREF(parameter);
		if (!label || !is_parameter_name(parameter)) {
			return strpprintf(0, "$id must have names of parameters by the labels of the limits");
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

static zend_string *read_named(php_ratelimit_access_rule *rule, const zval *values)
{
	const zval *name = &values[PHP_RATELIMIT_ARG_NAME];
	php_ratelimit_named_rule *named = &rule->named[rule->n_named];
	zend_string *error = read_limiter_name(name, rule);

	if (!error) {
		error = read_limiter_cost(&values[PHP_RATELIMIT_ARG_COST]);
	}
	if (!error) {
		error = read_id(&values[PHP_RATELIMIT_ARG_ID]);
	}
	if (!error) {
		named->name = Z_TYPE_P(name) == IS_STRING ? zend_string_copy(Z_STR_P(name)) : ZSTR_EMPTY_ALLOC();
		ZVAL_COPY(&named->cost, &values[PHP_RATELIMIT_ARG_COST]);
		ZVAL_COPY(&named->id, &values[PHP_RATELIMIT_ARG_ID]);
		rule->n_named++;
	}
	return error;
}

/* ---- An attribute ---- */

zend_string *php_ratelimit_access_rule_add(php_ratelimit_access_rule *rule, php_ratelimit_attribute attribute,
	const zval *values)
{
	const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[attribute];
	zend_string *error;

	rule->latest = attribute;
	if (UNEXPECTED(rule->n_limits + rule->n_named == RL_LIMITS_MAX)) {
		return strpprintf(0, "at most %d limits can be decided together", RL_LIMITS_MAX);
	}
	error = read_need_login(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], &rule->need_login);
	if (error) {
		return error;
	}
	return class->algorithm ? read_limit(rule, class, values) : read_named(rule, values);
}

/* Returns the argument of a parameter, by its name or by its position; PHP_RATELIMIT_ARGS if there is none. */
static unsigned argument_of(const php_ratelimit_attribute_class *class, const zend_attribute_arg *argument,
	unsigned place)
{
	unsigned i = 0;

	if (!argument->name) {
		return place < PHP_RATELIMIT_PARAMETERS ? class->order[place] : PHP_RATELIMIT_ARGS;
	}
	while (i < PHP_RATELIMIT_ARGS
		&& (!class->parameters[i] || strcmp(ZSTR_VAL(argument->name), class->parameters[i]) != 0)) {
		i++;
	}
	return i;
}

static zend_string *read_attribute(php_ratelimit_access_rule *rule, php_ratelimit_attribute which,
	zend_attribute *attribute, zend_class_entry *scope, bool evaluate)
{
	const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[which];
	zval values[PHP_RATELIMIT_ARGS];
	zend_string *error = NULL;

	rule->latest = which;
	for (unsigned i = 0; i < PHP_RATELIMIT_ARGS; i++) {
		ZVAL_UNDEF(&values[i]);
	}
	for (uint32_t i = 0; i < attribute->argc && !error; i++) {
		unsigned argument = argument_of(class, &attribute->args[i], i);

		if (argument >= PHP_RATELIMIT_ARGS) {
			error = attribute->args[i].name
				? strpprintf(0, "there is no parameter $%s", ZSTR_VAL(attribute->args[i].name))
				: strpprintf(0, "at most %d arguments are allowed, %" PRIu32 " given", PHP_RATELIMIT_PARAMETERS,
					attribute->argc);
		} else if (Z_TYPE(values[argument]) != IS_UNDEF) {
			error = strpprintf(0, "$%s is given twice", class->parameters[argument]);
		} else if (!evaluate) {
			ZVAL_COPY(&values[argument], &attribute->args[i].value);
		} else if (zend_get_attribute_value(&values[argument], attribute, i, scope) == FAILURE) {
			ZVAL_UNDEF(&values[argument]);
			error = ZSTR_EMPTY_ALLOC(); /* the exception has the message */
		}
	}
	if (!error) {
		error = php_ratelimit_access_rule_add(rule, which, values);
	}
	for (unsigned i = 0; i < PHP_RATELIMIT_ARGS; i++) {
		zval_ptr_dtor(&values[i]);
	}
	return error;
}

/* Returns which of our attributes this one is; PHP_RATELIMIT_ATTRIBUTES: none. The list of a function also has the attributes
 * of its parameters, with an offset. */
static php_ratelimit_attribute which_attribute(const zend_attribute *attribute)
{
	unsigned i = 0;

	if (attribute->offset != 0) {
		return PHP_RATELIMIT_ATTRIBUTES;
	}
	while (i < PHP_RATELIMIT_ATTRIBUTES
		&& strcmp(ZSTR_VAL(attribute->lcname), php_ratelimit_attribute_classes[i].lc_name) != 0) {
		i++;
	}
	return (php_ratelimit_attribute) i;
}

zend_string *php_ratelimit_access_rule_read(php_ratelimit_access_rule *rule, HashTable *attributes,
	zend_class_entry *scope, bool evaluate)
{
	zend_attribute *attribute;

	ZEND_HASH_FOREACH_PTR(attributes, attribute) {
		php_ratelimit_attribute which = which_attribute(attribute);

		if (which != PHP_RATELIMIT_ATTRIBUTES) {
			zend_string *error = read_attribute(rule, which, attribute, scope, evaluate);

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
	while (rule->n_named > 0) {
		php_ratelimit_named_rule *named = &rule->named[--rule->n_named];

		zend_string_release(named->name);
		zval_ptr_dtor(&named->cost);
		zval_ptr_dtor(&named->id);
	}
}

/* A closure, and a method of an anonymous class, get file and line. */
zend_string *php_ratelimit_function_name(const zend_op_array *op_array)
{
	uint32_t kind = op_array->fn_flags & (ZEND_ACC_CLOSURE | ZEND_ACC_FAKE_CLOSURE);
	bool closure = kind == ZEND_ACC_CLOSURE, nowhere = closure;
	smart_str name = {0};

	if (!closure && !op_array->scope) {
		return zend_string_copy(op_array->function_name);
	}
	if (closure) {
		smart_str_appends(&name, "{closure}");
	} else {
		/* The part of an anonymous class' name behind the NUL differs between processes. */
		smart_str_appends(&name, ZSTR_VAL(op_array->scope->name));
		smart_str_appends(&name, "::");
		nowhere = op_array->scope->ce_flags & ZEND_ACC_ANON_CLASS;
		smart_str_append(&name, op_array->function_name);
	}
	if (nowhere) {
		smart_str_append_printf(&name, "@%s:%" PRIu32, ZSTR_VAL(op_array->filename), op_array->line_start);
	}
	smart_str_0(&name);
	return name.s;
}
