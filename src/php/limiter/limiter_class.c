#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/classes.h"
#include "identities.h"
#include "limiter_checks.h"
#include "limiter_kept.h"
#include "limiter_single.h"
#include "../result/misuse.h"
#include "../permit/permit_object.h"
#include "../base/store_config.h"

/* Gives the object of a constructor the limiter that this thread keeps for a name and one limit. Returns false, and has done
 * nothing, if it keeps none, or for any other call. */
static zend_always_inline bool construct_kept(const zend_execute_data *execute_data)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	php_ratelimit_limiter *limiter;

	if (ZEND_NUM_ARGS() != 2 || Z_TYPE(args[0]) != IS_STRING || Z_TYPE(args[1]) != IS_OBJECT
		|| Z_OBJCE(args[1]) != php_ratelimit_ce_limit || !php_ratelimit_limiter_has_none(Z_OBJ(EX(This)))) {
		return false;
	}
	limiter = php_ratelimit_limiter_kept(Z_STR(args[0]), Z_OBJ(args[1]));
	if (UNEXPECTED(!limiter)) {
		return false;
	}
	php_ratelimit_limiter_fill(Z_OBJ(EX(This)), limiter);
	return true;
}

static zend_never_inline void construct_any(INTERNAL_FUNCTION_PARAMETERS)
{
	zend_string *name, *store = NULL;
	zval *limits;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(name)
		Z_PARAM_ZVAL(limits)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(store)
	ZEND_PARSE_PARAMETERS_END();

	if (Z_TYPE_P(limits) != IS_ARRAY
		&& (Z_TYPE_P(limits) != IS_OBJECT || Z_OBJCE_P(limits) != php_ratelimit_ce_limit)) {
		zend_argument_type_error(2, "must be of type FrequencyLimit\\Limit|array, %s given",
			zend_zval_type_name(limits));
		RETURN_THROWS();
	}
	if (!php_ratelimit_limiter_init(Z_OBJ_P(ZEND_THIS), name, limits, store)) {
		RETURN_THROWS();
	}
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, __construct)
{
	if (UNEXPECTED(!construct_kept(execute_data))) {
		construct_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

/* Implements named() where it does not return the latest limiter again. */
static zend_never_inline void find_limiter(INTERNAL_FUNCTION_PARAMETERS)
{
	zend_string *name;
	php_ratelimit_limiter *limiter;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_by_name("", name);
	if (EXPECTED(limiter)) {
		php_ratelimit_limiter_to_object(return_value, limiter);
	}
}

/* Returns the limiter that named() returned last, if it has the name that this call gives and its file still has it; otherwise
 * NULL. */
static zend_always_inline php_ratelimit_limiter *latest_limiter(const zend_execute_data *execute_data)
{
	const php_ratelimit_latest *latest = &RATELIMIT_G(limiters).latest;
	const zval *name = ZEND_CALL_ARG(execute_data, 1);

	if (UNEXPECTED(ZEND_NUM_ARGS() != 1 || Z_TYPE_P(name) != IS_STRING || Z_STRLEN_P(name) != latest->length
			|| memcmp(Z_STRVAL_P(name), latest->name, latest->length) != 0)) {
		return NULL;
	}
	if (php_ratelimit_look_is_due(latest->look_at_ms)) {
		php_ratelimit_named_look();
	}
	return latest->limiter;
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, named)
{
	php_ratelimit_limiter *limiter = latest_limiter(execute_data);

	if (EXPECTED(limiter)) {
		php_ratelimit_limiter_to_object(return_value, php_ratelimit_limiter_use(limiter));
	} else {
		find_limiter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, define)
{
	zval *object;
	php_ratelimit_limiter *limiter;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_OBJECT_OF_CLASS(object, php_ratelimit_ce_limiter)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_of(Z_OBJ_P(object));
	if (UNEXPECTED(!limiter->name)) {
		php_ratelimit_limiter_is_missing();
		RETURN_THROWS();
	}
	php_ratelimit_limiter_define(limiter);
}

/* Implements peek(), allow() and credit(): they take an identity and a cost. */
static php_ratelimit_limiter *ask_cost(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_answer *a)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];

	ZEND_PARSE_PARAMETERS_START(1, 2)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost, &g);
	if (!limiter || !php_ratelimit_limiter_keys(limiter, &ids, keys)
		|| (op == RL_OP_CONSUME && !php_ratelimit_has_no_places(limiter, "allow"))
		|| !php_ratelimit_limiter_ask(limiter, g, keys, a)) {
		return NULL;
	}
	if (op == RL_OP_CONSUME) {
		php_ratelimit_limiter_listen(limiter, keys, a);
	}
	return limiter;
}

