#include "state_word.h"

#include "clock.h"

/* The places that a search for terms looks at. */
#define TERMS_PROBES 16

typedef unsigned __int128 wide;

/* Terms as a word names them, or those of a state that is to fold. */
typedef struct {
	rl_algorithm algorithm;
	uint64_t period, rate;
} word_terms;

/* ---- Terms ---- */

/* Reads the terms that a fingerprint names. Returns false if they are damaged. */
static bool read_terms(const rl_segment *s, uint64_t fp, word_terms *t)
{
	const rl_pair *pair = rl_terms_at(s, fp);
	uint64_t what = rl_load(&pair->a);

	t->algorithm = (rl_algorithm) (what & 0xff);
	t->period = what >> RL_TERMS_PERIOD_AT;
	t->rate = rl_load(&pair->b);
	switch (t->algorithm) {
		case RL_CALENDAR_WINDOW:
			return t->rate == 0;
		case RL_FIXED_WINDOW:
			return t->rate == 0 && t->period > 0 && t->period <= (uint64_t) RL_PERIOD_MAX_US;
		case RL_TOKEN_BUCKET:
			return t->rate > 0 && t->rate <= (uint64_t) RL_LIMIT_MAX && t->period > 0
				&& t->period <= (uint64_t) RL_PERIOD_MAX_US;
		default:
			return false;
	}
}

/* Returns the bits of a fingerprint that name the terms; 0 if the places for them are taken. A place is taken by one swap, and
 * keeps its terms for good. */
static uint64_t note_terms(const rl_segment *s, const word_terms *t)
{
	uint64_t what = rl_terms_what(t->algorithm, t->period);
	uint64_t hash = (what ^ (t->rate << 32 | t->rate >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	unsigned first = (unsigned) ((hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 48), i;

	for (i = 0; i < TERMS_PROBES; i++) {
		uint64_t number = 1 + (first + i) % (RL_TERMS - 1);
		rl_pair *pair = &s->terms[number];

		if ((rl_load(&pair->a) == 0 && rl_pair_cas(pair, 0, 0, what, t->rate))
			|| (rl_load(&pair->a) == what && rl_load(&pair->b) == t->rate)) {
			return number << RL_FP_TERMS_AT;
		}
	}
	return 0;
}

/* ---- Words ---- */

/* Returns the permits that a bucket misses now, a part of one as a whole; at most what a state's head holds. */
static uint64_t missing_permits(const word_terms *t, uint64_t word, int64_t now_us)
{
	int64_t ahead_us = (int64_t) (word >> RL_WORD_BUCKET_FRAC_BITS) - now_us;
	wide n = 0;

	if (ahead_us >= 0) {
		n = (wide) (uint64_t) ahead_us * t->rate + rl_word_low(word, RL_WORD_BUCKET_FRAC_BITS);
		n = (n + t->period - 1) / t->period;
	}
	return n < UINT32_MAX ? (uint64_t) n : UINT32_MAX;
}

static uint64_t exhausted_of(uint64_t fp)
{
	return (fp & RL_FP_EXHAUSTED) != 0 ? RL_STATE_EXHAUSTED : 0;
}

/* Two words of a state are hints of an eviction, and differ from those that were folded. A bucket's used permits are those of
 * now. The time at which a calendar window is over depends on the distance of the clocks. */
size_t rl_word_unfold(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us, uint64_t *state)
{
	word_terms t;
	size_t words;

	if (!read_terms(s, fp, &t)) {
		return 0;
	}
	words = rl_word_unpack(t.algorithm, t.period, t.rate, word, state);
	state[0] |= exhausted_of(fp);
	if (t.algorithm == RL_TOKEN_BUCKET) {
		state[0] |= missing_permits(&t, word, now_us) << RL_STATE_USED_AT;
	}
	return words;
}

rl_record_worth rl_word_worth_of(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us)
{
	rl_record_worth worth = {.expires_us = INT64_MIN, .exhausted = (fp & RL_FP_EXHAUSTED) != 0};
	uint64_t state[RL_WORD_STATE_WORDS];

	if (rl_word_unfold(s, fp, word, now_us, state) > 0) {
		worth.used = rl_state_used(state[0]);
		worth.expires_us = rl_limit_state_algorithm(state + RL_SINGLE_HEAD) == RL_CALENDAR_WINDOW
			? (int64_t) state[RL_SINGLE_HEAD + 2] - rl_clock_wall_us() + now_us
			: (int64_t) state[1];
	}
	return worth;
}

/* A bucket whose fraction would sometimes not fit stays a record: a state that is folded and unfolded in turn is slow. */
static bool has_small_fractions(const word_terms *t)
{
	return t->rate <= UINT64_C(1) << RL_WORD_BUCKET_FRAC_BITS || t->period % t->rate == 0;
}

/* Reads the terms of a limit state. Returns false if it is not one that folds, whatever its numbers are. */
static bool terms_of_state(const uint64_t *state, size_t words, word_terms *t)
{
	const uint64_t *own = state + RL_SINGLE_HEAD;
	uint32_t shape = (uint32_t) own[0], small = (uint32_t) rl_limit_state_head(RL_FIXED_WINDOW, 3, 0);

	*t = (word_terms){.algorithm = rl_limit_state_algorithm(own), .period = own[1]};
	switch (t->algorithm) {
		case RL_FIXED_WINDOW:
			return words == RL_SINGLE_HEAD + 3 && shape == small;
		case RL_CALENDAR_WINDOW:
			return words == RL_SINGLE_HEAD + 4 && own[2] % RL_US_PER_SECOND == 0
				&& own[0] == rl_limit_state_head(RL_CALENDAR_WINDOW, 4, rl_limit_state_number_of(1, 0));
		case RL_TOKEN_BUCKET:
			t->rate = rl_word_low(own[2], 48);
			return words == RL_SINGLE_HEAD + 4 && shape == (uint32_t) rl_limit_state_head(RL_TOKEN_BUCKET, 4, 0)
				&& has_small_fractions(t);
		default:
			return false;
	}
}

bool rl_word_fold(const rl_segment *s, const uint64_t *state, size_t words, uint64_t fp, uint64_t word, uint64_t *terms,
	uint64_t *folded)
{
	/* The count of a reference differs from insertion to insertion. */
	uint64_t was = (fp & RL_FP_TERMS) != 0 ? word : word << (64 - RL_REF_UNIT_BITS - RL_WORD_BIRTH_BITS);
	uint64_t again[RL_WORD_STATE_WORDS];
	word_terms t;

	if (words < RL_SINGLE_HEAD + 3 || !rl_single_is_plain(state) || !terms_of_state(state, words, &t)
		|| t.period >> (64 - RL_TERMS_PERIOD_AT) != 0 || !rl_word_pack(t.algorithm, state, was, folded)) {
		return false;
	}
	/* A window's used permits are its count: a state in which they differ is not a usual one. */
	rl_word_unpack(t.algorithm, t.period, t.rate, *folded, again);
	if (t.algorithm != RL_TOKEN_BUCKET && rl_state_used(again[0]) != rl_state_used(state[0])) {
		return false;
	}
	*terms = note_terms(s, &t);
	return *terms != 0;
}
