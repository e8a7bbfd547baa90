/* What src/store.h asks for, on the segment. */
#include <stdio.h>

#include "../core/plain.h"
#include "clock.h"
#include "limiter.h"
#include "records.h"
#include "store.h"

rl_place rl_shm_place(const rl_segment *s, const rl_key *key, bool record)
{
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_place_of(s, high, low, record);
}

static rl_status no_room(rl_error *e)
{
	rl_shm_count(RL_COUNT_ERRORS);
	snprintf(e->message, sizeof e->message, "the embedded store is full of bans (ratelimit.shm_size)");
	return RL_UNAVAILABLE;
}

rl_status rl_shm_no_desk(rl_error *e)
{
	rl_shm_count(RL_COUNT_ERRORS);
	snprintf(e->message, sizeof e->message, "too many workers for the embedded store (%llu; ratelimit.shm_size)",
		(unsigned long long) rl_shm.n_desks);
	return RL_UNAVAILABLE;
}

void rl_shm_count_decision(const rl_decision *d, bool ban_begun)
{
	rl_desk_count(rl_my_desk, d->accepted ? RL_COUNT_ADMISSIONS : RL_COUNT_REFUSALS);
	if (!d->accepted && ban_begun) {
		rl_desk_count(rl_my_desk, RL_COUNT_BANS);
	}
}

/* ---- Plain counters ---- */

static rl_status decide_plain(rl_store *store, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	const rl_segment *s = (const rl_segment *) (const void *) store;
	rl_now now = rl_clock_read_for(q->ban == RL_BAN_UNTIL); /* before the hash: see limiter.c */
	rl_place p = rl_shm_place(s, key, false);

	if (RL_UNLIKELY(rl_desk_claim() == NULL)) {
		return rl_shm_no_desk(e);
	}
	d->source = RL_FROM_SHM;
	for (;; now = rl_clock_read_for(q->ban == RL_BAN_UNTIL)) {
		int64_t now_us = rl_segment_us(s, now.mono_us);
		rl_cell *cell = rl_table_claim(s, p, now_us);
		uint64_t fp, word, next;

		if (cell == NULL) {
			return no_room(e);
		}
		fp = rl_load(&cell->pair.a);
		word = rl_load(&cell->pair.b);
		next = rl_plain_decide(word, q, now_us, now.wall_us, d);
		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		/* A refusal writes nothing: it only makes sure that what it read belonged together. */
		if (next == word ? rl_load(&cell->pair.a) == fp && rl_load(&cell->pair.b) == word
				: rl_pair_cas(&cell->pair, fp, word, d->remaining == 0 ? p.fp | RL_FP_EXHAUSTED : p.fp, next)) {
			rl_shm_count_decision(d, next != word);
			return RL_OK;
		}
	}
}

static rl_status peek_plain(rl_store *store, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	const rl_segment *s = (const rl_segment *) (const void *) store;
	rl_place p = rl_shm_place(s, key, false);
	uint64_t word = 0; /* of an identity without a cell: no state */
	const rl_cell *cell;
	rl_now now;

	(void) e;
	while ((cell = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&cell->pair.a);

		word = rl_load(&cell->pair.b);
		if (rl_fp_is(fp, p.fp) && rl_load(&cell->pair.a) == fp) {
			break;
		}
		word = 0;
	}
	now = rl_clock_read_for(q->ban == RL_BAN_UNTIL);
	d->source = RL_FROM_SHM;
	(void) rl_plain_decide(word, q, rl_segment_us(s, now.mono_us), now.wall_us, d);
	return RL_OK;
}

static rl_status forget_plain(rl_store *store, const rl_key *key, bool *found, rl_error *e)
{
	const rl_segment *s = (const rl_segment *) (const void *) store;
	rl_place p = rl_shm_place(s, key, false);
	rl_cell *cell;

	(void) e;
	*found = false;
	while ((cell = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&cell->pair.a);
		uint64_t word = rl_load(&cell->pair.b);

		if (rl_fp_is(fp, p.fp) && rl_table_remove(s, cell, fp, word)) {
			*found = rl_plain_end_ms(word) > rl_segment_us(s, rl_clock_read().mono_us) / RL_US_PER_MS;
			break;
		}
	}
	return RL_OK;
}

static int64_t wall_us(rl_store *store)
{
	(void) store;
	return rl_clock_wall_us();
}

static const rl_store_ops ops = {
	.name = "shm",
	.plain = decide_plain,
	.peek = peek_plain,
	.forget = forget_plain,
	.ask = rl_shm_ask,
	.ask_many = rl_shm_ask_many,
	.wall_us = wall_us,
};

/* ---- The store as a whole ---- */

static void after_fork(void)
{
	rl_desk_forget_after_fork();
	rl_records_forget_after_fork();
}

void rl_shm_store_init(rl_segment *s)
{
	static bool registered;

	s->store.ops = &ops;
	if (!registered) {
		pthread_atfork(NULL, NULL, after_fork);
		registered = true;
	}
}

rl_store *rl_shm_store(void)
{
	return rl_shm.header != NULL ? &rl_shm.store : NULL;
}

void rl_shm_count(rl_count which)
{
	if (rl_desk_claim() != NULL) {
		rl_desk_count(rl_my_desk, which);
	}
}

void rl_shm_stats_read(rl_shm_stats *stats)
{
	const rl_segment *s = &rl_shm;
	uint64_t i, n;

	*stats = (rl_shm_stats) {.kind = "none"};
	if (s->header == NULL) {
		return;
	}
	stats->kind = s->is_file ? "file" : "memory";
	stats->bytes = s->bytes;
	stats->slots = s->n_lines * RL_CELLS_PER_LINE;
	rl_records_use(s, &stats->records, &stats->records_used);
	n = rl_desks_used(s);
	for (i = 0; i < n; i++) {
		const rl_desk *d = rl_desk_at(s, i);
		unsigned c;

		stats->workers += rl_desk_is_taken(d);
		stats->slots_used += rl_load(&d->slots_used);
		for (c = 0; c < RL_COUNTS; c++) {
			stats->counts[c] += rl_load(&d->counts[c]);
		}
	}
	stats->decisions = stats->counts[RL_COUNT_ADMISSIONS] + stats->counts[RL_COUNT_REFUSALS];
}
