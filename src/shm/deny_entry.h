/* Deny entries: the deny cache's refusals of another store, kept in the table beside the embedded store's own states. The key of
 * a deny entry is a hash of the identity, the store's id, the question, and the identity's generation: how often it was
 * invalidated on this machine. So a deny entry never collides with a count of the embedded store, nor with one of another
 * store or question. Invalidation adds one to the generation. A worker stores an entry under the generation that it read
 * before it asked the store, so an entry on its way is invalidated, too.
 *
 * Deny entries are evicted first; losing one costs a question to the store. */
#ifndef RL_SHM_DENY_ENTRY_H
#define RL_SHM_DENY_ENTRY_H

#include "worker.h"
#include "record.h"
#include "table.h"

/* The store and the question: begins as the store's id (store.h), and the question is mixed in. */
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

/* The generation of the identities of this hash. Several identities share one: a collision only costs a deny entry. */
static inline uint64_t *rl_deny_generation(const rl_segment *s, uint64_t low)
{
	return &s->generations[low >> 4 & (s->n_generations - 1)];
}

/* high, low: the identity's hash. */
static inline rl_place rl_deny_place(const rl_segment *s, uint64_t high, uint64_t low, rl_deny_key m, bool record)
{
	uint64_t generation = rl_load(rl_deny_generation(s, low));

	return rl_place_of(s, high ^ m.a, low ^ m.b ^ generation * UINT64_C(0x9e3779b97f4a7c15), record);
}

/* A refusal, in the segment's time. */
typedef struct {
	int64_t end_us;   /* it is valid until then */
	int64_t at_us;    /* when the store was asked */
	int64_t retry_us; /* when the same call passes */
	int64_t reset_us; /* when the limit is full again */
	uint32_t reason;
	uint32_t limit_index;
} rl_deny_entry;

/* As a record: the words of a state without a limit, so that it is evicted first. */
enum {
	RL_DENY_HEAD,
	RL_DENY_END,
	RL_DENY_AT,
	RL_DENY_RETRY,
	RL_DENY_RESET,
	RL_DENY_REASON, /* reason | limit index << 32 */
	RL_DENY_WORDS,
};

/* Copies the refusal of an entry that was read as (fp, ref). Returns false if the entry has changed or has none. */
static inline bool rl_deny_read(const rl_segment *s, const rl_entry *entry, uint64_t fp, uint64_t ref, rl_deny_entry *r)
{
	size_t words;
	const rl_record *record = rl_record_at(s, entry, ref, &words);

	if (record == NULL || words < RL_DENY_WORDS) {
		return false;
	}
	r->end_us = (int64_t) record->state[RL_DENY_END];
	r->at_us = (int64_t) record->state[RL_DENY_AT];
	r->retry_us = (int64_t) record->state[RL_DENY_RETRY];
	r->reset_us = (int64_t) record->state[RL_DENY_RESET];
	r->reason = (uint32_t) record->state[RL_DENY_REASON];
	r->limit_index = (uint32_t) (record->state[RL_DENY_REASON] >> 32);
	/* The copy is one refusal only if the entry still has the same reference. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return rl_load(&entry->pair.b) == ref && rl_load(&entry->pair.a) == fp;
}

/* Is the entry valid at now_us? An entry that is valid for longer than bound_us was stored by another clock, and never is. */
static inline bool rl_deny_is_valid(const rl_deny_entry *r, int64_t now_us, int64_t bound_us)
{
	return now_us < r->end_us && r->at_us <= now_us && r->end_us - r->at_us <= bound_us;
}

/* Returns the place of a key's deny entry; to be called before the store is asked. There must be a segment. */
rl_place rl_deny_place_of(const rl_key *key, rl_deny_key m, bool record);

/* Looks a deny entry up, valid or not. */
bool rl_deny_lookup(rl_place p, rl_deny_entry *r);

/* Stores a deny entry, if there is room. */
void rl_deny_store(rl_place p, const rl_deny_entry *r);

/* Invalidates all deny entries of a key, of every store and question. */
void rl_deny_invalidate(const rl_key *key);

#endif
