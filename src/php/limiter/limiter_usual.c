/* Decides the usual calls of consume() and allow() on the fast path: ordinary limits, on the embedded store. */
#include "limiter_internal.h"

#include "../base/arguments.h"
#include "identities.h"
#include "../result/result.h"
#include "src/shm/store/limiter_fast.h"

/* Reads a call as most are: an identity, perhaps a cost, or costs of all limits, within their bounds. A cost of 0: the limiter has the
 * costs. Any other call goes through the parser, which reports its errors. */
static zend_always_inline bool usual_call(const zend_execute_data *execute_data, php_ratelimit_limiter *limiter,
	rl_key *key, uint64_t *cost)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	uint32_t n = ZEND_NUM_ARGS();

	*cost = 1;
	if (n == 2 && EXPECTED(Z_TYPE(args[1]) == IS_LONG && Z_LVAL(args[1]) > 0)) {
		*cost = (uint64_t) Z_LVAL(args[1]);
	} else if (UNEXPECTED(n != 1)
		&& (n != 2 || Z_TYPE(args[1]) != IS_ARRAY
			|| !php_ratelimit_usual_costs(limiter, Z_ARRVAL(args[1]), limiter->costs, cost))) {
		return false;
	}
	key->space = RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	if (Z_TYPE(args[0]) == IS_LONG) {
		key->is_int = true;
		key->int_id = Z_LVAL(args[0]);
		return true;
	}
	return EXPECTED(Z_TYPE(args[0]) == IS_STRING && Z_STRLEN(args[0]) - 1 < RL_NAME_MAX)
		&& php_ratelimit_identity("$id", Z_STR(args[0]), 0, key)
		&& (EXPECTED(!rl_ban_list_has_networks()) || php_ratelimit_monitor_networks_left_us(limiter, key) == 0);
}

static zend_always_inline uint64_t usual_granted(const php_ratelimit_limiter *limiter, uint64_t cost,
	const rl_decision *d)
{
	return !d->accepted ? 0 : EXPECTED(cost > 0) ? cost : limiter->costs[d->limit_index];
}

/* Counts a decision that is neither a usual admission nor a usual refusal, as one of the general way. */
static ZEND_COLD zend_never_inline void usual_count_slowly(php_ratelimit_limiter *limiter, const rl_key *key,
	uint64_t cost, const rl_decision *d)
{
	rl_answer a;

	rl_decision_copy(&a.decision, d);
	memset(&a.found, 0, sizeof a - offsetof(rl_answer, found));
	a.granted = usual_granted(limiter, cost, d);
	limiter->question.op = RL_OP_CONSUME;
	limiter->question.cost = cost > 0 ? cost : limiter->costs[0];
	limiter->question.costs = cost > 0 ? NULL : limiter->costs;
	php_ratelimit_monitor_answer(limiter, key, &a);
}

/* Counts a decision: what is counted for each one belongs here. */
static zend_always_inline void usual_count(php_ratelimit_limiter *limiter, const rl_key *key, uint64_t cost,
	const rl_decision *d)
{
	if (UNEXPECTED(!limiter->monitor.meter)) {
		if (limiter->needs_hash) {
			php_ratelimit_limiter_hash_name(limiter);
		}
		php_ratelimit_monitor_begin(limiter);
	}
	if (UNEXPECTED(!php_ratelimit_monitor_passed(&limiter->monitor, RL_OP_CONSUME, d))
		&& UNEXPECTED(!php_ratelimit_monitor_refused(limiter, key, d))) {
		usual_count_slowly(limiter, key, cost, d);
	}
}

static zend_always_inline bool usual_ask(const php_ratelimit_limiter *limiter, const rl_key *key, uint64_t cost,
	rl_decision *d)
{
	const rl_limit *limits = limiter->question.limits;
	unsigned n = limiter->question.n_limits;

	return EXPECTED(n == 1)
		? rl_limiter_fast_named(key, &limiter->name_hash, limits, cost, d)
		: rl_limiter_fast_several(key, &limiter->name_hash, limiter->needs_now,
			&(rl_usual_call){.limits = limits, .n = n, .cost = cost, .costs = cost > 0 ? NULL : limiter->costs}, d);
}

/* Reads the call. Returns the limiter; NULL: the general way decides. */
static zend_always_inline php_ratelimit_limiter *begin_usual(const zend_execute_data *execute_data, rl_key *key,
	uint64_t *cost)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ(EX(This)));

	return UNEXPECTED(!limiter->is_usual || !php_ratelimit_limiter_is_fast(limiter))
			|| UNEXPECTED(!usual_call(execute_data, limiter, key, cost))
		? NULL
		: limiter;
}

