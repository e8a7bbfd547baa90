#include "attempt.h"
#include "dead_places.h"
#include "failure_policy.h"
#include "guard.h"
#include "local_cache.h"

bool rl_guard_can_ask_two(const rl_guard *g, const rl_question *q, const rl_question *of_shadow)
{
	return !rl_guard_is_embedded(g) && g->store && g->store->ops->ask_two && g->store->ops->is_one_server(g->store)
		&& (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_RESERVE) && !rl_local_cache_may_lease(g, q)
		&& !rl_local_cache_may_lease(g, of_shadow);
}

/* Asks the store both questions. The breaker gets one result: a server that has answered the first one is not away. */
static void two_ask_store(const rl_guard *g, const rl_key keys[2], const rl_question *const q[2], rl_answer a[2],
	rl_status status[2], rl_error e[2], const rl_local_cache caches[2])
{
	rl_attempt attempt;

	rl_dead_places_give_back(g);
	status[0] = rl_attempt_begin(&attempt, g, &keys[0], &e[0]);
	if (status[0] != RL_OK) {
		status[1] = status[0];
		e[1] = e[0];
		return;
	}
	g->store->ops->ask_two(g->store, keys, q, a, status, e);
	rl_attempt_end(&attempt, status[0], rl_op_counts(q[0]->op) ? &a[0].decision : NULL, &e[0]);
	rl_attempt_count(&keys[1], status[1], NULL);
	for (unsigned i = 0; i < 2; i++) {
		if (status[i] == RL_OK) {
			rl_local_cache_store(&caches[i], g, attempt.call.began_us, q[i], &a[i]);
		}
	}
}

void rl_guard_ask_two(const rl_guard *g, const rl_key keys[2], const rl_question *const q[2], rl_answer a[2],
	rl_status status[2], rl_error e[2])
{
	rl_local_cache caches[2];

	if (rl_local_cache_lookup(&caches[0], g, &keys[0], q[0], &a[0])) {
		status[0] = RL_OK;
		status[1] = rl_guard_ask(g, &keys[1], q[1], &a[1], &e[1]);
		return;
	}
	if (rl_local_cache_lookup(&caches[1], g, &keys[1], q[1], &a[1])) {
		status[1] = RL_OK;
		status[0] = rl_guard_ask(g, &keys[0], q[0], &a[0], &e[0]);
		return;
	}
	two_ask_store(g, keys, q, a, status, e, caches);
	for (unsigned i = 0; i < 2; i++) {
		status[i] = rl_failure_policy_apply(g, status[i], &keys[i], q[i], &a[i], &e[i]);
	}
}
