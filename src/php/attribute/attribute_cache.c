#include "attribute_cache.h"

#include "access_rule.h"
#include "named_limiters.h"
#include "../base/arguments.h"
#include "../request/request.h"
#include "src/core/limit/limit_mark.h"
#include "../base/optional_string.h"

/* Returns memory for a function's limits. The thread keeps one piece, which has about 1.1 KB: the first piece of that size that a
 * request takes of PHP's memory is expensive. */
static php_ratelimit_enforced *enforced_new(void)
{
	php_ratelimit_enforced *spare = RATELIMIT_G(enforcer)->spare;

	RATELIMIT_G(enforcer)->spare = NULL;
	return spare ? spare : pemalloc(sizeof(*spare), true);
}

static void enforced_free(php_ratelimit_enforced *enforced)
{
	if (RATELIMIT_G(enforcer)->spare) {
		free(enforced);
	} else {
		RATELIMIT_G(enforcer)->spare = enforced;
	}
}

static void enforced_release(php_ratelimit_enforced *enforced)
{
	if (enforced->named) {
		php_ratelimit_named_limiters_free(enforced->named);
	}
	if (enforced->attributes && !(GC_FLAGS(enforced->attributes) & GC_IMMUTABLE)) {
		zend_hash_release(enforced->attributes);
	}
	zend_string_release(enforced->name);
	php_ratelimit_string_release(enforced->count);
	php_ratelimit_string_release(enforced->path);
	if (enforced->limiter) {
		php_ratelimit_limiter_release(enforced->limiter);
	}
	enforced_free(enforced);
}

/* Returns the name of a function's decisions: the action, the one limiter that it names, or its own; a new reference. */
static zend_string *name_of_rule(const zend_op_array *op_array, const php_ratelimit_access_rule *rule)
{
	if (rule->action) {
		return zend_string_copy(rule->action);
	}
	return rule->n_limits == 0 && rule->n_named == 1 ? zend_string_copy(rule->named[0].name)
													 : php_ratelimit_function_name(op_array);
}

static php_ratelimit_enforced *make_enforced(const zend_op_array *op_array, bool of_class,
	const php_ratelimit_access_rule *rule)
{
	php_ratelimit_enforced *enforced = enforced_new();

	memset(enforced, 0, offsetof(php_ratelimit_enforced, question.limits));
	enforced->attributes = op_array->attributes;
	if (enforced->attributes && !(GC_FLAGS(enforced->attributes) & GC_IMMUTABLE)) {
		GC_ADDREF(enforced->attributes);
	}
	enforced->scope = op_array->scope;
	enforced->function = (const char *) op_array->function_name + of_class;
	enforced->need_login = rule->need_login;
	enforced->by_path = rule->action == NULL && rule->n_limits > 0;
	enforced->name = name_of_rule(op_array, rule);
	enforced->kept.version = PHP_RATELIMIT_NO_VERSION;
	enforced->has_concurrent = rule->has_concurrent;
	enforced->policy = (php_ratelimit_policy){.limit = rule->limits[0].limit, .window_us = rule->limits[0].period_us};
	enforced->named = rule->n_named > 0 ? php_ratelimit_named_limiters_new(rule) : NULL;
	enforced->question.op = rule->has_concurrent ? RL_OP_ACQUIRE : RL_OP_CONSUME;
	enforced->question.cost = 1;
	enforced->question.n_limits = (uint8_t) rule->n_limits;
	memcpy(enforced->question.limits, rule->limits, rule->n_limits * sizeof(*rule->limits));
	rl_limits_mark(enforced->question.limits, (const char *[RL_LIMITS_MAX]){NULL}, (const char *[RL_LIMITS_MAX]){NULL},
		rule->n_limits);
	return enforced;
}

/* Reads the attributes of a function, and with of_class those of its class. */
static zend_string *read_rule(php_ratelimit_access_rule *rule, const zend_op_array *op_array, bool of_class)
{
	zend_class_entry *scope = op_array->scope;
	zend_string *error = op_array->attributes ? php_ratelimit_access_rule_read(rule, op_array->attributes, scope, true)
											  : NULL;

	if (!error && of_class && scope && scope->attributes) {
		error = php_ratelimit_access_rule_read(rule, scope->attributes, scope, true);
	}
	return error;
}

/* Reads a function's limits. Returns NULL if it has none, or with an exception thrown. */
static php_ratelimit_enforced *read_function(const zend_op_array *op_array, bool of_class)
{
	php_ratelimit_access_rule rule = {0};
	php_ratelimit_enforced *enforced = NULL;
	zend_string *error;

	php_ratelimit_look_for_server();
	error = read_rule(&rule, op_array, of_class);
	if (error) {
		if (!EG(exception)) {
			php_ratelimit_invalid("#[%s]: %s", php_ratelimit_attribute_classes[rule.latest].name, ZSTR_VAL(error));
		}
		zend_string_release(error);
	} else if (rule.n_limits + rule.n_named > 0) {
		enforced = make_enforced(op_array, of_class, &rule);
	}
	php_ratelimit_access_rule_release(&rule);
	return enforced;
}

php_ratelimit_enforced *php_ratelimit_enforced_of(const zend_op_array *op_array, bool of_class)
{
	php_ratelimit_enforced **place = php_ratelimit_enforced_place(op_array), *enforced;

	if (php_ratelimit_enforced_is(*place, op_array, of_class)) {
		return *place;
	}
	enforced = read_function(op_array, of_class);
	if (enforced) {
		/* The check comes only now: constant expressions may have run user code, which fills places. */
		if (*place) {
			enforced_release(*place);
		}
		*place = enforced;
	}
	return enforced;
}

void php_ratelimit_enforcer_forget_places(void)
{
	php_ratelimit_enforcer *enforcer = RATELIMIT_G(enforcer);

	for (unsigned i = 0; i < PHP_RATELIMIT_ENFORCED_ROOM; i++) {
		if (enforcer->functions[i]) {
			enforcer->functions[i]->kept.version = PHP_RATELIMIT_NO_VERSION;
		}
	}
}

void php_ratelimit_enforcer_forget(void)
{
	php_ratelimit_enforcer *enforcer = RATELIMIT_G(enforcer);

	for (unsigned i = 0; i < PHP_RATELIMIT_ENFORCED_ROOM; i++) {
		if (enforcer->functions[i]) {
			enforced_release(enforcer->functions[i]);
			enforcer->functions[i] = NULL;
		}
	}
}

void php_ratelimit_enforcer_begin_request(void)
{
	php_ratelimit_enforcer *enforcer = RATELIMIT_G(enforcer);

	/* Their strings and limiters were memory of the last request. */
	for (unsigned i = 0; i < PHP_RATELIMIT_ENFORCED_ROOM; i++) {
		if (UNEXPECTED(enforcer->functions[i])) {
			enforced_free(enforcer->functions[i]);
		}
	}
	memset(enforcer, 0, offsetof(php_ratelimit_enforcer, spare));
}

void php_ratelimit_enforcer_clear(void)
{
	php_ratelimit_enforcer_forget();
	RATELIMIT_G(enforcer)->asking = 0;
}
