/* Implements src/store.h on the segment: counters, and the store as a whole. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../core/algorithm/counter.h"
#include "../monitor/ban_list.h"
#include "../segment/clock.h"
#include "../record/record_cache.h"
#include "../monitor/refusal_sketch.h"
#include "../machine/deny_fast.h"
#include "store_internal.h"

rl_place rl_shm_place(const rl_segment *s, const rl_key *key, bool record)
{
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_place_of(s, high, low, record);
}

/* Returns the place of a key in a store. The embedded store's own id is 0: its places are those of rl_shm_place(). */
rl_place rl_shm_place_in(const rl_segment *s, const rl_store *store, const rl_key *key, bool record)
{
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_place_of(s, high ^ store->id[0], low ^ store->id[1], record);
}

rl_status rl_shm_no_worker(rl_error *e)
{
	rl_stat_add(RL_STAT_ERRORS);
	rl_worker_explain(e->message, sizeof e->message);
	return RL_UNAVAILABLE;
}

RL_THREAD_LOCAL rl_stat_mode rl_stat_counts_as;

void rl_stat_add_decision(const rl_decision *d, bool ban_begun)
{
	bool admitted = rl_stat_is_admission(d);

	rl_worker_stat_add(rl_worker_self, admitted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	if (!admitted && ban_begun) {
		rl_worker_stat_add(rl_worker_self, RL_STAT_BANS);
	}
}

void rl_shm_count_decision(const rl_decision *d, bool ban_begun)
{
	if (rl_worker_register() != NULL) {
		rl_stat_add_decision(d, ban_begun);
	}
}

/* ---- Counters ---- */

static rl_status shm_count(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	const rl_segment *s = &rl_shm;
	rl_now now = rl_clock_read_for(q->ban == RL_BAN_UNTIL); /* before the hash: see limiter_store.c */
	rl_place p = rl_shm_place_in(s, store, key, false);

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return rl_shm_no_worker(e);
	}
	d->source = RL_FROM_SHM;
	for (;; now = rl_clock_read_for(q->ban == RL_BAN_UNTIL)) {
		int64_t now_us = rl_segment_us(s, now.mono_us);
		rl_entry *entry = rl_table_claim(s, p, now_us);
		uint64_t fp, word, next;

		fp = rl_load(&entry->pair.a);
		word = rl_load(&entry->pair.b);
		next = rl_counter_decide(word, q, now_us, now.wall_us, d);
		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		/* A refusal writes nothing. It only checks that the two halves that it read belong together. */
		if (next == word
				? rl_load(&entry->pair.a) == fp && rl_load(&entry->pair.b) == word
				: rl_pair_cas(&entry->pair, fp, word, d->remaining == 0 ? p.fp | RL_FP_EXHAUSTED : p.fp, next)) {
			d->ban_begun = !d->accepted && next != word;
			d->leased = 0;
			rl_stat_add_decision(d, d->ban_begun);
			return RL_OK;
		}
	}
}

static rl_status shm_peek(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e)
{
	const rl_segment *s = &rl_shm;
	rl_place p = rl_shm_place_in(s, store, key, false);
	uint64_t word = 0; /* an identity without an entry has no state */
	const rl_entry *entry;
	rl_now now;

	(void) e;
	while ((entry = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a);

		word = rl_load(&entry->pair.b);
		if (rl_fp_is(fp, p.fp) && rl_load(&entry->pair.a) == fp) {
			break;
		}
		word = 0;
	}
	now = rl_clock_read_for(q->ban == RL_BAN_UNTIL);
	d->source = RL_FROM_SHM;
	(void) rl_counter_decide(word, q, rl_segment_us(s, now.mono_us), now.wall_us, d);
	return RL_OK;
}

