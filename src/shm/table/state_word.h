/* One-word states: the state of one usual limit as the word of its entry, without a record.
 *
 * A fixed window, a calendar window and a token bucket fold, if the state has one limit state without a ban, a level,
 * a booking and a tag, and its numbers fit:
 *
 *     fixed window       as a counter's (core/algorithm/counter.h): end (39, high), ms | 0 | count (24)
 *     calendar window    birth (6, high) | end (34), s of the wall clock | count (24)
 *     token bucket       TAT (64), in units: 1 / parts us (core/algorithm/bucket.h)
 *
 * The entry's fingerprint names the terms: algorithm, period and rate. A segment keeps up to 255 terms, which never change. The
 * fold is exact: what was unfolded is the state that was folded, but for hints of an eviction (state_word.c). A ban alone folds,
 * too (ban_word.h). Any other state is a record. birth distinguishes a window of an entry from the same window after an eviction.
 *
 * A word is a whole state. So a swap that finds an earlier word again finds the state that it has decided by (no ABA). */
#ifndef RL_SHM_STATE_WORD_H
#define RL_SHM_STATE_WORD_H

#include "../../compiler.h"
#include "../../core/algorithm/bucket.h"
#include "../../core/algorithm/counter.h"
#include "../record/record.h"
#include "table.h"

#define RL_WORD_STATE_WORDS (RL_STATE_HEAD_WORDS + RL_BUCKET_WORDS) /* of an unfolded state, at most */

#define RL_WORD_COUNT_BITS        RL_COUNTER_COUNT_BITS /* of a window */
#define RL_WORD_CALENDAR_END_BITS 34
#define RL_WORD_BIRTH_BITS        6

_Static_assert(RL_WORD_COUNT_BITS + RL_WORD_CALENDAR_END_BITS + RL_WORD_BIRTH_BITS == 64,
	"a calendar window is one word");

/* Returns the low bits of a word, or of what is behind them. */
RL_INLINE uint64_t rl_word_low(uint64_t word, unsigned bits)
{
	return word & ((UINT64_C(1) << bits) - 1);
}

/* ---- Terms ---- */

/* A pair of the segment:
 *
 *     a: algorithm (8, low) | a window's period, or a bucket's permit in units
 *     b: of a bucket its parts (24, low) and what reduced its period and its rate (40); of a window 0 */
#define RL_TERMS_PERIOD_AT  8
#define RL_TERMS_PARTS_BITS 24

_Static_assert((uint64_t) RL_LIMIT_MAX >> (64 - RL_TERMS_PARTS_BITS) == 0, "terms have any divisor of a rate");

typedef struct {
	rl_algorithm algorithm;
	uint64_t period; /* of a window */
	uint64_t more;   /* the second word as it is */
	/* Of a bucket: its period is units.permit * divisor, its rate units.parts * divisor. */
	rl_bucket_units units;
	uint64_t divisor;
} rl_terms;

RL_INLINE uint64_t rl_terms_what(rl_algorithm algorithm, uint64_t period)
{
	return (uint64_t) algorithm | period << RL_TERMS_PERIOD_AT;
}

RL_INLINE uint64_t rl_terms_bucket(uint64_t parts, uint64_t divisor)
{
	return parts | divisor << RL_TERMS_PARTS_BITS;
}

_Static_assert(RL_FP_TERMS_AT == 4 && sizeof(rl_pair) == 16, "the bits of a fingerprint are the offset of its terms");

/* Returns the terms that a fingerprint names. Those of a fingerprint without terms name no algorithm. */
RL_INLINE const rl_pair *rl_terms_at(const rl_segment *s, uint64_t fp)
{
	return (const rl_pair *) (const void *) ((const char *) s->terms + (fp & RL_FP_TERMS));
}

/* Reads terms, each word once, as a window's and as a bucket's. Any number may be damaged. Another writer may change the terms at
 * any moment, so what was checked is this copy. */
RL_INLINE void rl_terms_read(const rl_pair *pair, rl_terms *t)
{
	uint64_t a = rl_load(&pair->a), b = rl_load(&pair->b);

	t->algorithm = (rl_algorithm) (a & 0xff);
	t->period = t->units.permit = a >> RL_TERMS_PERIOD_AT;
	t->more = b;
	t->units.parts = b & ((UINT64_C(1) << RL_TERMS_PARTS_BITS) - 1);
	t->divisor = b >> RL_TERMS_PARTS_BITS;
}

/* Returns whether these are the terms of a bucket with this period and rate, neither of which is 0. Then no unit is 0, either. */
RL_INLINE bool rl_terms_are_of(const rl_terms *t, uint64_t period, uint64_t rate)
{
	return (rl_units) t->units.permit * t->divisor == period && t->units.parts * t->divisor == rate;
}

/* Returns whether a fingerprint names terms of this limit. Its word is then a state of them. algorithm: the limit's, which is a
 * window. */
RL_INLINE bool rl_terms_are(const rl_segment *s, uint64_t fp, rl_algorithm algorithm, const rl_limit *limit)
{
	uint64_t period = algorithm == RL_CALENDAR_WINDOW ? limit->period : (uint64_t) limit->period_us;

	return rl_load(&rl_terms_at(s, fp)->a) == rl_terms_what(algorithm, period);
}

/* Does the same for a bucket, and returns its units; with a permit of 0, if the terms are not its own. In state_word.c. */
RL_COLD rl_bucket_units rl_terms_units_of(const rl_segment *s, uint64_t fp, const rl_limit *limit);

