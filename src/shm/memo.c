#include "memo.h"

#include "clock.h"
#include "records.h"

rl_place rl_memo_place_of(const rl_key *key, rl_memo_mark m, bool record)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_memo_place(s, high, low, m, record);
}

bool rl_memo_recall(rl_place p, rl_memo_refusal *r)
{
	const rl_segment *s = &rl_shm;
	const rl_cell *cell = rl_table_find(s, p);
	uint64_t fp;

	if (cell == NULL) {
		return false;
	}
	fp = rl_load(&cell->pair.a);
	return rl_fp_is(fp, p.fp) && rl_memo_read(s, cell, fp, rl_load(&cell->pair.b), r);
}

void rl_memo_keep(rl_place p, const rl_memo_refusal *r)
{
	const rl_segment *s = &rl_shm;
	int64_t now_us = rl_segment_us(s, rl_clock_true_us());
	rl_cell *cell;
	rl_record *record;
	uint64_t fp, ref;

	if (rl_desk_claim() == NULL || (cell = rl_table_claim(s, p, now_us)) == NULL) {
		return;
	}
	fp = rl_load(&cell->pair.a);
	ref = rl_load(&cell->pair.b);
	if (!rl_fp_is(fp, p.fp) || (record = rl_record_take(s, cell, RL_MEMO_WORDS, now_us)) == NULL) {
		return;
	}
	record->state[RL_MEMO_HEAD] = 0;
	record->state[RL_MEMO_END] = (uint64_t) r->end_us;
	record->state[RL_MEMO_AT] = (uint64_t) r->at_us;
	record->state[RL_MEMO_RETRY] = (uint64_t) r->retry_us;
	record->state[RL_MEMO_RESET] = (uint64_t) r->reset_us;
	record->state[RL_MEMO_WHY] = r->reason | (uint64_t) r->limit_index << 32;
	/* Somebody who was faster knows as much. */
	if (!rl_record_publish(s, cell, fp, ref, p.fp, record)) {
		rl_record_give(s, record);
	}
}

void rl_memo_forget(const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;

	if (s->header != NULL) {
		rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
		__atomic_fetch_add(rl_memo_generation(s, low), 1, __ATOMIC_SEQ_CST);
	}
}