static zend_always_inline bool usual_consume(const zend_execute_data *execute_data, zval *return_value)
{
	php_ratelimit_policy policy;
	rl_decision d;
	rl_key key;
	uint64_t cost;
	php_ratelimit_limiter *limiter = begin_usual(execute_data, &key, &cost);

	if (!limiter || UNEXPECTED(!usual_ask(limiter, &key, cost, &d))) {
		return false;
	}
	usual_count(limiter, &key, cost, &d);
	policy = php_ratelimit_limiter_policy(limiter, d.limit_index);
	php_ratelimit_result_init(return_value, &d, usual_granted(limiter, cost, &d), 0, &policy);
	if (limiter->question.n_limits > 1) {
		php_ratelimit_limiter_add_policies(return_value, limiter);
	}
	if (UNEXPECTED(!d.accepted)) {
		php_ratelimit_result_set_refused(return_value, limiter->name, ZEND_CALL_ARG(execute_data, 1));
	}
	return true;
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, consume)
{
	if (UNEXPECTED(!usual_consume(execute_data, return_value))) {
		php_ratelimit_limiter_consume(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

static zend_always_inline bool usual_allow(const zend_execute_data *execute_data, bool *allowed)
{
	rl_decision d;
	rl_key key;
	uint64_t cost;
	php_ratelimit_limiter *limiter = begin_usual(execute_data, &key, &cost);

	if (!limiter || UNEXPECTED(!usual_ask(limiter, &key, cost, &d))) {
		return false;
	}
	usual_count(limiter, &key, cost, &d);
	*allowed = d.accepted;
	return true;
}

bool php_ratelimit_usual_ask(php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a)
{
	uint64_t cost = limiter->question.costs ? 0 : limiter->question.cost;

	if (UNEXPECTED(!limiter->is_usual || !php_ratelimit_limiter_is_fast(limiter))
		|| UNEXPECTED(rl_ban_list_has_networks()) || UNEXPECTED(!usual_ask(limiter, key, cost, &a->decision))) {
		return false;
	}
	usual_count(limiter, key, cost, &a->decision);
	memset(&a->found, 0, sizeof(*a) - offsetof(rl_answer, found));
	a->granted = usual_granted(limiter, cost, &a->decision);
	return true;
}

/* Counts a verdict about the identity of a call that is not a usual admission. */
static zend_never_inline void usual_count_verdict(php_ratelimit_limiter *limiter, const zval *id, rl_verdict verdict)
{
	const rl_limit *limit = &limiter->question.limits[0];
	bool is_int = Z_TYPE_P(id) == IS_LONG, accepted = verdict != RL_VERDICT_REFUSED;
	rl_key key = {
		.space = RL_SPACE_LIMITER,
		.name = ZSTR_VAL(limiter->name),
		.name_len = ZSTR_LEN(limiter->name),
		.is_int = is_int,
		.int_id = is_int ? Z_LVAL_P(id) : 0,
		.id = is_int ? NULL : Z_STRVAL_P(id),
		.id_len = is_int ? 0 : Z_STRLEN_P(id),
	};
	rl_decision d = {
		.reason = accepted ? RL_ACCEPTED : RL_LIMITED,
		.source = RL_FROM_SHM,
		.accepted = accepted,
		.limit = limit->limit,
		.remaining = verdict == RL_VERDICT_ADMITTED ? limit->limit : 0, /* the counts need no more */
	};

	usual_count(limiter, &key, 1, &d);
}

static zend_always_inline bool is_no_digit(char c)
{
	return (unsigned char) (c - '0') > 9;
}

/* Returns whether a zval is a string that is surely an identity, and not the decimal text of an int. An address begins with a digit,
 * and has a point or a colon behind at most four of them. */
static zend_always_inline bool is_surely_string(const zval *id)
{
	const char *text;

	if (UNEXPECTED(Z_TYPE_P(id) != IS_STRING || Z_STRLEN_P(id) - 1 >= RL_NAME_MAX)) {
		return false;
	}
	text = Z_STRVAL_P(id);
	return text[0] > '9'
		|| (Z_STRLEN_P(id) > 4
			&& (is_no_digit(text[1]) || is_no_digit(text[2]) || is_no_digit(text[3]) || is_no_digit(text[4])));
}

/* Decides any call of allow(): a function of its own, so that the most usual one needs no room for all of this. */
static zend_never_inline void allow_any(INTERNAL_FUNCTION_PARAMETERS)
{
	bool allowed;

	if (EXPECTED(usual_allow(execute_data, &allowed))) {
		RETURN_BOOL(allowed);
	}
	php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* The most usual call stays in registers, as doHandle()'s arguments do: one limit, and an int or a string. */
RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, allow)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ(EX(This)));
	const zval *id = ZEND_CALL_ARG(execute_data, 1);
	rl_verdict verdict = RL_VERDICT_NONE;

	if (EXPECTED(limiter->has_word && RATELIMIT_G(embedded) && ZEND_NUM_ARGS() == 1)) {
		if (EXPECTED(Z_TYPE_P(id) == IS_LONG)) {
			verdict = rl_limiter_verdict_int(&limiter->name_hash, Z_LVAL_P(id), &limiter->question.limits[0]);
		} else if (is_surely_string(id)) {
			verdict = rl_limiter_verdict_string(&limiter->name_hash, Z_STRVAL_P(id), Z_STRLEN_P(id),
				&limiter->question.limits[0]);
		}
	}
	if (EXPECTED(verdict >= RL_VERDICT_ADMITTED)
		&& EXPECTED(php_ratelimit_monitor_admitted(&limiter->monitor, verdict == RL_VERDICT_NEAR))) {
		RETURN_TRUE;
	}
	if (UNEXPECTED(verdict == RL_VERDICT_NONE)) {
		allow_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		return;
	}
	RETVAL_BOOL(verdict != RL_VERDICT_REFUSED);
	usual_count_verdict(limiter, id, verdict);
}
