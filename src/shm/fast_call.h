/* Declares what the fast paths of a limiter share: a call with its moment and its place, the record of its identity, and the
 * publication of the next state. Private to src/shm. */
#ifndef RL_SHM_FAST_CALL_H
#define RL_SHM_FAST_CALL_H

#include "../core/state.h"
#include "counter_fast.h"
#include "entry_seen.h"
#include "record_cache.h"
#include "store_internal.h"

/* A call, with the moment. */
typedef struct {
	rl_place place;
	const rl_limit *limit;
	uint64_t cost;
	rl_now now;
	bool rough; /* now is the latest that it can be: good for a window that runs then, too */
} rl_fast_call;

/* An identity's entry, and its published record. The record's words count only if the entry has the same reference later. */
typedef struct {
	rl_entry_seen seen;
	const rl_record *record;
	size_t words;
} rl_fast_seen;

/* ---- The moment, and the place ---- */

/* Reads the moment exactly, on the segment's time. */
static inline void rl_fast_read_clock(const rl_segment *s, rl_fast_call *call, bool wall)
{
	call->now = rl_clock_read_for(wall);
	call->now.mono_us = rl_segment_us(s, call->now.mono_us);
	call->rough = false;
}

/* Reads the latest moment that now can be, by the coarse clock; not the wall clock. */
static inline void rl_fast_read_latest(const rl_segment *s, rl_fast_call *call)
{
	if (RL_LIKELY(!rl_clock_frozen.frozen)) {
		call->now = (rl_now){.mono_us = rl_counter_latest_ms(s) * RL_US_PER_MS};
		call->rough = true;
	} else {
		rl_fast_read_clock(s, call, false);
	}
}

/* Returns the algorithms of limits, as bits. */
static inline unsigned rl_fast_algorithms(const rl_limit *limits, unsigned n)
{
	unsigned i, all = 0;

	for (i = 0; i < n; i++) {
		all |= 1u << limits[i].algorithm;
	}
	return all;
}

#ifdef RL_HASH_HAS_AES
/* Returns the place in two registers; the two halves of a hash would go through memory. */
RL_TARGET_AES rl_place rl_fast_place_aes(const rl_segment *s, const rl_key *key);
#endif

#ifdef RL_HASH_HAS_AES
/* Does the same with the hash of the key's name, which has a shape. */
RL_TARGET_AES rl_place rl_fast_place_named(const rl_segment *s, const rl_name_hash *name, const rl_key *key);
#endif

/* Does the same for either hash. */
rl_place rl_fast_place(const rl_segment *s, const rl_key *key);

/* Counts a decision. */
static inline bool rl_fast_count(rl_decision *d)
{
	d->source = RL_FROM_SHM;
	rl_worker_stat_add(rl_worker_self, d->accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return true;
}

/* ---- The record ---- */

/* Finds the identity's record. Returns false if it has none of so many words. */
static inline bool rl_fast_find(const rl_segment *s, const rl_place *place, size_t words, rl_fast_seen *at)
{
	if (RL_UNLIKELY(!rl_entry_find(s, place->home, place->fp, &at->seen) || !rl_fp_has_record(at->seen.fp))) {
		return false;
	}
	at->record = rl_record_at(s, at->seen.entry, at->seen.word, &at->words);
	return RL_LIKELY(at->record != NULL && at->words >= words);
}

/* Copies the few words that a decision needs. */
static inline void rl_fast_copy_head(uint64_t *to, const uint64_t *from, unsigned words)
{
	unsigned i;

	RL_UNROLL(8)
	for (i = 0; i < words; i++) {
		to[i] = rl_load(&from[i]);
	}
}

#define RL_FAST_UNIT_WORDS (RL_UNIT_BYTES / sizeof(uint64_t))

_Static_assert(2 * RL_RECORD_HEAD_WORDS == RL_FAST_UNIT_WORDS, "a record's head and so many words are a unit");

/* Copies all words of a record: a multiple of a unit, less its head. A memcpy() would become "rep movs", which takes 20 ns more. */
static inline void rl_fast_copy(uint64_t *to, const uint64_t *from, size_t words)
{
	size_t i;

	memcpy(to, from, RL_RECORD_HEAD_WORDS * sizeof *to);
	for (i = RL_RECORD_HEAD_WORDS; i < words; i += RL_FAST_UNIT_WORDS) {
		memcpy(&to[i], &from[i], RL_FAST_UNIT_WORDS * sizeof *to);
	}
}

/* Returns the fingerprint of an entry with this state. */
static inline uint64_t rl_fast_fp(const rl_place *place, const uint64_t *state)
{
	return place->fp | (rl_state_is_exhausted(state[0]) ? RL_FP_EXHAUSTED : 0);
}

/* Publishes the next state, which is in a record of rl_record_get(). The swap of the reference finds out whether the words that
 * were read are one state. */
static inline rl_try_result rl_fast_publish(const rl_segment *s, const rl_place *place, const rl_fast_seen *at,
	rl_record *record)
{
	if (RL_LIKELY(rl_record_publish(s, at->seen.entry, at->seen.fp, at->seen.word, rl_fast_fp(place, record->state),
			record))) {
		return RL_TRY_DECIDED;
	}
	rl_record_put(s, record);
	return RL_TRY_RACED;
}

/* Publishes a next state in a record with room for so many words. */
rl_try_result rl_fast_publish_new(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const uint64_t *state, size_t words, size_t room);

/* Publishes the record of rl_record_replace_begin(), with the next state. */
static inline rl_try_result rl_fast_replace_end(const rl_segment *s, const rl_place *place, const rl_fast_seen *at,
	const rl_record *record)
{
	return RL_LIKELY(rl_record_replace_end(s, at->seen.entry, at->seen.fp, at->seen.word,
			   rl_fast_fp(place, record->state), record))
		? RL_TRY_DECIDED
		: RL_TRY_RACED;
}

/* Publishes a next state of few words, in a record with the room of the present one or, where this thread has none, with other
 * room. */
static inline rl_try_result rl_fast_replace(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const uint64_t *state, size_t words, size_t room)
{
	rl_replace_result result = rl_record_replace(s, at->seen.entry, at->seen.fp, at->seen.word, at->words,
		rl_fast_fp(&call->place, state), state, words);

	if (RL_LIKELY(result == RL_REPLACED)) {
		return RL_TRY_DECIDED;
	}
	return result == RL_REPLACE_RACED ? RL_TRY_RACED : rl_fast_publish_new(s, call, at, state, words, room);
}

/* A state keeps the size of its record up to so many words, and above while it uses a quarter of it. */
#define RL_FAST_KEPT_WORDS 64

/* Publishes a next state that may need a record of another size. An odd number of words has a 0 behind it. */
static inline rl_try_result rl_fast_replace_sized(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const uint64_t *state, size_t words)
{
	size_t even = words + words % 2;

	if (RL_LIKELY(even <= at->words && (at->words <= RL_FAST_KEPT_WORDS || 4 * even >= at->words))) {
		return rl_fast_replace(s, call, at, state, even, at->words);
	}
	return rl_fast_publish_new(s, call, at, state, words, words);
}

/* Decides as rl_limiter_fast() does, by the identity's record. In limiter_record.c. */
bool rl_limiter_fast_record(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d);

/* Does the same for a sliding window. Requires a worker. In limiter_record.c. */
bool rl_limiter_fast_sliding(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d);

#endif
