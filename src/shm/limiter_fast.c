#include "limiter_fast.h"

#include "../core/single_limit.h"
#include "fast_call.h"
#include "word_fast.h"

/* Reads the one clock that the limit needs. The other one is read as of the last tick, to note the segment's time. */
RL_INLINE rl_now word_read_clock(const rl_segment *s, rl_algorithm algorithm)
{
	rl_now now;

	if (algorithm == RL_CALENDAR_WINDOW) {
		now.wall_us = rl_clock_wall_us();
		now.mono_us = rl_segment_us(s, rl_clock_coarse_ms() * RL_US_PER_MS);
	} else {
		now.wall_us = 0;
		now.mono_us = rl_segment_us(s, rl_clock_mono_us());
	}
	return now;
}

/* Decides by the word, if the identity has one. */
RL_INLINE bool word_decide(const rl_segment *s, const rl_key *key, rl_algorithm algorithm, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	rl_try_result result;

	do {
		rl_now now = word_read_clock(s, algorithm); /* before the hash */

		result = rl_word_decide(s, rl_fast_place(s, key), algorithm, limit, cost, &now, d);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	return RL_LIKELY(result == RL_TRY_DECIDED) && rl_fast_count(d);
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_FIRST_PAGE(10) RL_NOINLINE
	bool word_fixed(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_FIXED_WINDOW, limit, cost, d)
		|| rl_limiter_fast_record(key, limit, cost, false, d);
}

static RL_FIRST RL_NOINLINE bool word_calendar(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_CALENDAR_WINDOW, limit, cost, d)
		|| rl_limiter_fast_record(key, limit, cost, false, d);
}

static RL_FIRST RL_NOINLINE bool word_bucket(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_TOKEN_BUCKET, limit, cost, d)
		|| rl_limiter_fast_record(key, limit, cost, false, d);
}

RL_FIRST_PAGE(09) bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	if (RL_UNLIKELY(rl_worker_self == NULL && rl_worker_register() == NULL)) {
		return false;
	}
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			return word_fixed(key, limit, cost, d);
		case RL_CALENDAR_WINDOW:
			return word_calendar(key, limit, cost, d);
		case RL_TOKEN_BUCKET:
			return word_bucket(key, limit, cost, d);
		default:
			return rl_limiter_fast_record(key, limit, cost, false, d);
	}
}

/* The numbers of lines are those that the usual decision runs, in a build for x86-64. */
RL_FIRST void rl_limiter_expect_fast(void)
{
	rl_expect_code((const void *) rl_limiter_fast, 2);
	rl_expect_code((const void *) word_fixed, 10);
#ifdef RL_HASH_HAS_AES
	rl_expect_code((const void *) rl_fast_place_aes, 8);
#endif
}
