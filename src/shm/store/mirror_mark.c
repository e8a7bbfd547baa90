#include "mirror_mark.h"

#include "../../core/algorithm/counter.h"
#include "../segment/clock.h"
#include "../table/entry_seen.h"
#include "../table/state_word.h"
#include "store_internal.h"

rl_mirror_mark rl_shm_mirror_mark(const uint64_t id[2], const rl_key *key, bool record)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;
	rl_mirror_mark mark = {.word = 0};
	const rl_entry *entry;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	mark.generation = rl_deny_generation(s, low);
	mark.seen = __atomic_load_n(mark.generation, __ATOMIC_SEQ_CST);
	mark.position = rl_position_of(s, high ^ id[0], low ^ id[1], record);
	entry = rl_table_find(s, mark.position);
	if (entry != NULL) {
		mark.fp = rl_load(&entry->pair.a);
		mark.word = rl_load(&entry->pair.b);
	}
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

void rl_shm_mirror_renew_counter(const uint64_t id[2], const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	rl_position p;
	rl_entry_seen seen;

	if (rl_worker_register() == NULL) {
		return;
	}
	p = rl_shm_mirror_mark(id, key, false).position;
	/* A counter is its word: it ends a millisecond later. */
	while (rl_entry_find(s, p.home, p.fp, &seen) && rl_counter_end_ms(seen.word) < RL_COUNTER_END_MAX_MS
		&& !rl_pair_cas(&seen.entry->pair, seen.fp, seen.word, seen.fp,
			seen.word + (UINT64_C(1) << RL_COUNTER_END_SHIFT))) {
	}
}

bool rl_shm_mirror_window(rl_mirror_mark *mark, const rl_question *q)
{
	const rl_segment *s = &rl_shm;
	const rl_limit *limit = &q->limits[0];
	const rl_told_limit *told = &q->told->limits[0];
	int64_t now_us;
	rl_entry_seen seen;
	rl_window w;
	uint64_t word;

	if (q->n_limits != 1 || limit->algorithm != RL_FIXED_WINDOW || !told->is_known || q->told->trip_us >= told->full_us
		|| q->told->ban_us > 0 || q->told->level > 0) {
		return false;
	}
	now_us = rl_segment_us(s, rl_clock_mono_us());
	do {
		if (!rl_entry_find(s, mark->position.home, mark->position.fp, &seen)
			|| !rl_terms_are(s, seen.fp, RL_FIXED_WINDOW, limit)) {
			return false;
		}
		w = rl_word_window(RL_FIXED_WINDOW, seen.word);
		if (w.end_us <= now_us) {
			return false;
		}
		rl_mirror_mark_compare(mark, seen.fp, seen.word, q->told);
		if (!rl_window_mirror(&w, (rl_window){rl_fixed_window_end(now_us, told->full_us), told->used}, limit->period_us,
				q->told, rl_told_lowers(limit, q->told, told))) {
			return true;
		}
		if (!rl_counter_of_window(w, &word)) {
			return false;
		}
	} while (word != seen.word && rl_shm_mark_holds(mark, false)
		&& !rl_pair_cas(&seen.entry->pair, seen.fp, seen.word,
			mark->position.fp | (seen.fp & RL_FP_TERMS) | (w.count >= limit->limit ? RL_FP_EXHAUSTED : 0), word));
	return true;
}

void rl_shm_mirror_counter(rl_mirror_mark *mark, const rl_counter_question *q, const rl_decision *d, rl_told *answer,
	uint32_t leased)
{
	const rl_segment *s = &rl_shm;
	rl_position p = mark->position;

	while (rl_worker_register() != NULL) {
		int64_t now_us = rl_segment_us(s, rl_clock_mono_us());
		rl_entry_seen seen;
		uint64_t next, fp;
		bool ban, runs;

		if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
			(void) rl_table_claim(s, p, now_us);
			continue;
		}
		rl_mirror_mark_compare(mark, seen.fp, seen.word, answer);
		next = rl_counter_mirror(seen.word, q, now_us, answer, d, leased);
		ban = rl_counter_is_ban(next);
		runs = rl_counter_end_ms(seen.word) > now_us / RL_US_PER_MS;
		fp = p.fp | (ban || d->remaining == 0 ? RL_FP_EXHAUSTED : 0);
		if (next == seen.word || !rl_shm_mark_holds(mark, ban && !(runs && rl_counter_is_ban(seen.word)))) {
			return;
		}
		if (rl_pair_cas(&seen.entry->pair, seen.fp, seen.word, fp, next)) {
			return;
		}
	}
}