/* Drops the counter, if any. bans: only a running ban. Returns whether one was dropped that had not ended. */
static bool shm_drop(const rl_segment *s, rl_place p, bool bans)
{
	rl_entry *entry;

	while ((entry = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a);
		uint64_t word = rl_load(&entry->pair.b);
		bool runs = rl_counter_end_ms(word) > rl_segment_us(s, rl_clock_read().mono_us) / RL_US_PER_MS;

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		if (bans && !(runs && rl_counter_is_ban(word))) {
			if (rl_load(&entry->pair.a) == fp && rl_load(&entry->pair.b) == word) {
				return false;
			}
		} else if (rl_table_remove(s, entry, fp, word)) {
			return runs;
		}
	}
	return false;
}

static rl_status shm_ban(const rl_segment *s, rl_place p, const rl_counter_command *c, rl_error *e)
{
	if (rl_worker_register() == NULL) {
		return rl_shm_no_worker(e);
	}
	for (;;) {
		rl_now now = rl_clock_read_for(c->ban == RL_BAN_UNTIL);
		int64_t now_us = rl_segment_us(s, now.mono_us);
		uint64_t next = rl_counter_ban(c, now_us, now.wall_us), fp, word;
		rl_entry *entry;

		if (next == 0) { /* its end has come */
			return RL_OK;
		}
		entry = rl_table_claim(s, p, now_us);
		fp = rl_load(&entry->pair.a);
		word = rl_load(&entry->pair.b);
		if (rl_fp_is(fp, p.fp) && rl_pair_cas(&entry->pair, fp, word, p.fp | RL_FP_EXHAUSTED, next)) {
			return RL_OK;
		}
	}
}

static rl_status shm_command(rl_store *store, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e)
{
	const rl_segment *s = &rl_shm;
	rl_place p = rl_shm_place_in(s, store, key, false);

	*found = false;
	if (c->op == RL_OP_BAN) {
		return shm_ban(s, p, c, e);
	}
	*found = shm_drop(s, p, c->op == RL_OP_UNBAN);
	return RL_OK;
}

/* ---- What another store has answered ---- */

rl_mirror_mark rl_shm_mirror_mark(const uint64_t id[2], const rl_key *key, bool record)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;
	rl_mirror_mark mark;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	mark.generation = rl_deny_generation(s, low);
	mark.seen = __atomic_load_n(mark.generation, __ATOMIC_SEQ_CST);
	mark.place = rl_place_of(s, high ^ id[0], low ^ id[1], record);
	return mark;
}

bool rl_shm_mark_holds(rl_mirror_mark *mark, bool begins)
{
	uint64_t seen = mark->seen;

	if (RL_LIKELY(!begins)) {
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		return rl_load(mark->generation) == seen;
	}
	if (!__atomic_compare_exchange_n(mark->generation, &seen, seen + RL_GENERATION_BAN, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST)) {
		return false;
	}
	mark->seen += RL_GENERATION_BAN;
	return true;
}

void rl_shm_mirror_counter(rl_mirror_mark *mark, const rl_counter_question *q, const rl_decision *d, int64_t trip_us,
	uint32_t leased)
{
	const rl_segment *s = &rl_shm;
	rl_place p = mark->place;

	while (rl_worker_register() != NULL) {
		int64_t now_us = rl_segment_us(s, rl_clock_read().mono_us);
		rl_entry *entry = rl_table_claim(s, p, now_us);
		uint64_t fp = rl_load(&entry->pair.a), word = rl_load(&entry->pair.b);
		uint64_t next = rl_counter_mirror(word, q, now_us, trip_us, d, leased);
		bool ban = rl_counter_is_ban(next), runs = rl_counter_end_ms(word) > now_us / RL_US_PER_MS;

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		if (next == word || !rl_shm_mark_holds(mark, ban && !(runs && rl_counter_is_ban(word)))
			|| rl_pair_cas(&entry->pair, fp, word, p.fp | (ban || d->remaining == 0 ? RL_FP_EXHAUSTED : 0), next)) {
			return;
		}
	}
}

static int64_t wall_us(rl_store *store)
{
	(void) store;
	return rl_clock_wall_us();
}

/* Each key is decided in one step, of its own. */
static bool shm_asks_at_once(rl_store *store)
{
	(void) store;
	return false;
}

static const char *shm_server(rl_store *store, const rl_key *key)
{
	(void) store;
	(void) key;
	return NULL;
}

