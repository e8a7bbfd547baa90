#include "state_word.h"

#include "ban_word.h"
#include "../segment/clock.h"

/* The places that a search for terms looks at. */
#define TERMS_PROBES 16

/* ---- Terms ---- */

/* Reads the terms that a fingerprint names. Returns false if they are damaged. */
static bool read_terms(const rl_segment *s, uint64_t fp, rl_terms *t)
{
	uint64_t period;

	rl_terms_read(rl_terms_at(s, fp), t);
	switch (t->algorithm) {
		case RL_CALENDAR_WINDOW:
			return true;
		case RL_FIXED_WINDOW:
			return t->period > 0 && t->period <= (uint64_t) RL_PERIOD_MAX_US;
		case RL_TOKEN_BUCKET:
			return t->units.permit > 0 && t->units.parts > 0 && t->divisor > 0
				&& !__builtin_mul_overflow(t->units.permit, t->divisor, &period)
				&& period <= (uint64_t) RL_PERIOD_MAX_US && t->units.parts * t->divisor <= (uint64_t) RL_LIMIT_MAX;
		default:
			return rl_terms_are_ban(t) && rl_ban_terms_are_sound(t);
	}
}

RL_COLD rl_bucket_units rl_terms_units_of(const rl_segment *s, uint64_t fp, const rl_limit *limit)
{
	rl_terms t;

	rl_terms_read(rl_terms_at(s, fp), &t);
	return t.algorithm == RL_TOKEN_BUCKET && rl_terms_are_of(&t, (uint64_t) limit->period_us, limit->rate)
		? t.units
		: (rl_bucket_units){0, 0};
}

/* Returns the bits of a fingerprint that name the terms; 0 if the places for them are taken. A place is taken by one swap, and
 * keeps its terms for good. */
