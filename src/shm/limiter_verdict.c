/* Decides the most usual calls, of one limit and a cost of 1, where the caller reads the verdict alone. */
#include "limiter_fast.h"

#include "fast_call.h"
#include "word_fast.h"

#ifdef RL_HASH_HAS_AES
/* Returns when now is, by the coarse clock that the limit needs. */
RL_INLINE rl_word_span word_span(const rl_segment *s, rl_algorithm algorithm)
{
	int64_t late_us = algorithm == RL_CALENDAR_WINDOW ? rl_clock_coarse_wall_us() + RL_WORD_SLACK_US
													  : rl_counter_latest_ms(s) * RL_US_PER_MS;

	return (rl_word_span){.early_us = late_us - RL_WORD_SLACK_US, .late_us = late_us};
}

/* Counts the verdict of an attempt that decided. */
RL_INLINE rl_verdict word_count(rl_word_verdict_result v)
{
	rl_worker_stat_add(rl_worker_self, v.accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return !v.accepted ? RL_VERDICT_REFUSED : v.near ? RL_VERDICT_NEAR : RL_VERDICT_ADMITTED;
}

/* Decides by the word of a hashed identity. Returns no verdict where word and coarse clock do not decide. */
RL_INLINE rl_verdict verdict_at(const rl_segment *s, uint64_t high, uint64_t low, rl_algorithm algorithm,
	const rl_limit *limit)
{
	rl_place p = rl_place_of(s, high, low, true);
	rl_word_verdict_result v;

	__builtin_prefetch(&s->buckets[p.home], 0, 3); /* the bucket is on its way during the clock read */
	v = rl_word_verdict(s, p, algorithm, limit, 1, word_span(s, algorithm));
	if (RL_UNLIKELY(v.result != RL_TRY_DECIDED)) {
		return v.result == RL_TRY_ABSENT ? RL_VERDICT_ABSENT : RL_VERDICT_NONE;
	}
	return word_count(v);
}

static RL_NOINLINE rl_verdict verdict_at_calendar(uint64_t high, uint64_t low, const rl_limit *limit)
{
	return verdict_at(&rl_shm, high, low, RL_CALENDAR_WINDOW, limit);
}

static RL_NOINLINE rl_verdict verdict_at_bucket(uint64_t high, uint64_t low, const rl_limit *limit)
{
	return verdict_at(&rl_shm, high, low, RL_TOKEN_BUCKET, limit);
}

/* A fixed window is decided in its caller. */
RL_INLINE rl_verdict verdict_at_any(const rl_segment *s, uint64_t high, uint64_t low, const rl_limit *limit)
{
	if (RL_LIKELY(limit->algorithm == RL_FIXED_WINDOW)) {
		return verdict_at(s, high, low, RL_FIXED_WINDOW, limit);
	}
	return limit->algorithm == RL_CALENDAR_WINDOW ? verdict_at_calendar(high, low, limit)
												  : verdict_at_bucket(high, low, limit);
}
#endif

RL_HOT RL_TARGET_AES rl_verdict rl_limiter_verdict_int(const rl_name_hash *name, int64_t id, const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (rl_counter_fast_possible(rl_worker_self)) {
		uint64_t high, low;

		rl_hash_aes_named_int(&s->header->hash_key, name, id, &high, &low);
		return verdict_at_any(s, high, low, limit);
	}
#else
	(void) name, (void) id, (void) limit;
#endif
	return RL_VERDICT_NONE;
}

RL_HOT RL_TARGET_AES rl_verdict rl_limiter_verdict_string(const rl_name_hash *name, const char *id, size_t id_len,
	const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (rl_counter_fast_possible(rl_worker_self) && RL_LIKELY(rl_load(&s->header->networks_end_ms) == 0)) {
		uint64_t high, low;

		rl_hash_aes_named_string(&s->header->hash_key, name, id, id_len, &high, &low);
		return verdict_at_any(s, high, low, limit);
	}
#else
	(void) name, (void) id, (void) id_len, (void) limit;
#endif
	return RL_VERDICT_NONE;
}
