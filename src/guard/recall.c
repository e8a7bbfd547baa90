#include "recall.h"

#include "../shm/shm.h"

/* The embedded store is this memory. */
static bool has_memory(const rl_guard *g)
{
	return g->store && rl_shm_store() && g->store != rl_shm_store();
}

static bool remembers(const rl_guard *g)
{
	return g->deny_cache_us > 0 && has_memory(g);
}

bool rl_recall_wants_lease(const rl_guard *g, const rl_question *q)
{
	/* Who has no desk could not keep what is handed out (rl_permits_put()). */
	return q->op == RL_OP_CONSUME && rl_lease_is_asked(q) && has_memory(g) && rl_desk_claim() != NULL;
}

static bool takes_from_batch(rl_recall *r, const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a)
{
	r->leases = rl_lease_is_asked(q) && has_memory(g);
	if (!r->leases) {
		return false;
	}
	r->batch = rl_lease_place(g->store->id, key, q);
	if (rl_lease_take(r->batch, q, &a->decision)) {
		rl_shm_count(RL_COUNT_LEASED);
		return true;
	}
	r->began_us = rl_permits_now_us();
	return false;
}

bool rl_recall_answers(rl_recall *r, const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a)
{
	if (takes_from_batch(r, g, key, q, a)) {
		return true;
	}
	r->remembers = remembers(g);
	if (!r->remembers) {
		return false;
	}
	r->refusable = rl_refusable_question(g->store->id, key, q);
	if (!rl_refusal_recall(&r->refusable, g->deny_cache_us, &a->decision) || a->decision.limit_index >= q->n_limits) {
		return false;
	}
	a->decision.limit = q->limits[a->decision.limit_index].limit;
	rl_shm_count(RL_COUNT_CACHED);
	return true;
}

bool rl_recall_plain(rl_recall *r, const rl_guard *g, const rl_key *key, const rl_plain_question *q, bool peek,
	rl_decision *d)
{
	r->leases = false;
	r->remembers = remembers(g);
	if (!r->remembers) {
		return false;
	}
	r->refusable = rl_refusable_plain(g->store->id, key, q, peek);
	if (!rl_refusal_recall(&r->refusable, g->deny_cache_us, d)) {
		return false;
	}
	d->limit = q->number;
	rl_shm_count(RL_COUNT_CACHED);
	return true;
}

void rl_recall_learn_plain(const rl_recall *r, const rl_guard *g, int64_t asked_us, const rl_decision *d)
{
	if (r->remembers) {
		rl_refusal_keep(&r->refusable, g->deny_cache_us, asked_us, d);
	}
}

void rl_recall_learn(const rl_recall *r, const rl_guard *g, int64_t asked_us, rl_answer *a)
{
	if (r->leases) {
		rl_lease_keep(r->batch, r->began_us, a);
	}
	rl_recall_learn_plain(r, g, asked_us, &a->decision);
}

void rl_recall_forget(const rl_guard *g, const rl_key *key)
{
	if (has_memory(g)) {
		rl_memo_forget(key);
	}
}