static uint64_t note_terms(const rl_segment *s, const rl_terms *t)
{
	bool bucket = t->algorithm == RL_TOKEN_BUCKET;
	uint64_t what = rl_terms_what(t->algorithm, bucket ? t->units.permit : t->period);
	uint64_t more = bucket ? rl_terms_bucket(t->units.parts, t->divisor) : t->more;
	uint64_t hash = (what ^ (more << 32 | more >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	unsigned first = (unsigned) ((hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 48), i;

	for (i = 0; i < TERMS_PROBES; i++) {
		uint64_t number = 1 + (first + i) % (RL_TERMS - 1);
		rl_pair *pair = &s->terms[number];

		if ((rl_load(&pair->a) == 0 && rl_pair_cas(pair, 0, 0, what, more))
			|| (rl_load(&pair->a) == what && rl_load(&pair->b) == more)) {
			return number << RL_FP_TERMS_AT;
		}
	}
	return 0;
}

/* ---- Words ---- */

/* Returns the permits that a bucket misses now, a part of one as a whole; at most what a state's head holds. */
static uint64_t missing_permits(const rl_bucket_units *u, uint64_t tat, int64_t now_us)
{
	rl_units backlog = rl_word_backlog(*u, tat, now_us);
	uint64_t n = rl_bucket_step(*u, &backlog, 1, 0).used;

	return n < UINT32_MAX ? n : UINT32_MAX;
}

static uint64_t exhausted_of(uint64_t fp)
{
	return (fp & RL_FP_EXHAUSTED) != 0 ? RL_STATE_EXHAUSTED : 0;
}

/* Two words of a state are hints of an eviction, and differ from those that were folded. A bucket's used permits are those of
 * now. The time at which a calendar window is over depends on the distance of the clocks. */
size_t rl_word_unfold(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us, uint64_t *state, rl_terms *t)
{
	size_t words;

	if (!read_terms(s, fp, t)) {
		return 0;
	}
	words = rl_terms_are_ban(t) ? rl_ban_word_unpack(t, word, state) : rl_word_unpack(t, word, state);
	state[0] |= exhausted_of(fp);
	if (t->algorithm == RL_TOKEN_BUCKET) {
		state[0] |= missing_permits(&t->units, word, now_us) << RL_STATE_USED_AT;
	}
	return words;
}

rl_record_worth rl_word_worth_of(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us)
{
	rl_record_worth worth = {.expires_us = INT64_MIN, .exhausted = (fp & RL_FP_EXHAUSTED) != 0};
	uint64_t state[RL_WORD_STATE_WORDS];
	rl_terms ignored;
	size_t words = rl_word_unfold(s, fp, word, now_us, state, &ignored);

	if (words == 0) {
		return worth;
	}
	if (words == RL_STATE_HEAD_WORDS || rl_state_has_ban(state)) { /* a damaged ban may have no end */
		worth.ban_end_us = (int64_t) state[RL_STATE_BAN_END] > now_us ? (int64_t) state[RL_STATE_BAN_END] : 0;
		worth.expires_us = (int64_t) state[RL_STATE_EXPIRES];
	} else {
		worth.used = rl_state_used(state[0]);
		worth.expires_us = rl_limit_state_algorithm(state + RL_STATE_HEAD_WORDS) == RL_CALENDAR_WINDOW
			? (int64_t) state[RL_STATE_HEAD_WORDS + RL_WINDOW_END] - rl_clock_wall_us() + now_us
			: (int64_t) state[RL_STATE_EXPIRES];
	}
	return worth;
}

/* Sets a bucket's units, those of the entry's terms where they are its own. Returns false if it has too many parts. */
static bool set_units(const rl_segment *s, uint64_t fp, uint64_t period, uint64_t rate, rl_terms *t)
{
	rl_terms own;

	rl_terms_read(rl_terms_at(s, fp), &own);
	t->divisor = own.divisor;
	t->units = own.units;
	if (own.algorithm != RL_TOKEN_BUCKET || !rl_terms_are_of(&own, period, rate)) {
		t->divisor = rl_bucket_divisor(period, rate);
		t->units = (rl_bucket_units){period / t->divisor, rate / t->divisor};
	}
	return t->units.parts >> RL_TERMS_PARTS_BITS == 0;
}

/* Notes the terms of a word that was folded. Returns false if there is no place for them. */
static bool name_terms(const rl_segment *s, const rl_terms *t, uint64_t *terms)
{
	*terms = t->period >> (64 - RL_TERMS_PERIOD_AT) == 0 ? note_terms(s, t) : 0;
	return *terms != 0;
}

/* Reads the terms of a limit state. fp: of its entry. Returns false if it is not one that folds, whatever its numbers are. */
static bool terms_of_state(const rl_segment *s, uint64_t fp, const uint64_t *state, size_t words, rl_terms *t)
{
	const uint64_t *own = state + RL_STATE_HEAD_WORDS;
	bool bucket = rl_limit_state_algorithm(own) == RL_TOKEN_BUCKET;
	size_t shape = bucket ? RL_BUCKET_WORDS : RL_WINDOW_WORDS;

	*t = (rl_terms){.algorithm = rl_limit_state_algorithm(own), .period = own[RL_LIMIT_STATE_PERIOD]};
	if (words != RL_STATE_HEAD_WORDS + shape || own[0] != rl_limit_state_head(t->algorithm, shape, 0)
		|| own[RL_LIMIT_STATE_TAG] != 0) {
		return false;
	}
	switch (t->algorithm) {
		case RL_FIXED_WINDOW:
			return true;
		case RL_CALENDAR_WINDOW:
			return own[RL_WINDOW_END] % RL_US_PER_SECOND == 0;
		case RL_TOKEN_BUCKET:
			return t->period - 1 < (uint64_t) RL_PERIOD_MAX_US && own[RL_BUCKET_RATE] - 1 < (uint64_t) RL_LIMIT_MAX
				&& set_units(s, fp, t->period, own[RL_BUCKET_RATE], t);
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
	rl_terms t;

	if (words < RL_STATE_HEAD_WORDS) {
		return false;
	}
	if (rl_state_is_lone_ban(state)) {
		return rl_ban_word_pack(state, words, word, &t, folded) && name_terms(s, &t, terms);
	}
	if (words < RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS || !rl_state_has_limits_alone(state, 1)
		|| !terms_of_state(s, fp, state, words, &t) || t.period >> (64 - RL_TERMS_PERIOD_AT) != 0
		|| !rl_word_pack(&t, state, was, folded)) {
		return false;
	}
	/* A window's used permits are its count: a state in which they differ is not a usual one. */
	rl_word_unpack(&t, *folded, again);
	if (t.algorithm != RL_TOKEN_BUCKET && rl_state_used(again[0]) != rl_state_used(state[0])) {
		return false;
	}
	return name_terms(s, &t, terms);
}
