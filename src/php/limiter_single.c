/* Decides the usual calls of consume() and allow() on the fast path: one ordinary limit, on the embedded store. */
#include "limiter_internal.h"

#include "arguments.h"
#include "limiter_single.h"
#include "result.h"
#include "src/shm/limiter_fast.h"

/* Reads a call as most are: an identity, perhaps a cost, within their bounds. Any other call goes through the parser, which
 * reports its errors. */
static zend_always_inline bool single_call(const zend_execute_data *execute_data, const php_ratelimit_limiter *limiter,
	rl_key *key, uint64_t *cost)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	uint32_t n = ZEND_NUM_ARGS();

	*cost = 1;
	if (n == 2 && EXPECTED(Z_TYPE(args[1]) == IS_LONG && Z_LVAL(args[1]) > 0)) {
		*cost = (uint64_t) Z_LVAL(args[1]);
	} else if (UNEXPECTED(n != 1)) {
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
		&& php_ratelimit_identity("$id", Z_STR(args[0]), 0, key);
}

/* Counts a decision that is not a usual admission, as one of the general way. */
static zend_never_inline void single_count_slowly(php_ratelimit_limiter *limiter, const rl_key *key, uint64_t cost,
	const rl_decision *d)
{
	rl_answer a = {.decision = *d, .granted = d->accepted ? cost : 0};

	limiter->question.op = RL_OP_CONSUME;
	limiter->question.cost = cost;
	limiter->question.costs = NULL;
	php_ratelimit_monitor_answer(limiter, key, &a);
}

/* Counts a decision: what is counted for each one belongs here. */
static zend_always_inline void single_count(php_ratelimit_limiter *limiter, const rl_key *key, uint64_t cost,
	const rl_decision *d)
{
	if (UNEXPECTED(!limiter->monitor.meter)) {
		php_ratelimit_monitor_begin(limiter);
	}
	if (UNEXPECTED(!php_ratelimit_monitor_passed(&limiter->monitor, RL_OP_CONSUME, d))) {
		single_count_slowly(limiter, key, cost, d);
	}
}

/* Decides the call. Returns the limiter; NULL: the general way decides. */
static zend_always_inline php_ratelimit_limiter *single_decide(const zend_execute_data *execute_data, bool verdict_only,
	rl_decision *d, uint64_t *cost)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ(EX(This)));
	rl_key key;

	if (UNEXPECTED(!limiter->is_single || !RATELIMIT_G(embedded_limiters))
		|| !single_call(execute_data, limiter, &key, cost)
		|| UNEXPECTED(!rl_limiter_fast(&key, &limiter->question.limits[0], *cost, verdict_only, d))) {
		return NULL;
	}
	single_count(limiter, &key, *cost, d);
	return limiter;
}

bool php_ratelimit_single_consume(const zend_execute_data *execute_data, zval *return_value)
{
	rl_decision d;
	uint64_t cost;
	php_ratelimit_limiter *limiter = single_decide(execute_data, false, &d, &cost);

	if (!limiter) {
		return false;
	}
	php_ratelimit_result_init(return_value, &d, d.accepted ? cost : 0, 0, limiter->limits[0].name,
		EXPECTED(limiter->question.limits[0].algorithm == RL_FIXED_WINDOW)
			? limiter->question.limits[0].period_us
			: php_ratelimit_limit_window_us(&limiter->question.limits[0]));
	if (UNEXPECTED(!d.accepted)) {
		php_ratelimit_result_set_refused(return_value, limiter->name, ZEND_CALL_ARG(execute_data, 1));
	}
	return true;
}

bool php_ratelimit_single_allow(const zend_execute_data *execute_data, bool *allowed)
{
	rl_decision d;
	uint64_t cost;

	if (!single_decide(execute_data, true, &d, &cost)) {
		return false;
	}
	*allowed = d.accepted;
	return true;
}
