/* Declares what the fast paths of a limiter share: a call with its moment and its position, the record of its identity, and the
 * publication of the next state. Private to src/shm. */
#ifndef RL_SHM_FAST_CALL_H
#define RL_SHM_FAST_CALL_H

#include "../../core/algorithm/step.h"
#include "../../core/decide/usual.h"
#include "counter_fast.h"
#include "../table/entry_seen.h"
#include "../record/record_cache.h"
#include "store_internal.h"

/* The position and the moment of a call. */
typedef struct {
	rl_position position;
	rl_now now;
	bool coarse; /* now is the latest that it can be: good for a window that runs then, too */
} rl_fast_call;

/* An identity's entry, and its published record. The record's words count only if the entry has the same reference later. */
typedef struct {
	rl_entry_seen seen;
	const rl_record *record;
	size_t words;
} rl_fast_seen;

/* ---- The moment, and the position ---- */

/* Reads the moment exactly, on the segment's time. */
static inline void rl_fast_read_clock(const rl_segment *s, rl_fast_call *call, bool wall)
{
	call->now = wall ? rl_clock_read_for(true) : (rl_now){.mono_us = rl_clock_mono_us()};
	call->now.mono_us = rl_segment_us(s, call->now.mono_us);
	call->coarse = false;
}

/* Reads the latest moment that now can be, by the coarse clock; not the wall clock. */
static inline void rl_fast_read_latest(const rl_segment *s, rl_fast_call *call)
{
	if (RL_LIKELY(!rl_clock_frozen.frozen)) {
		call->now = (rl_now){.mono_us = rl_counter_latest_ms(s) * RL_US_PER_MS};
		call->coarse = true;
	} else {
		rl_fast_read_clock(s, call, false);
	}
}

#ifdef RL_HASH_HAS_AES
/* Returns the position of a key by the hash of its name, which has a shape: home (low), fingerprint (high). One number, because a structure
 * of two words goes from the registers through memory, and the bucket's address with it. */
RL_TARGET_AES unsigned __int128 rl_fast_position_named(const rl_segment *s, const rl_name_hash *name,
	const rl_key *key);
#endif

/* Returns the position of a key by either hash. */
rl_position rl_fast_position(const rl_segment *s, const rl_key *key);

/* Does the same with the hash of the name, if it has a shape. */
RL_INLINE rl_position rl_fast_position_by(const rl_segment *s, const rl_key *key, const rl_name_hash *name)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(name->shape != 0)) {
		unsigned __int128 p = rl_fast_position_named(s, name, key);

		return (rl_position){.home = (uint64_t) p, .fp = (uint64_t) (p >> 64)};
	}
#else
	(void) name;
#endif
	return rl_fast_position(s, key);
}

