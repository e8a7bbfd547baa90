#include "mirror_mark.h"

#include "../../core/algorithm/counter.h"
#include "../segment/clock.h"
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
	mark.place = rl_place_of(s, high ^ id[0], low ^ id[1], record);
	entry = rl_table_find(s, mark.place);
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

void rl_shm_mirror_counter(rl_mirror_mark *mark, const rl_counter_question *q, const rl_decision *d, rl_told *answer,
	uint32_t leased)
{
	const rl_segment *s = &rl_shm;
	rl_place p = mark->place;

	while (rl_worker_register() != NULL) {
		int64_t now_us = rl_segment_us(s, rl_clock_read().mono_us);
		rl_entry *entry = rl_table_claim(s, p, now_us);
		uint64_t fp = rl_load(&entry->pair.a), word = rl_load(&entry->pair.b);
		uint64_t next;
		bool ban, runs = rl_counter_end_ms(word) > now_us / RL_US_PER_MS;

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		rl_mirror_mark_compare(mark, fp, word, answer);
		next = rl_counter_mirror(word, q, now_us, answer, d, leased);
		ban = rl_counter_is_ban(next);
		if (next == word || !rl_shm_mark_holds(mark, ban && !(runs && rl_counter_is_ban(word)))
			|| rl_pair_cas(&entry->pair, fp, word, p.fp | (ban || d->remaining == 0 ? RL_FP_EXHAUSTED : 0), next)) {
			return;
		}
	}
}
