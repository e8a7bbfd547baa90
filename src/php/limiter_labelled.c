/* Decides the usual call of consume() with several identities on a short path: ordinary limits with labels, on the embedded
 * store. */
#include "limiter_internal.h"

#include "arguments.h"
#include "identities.h"
#include "limiter_single.h"
#include "permit_object.h"
#include "src/guard/together.h"

/* Reads the costs of a call: none, one, or one for each limit. Returns false where the general way must read them. */
static zend_always_inline bool labelled_costs(php_ratelimit_limiter *limiter, const zend_execute_data *execute_data)
{
	const zval *cost = ZEND_CALL_ARG(execute_data, 2);
	rl_question *q = &limiter->question;

	q->costs = NULL;
	if (ZEND_NUM_ARGS() == 1) {
		q->cost = 1;
		return true;
	}
	if (ZEND_NUM_ARGS() != 2) {
		return false;
	}
	if (Z_TYPE_P(cost) == IS_LONG) {
		q->cost = (uint64_t) Z_LVAL_P(cost);
		return q->cost - 1 < RL_LIMIT_MAX;
	}
	return Z_TYPE_P(cost) == IS_ARRAY && php_ratelimit_usual_costs(limiter, Z_ARRVAL_P(cost));
}

/* Takes the parts of all identities as an acquire, whose number gives back those of earlier ones if a later one refuses. */
static bool labelled_ask(php_ratelimit_limiter *limiter, const rl_key *keys, rl_answer *a)
{
	const rl_guard *g = php_ratelimit_limiter_guard(limiter);
	rl_question *q = &limiter->question;
	rl_held held[RL_LIMITS_MAX];
	rl_status status;
	rl_error e;
	bool done;

	q->op = RL_OP_ACQUIRE;
	q->leave = 0;
	q->at_least = 0;
	q->max_wait_us = 0;
	q->tag = php_ratelimit_permit_number();
	q->owner = 0;
	q->held = held;
	status = rl_together_ask(g, keys, q, a, &e);
	done = EXPECTED(status == RL_OK) || php_ratelimit_limiter_finish_ask(limiter, g, keys, a, status, &e);
	q->op = RL_OP_CONSUME;
	q->held = NULL;
	a->shadow = 0;
	a->passed = false;
	if (UNEXPECTED(!done)) {
		php_ratelimit_monitor_failure(limiter, keys);
	}
	return done;
}

bool php_ratelimit_labelled_consume(const zend_execute_data *execute_data, zval *return_value)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ(EX(This)));
	const zval *ids = ZEND_CALL_ARG(execute_data, 1);
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;

	if (!limiter->is_labelled || !php_ratelimit_limiter_is_fast(limiter) || ZEND_NUM_ARGS() == 0
		|| Z_TYPE_P(ids) != IS_ARRAY || !php_ratelimit_usual_keys(limiter, Z_ARRVAL_P(ids), keys)
		|| !labelled_costs(limiter, execute_data)) {
		return false;
	}
	if (UNEXPECTED(!labelled_ask(limiter, keys, &a))) {
		return true; /* an exception was thrown */
	}
	if (UNEXPECTED(!php_ratelimit_monitor_passed(&limiter->monitor, RL_OP_CONSUME, &a.decision))) {
		php_ratelimit_monitor_answer(limiter, keys, &a);
	}
	php_ratelimit_limiter_result(return_value, limiter, &a);
	return true;
}
