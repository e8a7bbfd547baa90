#include "local_cache.h"

#include "failure_policy.h"

/* The embedded store is this memory already. */
static bool cache_has_memory(const rl_guard *g)
{
	return g->store && rl_shm_store() && g->store != rl_shm_store();
}

static bool cache_uses_denials(const rl_guard *g)
{
	return g->deny_cache_us > 0 && cache_has_memory(g);
}

bool rl_local_cache_needs_lease(const rl_guard *g, const rl_question *q)
{
	/* A thread without a worker could not keep the batch (rl_lease_entry_put()). */
	return (q->op == RL_OP_CONSUME || q->op == RL_OP_ACQUIRE) && rl_lease_is_asked(q) && cache_has_memory(g)
		&& rl_shm_has_worker();
}

static bool cache_take_leased(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q,
	rl_answer *a)
{
	rl_lease_now now;

	lc->leases = rl_lease_is_asked(q) && cache_has_memory(g);
	if (!lc->leases) {
		return false;
	}
	lc->batch = rl_lease_place_for(g->store->id, key, q, rl_lease_epoch());
	if (rl_lease_take(lc->batch, q, a)) {
		rl_stat_add(RL_STAT_LEASED);
		return true;
	}
	now = rl_lease_now_read();
	lc->began_us = now.now_us;
	if (now.epoch != lc->batch.epoch) {
		lc->batch = rl_lease_place_for(g->store->id, key, q, now.epoch);
	}
	return false;
}

bool rl_local_cache_lookup(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a)
{
	if (cache_take_leased(lc, g, key, q, a)) {
		return true;
	}
	lc->use_deny_cache = cache_uses_denials(g);
	if (!lc->use_deny_cache) {
		return false;
	}
	lc->deny_query = rl_deny_query_limiter(g->store->id, key, q);
	if (!rl_deny_cache_lookup(&lc->deny_query, g->deny_cache_us, &a->decision)
		|| a->decision.limit_index >= q->n_limits) {
		return false;
	}
	a->decision.limit = q->limits[a->decision.limit_index].limit;
	a->granted = 0;
	a->wait_us = 0;
	if (rl_op_counts(q->op)) {
		rl_stat_add(RL_STAT_CACHED);
	}
	return true;
}

bool rl_local_cache_lookup_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, bool peek, rl_decision *d)
{
	lc->leases = false;
	lc->use_deny_cache = cache_uses_denials(g);
	if (!lc->use_deny_cache) {
		return false;
	}
	lc->deny_query = rl_deny_query_counter(g->store->id, key, q, peek);
	if (!rl_deny_cache_lookup(&lc->deny_query, g->deny_cache_us, d)) {
		return false;
	}
	d->limit = q->limit;
	d->limit_index = 0; /* also if the entry is damaged */
	if (!peek) {
		rl_stat_add(RL_STAT_CACHED);
	}
	return true;
}

void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_decision *d)
{
	if (lc->use_deny_cache) {
		rl_deny_cache_store(&lc->deny_query, g->deny_cache_us, asked_us, d);
	}
}

void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_question *q,
	rl_answer *a)
{
	if (lc->leases && rl_local_cache_needs_lease(g, q)) {
		rl_lease_keep(lc->batch, lc->began_us, q, a);
	}
	rl_local_cache_store_counter(lc, g, asked_us, &a->decision);
}

bool rl_local_cache_settle(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a)
{
	return q->op == RL_OP_SETTLE && rl_lease_is_held(q) && cache_has_memory(g)
		&& rl_lease_settle(g->store->id, key, q, a);
}

void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key)
{
	if (cache_has_memory(g)) {
		rl_deny_invalidate(key);
	}
}
