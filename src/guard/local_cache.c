#include "local_cache.h"

#include "../shm/machine/demand.h"
#include "../shm/machine/demand_table.h"
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

/* A batch that lives for less than the time of its demand is so much smaller. */
static uint32_t cache_batch_size(const rl_local_cache *lc, const rl_question *q)
{
	int64_t demand_us = RL_DEMAND_BATCH_MS * RL_US_PER_MS, valid_us = rl_lease_life_us(q);
	uint32_t wanted = rl_demand_table_ask(lc->batch.position, q->cost, lc->began_us);

	if (valid_us < demand_us) {
		wanted = (uint32_t) ((int64_t) wanted * valid_us / demand_us);
	}
	return wanted < RL_DEMAND_BATCH_MIN ? 0 : wanted;
}

uint32_t rl_local_cache_want(rl_local_cache *lc, const rl_question *q)
{
	/* A thread without a worker could not keep the batch (rl_lease_entry_put()). */
	if (lc->leases && q->op == RL_OP_CONSUME && rl_shm_has_worker()) {
		lc->wanted = cache_batch_size(lc, q);
	}
	return lc->wanted;
}

uint32_t rl_local_cache_want_counter(rl_local_cache *lc)
{
	if (lc->leases && rl_shm_has_worker()) {
		lc->wanted = rl_demand_table_ask(lc->batch.position, 1, lc->began_us);
	}
	return lc->wanted;
}

bool rl_local_cache_may_lease(const rl_guard *g, const rl_question *q)
{
	return (g->auto_lease || q->leased) && rl_lease_is_possible(q) && cache_has_memory(g);
}

static bool cache_take_leased(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q,
	rl_answer *a)
{
	rl_lease_now now;

	lc->wanted = 0;
	lc->leases = rl_local_cache_may_lease(g, q);
	if (!lc->leases) {
		return false;
	}
	lc->batch = rl_lease_position_for(g->store->id, key, q, rl_lease_epoch());
	if (rl_lease_take(lc->batch, q, a)) {
		rl_stat_add(RL_STAT_LEASED);
		return true;
	}
	now = rl_lease_now_read();
	lc->began_us = now.now_us;
	if (now.epoch != lc->batch.epoch) {
		lc->batch = rl_lease_position_for(g->store->id, key, q, now.epoch);
	}
	return false;
}

static bool cache_take_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_counter_question *q,
	bool peek, rl_decision *d)
{
	rl_lease_now now;

	lc->wanted = 0;
	lc->leases = g->auto_lease && q->limit >= RL_LEASE_MIN && cache_has_memory(g);
	if (!lc->leases) {
		return false;
	}
	lc->batch = rl_lease_position_counter(g->store->id, key, q, rl_lease_epoch());
	if (rl_lease_take_counter(lc->batch, q, peek, d)) {
		if (!peek) {
			rl_stat_add(RL_STAT_LEASED);
		}
		return true;
	}
	now = rl_lease_now_read();
	lc->began_us = now.now_us;
	if (now.epoch != lc->batch.epoch) {
		lc->batch = rl_lease_position_counter(g->store->id, key, q, now.epoch);
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
	if (cache_take_counter(lc, g, key, q, peek, d)) {
		return true;
	}
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

/* Counts the permits of a batch. */
static void cache_count_demand(const rl_local_cache *lc, uint32_t leased)
{
	if (leased > 0) {
		rl_demand_table_add(lc->batch.position, leased);
	}
}

static void cache_store_denial(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_decision *d)
{
	if (lc->use_deny_cache) {
		rl_deny_cache_store(&lc->deny_query, g->deny_cache_us, asked_us, d);
	}
}

void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, uint32_t leased,
	rl_decision *d)
{
	if (lc->wanted > 0) {
		cache_count_demand(lc, leased);
		rl_lease_keep_counter(lc->batch, lc->began_us, leased, d);
	}
	cache_store_denial(lc, g, asked_us, d);
}

void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_question *q,
	rl_answer *a)
{
	if (lc->wanted > 0) {
		cache_count_demand(lc, a->leased);
		rl_lease_keep(lc->batch, lc->began_us, q, a);
	}
	cache_store_denial(lc, g, asked_us, &a->decision);
}

void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key)
{
	if (cache_has_memory(g)) {
		rl_deny_invalidate(key);
	}
}
