#include "limiter_fast.h"

#include "../core/single_limit.h"
#include "ban_word.h"
#include "fast_call.h"
#include "word_fast.h"

/* Reads the terms again: as an argument the units would delay the usual decision. */
RL_COLD rl_try_result rl_word_decide_wide_bucket(rl_entry_seen seen, rl_place p, const rl_limit *limit, uint64_t cost,
	rl_now now, rl_decision *d)
{
	uint64_t state[RL_WORD_STATE_WORDS], word;
	rl_single_state next;
	rl_terms terms = {.algorithm = RL_TOKEN_BUCKET, .units = rl_terms_units_of(&rl_shm, seen.fp, limit)};

	if (terms.units.permit == 0) {
		return RL_TRY_LEFT;
	}
	terms.divisor = limit->rate / terms.units.parts;
	rl_word_unpack(&terms, seen.word, state);
	if (!rl_single_decide(RL_TOKEN_BUCKET, limit, cost, &now, state, &next, d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&seen);
	}
	return rl_word_pack(&terms, next.state, seen.word, &word)
		? rl_word_admitted(&seen, p, rl_state_is_exhausted(next.state[0]), word)
		: RL_TRY_LEFT;
}

/* Reads the one clock that the limit needs. A calendar window in a word does not depend on the segment's time. */
RL_INLINE rl_now word_read_clock(const rl_segment *s, rl_algorithm algorithm)
{
	if (algorithm == RL_CALENDAR_WINDOW) {
		return (rl_now){.wall_us = rl_clock_wall_us()};
	}
	return (rl_now){.mono_us = rl_segment_us(s, rl_clock_mono_us())};
}

RL_INLINE rl_place word_place(const rl_segment *s, const rl_key *key, const rl_name_hash *name)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(name->shape != 0)) {
		return rl_fast_place_named(s, name, key);
	}
#else
	(void) name;
#endif
	return rl_fast_place(s, key);
}

/* Decides by the word, if the identity has one; else by its record. */
RL_INLINE bool word_decide(const rl_segment *s, const rl_key *key, const rl_name_hash *name, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	rl_try_result result;
	rl_place p;

	do {
		rl_now now = word_read_clock(s, algorithm); /* before the hash */

		p = word_place(s, key, name);
		result = rl_word_decide(s, p, algorithm, limit, cost, &now, d);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	if (RL_LIKELY(result == RL_TRY_DECIDED)) {
		return rl_fast_count(d);
	}
	return result == RL_TRY_LEFT
		&& (rl_ban_word_refuses(p, limit, cost, d) || rl_limiter_fast_record(key, limit, cost, d));
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_HOT RL_NOINLINE bool word_fixed(const rl_key *key, const rl_name_hash *name, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_FIXED_WINDOW, limit, cost, d);
}

static RL_NOINLINE bool word_calendar(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_CALENDAR_WINDOW, limit, cost, d);
}

static RL_NOINLINE bool word_bucket(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_TOKEN_BUCKET, limit, cost, d);
}

RL_HOT bool rl_limiter_fast_named(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	if (RL_UNLIKELY(rl_worker_self == NULL && rl_worker_register() == NULL)) {
		return false;
	}
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			return word_fixed(key, name, limit, cost, d);
		case RL_CALENDAR_WINDOW:
			return word_calendar(key, name, limit, cost, d);
		case RL_TOKEN_BUCKET:
			return word_bucket(key, name, limit, cost, d);
		case RL_SLIDING_WINDOW:
			return rl_limiter_fast_sliding(key, limit, cost, d);
		default:
			return rl_limiter_fast_record(key, limit, cost, d);
	}
}

bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	static const rl_name_hash none;

	return rl_limiter_fast_named(key, &none, limit, cost, d);
}
