#include "local_cache.h"

#include "../shm/machine/demand.h"
#include "../shm/machine/demand_table.h"

/* The embedded store is this memory already. */
static bool cache_has_memory(const rl_guard *g)
{
	return g->store && rl_shm_store() && g->store != rl_shm_store();
}

static bool cache_uses_denials(const rl_guard *g)
{
	return g->deny_cache_us > 0 && cache_has_memory(g);
}

/* A batch that lives for less than the time of its demand is so much smaller. A thread without a worker could not keep one
 * (rl_lease_entry_put()). */
static uint32_t cache_want(rl_local_cache *lc, uint64_t cost, int64_t life_us)
{
	int64_t demand_us = RL_DEMAND_BATCH_MS * RL_US_PER_MS;

	if (rl_shm_has_worker()) {
		lc->wanted = rl_demand_table_ask(lc->batch.position, cost, lc->began_us);
		if (life_us < demand_us) {
			lc->wanted = (uint32_t) ((int64_t) lc->wanted * life_us / demand_us);
		}
		lc->wanted = lc->wanted < RL_DEMAND_BATCH_MIN ? 0 : lc->wanted;
	}
	return lc->wanted;
}

uint32_t rl_local_cache_want(rl_local_cache *lc, const rl_question *q)
{
	return lc->leases && q->op == RL_OP_CONSUME ? cache_want(lc, q->cost, rl_lease_life_us(q)) : 0;
}

uint32_t rl_local_cache_want_counter(rl_local_cache *lc)
{
	return lc->leases ? cache_want(lc, 1, RL_LEASE_US) : 0;
}

bool rl_local_cache_may_lease(const rl_guard *g, const rl_question *q)
{
	return (g->auto_lease || q->leased) && rl_lease_is_possible(q) && cache_has_memory(g);
}

/* Takes n permits of the batch of a key. Returns false if it has too few: then a request for a batch may follow. */
static bool cache_take(rl_local_cache *lc, const rl_key *key, rl_deny_key m, uint64_t n, bool peek,
	rl_lease_entry *seen)
{
	rl_lease_now now;

	lc->batch = rl_lease_position_of(key, m, rl_lease_epoch());
	/* A peek with a cost of 0 at an empty batch asks Redis, which may have more. */
	if (n <= RL_COUNTER_MAX && rl_lease_entry_take(lc->batch, (uint32_t) n, peek, seen) && (n > 0 || seen->left > 0)) {
		if (!peek) {
			rl_stat_add(RL_STAT_LEASED);
		}
		return true;
	}
	now = rl_lease_now_read();
	lc->began_us = now.now_us;
	if (now.epoch != lc->batch.epoch) {
		lc->batch = rl_lease_position_of(key, m, now.epoch);
	}
	return false;
}

static bool cache_has_denial(const rl_local_cache *lc, const rl_guard *g, bool counts, rl_decision *d)
{
	if (!rl_deny_cache_lookup(&lc->deny_query, g->deny_cache_us, d)) {
		return false;
	}
	if (counts) {
		rl_stat_add(RL_STAT_CACHED);
	}
	return true;
}

bool rl_local_cache_lookup(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a)
{
	rl_lease_entry seen;

	lc->wanted = 0;
	lc->leases = rl_local_cache_may_lease(g, q);
	a->wait_us = 0;
	if (lc->leases && cache_take(lc, key, rl_lease_key(g->store->id, q), q->cost, q->op == RL_OP_PEEK, &seen)) {
		rl_lease_decide(q->limits[0].limit, &seen, &a->decision);
		a->granted = q->cost;
		return true;
	}
	lc->deny_query = cache_uses_denials(g) ? rl_deny_query_limiter(g->store->id, key, q) : (rl_deny_query){0};
	if (!cache_has_denial(lc, g, rl_op_counts(q->op), &a->decision)) {
		return false;
	}
	a->decision.limit = q->limits[a->decision.limit_index].limit;
	a->granted = 0;
	return true;
}

bool rl_local_cache_lookup_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, bool peek, rl_decision *d)
{
	rl_lease_entry seen;

	lc->wanted = 0;
	lc->leases = g->auto_lease && q->limit >= RL_LEASE_MIN && cache_has_memory(g);
	if (lc->leases && cache_take(lc, key, rl_lease_key_counter(g->store->id, q), 1, peek, &seen)) {
		rl_lease_decide(q->limit, &seen, d);
		return true;
	}
	lc->deny_query = cache_uses_denials(g) ? rl_deny_query_counter(g->store->id, key, q, peek) : (rl_deny_query){0};
	if (!cache_has_denial(lc, g, !peek, d)) {
		return false;
	}
	d->limit = q->limit;
	return true;
}

/* Keeps a batch, and counts its permits as demand. */
static void cache_keep(const rl_local_cache *lc, uint32_t leased, int64_t life_us, int64_t left_us, rl_decision *d)
{
	rl_demand_table_add(lc->batch.position, leased);
	rl_lease_keep(lc->batch, lc->began_us, leased, life_us, left_us, d);
}

void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, rl_decision *d)
{
	if (lc->wanted > 0 && d->leased > 0) {
		cache_keep(lc, d->leased, RL_LEASE_US, d->reset_after_us, d);
	}
	rl_deny_cache_store(&lc->deny_query, g->deny_cache_us, asked_us, d);
}

void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_question *q,
	rl_answer *a)
{
	if (lc->wanted > 0 && a->leased > 0) {
		cache_keep(lc, a->leased, rl_lease_life_us(q), rl_lease_left_us(q, &a->decision), &a->decision);
	}
	rl_deny_cache_store(&lc->deny_query, g->deny_cache_us, asked_us, &a->decision);
}

void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key)
{
	if (cache_has_memory(g)) {
		rl_deny_invalidate(key);
	}
}
