/* Answers a question from this machine's memory instead of Redis: from a batch of leased permits (lease.h), or from the
 * deny cache (deny_cache.h). */
#ifndef RL_GUARD_LOCAL_CACHE_H
#define RL_GUARD_LOCAL_CACHE_H

#include "deny_cache.h"
#include "guard_types.h"
#include "lease.h"

/* One question about one identity, and the places of its answers. */
typedef struct {
	bool leases;              /* whether batch is set */
	uint32_t wanted;          /* the most permits of the batch to ask for; 0: the request is none for a batch */
	rl_deny_query deny_query; /* without a deny cache, one that is neither answered nor kept */
	rl_lease_position batch;
	int64_t began_us; /* leases: the moment before the request, by rl_lease_now_read() */
} rl_local_cache;

/* Returns true if a has the answer; then the store gets no request. Must precede each request to the store, because the
 * places belong to the generation before it. */
bool rl_local_cache_lookup(rl_local_cache *lc, const rl_guard *g, const rl_key *key, const rl_question *q,
	rl_answer *a);

/* Does the same for a counter. */
bool rl_local_cache_lookup_counter(rl_local_cache *lc, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, bool peek, rl_decision *d);

/* Returns whether this machine may take a batch of permits for the question. */
bool rl_local_cache_may_lease(const rl_guard *g, const rl_question *q);

/* Returns the most permits of the batch that the request to Redis must ask for; 0: it is no request for a batch. To be called
 * once for each request that follows a lookup: it counts the identity's requests. */
uint32_t rl_local_cache_want(rl_local_cache *lc, const rl_question *q);
uint32_t rl_local_cache_want_counter(rl_local_cache *lc);

/* Stores the answer of the store. asked_us: the moment before the request, in the segment's time. */
void rl_local_cache_store(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, const rl_question *q,
	rl_answer *a);
void rl_local_cache_store_counter(const rl_local_cache *lc, const rl_guard *g, int64_t asked_us, rl_decision *d);

/* Drops all cached answers of an identity, after any command. It must run also when the command's outcome is unknown,
 * and when this process has no cache: other processes may have one. */
void rl_local_cache_invalidate(const rl_guard *g, const rl_key *key);

#endif
