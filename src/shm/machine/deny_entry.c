#include "deny_entry.h"

#include "deny_fast.h"
#include "../record/record_cache.h"
#include "../store/shm.h"

/* The bound of a moment after the entry's end. The guard stores no refusal that ends later (deny_cache.c). */
#define MOMENT_MAX_US ((uint64_t) RL_PERIOD_MAX_US * 8)

rl_position rl_deny_position_of(const rl_key *key, rl_deny_key m, bool record)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_deny_position(s, high, low, m, record);
}

/* Returns whether the entry's moments follow each other as rl_deny_cache_store() writes them. An entry of a damaged segment
 * may have any. Computes without a sign, because such a difference may have any size. */
static bool is_plausible(const rl_deny_entry *r)
{
	uint64_t end_us = (uint64_t) r->end_us;

	return (uint64_t) r->retry_us - end_us <= MOMENT_MAX_US && (uint64_t) r->reset_us - end_us <= MOMENT_MAX_US
		&& r->limit_index < RL_LIMITS_MAX;
}

bool rl_deny_lookup(rl_position p, rl_deny_entry *r)
{
	const rl_segment *s = &rl_shm;
	const rl_entry *entry = rl_table_find(s, p);
	uint64_t fp;

	if (entry == NULL) {
		return false;
	}
	fp = rl_load(&entry->pair.a);
	return rl_fp_is(fp, p.fp) && rl_deny_read(s, entry, fp, rl_load(&entry->pair.b), r) && is_plausible(r);
}

void rl_deny_store(rl_position p, const rl_deny_entry *r)
{
	const rl_segment *s = &rl_shm;
	int64_t now_us = rl_shm_now_us();
	rl_entry *entry;
	rl_record *record;
	uint64_t fp, ref;

	if (rl_worker_register() == NULL) {
		return;
	}
	entry = rl_table_claim(s, p, now_us);
	fp = rl_load(&entry->pair.a);
	ref = rl_load(&entry->pair.b);
	if (!rl_fp_is(fp, p.fp) || (record = rl_record_get(s, entry, RL_DENY_WORDS, now_us)) == NULL) {
		return;
	}
	record->state[RL_DENY_HEAD] = 0;
	record->state[RL_DENY_END] = (uint64_t) r->end_us;
	record->state[RL_DENY_AT] = (uint64_t) r->at_us;
	record->state[RL_DENY_RETRY] = (uint64_t) r->retry_us;
	record->state[RL_DENY_RESET] = (uint64_t) r->reset_us;
	record->state[RL_DENY_REASON] = r->reason | (uint64_t) r->limit_index << 32 | (uint64_t) r->level << 48;
	/* A faster worker has stored an equal entry. */
	if (!rl_record_publish(s, entry, fp, ref, p.fp, record)) {
		rl_record_put(s, record);
	}
}

void rl_deny_invalidate(const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;

	if (s->header != NULL) {
		rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
		__atomic_fetch_add(rl_deny_generation(s, low), 1, __ATOMIC_SEQ_CST);
	}
}
