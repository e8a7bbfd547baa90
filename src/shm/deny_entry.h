/* What the guard keeps in the table beside the embedded store's own states: refusals of another store. A deny entry has a key of
 * its own, of the identity, the store that said it, the question it answers, and how often the identity has been
 * *forgotten* on this machine. So it never meets a count of the embedded store's, two stores or two questions never share
 * one, and forgetting is one addition that no deny entry survives, not even one that is on its way: who writes it down uses the
 * number that was read before the store was asked.
 *
 * Memos are the first to go when room is short, and losing one is no loss. */
#ifndef RL_SHM_DENY_ENTRY_H
#define RL_SHM_DENY_ENTRY_H

#include "worker.h"
#include "record.h"
#include "table.h"

/* Of which store, and in answer to what. Begins as the store's id (store.h), and takes in what belongs to the question. */
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

/* How often identities of this hash have been forgotten. Several share a number: what others lose by it is a deny entry. */
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
	int64_t end_us;   /* it stands until then */
	int64_t at_us;    /* and was asked for then */
	int64_t retry_us; /* what it tells: when the same call passes */
	int64_t reset_us; /* when the limit is whole */
	uint32_t reason;
	uint32_t limit_index;
} rl_deny_entry;

/* As a record: the words of a state without anything in it, so that the table holds it for worth nothing much. */
enum {
	RL_DENY_HEAD,
	RL_DENY_END,
	RL_DENY_AT,
	RL_DENY_RETRY,
	RL_DENY_RESET,
	RL_DENY_REASON, /* reason | limit index << 32 */
	RL_DENY_WORDS,
};

/* Copies what a entry that was seen as (fp, ref) remembers. False: it has changed meanwhile, or remembers nothing. */
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
	/* What was copied is one deny entry only if the entry still says that it is the one. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return rl_load(&entry->pair.b) == ref && rl_load(&entry->pair.a) == fp;
}

/* Stands it at that moment, if none may stand for longer than bound_us? Written with a clock that has begun anew since,
 * it does not. */
static inline bool rl_deny_is_valid(const rl_deny_entry *r, int64_t now_us, int64_t bound_us)
{
	return now_us < r->end_us && r->at_us <= now_us && r->end_us - r->at_us <= bound_us;
}

/* Where the deny entries of a key are to be looked for; to be found before the store is asked. There must be a segment. */
rl_place rl_deny_place_of(const rl_key *key, rl_deny_key m, bool record);

/* Is there one, whether it stands or not? */
bool rl_deny_lookup(rl_place p, rl_deny_entry *r);

/* Keeps one, if there is room. */
void rl_deny_store(rl_place p, const rl_deny_entry *r);

/* From here on there is none of this key, whatever the store and the question. */
void rl_deny_invalidate(const rl_key *key);

#endif
