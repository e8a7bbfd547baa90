/* Keeps the deny cache in the embedded store's table: refusals of another store, as records beside its own states.
 *
 * The key of a deny entry has the identity, the store that refused, the question, and the identity's generation. The
 * generation counts the identity's invalidations on this machine. So a deny entry never meets a count of the embedded
 * store, and two stores or two questions never share one. An invalidation is one addition: no earlier deny entry has
 * the new key. That includes an entry that a worker is about to write, because its key precedes the request to the
 * store.
 *
 * The table evicts deny entries first when room is short. A lost one costs a question to the other store. */
#ifndef RL_SHM_DENY_ENTRY_H
#define RL_SHM_DENY_ENTRY_H

#include <stdbool.h>

#include "../../store.h"
#include "../table/position.h"

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
	int64_t at_us;    /* the moment before the request to the store */
	int64_t retry_us; /* the moment from which the same call passes */
	int64_t reset_us; /* the moment from which the limit is whole */
	uint32_t reason;
	uint16_t limit_index;
	uint16_t level;
} rl_deny_entry;

/* Returns whether the entry is valid at now_us. An entry that lasts longer than bound_us is not, nor one of a clock
 * that has begun anew. */
static inline bool rl_deny_is_valid(const rl_deny_entry *r, int64_t now_us, int64_t bound_us)
{
	return now_us < r->end_us && r->at_us <= now_us && r->end_us - r->at_us <= bound_us;
}

/* Returns the position of a key's entry, as of this generation. Must precede the request to the store, and needs a
 * segment. record: true for a deny entry, false for a batch (lease_entry.h). */
rl_position rl_deny_position_of(const rl_key *key, rl_deny_key m, bool record);

/* Copies the entry, valid or not. Returns false if there is none. */
bool rl_deny_lookup(rl_position p, rl_deny_entry *r);

/* Stores an entry, if there is room. */
void rl_deny_store(rl_position p, const rl_deny_entry *r);

/* Drops all entries and batches of a key, of every store and question. */
void rl_deny_invalidate(const rl_key *key);

#endif
