#include "permit_object.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../limiter/identities.h"
#include "../limiter/limiter_object.h"
#include "../result/result.h"

/* Returns the string of the one identity that a call brings; NULL: it is an int, or there are several. */
static zend_string *identity_string_of(const php_ratelimit_identities *ids, const rl_key *key)
{
	zval *value;

	if (EXPECTED(!ids->array)) {
		return ids->string;
	}
	ZEND_HASH_FOREACH_VAL(ids->array, value) {
		ZVAL_DEREF(value);
		/* A label of a Limit::none() may stand beside it. */
		if (!key->is_int && Z_TYPE_P(value) == IS_STRING && Z_STRVAL_P(value) == key->id) {
			return Z_STR_P(value);
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

ZEND_METHOD(FrequencyLimit_Limiter, acquire)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zend_long leave = 0, at_least = 0;
	zval *max_wait = NULL;
	bool at_least_is_null = true;
	int64_t max_wait_us = 0;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];

	if (UNEXPECTED(php_ratelimit_is_thrown_away(execute_data)) && !php_ratelimit_warn_of_lost_permit()) {
		RETURN_THROWS();
	}
	ZEND_PARSE_PARAMETERS_START(1, 5)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_NUMBER(max_wait)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_ACQUIRE, &cost, &g);
	if (!limiter || (max_wait && !php_ratelimit_duration("$maxWait", max_wait, 0, &max_wait_us))
		|| !php_ratelimit_set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_keys(limiter, &ids, keys)
		|| (max_wait_us > 0 && !php_ratelimit_has_one_label(limiter, "$maxWait above 0"))) {
		RETURN_THROWS();
	}
	if (max_wait_us > 0 && !at_least_is_null) {
		php_ratelimit_invalid("$atLeast must be null with $maxWait above 0, " ZEND_LONG_FMT " given", at_least);
		RETURN_THROWS();
	}
	php_ratelimit_permit_acquire(return_value, limiter, g, keys, identity_string_of(&ids, keys),
		limiter->is_shadow ? 0 : max_wait_us);
	if (EXPECTED(Z_TYPE_P(return_value) == IS_OBJECT)) {
		php_ratelimit_limiter_listen(limiter, keys, &php_ratelimit_permit_of(Z_OBJ_P(return_value))->answer);
	}
}

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Permit, __construct)
{
	zend_throw_error(NULL, "A FrequencyLimit\\Permit is made by Limiter::acquire()");
}

ZEND_METHOD(FrequencyLimit_Permit, of)
{
	zval *result;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_OBJECT_OF_CLASS(result, php_ratelimit_ce_result)
	ZEND_PARSE_PARAMETERS_END();

	php_ratelimit_permit_double(return_value, Z_OBJ_P(result));
}

ZEND_METHOD(FrequencyLimit_Permit, wait)
{
	php_ratelimit_permit *permit;

	ZEND_PARSE_PARAMETERS_NONE();
	permit = php_ratelimit_permit_live(ZEND_THIS);
	if (!permit) {
		RETURN_FALSE;
	}
	if (permit->turn_us != PHP_RATELIMIT_TURN_HAS_COME) {
		if (!php_ratelimit_sleep_until(permit->turn_us)) {
			RETURN_FALSE;
		}
		permit->turn_us = PHP_RATELIMIT_TURN_HAS_COME;
	}
	RETURN_TRUE;
}

/* Ends the permit of $this in this process, and returns it; NULL: there is none to end. */
static php_ratelimit_permit *take_live(zval *this)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_live(this);

	if (permit) {
		php_ratelimit_permit_close(permit);
	}
	return permit;
}

/* Implements release() and cancel(). op: RL_OP_RELEASE, or RL_OP_SETTLE with a cost of 0. */
static void end_by(INTERNAL_FUNCTION_PARAMETERS, rl_op op)
{
	php_ratelimit_permit *permit;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_NONE();
	permit = take_live(ZEND_THIS);
	if (!permit) {
		RETURN_FALSE;
	}
	/* Only a concurrent limit has something to release. */
	if (op == RL_OP_RELEASE && !permit->limiter->has_concurrent && !permit->shadow) {
		RETURN_TRUE;
	}
	RETURN_BOOL(php_ratelimit_permit_change(permit, op, 0, NULL, 0, &a) == PHP_RATELIMIT_CHANGED
		&& (op != RL_OP_RELEASE || a.found));
}

ZEND_METHOD(FrequencyLimit_Permit, release)
{
	end_by(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RELEASE);
}

ZEND_METHOD(FrequencyLimit_Permit, cancel)
{
	end_by(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_SETTLE);
}

ZEND_METHOD(FrequencyLimit_Permit, settle)
{
	php_ratelimit_permit *permit;
	php_ratelimit_cost cost = {0};
	uint64_t one, costs[RL_LIMITS_MAX];
	bool costs_given;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END();

	permit = php_ratelimit_permit_of(Z_OBJ_P(ZEND_THIS));
	if (!permit->limiter) { /* as PDO makes one: it has no limits whose names a cost could have */
		RETURN_NULL();
	}
	if (!php_ratelimit_limiter_costs(permit->limiter, &cost, 0, &one, costs, &costs_given)) {
		RETURN_THROWS();
	}
	permit = take_live(ZEND_THIS);
	if (!permit) {
		RETURN_NULL();
	}
	if (php_ratelimit_permit_change(permit, RL_OP_SETTLE, one, costs_given ? costs : NULL, 0, &a)
		!= PHP_RATELIMIT_CHANGED) {
		RETURN_NULL();
	}
	a.granted = costs_given ? costs[a.decision.limit_index] : one;
	a.wait_us = 0;
	php_ratelimit_limiter_result(return_value, permit->limiter, &a, NULL);
}

ZEND_METHOD(FrequencyLimit_Permit, renew)
{
	php_ratelimit_permit *permit;
	zval *seconds = NULL;
	int64_t renew_us = 0;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER_OR_NULL(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (seconds && !php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &renew_us)) {
		RETURN_THROWS();
	}
	permit = php_ratelimit_permit_live(ZEND_THIS);
	if (!permit || (!permit->limiter->has_concurrent && !permit->limiter->storeless)) {
		RETURN_FALSE;
	}
	RETURN_BOOL(
		php_ratelimit_permit_change(permit, RL_OP_RENEW, 0, NULL, renew_us, &a) == PHP_RATELIMIT_CHANGED && a.found);
}
