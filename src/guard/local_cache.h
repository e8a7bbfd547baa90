/* What this machine's memory answers in a Redis' place: from a batch of leased permits, or with a remembered refusal. */
#ifndef RL_GUARD_LOCAL_CACHE_H
#define RL_GUARD_LOCAL_CACHE_H

#include "guard.h"
#include "lease.h"
#include "deny_cache.h"

/* One question about one identity, and what is looked for to answer it. */
typedef struct {
	bool leases, use_deny_cache;
	rl_deny_query deny_query;
	rl_place batch;
	int64_t began_us; /* leases: before Redis is asked, by rl_lease_now_us() */
} rl_local_cache;

/* True, with the answer, when the store need not be asked. Always before it is asked: what it answers then belongs to what
 * the memory was at this time. */
bool rl_local_cache_lookup(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q,
	rl_answer *a);

/* The same for a counter. peek: it is not counted. */
bool rl_local_cache_lookup_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, bool peek, rl_decision *d);

/* Is Redis to be asked for a batch? Then with rl_lease_question(). */
bool rl_local_cache_needs_lease(const rl_guard *g, const rl_question *q);

/* Keeps what the store answered. asked_us: before it was asked, as rl_attempt has it. */
void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, rl_answer *a);
void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_decision *d);

/* After anything but counting: what is known of this identity is no longer true. Also when nobody knows whether it was
 * done, and where this process remembers nothing: another may. */
void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key);

#endif
