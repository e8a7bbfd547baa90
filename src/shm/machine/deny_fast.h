/* Looks a refusal up in the deny cache on doHandle's fast path: inline, by the coarse clock. Also defines the layout of
 * a deny entry in its record, which deny_entry.c shares. */
#ifndef RL_SHM_DENY_FAST_H
#define RL_SHM_DENY_FAST_H

#include "../segment/clock.h"
#include "deny_entry.h"
#include "../record/record.h"
#include "../table/table.h"
#include "../process/worker.h"

/* high, low: the identity's hash. */
static inline rl_position rl_deny_position(const rl_segment *s, uint64_t high, uint64_t low, rl_deny_key m, bool record)
{
	uint64_t generation = (uint32_t) rl_load(rl_deny_generation(s, low));

	return rl_position_of(s, high ^ m.a, low ^ m.b ^ generation * UINT64_C(0x9e3779b97f4a7c15), record);
}

/* The words of the record: those of a state without a limit, so that the table evicts it first. */
enum {
	RL_DENY_HEAD,
	RL_DENY_END,
	RL_DENY_AT,
	RL_DENY_RETRY,
	RL_DENY_RESET,
	RL_DENY_REASON, /* reason | limit index << 32 | level << 48 */
	RL_DENY_WORDS,
};

/* Copies the deny entry of a table entry that was (fp, ref). Returns false if the table entry has changed since, or
 * holds none. */
static inline bool rl_deny_read(const rl_segment *s, const rl_entry *entry, uint64_t fp, uint64_t ref, rl_deny_entry *r)
{
	size_t words;
	const rl_record *record = rl_record_at(s, entry, ref, &words);
	uint64_t reason;

	if (record == NULL || words < RL_DENY_WORDS) {
		return false;
	}
	r->end_us = (int64_t) rl_load(&record->state[RL_DENY_END]);
	r->at_us = (int64_t) rl_load(&record->state[RL_DENY_AT]);
	r->retry_us = (int64_t) rl_load(&record->state[RL_DENY_RETRY]);
	r->reset_us = (int64_t) rl_load(&record->state[RL_DENY_RESET]);
	reason = rl_load(&record->state[RL_DENY_REASON]);
	r->reason = (uint32_t) reason;
	r->limit_index = (uint16_t) (reason >> 32);
	r->level = (uint16_t) (reason >> 48);
	/* The copy is one deny entry only if the table entry still has the reference. */
	return rl_entry_has(entry, fp, ref);
}

/* Returns true if a cached refusal of an int identity's action is surely valid. False: take the slow path. The key has
 * its name and its int; m is the question's. */
static inline bool RL_TARGET_AES rl_deny_fast(const rl_key *key, rl_deny_key m, int64_t bound_us)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;
	rl_worker *worker = rl_worker_self;
	uint64_t high, low;
	rl_position p;
	rl_bucket *bucket;
	int64_t now_us;
	unsigned i;

	if (RL_UNLIKELY(worker == NULL || s->hash_kind != RL_HASH_AES || rl_clock_frozen.frozen)) {
		return false;
	}
	rl_hash_aes_int(&s->header->hash_key, RL_SPACE_ACTION, key->name, key->name_len, key->int_id, &high, &low);
	p = rl_deny_position(s, high, low, m, true);
	bucket = &s->buckets[p.home];
	__builtin_prefetch(bucket, 0, 3); /* the bucket is on its way during the clock read */
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
	(void) key;
	(void) m;
	(void) bound_us;
#endif
	return false;
}

#endif
