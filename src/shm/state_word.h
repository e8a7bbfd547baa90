/* One-word states: the state of one usual limit as the word of its entry, without a record.
 *
 * A fixed window, a calendar window and a token bucket fold, if the state has one limit state without a ban, a level, a carry,
 * a booking and a tag, and its numbers fit:
 *
 *     fixed window       end (46, high), us | count (18)
 *     calendar window    birth (6, high) | end (34), s of the wall clock | count (24)
 *     token bucket       TAT (50, high), us | its fraction (14), in 1 / rate us
 *
 * The entry's fingerprint names the terms: algorithm, period and rate. A segment keeps up to 255 of them, which never change. The
 * fold is exact: what was unfolded is the state that was folded, but for two hints of an eviction (state_word.c). Any other
 * state is a record. birth distinguishes a window of an entry from the same window after an eviction.
 *
 * A word is a whole state. So a swap that finds an earlier word again finds the state that it has decided by (no ABA). */
#ifndef RL_SHM_STATE_WORD_H
#define RL_SHM_STATE_WORD_H

#include "../compiler.h"
#include "../core/single_limit.h"
#include "record.h"
#include "table.h"

#define RL_WORD_STATE_WORDS 6 /* of an unfolded state, at most */

#define RL_WORD_FIXED_COUNT_BITS    18
#define RL_WORD_FIXED_END_BITS      46
#define RL_WORD_CALENDAR_COUNT_BITS 24
#define RL_WORD_CALENDAR_END_BITS   34
#define RL_WORD_BIRTH_BITS          6
#define RL_WORD_BUCKET_FRAC_BITS    14
#define RL_WORD_BUCKET_TAT_BITS     50

_Static_assert(RL_WORD_FIXED_COUNT_BITS + RL_WORD_FIXED_END_BITS == 64, "a window is one word");
_Static_assert(RL_WORD_CALENDAR_COUNT_BITS + RL_WORD_CALENDAR_END_BITS + RL_WORD_BIRTH_BITS == 64,
	"a calendar window is one word");
_Static_assert(RL_WORD_BUCKET_FRAC_BITS + RL_WORD_BUCKET_TAT_BITS == 64, "a bucket is one word");

/* Returns the low bits of a word, or of what is behind them. */
RL_INLINE uint64_t rl_word_low(uint64_t word, unsigned bits)
{
	return word & ((UINT64_C(1) << bits) - 1);
}

/* ---- Terms ---- */

/* A pair of the segment: a: algorithm (8, low) | period; b: a token bucket's rate, else 0. */
#define RL_TERMS_PERIOD_AT 8

RL_INLINE uint64_t rl_terms_what(rl_algorithm algorithm, uint64_t period)
{
	return (uint64_t) algorithm | period << RL_TERMS_PERIOD_AT;
}

_Static_assert(RL_FP_TERMS_AT == 4 && sizeof(rl_pair) == 16, "the bits of a fingerprint are the offset of its terms");

/* Returns the terms that a fingerprint names. Those of a fingerprint without terms name no algorithm. */
RL_INLINE const rl_pair *rl_terms_at(const rl_segment *s, uint64_t fp)
{
	return (const rl_pair *) (const void *) ((const char *) s->terms + (fp & RL_FP_TERMS));
}

/* Returns whether a fingerprint names the terms of this limit. Its word is then a state of them. algorithm: the limit's. */
RL_INLINE bool rl_terms_are(const rl_segment *s, uint64_t fp, rl_algorithm algorithm, const rl_limit *limit)
{
	const rl_pair *t = rl_terms_at(s, fp);
	uint64_t period = algorithm == RL_CALENDAR_WINDOW ? limit->period : (uint64_t) limit->period_us;

	return rl_load(&t->a) == rl_terms_what(algorithm, period)
		&& (algorithm != RL_TOKEN_BUCKET || rl_load(&t->b) == limit->rate);
}

/* ---- Words ---- */

/* Unfolds a word of these terms. used: of the state's head. Returns the state's words. A calendar window's state has no time at
 * which it is over. */
