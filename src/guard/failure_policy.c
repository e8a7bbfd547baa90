#include "failure_policy.h"

#include "../shm/shm.h"

bool rl_failure_policy_applies(const rl_guard *g, rl_status status)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return g->on_failure != RL_ON_FAILURE_THROW;
		case RL_MISCONFIGURED: /* nobody would notice that every call is refused: better to say why */
			return g->on_failure == RL_ON_FAILURE_LOCAL || g->on_failure == RL_ON_FAILURE_ALLOW;
		default:
			return false;
	}
}

rl_store *rl_failure_policy_fallback(const rl_guard *g)
{
	return g->on_failure == RL_ON_FAILURE_LOCAL && !rl_guard_is_embedded(g) ? rl_shm_store() : NULL;
}

void rl_failure_policy_decide(const rl_guard *g, uint32_t limit, rl_decision *d)
{
	d->reason = RL_STORE_UNAVAILABLE;
	d->source = rl_guard_is_embedded(g) || !g->store ? RL_FROM_SHM : RL_FROM_REDIS;
	d->accepted = g->on_failure == RL_ON_FAILURE_ALLOW;
	d->limit_index = 0;
	d->limit = limit;
	d->remaining = d->accepted ? limit : 0;
	d->retry_after_us = d->accepted ? 0 : g->retry_delay_us;
	d->reset_after_us = d->retry_after_us;
}

/* A cost above a limit can never pass, whoever may count. */
static void refuse_if_too_expensive(const rl_question *q, rl_decision *d)
{
	for (uint8_t i = 0; i < q->n_limits; i++) {
		if (q->cost > q->limits[i].limit) {
			d->reason = RL_TOO_EXPENSIVE;
			d->accepted = false;
			d->limit_index = i;
			d->limit = q->limits[i].limit;
			d->remaining = d->remaining > d->limit ? d->limit : d->remaining;
			d->retry_after_us = RL_NEVER;
			d->reset_after_us = 0;
			return;
		}
	}
}

bool rl_op_is_decision(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_PEEK || op == RL_OP_RESERVE;
}

rl_status rl_failure_policy_apply(const rl_guard *g, rl_status status, const rl_key *key, const rl_question *q,
	rl_answer *a, rl_error *e)
{
	rl_store *other;

	if (status == RL_OK) {
		return RL_OK;
	}
	if (!rl_failure_policy_applies(g, status)) {
		if (status == RL_STALE_BOUNDARIES) {
			a->decision.source = RL_FROM_REDIS; /* that is, not the stand-in: see rl_guard_retry() */
		}
		return status;
	}
	other = rl_failure_policy_fallback(g);
	if (other) {
		rl_status local = other->ops->ask(other, key, q, a, e);

		if (local == RL_OK || local == RL_STALE_BOUNDARIES) {
			a->decision.source = RL_FROM_LOCAL;
			if (local == RL_OK) {
				rl_stat_add(RL_STAT_FALLBACKS);
			}
			return local;
		}
	}
	/* A ban, a refund, a cancellation has no answer but the deed. */
	if (!rl_op_is_decision(q->op)) {
		return status;
	}
	rl_failure_policy_decide(g, q->limits[0].limit, &a->decision);
	refuse_if_too_expensive(q, &a->decision);
	rl_stat_add(RL_STAT_FALLBACKS);
	return RL_OK;
}
