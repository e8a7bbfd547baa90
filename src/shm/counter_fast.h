/* doHandle's short way: a decision that needs neither an exact clock nor a new entry. Nearly all calls end here, some
 * nanoseconds after they came. Each of two ways answers what the long one (rl_store_ops.plain) would, or nothing. */
#ifndef RL_SHM_COUNTER_FAST_H
#define RL_SHM_COUNTER_FAST_H

#include "clock.h"
#include "worker.h"
#include "table.h"

typedef enum {
	RL_FAST_REFUSED = 0,
	RL_FAST_ADMITTED = 1,
	RL_FAST_UNKNOWN, /* go the long way: rl_store_ops.plain */
} rl_fast_result;

/* For any key, by either hash. may_ban: whether a refusal could start a ban, as the long way knows how to. */
rl_fast_result rl_counter_fast(const rl_key *key, uint32_t number, bool may_ban);

/* Is there something to decide with at all? */
static inline bool rl_counter_fast_possible(const rl_worker *worker)
{
	return RL_LIKELY(worker != NULL && !rl_clock_frozen.frozen);
}

/* What has not ended by this moment of the segment's time, in ms, is surely running. */
static inline int64_t rl_counter_latest_ms(const rl_segment *s)
{
	return rl_clock_coarse_ms() - s->mono_base_ms + RL_CLOCK_COARSE_SLACK_MS;
}

/* Decides on the entry in which fp, p's own, has just been read. */
static inline rl_fast_result rl_counter_fast_in_entry(rl_pair *pair, uint64_t fp, rl_place p, uint32_t number,
	bool may_ban, int64_t surely_ms, rl_worker *worker)
{
	do {
		uint64_t word = rl_load(&pair->b);
		uint32_t count = rl_counter_count_or_ban(word);

		if (RL_UNLIKELY(rl_counter_end_ms(word) <= surely_ms)) {
			return RL_FAST_UNKNOWN;
		}
		if (count >= number) {
			/* The word is p's if p's fingerprint stood beside it before it was read and stands there after. */
			if (RL_UNLIKELY((may_ban && !rl_counter_is_ban(word)) || rl_load(&pair->a) != fp)) {
				return RL_FAST_UNKNOWN;
			}
			rl_worker_stat_add(worker, RL_STAT_REFUSALS);
			return RL_FAST_REFUSED;
		}
		if (RL_LIKELY(rl_pair_cas(pair, fp, word, count + 1 == number ? p.fp | RL_FP_EXHAUSTED : p.fp, word + 1))) {
			rl_worker_stat_add(worker, RL_STAT_ADMISSIONS);
			return RL_FAST_ADMITTED;
		}
		fp = rl_load(&pair->a);
	} while (rl_fp_is(fp, p.fp));
	return RL_FAST_UNKNOWN;
}

#ifdef RL_HASH_HAS_AES
/* Which of a line's entries hold the fingerprint: bits 0 to 3. Without a branch, because which entry it is cannot be
 * predicted: a processor that has guessed wrong finds out when the line has come from memory, and what it could have
 * fetched meanwhile (the next decision's line, say) it has not. */
static inline unsigned RL_TARGET_AES rl_bucket_match(const rl_bucket *bucket, uint64_t fp)
{
	const __m128i *entries = (const __m128i *) (const void *) bucket;
	__m128i ignored = _mm_set1_epi64x((long long) RL_FP_EXHAUSTED);
	__m128i wanted = _mm_set1_epi64x((long long) (fp | RL_FP_EXHAUSTED));
	__m128i first = _mm_unpacklo_epi64(_mm_load_si128(entries), _mm_load_si128(entries + 1));
	__m128i second = _mm_unpacklo_epi64(_mm_load_si128(entries + 2), _mm_load_si128(entries + 3));

	first = _mm_cmpeq_epi64(_mm_or_si128(first, ignored), wanted);
	second = _mm_cmpeq_epi64(_mm_or_si128(second, ignored), wanted);
	return (unsigned) _mm_movemask_ps(
		_mm_shuffle_ps(_mm_castsi128_ps(first), _mm_castsi128_ps(second), _MM_SHUFFLE(2, 0, 2, 0)));
}

/* The same for an int identity, where the segment's hash is AES. */
static inline rl_fast_result RL_TARGET_AES rl_counter_fast_aes(const char *name, size_t name_len, int64_t id,
	uint32_t number, bool may_ban)
{
	const rl_segment *s = &rl_shm;
	rl_worker *worker = rl_worker_self;
	uint64_t high, low, fp;
	rl_place p;
	rl_bucket *bucket;
	rl_entry *entry;
	int64_t surely_ms;

	if (!rl_counter_fast_possible(worker)) {
		return RL_FAST_UNKNOWN;
	}
	rl_hash_aes_int(&s->header->hash_key, RL_SPACE_ACTION, name, name_len, id, &high, &low);
	p = rl_place_of(s, high, low, false);
	bucket = &s->buckets[p.home];
	__builtin_prefetch(bucket, 0, 3); /* on its way while the clock is read */
	surely_ms = rl_counter_latest_ms(s);
	entry = &bucket->entries[rl_fp_first(p.fp)];
	fp = rl_load(&entry->pair.a);
	if (RL_UNLIKELY(!rl_fp_is(fp, p.fp))) {
		unsigned match = rl_bucket_match(bucket, p.fp);

		/* Or in one of the lines behind, if at all. */
		entry = match != 0 ? &bucket->entries[__builtin_ctz(match)] : rl_table_find(s, p);
		if (entry == NULL || !rl_fp_is(fp = rl_load(&entry->pair.a), p.fp)) {
			return RL_FAST_UNKNOWN;
		}
	}
	return rl_counter_fast_in_entry(&entry->pair, fp, p, number, may_ban, surely_ms, worker);
}
#endif

#endif
