/* Decides a call of one limit where the caller reads the verdict alone. */
#include "limiter_fast.h"

#include "fast_call.h"
#include "word_fast.h"

/* Decides where a word and the coarse clocks do not. */
static RL_NOINLINE rl_verdict verdict_slowly(const rl_key *key, const rl_limit *limit, uint64_t cost)
{
	rl_decision d;

	/* A fixed window's record serves the coarse clock, too. */
	if (!(limit->algorithm == RL_FIXED_WINDOW && rl_worker_self != NULL
			&& rl_limiter_fast_record(key, limit, cost, true, &d))
		&& !rl_limiter_fast(key, limit, cost, &d)) {
		return (rl_verdict){.kind = RL_VERDICT_NONE};
	}
	return (rl_verdict){.kind = d.accepted ? RL_VERDICT_ADMITTED : RL_VERDICT_REFUSED,
		.near = (int64_t) d.remaining * 10 < (int64_t) d.limit};
}

#ifdef RL_HASH_HAS_AES
RL_INLINE RL_TARGET_AES rl_verdict word_verdict(const rl_segment *s, const rl_key *key, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost)
{
	rl_word_verdict_result v;
	rl_word_span span;
	rl_place p = rl_fast_place_aes(s, key);

	__builtin_prefetch(&s->buckets[p.home], 0, 3); /* the bucket is on its way during the clock read */
	span.late_us = algorithm == RL_CALENDAR_WINDOW ? rl_clock_coarse_wall_us() + RL_WORD_SLACK_US
												   : rl_counter_latest_ms(s) * RL_US_PER_MS;
	span.early_us = span.late_us - RL_WORD_SLACK_US;
	do {
		v = rl_word_verdict(s, p, algorithm, limit, cost, span);
	} while (RL_UNLIKELY(v.result == RL_TRY_RACED));
	if (RL_UNLIKELY(v.result != RL_TRY_DECIDED)) {
		return verdict_slowly(key, limit, cost);
	}
	rl_worker_stat_add(rl_worker_self, v.accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return (rl_verdict){.kind = v.accepted ? RL_VERDICT_ADMITTED : RL_VERDICT_REFUSED, .near = v.near};
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_calendar(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_CALENDAR_WINDOW, limit, cost);
}

static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_bucket(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_TOKEN_BUCKET, limit, cost);
}

static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_fixed(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_FIXED_WINDOW, limit, cost);
}
#endif

RL_FIRST rl_verdict rl_limiter_verdict(const rl_key *key, const rl_limit *limit, uint64_t cost)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(rl_worker_self != NULL && rl_shm.hash_kind == RL_HASH_AES && !rl_clock_frozen.frozen
			&& cost <= limit->limit)) {
		switch (limit->algorithm) {
			case RL_FIXED_WINDOW:
				return verdict_fixed(key, limit, cost);
			case RL_TOKEN_BUCKET:
				return verdict_bucket(key, limit, cost);
			case RL_CALENDAR_WINDOW:
				return verdict_calendar(key, limit, cost);
			default:
				break;
		}
	}
#endif
	return verdict_slowly(key, limit, cost);
}

/* ---- The most usual calls: a fixed window, and a cost of 1 ---- */

static RL_NOINLINE rl_verdict verdict_of_int(const char *name, size_t name_len, int64_t id, const rl_limit *limit)
{
	rl_key key = {.space = RL_SPACE_LIMITER, .name = name, .name_len = name_len, .is_int = true, .int_id = id};

	return rl_limiter_verdict(&key, limit, 1);
}

static RL_NOINLINE rl_verdict verdict_of_string(const char *name, size_t name_len, const char *id, size_t id_len,
	const rl_limit *limit)
{
	rl_key key = {.space = RL_SPACE_LIMITER, .name = name, .name_len = name_len, .id = id, .id_len = id_len};

	return rl_limiter_verdict(&key, limit, 1);
}

#ifdef RL_HASH_HAS_AES
/* Returns whether the function below may decide. */
RL_INLINE bool verdict_is_usual(const rl_segment *s, const rl_limit *limit)
{
	return RL_LIKELY(
		rl_counter_fast_possible(rl_worker_self) && s->hash_kind == RL_HASH_AES && limit->algorithm == RL_FIXED_WINDOW);
}

/* Decides by the word of a hashed identity. Returns RL_VERDICT_NONE where word and coarse clock do not decide. */
RL_INLINE rl_verdict verdict_at(const rl_segment *s, uint64_t high, uint64_t low, const rl_limit *limit)
{
	rl_place p = rl_place_of(s, high, low, true);
	rl_word_span span = {0};
	rl_word_verdict_result v;
	rl_entry_seen seen;

	__builtin_prefetch(&s->buckets[p.home], 0, 3); /* the bucket is on its way during the clock read */
	span.late_us = rl_counter_latest_ms(s) * RL_US_PER_MS;
	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen) || !rl_terms_are(s, seen.fp, RL_FIXED_WINDOW, limit))) {
		return (rl_verdict){.kind = RL_VERDICT_NONE};
	}
	v = rl_word_verdict_fixed(&seen, p, limit, 1, span);
	if (RL_UNLIKELY(v.result != RL_TRY_DECIDED)) {
		return (rl_verdict){.kind = RL_VERDICT_NONE};
	}
	rl_worker_stat_add(rl_worker_self, v.accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return (rl_verdict){.kind = v.accepted ? RL_VERDICT_ADMITTED : RL_VERDICT_REFUSED, .near = v.near};
}
#endif

RL_FIRST_PAGE(06)
RL_TARGET_AES rl_verdict rl_limiter_verdict_int(const char *name, size_t name_len, int64_t id, const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (verdict_is_usual(s, limit)) {
		uint64_t high, low;
		rl_verdict v;

		rl_hash_aes_int(&s->header->hash_key, RL_SPACE_LIMITER, name, name_len, id, &high, &low);
		v = verdict_at(s, high, low, limit);
		if (RL_LIKELY(v.kind != RL_VERDICT_NONE)) {
			return v;
		}
	}
#endif
	return verdict_of_int(name, name_len, id, limit);
}

RL_FIRST RL_TARGET_AES rl_verdict rl_limiter_verdict_string(const char *name, size_t name_len, const char *id,
	size_t id_len, const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (verdict_is_usual(s, limit)) {
		rl_key key = {.space = RL_SPACE_LIMITER, .name = name, .name_len = name_len, .id = id, .id_len = id_len};
		uint64_t high, low;
		rl_verdict v;

		rl_hash_aes(&s->header->hash_key, &key, &high, &low);
		v = verdict_at(s, high, low, limit);
		if (RL_LIKELY(v.kind != RL_VERDICT_NONE)) {
			return v;
		}
	}
#endif
	return verdict_of_string(name, name_len, id, id_len, limit);
}

RL_FIRST_PAGE(02) void rl_limiter_expect(void)
{
	rl_expect_code((const void *) rl_limiter_verdict_int, 10);
	rl_fast_expect_data(&rl_shm);
}