/* Returns whether a fingerprint names the terms of this bucket, and sets its units. Those of a prepared limit do not depend on the
 * terms, which a processor compares later. */
RL_INLINE bool rl_terms_are_bucket(const rl_segment *s, uint64_t fp, const rl_limit *limit, rl_bucket_units *units)
{
	const rl_pair *pair = rl_terms_at(s, fp);

	*units = limit->units;
	if (RL_UNLIKELY(units->permit == 0)) {
		*units = rl_terms_units_of(s, fp, limit);
		return units->permit != 0;
	}
	return rl_load(&pair->a) == rl_terms_what(RL_TOKEN_BUCKET, units->permit)
		&& rl_load(&pair->b) == rl_terms_bucket(units->parts, limit->divisor);
}

/* ---- Words ---- */

/* Decodes a window's word. */
RL_INLINE rl_window rl_word_window(rl_algorithm algorithm, uint64_t word)
{
	if (algorithm == RL_FIXED_WINDOW) {
		return rl_counter_window(word);
	}
	return (rl_window){
		.end_us = (int64_t) (rl_word_low(word >> RL_WORD_COUNT_BITS, RL_WORD_CALENDAR_END_BITS) * RL_US_PER_SECOND),
		.count = rl_word_low(word, RL_WORD_COUNT_BITS),
	};
}

/* Encodes a calendar window. was: as of rl_word_pack(). Returns false if a number does not fit. */
RL_INLINE bool rl_word_of_calendar(rl_window w, uint64_t was, uint64_t *word)
{
	uint64_t end_s = (uint64_t) w.end_us / RL_US_PER_SECOND, birth = was >> (64 - RL_WORD_BIRTH_BITS);

	*word = birth << (64 - RL_WORD_BIRTH_BITS) | end_s << RL_WORD_COUNT_BITS | w.count;
	return w.count >> RL_WORD_COUNT_BITS == 0 && end_s >> RL_WORD_CALENDAR_END_BITS == 0;
}

/* Returns whether a TAT is a moment (rl_moment()), and not a damaged one. */
RL_INLINE bool rl_word_is_sound(rl_bucket_units units, uint64_t tat)
{
	return RL_LIKELY(tat >> 61 == 0) || units.parts >= 8;
}

/* Returns the units from t to the TAT; 0 if the bucket is full. */
RL_INLINE rl_units rl_word_backlog(rl_bucket_units units, uint64_t tat, int64_t t_us)
{
	rl_units t = t_us > 0 ? (rl_units) (uint64_t) t_us * units.parts : 0;

	return tat > t ? tat - t : 0;
}

/* Unfolds a word of these terms. used: of the state's head. Returns the state's words. A calendar window's state has no time at
 * which it is over. */
RL_INLINE size_t rl_word_unpack(const rl_terms *t, uint64_t word, uint64_t *state)
{
	uint64_t *own = state + RL_STATE_HEAD_WORDS, frac;
	bool fixed = t->algorithm == RL_FIXED_WINDOW;
	rl_window w;

	if (t->algorithm == RL_TOKEN_BUCKET) {
		frac = word % t->units.parts * t->divisor;
		rl_bucket_write((rl_bucket_units){t->units.permit * t->divisor, t->units.parts * t->divisor},
			(int64_t) (word / t->units.parts), frac, own);
		rl_state_begin(1, false, 0, (int64_t) (own[RL_BUCKET_TAT] + (frac > 0)), state);
		return RL_STATE_HEAD_WORDS + RL_BUCKET_WORDS;
	}
	w = rl_word_window(t->algorithm, word);
	rl_state_begin(1, false, w.count, fixed ? w.end_us : 0, state);
	rl_window_write(t->algorithm, t->period, w, own);
	return RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS;
}

/* Folds a limit state with terms. was: the entry's word, of the same algorithm, or any other number. Returns false if a number
 * does not fit. */
RL_INLINE bool rl_word_pack(const rl_terms *t, const uint64_t *state, uint64_t was, uint64_t *word)
{
	const uint64_t *own = state + RL_STATE_HEAD_WORDS;
	uint64_t frac;

	switch (t->algorithm) {
		case RL_FIXED_WINDOW:
			return rl_counter_of_window((rl_window){(int64_t) own[RL_WINDOW_END], own[RL_WINDOW_COUNT]}, word);
		case RL_CALENDAR_WINDOW:
			return rl_word_of_calendar((rl_window){(int64_t) own[RL_WINDOW_END], own[RL_WINDOW_COUNT]}, was, word);
		default:
			frac = own[RL_BUCKET_FRAC];
			return frac % t->divisor == 0 && frac / t->divisor < t->units.parts
				&& !__builtin_mul_overflow(own[RL_BUCKET_TAT], t->units.parts, word)
				&& !__builtin_add_overflow(*word, frac / t->divisor, word) && rl_word_is_sound(t->units, *word);
	}
}

/* Unfolds the word of an entry with terms (RL_FP_TERMS), which it reads into t. now_us: the segment's time. Returns the state's words, at
 * most RL_WORD_STATE_WORDS; 0 if the terms are damaged. */
size_t rl_word_unfold(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us, uint64_t *state, rl_terms *t);

/* Folds a state that is to replace an entry's content (fp, word). Notes its terms, if need be. Sets *terms to the bits of the new
 * fingerprint. Returns false if the state is to be a record. */
bool rl_word_fold(const rl_segment *s, const uint64_t *state, size_t words, uint64_t fp, uint64_t word, uint64_t *terms,
	uint64_t *folded);

/* Returns the worth of an entry with terms. */
rl_record_worth rl_word_worth_of(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us);

#endif