static const rl_store_ops ops = {
	.name = "shm",
	.count = shm_count,
	.peek = shm_peek,
	.command = shm_command,
	.ask = rl_shm_ask,
	.asks_at_once = shm_asks_at_once,
	.ask_many = rl_shm_ask_many,
	.server = shm_server,
	.wall_us = wall_us,
};

/* ---- The store as a whole ---- */

static void after_fork(void)
{
	rl_worker_after_fork();
	rl_record_cache_after_fork();
	rl_sampler_after_fork();
}

void rl_shm_store_init(rl_segment *s)
{
	static bool registered;

	s->store.ops = &ops;
	if (!registered) {
		pthread_atfork(NULL, NULL, after_fork);
		rl_worker_on_lost(rl_record_cache_after_fork);
		registered = true;
	}
}

rl_store *rl_shm_store(void)
{
	return rl_shm.header != NULL ? &rl_shm.store : NULL;
}

bool rl_shm_flush(void)
{
	if (rl_worker_register() == NULL) {
		return false;
	}
	rl_table_clear(&rl_shm);
	rl_sketch_clear();
	rl_ban_list_clear();
	return true;
}

bool rl_shm_fallback(rl_store *fallback, const uint64_t id[2])
{
	*fallback = (rl_store){.ops = &ops, .id = {id[0], id[1]}};
	return rl_shm.header != NULL;
}

bool rl_shm_has_worker(void)
{
	return rl_worker_register() != NULL;
}

uint64_t rl_shm_owner(void)
{
	return rl_owner_self();
}

bool rl_shm_uses_aes(void)
{
	return rl_shm.header != NULL && rl_shm.hash_kind == RL_HASH_AES;
}

int64_t rl_shm_now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_true_us());
}

void rl_stat_add(rl_stat which)
{
	if (rl_worker_register() != NULL) {
		rl_worker_stat_add(rl_worker_self, which);
	}
}

void rl_stat_add_many(rl_stat which, uint64_t n)
{
	if (n > 0 && rl_worker_register() != NULL) {
		uint64_t *count = &rl_worker_self->stats[which];

		__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
	}
}

/* A worker's count above this is damaged: a hundred thousand calls a second take ninety years. With this bound the sum over
 * all 2^14 workers is at most 2^62, and a difference of two sums does not overflow. */
#define STAT_MAX (UINT64_C(1) << 48)

/* Returns a worker's count, or 0 if it is damaged. */
static uint64_t read_stat(const uint64_t *count)
{
	uint64_t n = rl_load(count);

	return n <= STAT_MAX ? n : 0;
}

void rl_shm_sum_stats(const rl_segment *s, uint64_t counts[RL_STATS])
{
	uint64_t n = rl_workers_used(s);

	memset(counts, 0, RL_STATS * sizeof *counts);
	for (uint64_t i = 0; i < n; i++) {
		const rl_worker *w = rl_worker_at(s, i);

		for (unsigned c = 0; c < RL_STATS; c++) {
			counts[c] += read_stat(&w->stats[c]);
		}
	}
}

void rl_shm_stats_read(rl_shm_stats *stats)
{
	static const char *const kinds[] = {"memory", "file", "user"};
	const rl_segment *s = &rl_shm;
	uint64_t i, n;

	*stats = (rl_shm_stats){.kind = "none"};
	if (s->header == NULL) {
		return;
	}
	stats->kind = kinds[s->kind];
	stats->bytes = s->bytes;
	stats->slots = s->n_buckets * RL_ENTRIES_PER_BUCKET;
	rl_record_area_use(s, &stats->records, &stats->records_used);
	n = rl_workers_used(s);
	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(s, i);

		stats->workers += rl_worker_is_active(w);
		stats->slots_used += read_stat(&w->entries_used);
	}
	rl_shm_sum_stats(s, stats->counts);
	stats->slots_used = stats->slots_used < stats->slots ? stats->slots_used : stats->slots;
	stats->decisions = stats->counts[RL_STAT_ADMISSIONS] + stats->counts[RL_STAT_REFUSALS];
}
