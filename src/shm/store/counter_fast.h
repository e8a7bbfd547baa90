/* Decides doHandle's counter on the fast path: by the coarse clock, in an entry that exists. Nearly all calls end here,
 * within some nanoseconds. Both functions return what the slow path (rl_store_ops.count) would return, or nothing. */
#ifndef RL_SHM_COUNTER_FAST_H
#define RL_SHM_COUNTER_FAST_H

#include "../segment/clock.h"
#include "../table/table.h"
#include "../process/worker.h"

typedef enum {
	RL_FAST_REFUSED = 0,
	RL_FAST_ADMITTED = 1,
	RL_FAST_UNKNOWN, /* take the slow path: rl_store_ops.count */
} rl_fast_result;

/* Decides for any key, by either hash. may_ban: a refusal may start a ban, which only the slow path does. */
rl_fast_result rl_counter_fast(const rl_key *key, uint32_t limit, bool may_ban);

/* Returns whether this thread has a worker, and the clock runs. */
static inline bool rl_counter_fast_possible(const rl_worker *worker)
{
	return RL_LIKELY(worker != NULL) && RL_LIKELY(!rl_clock_frozen.frozen);
}

/* Returns the latest moment that now can be, in ms of the segment's time: a window that ends later is running. */
static inline int64_t rl_counter_latest_ms(const rl_segment *s)
{
	return rl_clock_coarse_ms() - s->mono_base_ms + RL_CLOCK_COARSE_SLACK_MS;
}

/* Decides on an entry in which p's fingerprint has just been read as fp. */
static inline rl_fast_result rl_counter_fast_in_entry(rl_pair *pair, uint64_t fp, rl_position p, uint32_t limit,
	bool may_ban, int64_t latest_ms, rl_worker *worker)
{
	do {
		uint64_t word = rl_load(&pair->b);
		rl_window w = rl_counter_window(word);
		rl_step step;

		if (RL_UNLIKELY(rl_counter_end_ms(word) <= latest_ms)) {
			return RL_FAST_UNKNOWN;
		}
		step = rl_window_step(&w, limit, 1, latest_ms * RL_US_PER_MS);
		if (!step.accepted) {
			/* The word belongs to p if p's fingerprint was beside it before the read, and is still there after it. */
			if (RL_UNLIKELY((may_ban && !rl_counter_is_ban(word)) || rl_load(&pair->a) != fp)) {
				return RL_FAST_UNKNOWN;
			}
			rl_worker_stat_add(worker, RL_STAT_REFUSALS);
			return RL_FAST_REFUSED;
		}
		if (RL_LIKELY(rl_pair_cas(pair, fp, word, step.exhausted ? p.fp | RL_FP_EXHAUSTED : p.fp, word + 1))) {
			rl_worker_stat_add(worker, RL_STAT_ADMISSIONS);
			return RL_FAST_ADMITTED;
		}
		fp = rl_load(&pair->a);
	} while (rl_fp_is(fp, p.fp));
	return RL_FAST_UNKNOWN;
}

#ifdef RL_HASH_HAS_AES
/* Returns the entries of a bucket that hold the fingerprint, as bits 0 to 3. It has no branch, because no processor can
 * predict the entry. The processor detects a wrong guess only when the bucket has come from memory. Until then it
 * fetches nothing that follows (the next decision's bucket, say). */
static inline unsigned RL_TARGET_AES rl_bucket_match(const rl_bucket *bucket, uint64_t fp)
{
	const __m128i *entries = (const __m128i *) (const void *) bucket;
	__m128i ignored = _mm_set1_epi64x((long long) (RL_FP_EXHAUSTED | RL_FP_TERMS));
	__m128i wanted = _mm_set1_epi64x((long long) (fp | RL_FP_EXHAUSTED | RL_FP_TERMS));
	__m128i first = _mm_unpacklo_epi64(_mm_load_si128(entries), _mm_load_si128(entries + 1));
	__m128i second = _mm_unpacklo_epi64(_mm_load_si128(entries + 2), _mm_load_si128(entries + 3));

	first = _mm_cmpeq_epi64(_mm_or_si128(first, ignored), wanted);
	second = _mm_cmpeq_epi64(_mm_or_si128(second, ignored), wanted);
	return (unsigned) _mm_movemask_ps(
		_mm_shuffle_ps(_mm_castsi128_ps(first), _mm_castsi128_ps(second), _MM_SHUFFLE(2, 0, 2, 0)));
}

/* Decides for an int identity, where the segment's hash is AES. */
static inline rl_fast_result RL_TARGET_AES rl_counter_fast_aes(const char *name, size_t name_len, int64_t id,
	uint32_t limit, bool may_ban)
{
	const rl_segment *s = &rl_shm;
	rl_worker *worker = rl_worker_self;
	uint64_t high, low, fp;
	rl_position p;
	rl_bucket *bucket;
	rl_entry *entry;
	int64_t latest_ms;

	if (!rl_counter_fast_possible(worker)) {
		return RL_FAST_UNKNOWN;
	}
	rl_hash_aes_int(&s->header->hash_key, RL_SPACE_ACTION, name, name_len, id, &high, &low);
	p = rl_position_of(s, high, low, false);
	bucket = &s->buckets[p.home];
	__builtin_prefetch(bucket, 0, 3); /* the bucket is on its way during the clock read */
	latest_ms = rl_counter_latest_ms(s);
	entry = &bucket->entries[rl_fp_first(p.fp)];
	fp = rl_load(&entry->pair.a);
	if (RL_UNLIKELY(!rl_fp_is(fp, p.fp))) {
		unsigned match = rl_bucket_match(bucket, p.fp);

		/* The entry is here, or in one of the next buckets, or missing. */
		entry = match != 0 ? &bucket->entries[__builtin_ctz(match)] : rl_table_find(s, p);
		if (entry == NULL || !rl_fp_is(fp = rl_load(&entry->pair.a), p.fp)) {
			return RL_FAST_UNKNOWN;
		}
	}
	return rl_counter_fast_in_entry(&entry->pair, fp, p, limit, may_ban, latest_ms, worker);
}
#endif

#endif
