/* The deny cache: a refusal that Redis gave is kept in this machine's memory until the same call could pass, for
 * ratelimit.deny_cache at most. Until then the same identity with the same question (the limits as they are now, their
 * bans) is refused without asking Redis. Only a cost of 1 is cached: a larger one may be refused where 1 is not, and has
 * another retryAfter.
 *
 * What changes an identity's state other than by counting (reset, refund, a ban ...) invalidates its entries. */
#ifndef RL_GUARD_DENY_CACHE_H
#define RL_GUARD_DENY_CACHE_H

#include "../shm/deny_entry.h"

/* One question, and the place of its refusal. Made before the store is asked. */
typedef struct {
	bool may_answer; /* a cached refusal answers it */
	bool may_keep;   /* a refusal of it may be cached */
	rl_place place;
} rl_deny_query;

/* store_id: of the store that is asked. A peek starts no ban, so its refusal is not kept. */
rl_deny_query rl_deny_query_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	bool peek);
rl_deny_query rl_deny_query_limiter(const uint64_t store_id[2], const rl_key *key, const rl_question *q);

/* True: a refusal is cached. Then it fills in all of d but the limit, which is that of limit_index. */
bool rl_deny_cache_lookup(const rl_deny_query *r, int64_t bound_us, rl_decision *d);

/* Keeps a refusal, if it may be cached. began_us: before the store was asked, in the segment's time. */
void rl_deny_cache_store(const rl_deny_query *r, int64_t bound_us, int64_t began_us, const rl_decision *d);

/* Returns the key of a counter's question, for rl_deny_fast(), too. */
static inline rl_deny_key rl_deny_counter_key(const uint64_t store_id[2], const rl_counter_question *q)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	return rl_deny_mix(m, q->seconds | (uint64_t) q->limit << 32, (uint64_t) q->ban << 62 ^ (uint64_t) q->ban_s);
}

#endif
