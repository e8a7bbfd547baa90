/* Implements the deny cache, which keeps refusals by Redis in this machine's memory. An entry is valid until the same
 * call could pass, for deny_cache at most. Until then the guard refuses the same question of the same
 * identity without a request to Redis. A question includes the limits as they are now, and their bans. The cache keeps
 * only refusals of cost 1, with no share to leave and no time to wait: Redis may refuse another question where this one
 * passes, and its retryAfter differs. It keeps no refusal by a concurrent limit: a place may come free at any time.
 *
 * Any change of an identity's state other than by a count (reset, credit, a ban ...) invalidates its entries. */
#ifndef RL_GUARD_DENY_CACHE_H
#define RL_GUARD_DENY_CACHE_H

#include "../shm/machine/deny_entry.h"

/* A question, and the place of its refusal. It must be made before the request to the store. */
typedef struct {
	bool may_answer;    /* a cached refusal answers it */
	bool may_keep;      /* the cache may keep a refusal of it */
	uint8_t n_limits;   /* of the question; 1 of a counter's */
	uint8_t concurrent; /* a bit for each limit that is a concurrent one */
	rl_position position;
} rl_deny_query;

/* Return the query of a question. store_id: the id of the store that gets the question. A peek begins no ban, so the
 * cache does not keep its refusal. */
rl_deny_query rl_deny_query_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	bool peek);
rl_deny_query rl_deny_query_limiter(const uint64_t store_id[2], const rl_key *key, const rl_question *q);

/* Returns true if the cache has a refusal. Then it fills in all of d but the limit, which is that of limit_index. */
bool rl_deny_cache_lookup(const rl_deny_query *r, int64_t bound_us, rl_decision *d);

/* Stores a refusal, if the cache may keep it. began_us: the moment before the request, in the segment's time. */
void rl_deny_cache_store(const rl_deny_query *r, int64_t bound_us, int64_t began_us, const rl_decision *d);

/* Returns the key of a counter's question, for rl_deny_fast(), too. */
static inline rl_deny_key rl_deny_counter_key(const uint64_t store_id[2], const rl_counter_question *q)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	return rl_deny_mix(m, q->seconds | (uint64_t) q->limit << 32, (uint64_t) q->ban << 62 ^ (uint64_t) q->ban_s);
}

#endif