/* Checks that all limits have the same cost: of several costs there is no part. */
static bool has_one_cost(const php_ratelimit_limiter *limiter)
{
	if (EXPECTED(!limiter->question.costs)) {
		return true;
	}
	php_ratelimit_invalid(
		"$atLeast must be null with a cost for each limit, an array of costs and another value given");
	return false;
}

/* Returns the string of the one identity that a call brings; NULL: it is an int, or there are several. */
static zend_string *identity_string_of(const php_ratelimit_identities *ids, const rl_key *key)
{
	zval *value;

	if (EXPECTED(!ids->array)) {
		return ids->string;
	}
	ZEND_HASH_FOREACH_VAL(ids->array, value) {
		ZVAL_DEREF(value);
		if (zend_hash_num_elements(ids->array) == 1 && !key->is_int) {
			return Z_STR_P(value);
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

/* Sets the question's share to leave, and the part of the cost that is enough. Shadow limits judge all of the cost, and no more. */
static bool set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least, bool at_least_is_null)
{
	rl_question *q = &limiter->question;

	if (!php_ratelimit_check_range("$leave", leave, 0, RL_LIMIT_MAX)
		|| (!at_least_is_null && !q->costs && !php_ratelimit_check_range("$atLeast", at_least, 1, (int64_t) q->cost))) {
		return false;
	}
	if (!at_least_is_null && (!php_ratelimit_has_one_label(limiter, "$atLeast") || !has_one_cost(limiter))) {
		return false;
	}
	if (limiter->is_shadow) {
		return true;
	}
	q->leave = (uint64_t) leave;
	q->at_least = at_least_is_null || (uint64_t) at_least == q->cost ? 0 : (uint64_t) at_least;
	return true;
}

static zend_always_inline bool set_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null)
{
	return EXPECTED(leave == 0 && at_least_is_null) || set_given_share(limiter, leave, at_least, at_least_is_null);
}

/* Implements consume() past the fast path: a function of its own, so that the fast path needs no room for all of this. */
static zend_never_inline void consume_any(INTERNAL_FUNCTION_PARAMETERS)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zend_long leave = 0, at_least = 0;
	bool at_least_is_null = true;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_CONSUME, &cost, &g);
	if (!limiter || !set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_keys(limiter, &ids, keys) || !php_ratelimit_has_no_places(limiter, "consume")
		|| !php_ratelimit_limiter_ask(limiter, g, keys, &a)) {
		RETURN_THROWS();
	}
	php_ratelimit_limiter_result_for(return_value, limiter, &a, ZEND_CALL_ARG(execute_data, 1));
	php_ratelimit_limiter_listen(limiter, keys, &a);
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, consume)
{
	if (UNEXPECTED(!php_ratelimit_single_consume(execute_data, return_value))) {
		consume_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS)
{
	rl_answer a;
	bool allowed;

	if (EXPECTED(php_ratelimit_single_allow(execute_data, &allowed))) {
		RETURN_BOOL(allowed);
	}
	if (ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CONSUME, &a)) {
		RETURN_BOOL(a.decision.accepted);
	}
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
		|| !set_share(limiter, leave, at_least, at_least_is_null) || !php_ratelimit_limiter_keys(limiter, &ids, keys)
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

ZEND_METHOD(FrequencyLimit_Limiter, peek)
{
	rl_answer a;
	php_ratelimit_limiter *limiter = ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_PEEK, &a);

	if (limiter) {
		php_ratelimit_limiter_result_for(return_value, limiter, &a, ZEND_CALL_ARG(execute_data, 1));
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, credit)
{
	rl_answer a;

	ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CREDIT, &a);
}
