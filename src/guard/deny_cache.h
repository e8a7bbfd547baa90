/* Remembered refusals: what Redis refused just now it need not be asked again. A refusal of a cost of 1 is kept until that
 * could pass, and for ratelimit.deny_cache at the longest; until then the same identity with the same question (the limits
 * as they are now, the ban they carry) is answered from this machine's memory. A larger cost is always asked: it may be
 * refused where 1 is not, and its retryAfter is another.
 *
 * What changes an identity's state other than by counting (reset, refund, a ban …) forgets what this machine remembers of
 * it. */
#ifndef RL_GUARD_DENY_CACHE_H
#define RL_GUARD_DENY_CACHE_H

#include "../shm/clock.h"
#include "../shm/deny_entry.h"

/* One question, and where its refusal is to be kept. Made before the store is asked. */
typedef struct {
	bool may_answer; /* a refusal of 1 answers it */
	bool may_keep;   /* a refusal of it is one of 1 */
	rl_place place;
} rl_deny_query;

/* store_id: that of the store which is asked. peek: it starts no ban, so what it answers is not kept. */
rl_deny_query rl_deny_query_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	bool peek);
rl_deny_query rl_deny_query_limiter(const uint64_t store_id[2], const rl_key *key, const rl_question *q);

/* True when a refusal is remembered; fills in everything of d but the limit's number, which is limit_index's. */
bool rl_deny_cache_lookup(const rl_deny_query *r, int64_t bound_us, rl_decision *d);

/* Keeps what was decided, if it is to be kept. began_us: before the store was asked, in the segment's time. */
void rl_deny_cache_store(const rl_deny_query *r, int64_t bound_us, int64_t began_us, const rl_decision *d);

/* What a plain question's refusal belongs to. */
static inline rl_deny_key rl_deny_counter_key(const uint64_t store_id[2], const rl_counter_question *q)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	return rl_deny_mix(m, q->seconds | (uint64_t) q->limit << 32, (uint64_t) q->ban << 62 ^ (uint64_t) q->ban_s);
}

/* doHandle's short way: true when a refusal surely stands by the coarse clock. False: go the long way. */
static inline bool RL_TARGET_AES rl_deny_cache_fast(const uint64_t store_id[2], const rl_key *key,
	const rl_counter_question *q, int64_t bound_us)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;
	rl_worker *worker = rl_worker_self;
	uint64_t high, low;
	rl_place p;
	rl_bucket *bucket;
	int64_t now_us;
	unsigned i;

	if (RL_UNLIKELY(worker == NULL || s->hash_kind != RL_HASH_AES || rl_clock_frozen.frozen)) {
		return false;
	}
	rl_hash_aes_int(&s->header->hash_key, RL_SPACE_ACTION, key->name, key->name_len, key->int_id, &high, &low);
	p = rl_deny_place(s, high, low, rl_deny_counter_key(store_id, q), true);
	bucket = &s->buckets[p.home];
	__builtin_prefetch(bucket, 0, 3); /* on its way while the clock is read */
	now_us = (rl_clock_coarse_ms() - s->mono_base_ms + RL_CLOCK_COARSE_SLACK_MS) * RL_US_PER_MS;

	for (i = 0; i < RL_ENTRIES_PER_BUCKET; i++) {
		rl_entry *entry = &bucket->entries[(rl_fp_first(p.fp) + i) % RL_ENTRIES_PER_BUCKET];
		uint64_t fp = rl_load(&entry->pair.a);
		rl_deny_entry r;

		if (rl_fp_is(fp, p.fp)) {
			if (!rl_deny_read(s, entry, fp, rl_load(&entry->pair.b), &r) || !rl_deny_is_valid(&r, now_us, bound_us)) {
				return false;
			}
			rl_worker_stat_add(worker, RL_STAT_CACHED);
			return true;
		}
	}
#else
	(void) store_id;
	(void) key;
	(void) q;
	(void) bound_us;
#endif
	return false;
}

#endif
