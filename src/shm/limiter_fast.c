#include "limiter_fast.h"

#include "../core/single_limit.h"
#include "clock.h"
#include "record_cache.h"
#include "store_internal.h"

/* The result of one attempt. */
typedef enum {
	FAST_DECIDED,
	FAST_AGAIN, /* another worker was faster */
	FAST_LEFT,  /* to rl_shm_ask() */
} fast_result;

/* An identity's entry, and its published record. The record's words count only if the entry has the same reference later. */
typedef struct {
	rl_entry *entry;
	uint64_t fp, ref;
	const rl_record *record;
	size_t words;
} fast_entry;

/* Finds the identity. Returns false if it has no record of so many words. */
static inline bool fast_find(const rl_segment *s, rl_place p, size_t words, fast_entry *at)
{
	at->entry = rl_table_find(s, p);
	if (RL_UNLIKELY(at->entry == NULL)) {
		return false;
	}
	at->fp = rl_load(&at->entry->pair.a);
	at->ref = rl_load(&at->entry->pair.b);
	if (RL_UNLIKELY(!rl_fp_is(at->fp, p.fp))) {
		return false;
	}
	at->record = rl_record_at(s, at->entry, at->ref, &at->words);
	return RL_LIKELY(at->record != NULL && at->words >= words);
}

/* Returns whether the entry still has the record that was read. */
static inline bool fast_is_same(const fast_entry *at)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return rl_load(&at->entry->pair.b) == at->ref && rl_load(&at->entry->pair.a) == at->fp;
}

/* Returns the fingerprint of an entry with this state. */
static inline uint64_t fast_fp(rl_place p, const uint64_t *state)
{
	return p.fp | (rl_state_is_exhausted(state[0]) ? RL_FP_EXHAUSTED : 0);
}

/* Publishes the next state, which is in the record. The swap of the reference finds out whether the words that were read are
 * one state. */
static fast_result fast_publish(const rl_segment *s, rl_place p, const fast_entry *at, rl_record *record)
{
	if (RL_LIKELY(rl_record_publish(s, at->entry, at->fp, at->ref, fast_fp(p, record->state), record))) {
		return FAST_DECIDED;
	}
	rl_record_put(s, record);
	return FAST_AGAIN;
}

/* Publishes a next state of few words. */
static inline fast_result fast_replace(const rl_segment *s, rl_place p, const fast_entry *at, const uint64_t *state,
	size_t words, int64_t now_us)
{
	rl_replace_result result = rl_record_replace(s, at->entry, at->fp, at->ref, at->words, fast_fp(p, state), state,
		words);
	rl_record *record;

	if (RL_LIKELY(result == RL_REPLACED)) {
		return FAST_DECIDED;
	}
	if (result == RL_REPLACE_RACED) {
		return FAST_AGAIN;
	}
	record = rl_record_get(s, at->entry, words, now_us);
	if (record == NULL) {
		return FAST_LEFT;
	}
	memcpy(record->state, state, words * sizeof *state);
	return fast_publish(s, p, at, record);
}

static inline void fast_copy(uint64_t *to, const uint64_t *from, unsigned words)
{
	unsigned i;

	for (i = 0; i < words; i++) {
		to[i] = rl_load(&from[i]);
	}
}

/* Decides a window or a bucket. */
static inline fast_result fast_decide(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost,
	const rl_now *now, rl_decision *d)
{
	uint64_t state[RL_SINGLE_WORDS];
	rl_single_state next;
	fast_entry at;

	if (!fast_find(s, p, RL_SINGLE_WORDS, &at)) {
		return FAST_LEFT;
	}
	fast_copy(state, at.record->state, RL_SINGLE_WORDS);
	if (RL_UNLIKELY(!rl_single_decide(limit, cost, now, state, &next, d))) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_replace(s, p, &at, next.state, RL_SINGLE_WORDS, now->mono_us);
}

/* Decides a sliding log: its moments go from record to record, without a copy in between. */
static fast_result fast_log(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost, const rl_now *now,
	rl_decision *d)
{
	uint64_t head[RL_SINGLE_LOG_HEAD];
	rl_single_log_state next;
	fast_entry at;
	rl_record *record;

	if (!fast_find(s, p, RL_SINGLE_LOG_HEAD, &at)) {
		return FAST_LEFT;
	}
	fast_copy(head, at.record->state, RL_SINGLE_LOG_HEAD);
	if (!rl_single_log(limit, cost, now, head,
			(const uint32_t *) (const void *) (at.record->state + RL_SINGLE_LOG_HEAD), at.words, &next, d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	record = rl_record_get(s, at.entry, next.words, now->mono_us);
	if (RL_UNLIKELY(record == NULL)) {
		return FAST_LEFT;
	}
	rl_single_write_log(&next, record->state);
	return fast_publish(s, p, &at, record);
}

static fast_result fast_sliding_window(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost,
	const rl_now *now, rl_decision *d)
{
	uint64_t state[RL_SINGLE_SLIDING_WORDS], next[RL_SINGLE_SLIDING_WORDS];
	fast_entry at;

	if (!fast_find(s, p, RL_SINGLE_SLIDING_WORDS, &at)) {
		return FAST_LEFT;
	}
	fast_copy(state, at.record->state, RL_SINGLE_SLIDING_WORDS);
	if (!rl_single_sliding_window(limit, cost, now, state, next, d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_replace(s, p, &at, next, RL_SINGLE_SLIDING_WORDS, now->mono_us);
}

static inline fast_result fast_by_algorithm(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost,
	const rl_now *now, rl_decision *d)
{
	switch (limit->algorithm) {
		case RL_SLIDING_LOG:
			return fast_log(s, p, limit, cost, now, d);
		case RL_SLIDING_WINDOW:
			return fast_sliding_window(s, p, limit, cost, now, d);
		default:
			return fast_decide(s, p, limit, cost, now, d);
	}
}

/* Decides at the place of the key. now: as the clock was read before the hash. */
static inline bool fast_at(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost, rl_now now,
	rl_decision *d)
{
	fast_result result;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	for (;; now = rl_clock_read_for(limit->algorithm == RL_CALENDAR_WINDOW)) {
		now.mono_us = rl_segment_us(s, now.mono_us);
		result = fast_by_algorithm(s, p, limit, cost, &now, d);
		if (RL_LIKELY(result != FAST_AGAIN)) {
			break;
		}
	}
	if (RL_UNLIKELY(result == FAST_LEFT)) {
		return false;
	}
	d->source = RL_FROM_SHM;
	rl_worker_stat_add(rl_worker_self, d->accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return true;
}

#ifdef RL_HASH_HAS_AES
static RL_TARGET_AES rl_place fast_place_aes(const rl_segment *s, const rl_key *key)
{
	uint64_t high, low;

	rl_hash_aes(&s->header->hash_key, key, &high, &low);
	return rl_place_of(s, high, low, true);
}
#endif

bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	/* The clock before the hash: see limiter_store.c. */
	rl_now now = rl_clock_read_for(limit->algorithm == RL_CALENDAR_WINDOW);

#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(s->hash_kind == RL_HASH_AES)) {
		return fast_at(s, fast_place_aes(s, key), limit, cost, now, d);
	}
#endif
	return fast_at(s, rl_shm_place(s, key, true), limit, cost, now, d);
}