RL_INLINE size_t rl_word_unpack(rl_algorithm algorithm, uint64_t period, uint64_t rate, uint64_t word, uint64_t *state)
{
	uint64_t *own = state + RL_SINGLE_HEAD, count, frac;

	own[1] = period;
	switch (algorithm) {
		case RL_FIXED_WINDOW:
			count = rl_word_low(word, RL_WORD_FIXED_COUNT_BITS);
			own[0] = rl_limit_state_head(algorithm, 3, (uint32_t) count);
			own[2] = word >> RL_WORD_FIXED_COUNT_BITS;
			state[0] = 1 | count << RL_STATE_USED_AT;
			state[1] = own[2];
			return RL_SINGLE_HEAD + 3;
		case RL_CALENDAR_WINDOW:
			count = rl_word_low(word, RL_WORD_CALENDAR_COUNT_BITS);
			own[0] = rl_limit_state_head(algorithm, 4, rl_limit_state_number_of(1, 0));
			own[2] = rl_word_low(word >> RL_WORD_CALENDAR_COUNT_BITS, RL_WORD_CALENDAR_END_BITS) * RL_US_PER_SECOND;
			own[3] = count;
			state[0] = 1 | count << RL_STATE_USED_AT;
			state[1] = 0;
			return RL_SINGLE_HEAD + 4;
		default:
			frac = rl_word_low(word, RL_WORD_BUCKET_FRAC_BITS);
			own[0] = rl_limit_state_head(algorithm, 4, (uint32_t) frac);
			own[2] = rate;
			own[3] = word >> RL_WORD_BUCKET_FRAC_BITS;
			state[0] = 1;
			state[1] = own[3] + (frac > 0);
			return RL_SINGLE_HEAD + 4;
	}
}

/* Folds the state of a limit with terms. was: the entry's word, of the same algorithm, or any other number. Returns false if a
 * number does not fit. */
RL_INLINE bool rl_word_pack(rl_algorithm algorithm, const uint64_t *state, uint64_t was, uint64_t *word)
{
	const uint64_t *own = state + RL_SINGLE_HEAD;
	uint64_t count, moment;

	switch (algorithm) {
		case RL_FIXED_WINDOW:
			count = own[0] >> 32;
			moment = own[2];
			*word = moment << RL_WORD_FIXED_COUNT_BITS | count;
			return count >> RL_WORD_FIXED_COUNT_BITS == 0 && moment >> RL_WORD_FIXED_END_BITS == 0;
		case RL_CALENDAR_WINDOW:
			count = own[3];
			moment = own[2] / RL_US_PER_SECOND;
			*word = was >> (64 - RL_WORD_BIRTH_BITS) << (64 - RL_WORD_BIRTH_BITS)
				| moment << RL_WORD_CALENDAR_COUNT_BITS | count;
			return count >> RL_WORD_CALENDAR_COUNT_BITS == 0 && moment >> RL_WORD_CALENDAR_END_BITS == 0;
		default:
			count = own[0] >> 32 | own[2] >> 48 << 32;
			moment = own[3];
			*word = moment << RL_WORD_BUCKET_FRAC_BITS | count;
			return count >> RL_WORD_BUCKET_FRAC_BITS == 0 && moment >> RL_WORD_BUCKET_TAT_BITS == 0;
	}
}

/* Unfolds the word of an entry with terms (RL_FP_TERMS). now_us: the segment's time. Returns the state's words, at most
 * RL_WORD_STATE_WORDS; 0 if the terms are damaged. */
size_t rl_word_unfold(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us, uint64_t *state);

/* Folds a state that is to replace an entry's content (fp, word). Notes its terms, if need be. Sets *terms to the bits of the new
 * fingerprint. Returns false if the state is to be a record. */
bool rl_word_fold(const rl_segment *s, const uint64_t *state, size_t words, uint64_t fp, uint64_t word, uint64_t *terms,
	uint64_t *folded);

/* Returns the worth of an entry with terms. */
rl_record_worth rl_word_worth_of(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us);

#endif
