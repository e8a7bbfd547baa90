/* Keeps the deny cache in the embedded store's table: refusals of another store, as records beside its own states.
 *
 * The key of a deny entry has the identity, the store that refused, the question, and the identity's generation, which
 * counts its invalidations on this machine. So a deny entry never meets a count of the embedded store, and two stores or
 * two questions never share one. Invalidating is one addition: no deny entry of before has the new key, not even one that
 * a worker is about to write, for its key was made before the store was asked.
 *
 * Deny entries are evicted first when room is short. A lost one costs a question to the other store. */
#ifndef RL_SHM_DENY_ENTRY_H
#define RL_SHM_DENY_ENTRY_H

#include <stdbool.h>

#include "../store.h"
#include "place.h"

/* The store and the question. Begins as the store's id (store.h); rl_deny_mix() adds what belongs to the question. */
typedef struct {
	uint64_t a, b;
} rl_deny_key;

static inline rl_deny_key rl_deny_mix(rl_deny_key m, uint64_t x, uint64_t y)
{
	unsigned __int128 product = (unsigned __int128) (m.a ^ x) * (m.b ^ y);

	m.a = (m.a << 23 | m.a >> 41) ^ (uint64_t) product;
	m.b = (m.b << 41 | m.b >> 23) ^ (uint64_t) (product >> 64);
	return m;
}

/* A refusal, in microseconds of the segment's time. */
typedef struct {
	int64_t end_us;   /* it is valid until then */
	int64_t at_us;    /* before the store was asked for it */
	int64_t retry_us; /* when the same call passes */
	int64_t reset_us; /* when the limit is whole */
	uint32_t reason;
	uint32_t limit_index;
} rl_deny_entry;

/* Is the entry valid at now_us? One that lasts longer than bound_us never is, nor one of a clock that has begun anew. */
static inline bool rl_deny_is_valid(const rl_deny_entry *r, int64_t now_us, int64_t bound_us)
{
	return now_us < r->end_us && r->at_us <= now_us && r->end_us - r->at_us <= bound_us;
}

/* Returns the place of a key's entry, as of this generation: to be called before the store is asked. record: a deny
 * entry's; false: a batch's (lease_entry.h). There must be a segment. */
rl_place rl_deny_place_of(const rl_key *key, rl_deny_key m, bool record);

/* Copies the entry, valid or not. False: there is none. */
bool rl_deny_lookup(rl_place p, rl_deny_entry *r);

/* Keeps an entry, if there is room. */
void rl_deny_store(rl_place p, const rl_deny_entry *r);

/* Drops all entries and batches of a key, whatever the store and the question. */
void rl_deny_invalidate(const rl_key *key);

#endif