/* Counts a decision. */
static inline bool rl_fast_count(rl_decision *d)
{
	d->source = RL_FROM_SHM;
	rl_worker_stat_add(rl_worker_self, d->accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return true;
}

/* ---- The record ---- */

/* Finds the record of an entry. */
static inline rl_try_result rl_fast_find_record(const rl_segment *s, rl_fast_seen *at)
{
	size_t words; /* its address is known elsewhere: the rest stays in registers */

	if (RL_UNLIKELY(!rl_fp_has_record(at->seen.fp))) {
		return RL_TRY_LEFT;
	}
	at->record = rl_record_at(s, at->seen.entry, at->seen.word, &words);
	at->words = words;
	return RL_LIKELY(at->record != NULL) ? RL_TRY_DECIDED : RL_TRY_LEFT;
}

/* Finds the identity's entry, and its record. */
static inline rl_try_result rl_fast_find(const rl_segment *s, const rl_position *position, rl_fast_seen *at)
{
	return RL_LIKELY(rl_entry_find(s, position->home, position->fp, &at->seen)) ? rl_fast_find_record(s, at)
																				: RL_TRY_ABSENT;
}

#define RL_FAST_UNIT_WORDS (RL_UNIT_BYTES / sizeof(uint64_t))

_Static_assert(2 * RL_RECORD_HEAD_WORDS == RL_FAST_UNIT_WORDS, "a record's head and so many words are a unit");

/* Copies all words of a record: a multiple of a unit, less its head. A memcpy() would become "rep movs", which takes 20 ns more.
 * A decision checks the copy: nothing reads the record again. */
static inline void rl_fast_copy(uint64_t *to, const uint64_t *from, size_t words)
{
	size_t i;

	memcpy(to, from, RL_RECORD_HEAD_WORDS * sizeof *to);
	for (i = RL_RECORD_HEAD_WORDS; i + RL_FAST_UNIT_WORDS < words; i += 2 * RL_FAST_UNIT_WORDS) {
		memcpy(&to[i], &from[i], 2 * RL_FAST_UNIT_WORDS * sizeof *to);
	}
	if (i < words) {
		memcpy(&to[i], &from[i], RL_FAST_UNIT_WORDS * sizeof *to);
	}
	RL_READ_ONCE();
}

/* Returns the fingerprint of an entry with this state. */
static inline uint64_t rl_fast_fp(const rl_position *position, const uint64_t *state)
{
	return position->fp | (rl_state_is_exhausted(state[0]) ? RL_FP_EXHAUSTED : 0);
}

/* Publishes a next state in a record with room for so many words. The swap of the reference finds out whether the words that were read
 * are one state. call, at: copies, so that those of a caller stay in registers. */
rl_try_result rl_fast_publish_new(const rl_segment *s, rl_fast_call call, rl_fast_seen at, const uint64_t *state,
	size_t words, size_t room);

/* Publishes a next state of few words, in a record with the room of the present one or, where this thread has none, with other
 * room. */
static inline rl_try_result rl_fast_replace(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const uint64_t *state, size_t words, size_t room)
{
	rl_replace_result result = rl_record_replace(s, at->seen.entry, at->seen.fp, at->seen.word, at->words,
		rl_fast_fp(&call->position, state), state, words);

	if (RL_LIKELY(result == RL_REPLACED)) {
		return RL_TRY_DECIDED;
	}
	return result == RL_REPLACE_RACED ? RL_TRY_RACED : rl_fast_publish_new(s, *call, *at, state, words, room);
}

/* A state whose size changes from call to call, by the marks of permits, keeps that of its record up to so many words, and above
 * while it uses a quarter of it. */
#define RL_FAST_KEPT_WORDS 64

/* Publishes a next state that may need a record of another size. An odd number of words has a 0 behind it. varies: the size changes
 * from call to call. */
static inline rl_try_result rl_fast_replace_sized(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const uint64_t *state, size_t words, bool varies)
{
	size_t even = words + words % 2;

	if (RL_LIKELY(even <= at->words
			&& (varies ? at->words <= RL_FAST_KEPT_WORDS || 4 * even >= at->words
					   : at->words - even < RL_FAST_UNIT_WORDS || rl_record_has_room(at->words, even)))) {
		return rl_fast_replace(s, call, at, state, even, at->words);
	}
	return rl_fast_publish_new(s, *call, *at, state, words, words);
}

/* Decides as rl_limiter_fast() does, by the record of a position that has no word of the limit. now_us: of the clock that the limit's word
 * needs. In limiter_record.c. */
bool rl_limiter_record_at(rl_position position, int64_t now_us, const rl_limit *limit, uint64_t cost, rl_decision *d);

/* Decides as rl_limiter_fast_named() does, a limit whose state is never a word. In limiter_record.c. */
bool rl_limiter_record(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d);

/* Answers the part of a question about several keys that is about this one, as rl_store_ops.ask() does: an acquire, or a peek of
 * RL_PART_TENTATIVE. Returns false, and has changed nothing, where that function decides. In limiter_record.c. */
bool rl_limiter_part(const rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a);

/* Decides a consume of an identity without an entry, and inserts one. Returns false where rl_store_ops.ask() decides. In
 * limiter_store.c. */
bool rl_limiter_begin(rl_position p, const rl_now *now, const rl_usual_call *call, rl_decision *d);

/* Answers and counts an admission of a fixed window by the coarse clock, which is behind by up to its tick. So the time left would be
 * longer than the window, which ends with a whole millisecond, if that has begun since. */
RL_INLINE void rl_fast_admitted(rl_step *step, const rl_limit *limit, rl_decision *d)
{
	if (RL_UNLIKELY(step->reset_us > limit->period_us + RL_US_PER_MS)) {
		step->reset_us = limit->period_us + RL_US_PER_MS;
		step->retry_us = step->exhausted ? step->reset_us : 0;
	}
	rl_step_answer(step, limit, d);
	rl_worker_stat_add(rl_worker_self, RL_STAT_ADMISSIONS);
}

#endif
