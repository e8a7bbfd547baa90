#include "guard.h"

#include "../shm/shm.h"
#include "failure_policy.h"
#include "local_cache.h"
#include "attempt.h"

const char *const rl_on_failure_names[4] = {"local", "allow", "deny", "throw"};

bool rl_guard_is_embedded(const rl_guard *g)
{
	return g->store && g->store == rl_shm_store();
}

/* May the store be asked about this key? */
static rl_status may_ask(const rl_guard *g, const rl_key *key, rl_attempt *attempt, rl_error *e)
{
	return rl_attempt_begin(g, rl_breaker_for(g, key), attempt, e);
}

/* How it went. */
static rl_status went(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status, bool peek,
	const rl_decision *d, const rl_error *e)
{
	rl_attempt_end(g, key, attempt, status, e);
	if (!rl_guard_is_embedded(g)) {
		rl_attempt_count(status, peek, d);
	}
	return status;
}

static rl_status count(const rl_guard *g, bool peek, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	rl_attempt attempt;
	rl_local_cache cache;
	rl_status status;
	rl_store *other;

	if (rl_local_cache_lookup_counter(&cache, g, key, q, peek, d)) {
		return RL_OK;
	}
	status = may_ask(g, key, &attempt, e);
	if (status == RL_OK) {
		status = (peek ? g->store->ops->peek : g->store->ops->count)(g->store, key, q, d, e);
		if (went(g, key, &attempt, status, peek, d, e) == RL_OK) {
			rl_local_cache_store_counter(&cache, g, attempt.began_us, d);
		}
	}
	if (!rl_failure_policy_applies(g, status)) {
		return status;
	}
	other = rl_failure_policy_fallback(g);
	if (other && (peek ? other->ops->peek : other->ops->count)(other, key, q, d, e) == RL_OK) {
		d->source = RL_FROM_LOCAL;
	} else {
		rl_failure_policy_decide(g, q->limit, d);
	}
	rl_stat_add(RL_STAT_FALLBACKS);
	return RL_OK;
}

rl_status rl_guard_count(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	return count(g, false, key, q, d, e);
}

rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e)
{
	return count(g, true, key, q, d, e);
}

rl_status rl_guard_reset(const rl_guard *g, const rl_key *key, bool *found, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = may_ask(g, key, &attempt, e);
	rl_store *other;

	if (status == RL_OK) {
		status = went(g, key, &attempt, g->store->ops->reset(g->store, key, found, e), true, NULL, e);
	}
	rl_local_cache_invalidate(g, key);
	other = rl_failure_policy_applies(g, status) ? rl_failure_policy_fallback(g) : NULL;
	if (other && other->ops->reset(other, key, found, e) == RL_OK) {
		rl_stat_add(RL_STAT_FALLBACKS);
		return RL_OK;
	}
	return status;
}

/* Asks the store itself. */
static rl_status ask_store(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_question lease;

	if (!rl_local_cache_needs_lease(g, q)) {
		return g->store->ops->ask(g->store, key, q, a, e);
	}
	lease = rl_lease_question(q);
	return g->store->ops->ask(g->store, key, &lease, a, e);
}

rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_local_cache cache;
	rl_status status;

	/* It is this memory, and has no breaker. */
	if (rl_guard_is_embedded(g)) {
		return rl_failure_policy_apply(g, g->store->ops->ask(g->store, key, q, a, e), key, q, a, e);
	}
	if (rl_local_cache_lookup(&cache, g, key, q, a)) {
		return RL_OK;
	}
	status = may_ask(g, key, &attempt, e);
	if (status == RL_OK) {
		bool decided = q->op == RL_OP_CONSUME || q->op == RL_OP_RESERVE;

		status = ask_store(g, key, q, a, e);
		went(g, key, &attempt, status, !decided, &a->decision, e);
		if (status == RL_OK && rl_op_is_decision(q->op)) {
			rl_local_cache_store(&cache, g, attempt.began_us, a);
		}
	}
	/* Also where the server is left alone: the stand-in does it then. */
	if (!rl_op_is_decision(q->op)) {
		rl_local_cache_invalidate(g, key);
	}
	return rl_failure_policy_apply(g, status, key, q, a, e);
}

rl_status rl_guard_retry(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	if (a->decision.source != RL_FROM_LOCAL) {
		return rl_guard_ask(g, key, q, a, e);
	}
	return rl_failure_policy_apply(g, RL_UNAVAILABLE, key, q, a, e);
}
