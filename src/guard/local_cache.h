/* Answers a question from this machine's memory instead of Redis: from a batch of leased permits (lease.h), or from the
 * deny cache (deny_cache.h). */
#ifndef RL_GUARD_LOCAL_CACHE_H
#define RL_GUARD_LOCAL_CACHE_H

#include "deny_cache.h"
#include "guard_types.h"
#include "lease.h"

/* One question about one identity, and the places of its answers. */
typedef struct {
	bool leases, use_deny_cache;
	rl_deny_query deny_query;
	rl_lease_place batch;
	int64_t began_us; /* leases: before Redis is asked, by rl_lease_now_read() */
} rl_local_cache;

/* True: a has the answer, and the store need not be asked. To be called before each question to the store: the places are
 * those of the generation before. */
bool rl_local_cache_lookup(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q,
	rl_answer *a);

/* The same for a counter. */
bool rl_local_cache_lookup_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, bool peek, rl_decision *d);

/* Is Redis to be asked for a batch, with rl_lease_question()? */
bool rl_local_cache_needs_lease(const rl_guard *g, const rl_question *q);

/* Keeps what the store answered. asked_us: before it was asked, in the segment's time. */
void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, rl_answer *a);
void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_decision *d);

/* Drops what is kept of an identity, after any command. Also when the command's outcome is unknown, and where this process
 * keeps nothing: other processes may. */
void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key);

#endif
