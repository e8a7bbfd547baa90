/* Implements src/store.h on the segment: counters, and the store as a whole. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../core/algorithm/counter.h"
#include "../monitor/ban_list.h"
#include "../segment/clock.h"
#include "../record/record_cache.h"
#include "../monitor/refusal_sketch.h"
#include "fast_call.h"
#include "store_internal.h"
#include "shm.h"

/* ---- Counters ---- */

static rl_status shm_count(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	const rl_segment *s = &rl_shm;
	rl_now now = rl_clock_read_for(q->ban == RL_BAN_UNTIL); /* before the hash: see limiter_store.c */
	rl_position p = rl_shm_position_in(s, store, key, false);

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
				? rl_entry_has(entry, fp, word)
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
	rl_position p = rl_shm_position_in(s, store, key, false);
	uint64_t word = 0; /* an identity without an entry has no state */
	const rl_entry *entry;
	rl_now now;

	(void) e;
	while ((entry = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a);

		word = rl_load(&entry->pair.b);
		if (rl_fp_is(fp, p.fp) && rl_entry_has(entry, fp, word)) {
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
static bool shm_drop(const rl_segment *s, rl_position p, bool bans)
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
			if (rl_entry_has(entry, fp, word)) {
				return false;
			}
		} else if (rl_record_remove(s, entry, fp, word)) {
			return runs;
		}
	}
	return false;
}

static rl_status shm_ban(const rl_segment *s, rl_position p, const rl_counter_command *c, rl_error *e)
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
	rl_position p = rl_shm_position_in(s, store, key, false);

	*found = false;
	if (c->op == RL_OP_BAN) {
		return shm_ban(s, p, c, e);
	}
	*found = shm_drop(s, p, c->op == RL_OP_UNBAN);
	return RL_OK;
}

static int64_t wall_us(rl_store *store)
{
	(void) store;
	return rl_clock_wall_us();
}

/* A part of a question about several keys is mostly a usual call. */
static rl_status shm_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	a->decision.source = RL_FROM_SHM;
	return q->part != RL_WHOLE && q->share == 0 && rl_worker_register() != NULL && rl_limiter_part(store, key, q, a)
		? RL_OK
		: rl_shm_ask(store, key, q, a, e);
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
	.ask = shm_ask,
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
	}
	rl_worker_stats_sum(stats->counts, &stats->slots_used);
	stats->slots_used = stats->slots_used < stats->slots ? stats->slots_used : stats->slots;
	stats->decisions = stats->counts[RL_STAT_ADMISSIONS] + stats->counts[RL_STAT_REFUSALS];
}
