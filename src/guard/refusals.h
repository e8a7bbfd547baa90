/* Remembered refusals: what Redis refused just now it need not be asked again. A refusal of a cost of 1 is kept until that
 * could pass, and for ratelimit.deny_cache at the longest; until then the same identity with the same question (the limits
 * as they are now, the ban they carry) is answered from this machine's memory. A larger cost is always asked: it may be
 * refused where 1 is not, and its retryAfter is another.
 *
 * What changes an identity's state other than by counting (reset, refund, a ban …) forgets what this machine remembers of
 * it. */
#ifndef RL_GUARD_REFUSALS_H
#define RL_GUARD_REFUSALS_H

#include "../shm/clock.h"
#include "../shm/memo.h"

/* One question, and where its refusal is to be kept. Made before the store is asked. */
typedef struct {
	bool may_answer; /* a refusal of 1 answers it */
	bool may_keep;   /* a refusal of it is one of 1 */
	rl_place place;
} rl_refusable;

/* store_id: that of the store which is asked. peek: it starts no ban, so what it answers is not kept. */
rl_refusable rl_refusable_plain(const uint64_t store_id[2], const rl_key *key, const rl_plain_question *q, bool peek);
rl_refusable rl_refusable_question(const uint64_t store_id[2], const rl_key *key, const rl_question *q);

/* True when a refusal is remembered; fills in everything of d but the limit's number, which is limit_index's. */
bool rl_refusal_recall(const rl_refusable *r, int64_t bound_us, rl_decision *d);

/* Keeps what was decided, if it is to be kept. began_us: before the store was asked, in the segment's time. */
void rl_refusal_keep(const rl_refusable *r, int64_t bound_us, int64_t began_us, const rl_decision *d);

/* What a plain question's refusal belongs to. */
static inline rl_memo_mark rl_refusal_plain_mark(const uint64_t store_id[2], const rl_plain_question *q)
{
	rl_memo_mark m = {store_id[0], store_id[1]};

	return rl_memo_fold(m, q->seconds | (uint64_t) q->number << 32, (uint64_t) q->ban << 62 ^ (uint64_t) q->ban_s);
}

/* doHandle's short way: true when a refusal surely stands by the coarse clock. False: go the long way. */
static inline bool RL_TARGET_AES rl_refusal_short(const uint64_t store_id[2], const rl_key *key,
	const rl_plain_question *q, int64_t bound_us)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;
	rl_desk *desk = rl_my_desk;
	uint64_t high, low;
	rl_place p;
	rl_line *line;
	int64_t now_us;
	unsigned i;

	if (RL_UNLIKELY(desk == NULL || s->hash_kind != RL_HASH_AES || rl_clock_frozen.frozen)) {
		return false;
	}
	rl_hash_aes_int(&s->header->hash_key, RL_SPACE_ACTION, key->name, key->name_len, key->number, &high, &low);
	p = rl_memo_place(s, high, low, rl_refusal_plain_mark(store_id, q), true);
	line = &s->lines[p.home];
	__builtin_prefetch(line, 0, 3); /* on its way while the clock is read */
	now_us = (rl_clock_coarse_ms() - s->mono_base_ms + RL_CLOCK_COARSE_SLACK_MS) * RL_US_PER_MS;

	for (i = 0; i < RL_CELLS_PER_LINE; i++) {
		rl_cell *cell = &line->cells[(rl_fp_first(p.fp) + i) % RL_CELLS_PER_LINE];
		uint64_t fp = rl_load(&cell->pair.a);
		rl_memo_refusal r;

		if (rl_fp_is(fp, p.fp)) {
			if (!rl_memo_read(s, cell, fp, rl_load(&cell->pair.b), &r)
					|| !rl_memo_stands(&r, now_us, bound_us)) {
				return false;
			}
			rl_desk_count(desk, RL_COUNT_CACHED);
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
