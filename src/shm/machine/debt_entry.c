#include "debt_entry.h"

#include "../process/worker.h"
#include "../store/shm.h"
#include "../table/table.h"

static int64_t debt_now_ms(void)
{
	return rl_shm_now_us() / RL_US_PER_MS;
}

/* The header has the latest end of all debts. */
bool rl_debts_exist(int64_t now_us)
{
	return rl_shm.header != NULL
		&& RL_UNLIKELY((int64_t) rl_load(&rl_shm.header->debts_end_ms) > now_us / RL_US_PER_MS);
}

static void debts_end_at(int64_t end_ms)
{
	uint64_t *end = &rl_shm.header->debts_end_ms;
	uint64_t was = rl_load(end);

	while ((int64_t) was < end_ms
		&& !__atomic_compare_exchange_n(end, &was, (uint64_t) end_ms, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
	}
}

rl_position rl_debt_position(const rl_key *key, rl_deny_key m)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_position_of(s, high ^ m.a, low ^ m.b, false);
}

/* Returns the end of what begins now, rounded up. */
static int64_t debt_end_ms(int64_t now_ms, int64_t left_us)
{
	int64_t end_ms = now_ms + (left_us + RL_US_PER_MS - 1) / RL_US_PER_MS;

	return end_ms < RL_COUNTER_END_MAX_MS ? end_ms : RL_COUNTER_END_MAX_MS;
}

uint64_t rl_debt_add(rl_position p, uint64_t n, int64_t left_us, uint64_t most)
{
	while (rl_worker_register() != NULL) {
		int64_t now_ms = debt_now_ms(), end_ms = debt_end_ms(now_ms, left_us);
		rl_entry *entry = rl_table_claim(&rl_shm, p, now_ms * RL_US_PER_MS);
		uint64_t fp = rl_load(&entry->pair.a), word = rl_load(&entry->pair.b), all = n, beyond;

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		if (rl_counter_end_ms(word) > now_ms && rl_counter_count(word) > 0) {
			end_ms = rl_counter_end_ms(word) > end_ms ? rl_counter_end_ms(word) : end_ms;
			all += rl_counter_count(word);
		}
		all = all < most ? all : most;
		beyond = all > RL_COUNTER_COUNT_MASK ? all - RL_COUNTER_COUNT_MASK : 0;
		if (rl_pair_cas(&entry->pair, fp, word, p.fp | RL_FP_EXHAUSTED,
				rl_counter_pack(end_ms, false, (uint32_t) (all - beyond)))) {
			debts_end_at(end_ms);
			return beyond;
		}
	}
	return n;
}

/* Takes up to n permits out of a debt. Returns how many, and sets *left_ms. */
static uint64_t debt_take(rl_position p, uint64_t n, int64_t *left_ms)
{
	rl_entry *entry;

	while ((entry = rl_table_find(&rl_shm, p)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a), word = rl_load(&entry->pair.b);
		uint64_t taken = rl_counter_count(word) < n ? rl_counter_count(word) : n;

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		*left_ms = rl_counter_end_ms(word) - debt_now_ms();
		if (*left_ms <= 0 || taken == 0) {
			return 0;
		}
		if (rl_pair_cas(&entry->pair, fp, word, p.fp, word - taken)) {
			return taken;
		}
	}
	return 0;
}

uint64_t rl_debt_take(rl_position p, int64_t *left_us)
{
	int64_t left_ms = 0;
	uint64_t n = debt_take(p, UINT64_MAX, &left_ms);

	*left_us = left_ms * RL_US_PER_MS;
	return n;
}

uint64_t rl_debt_look(rl_position p)
{
	rl_entry *entry = rl_table_find(&rl_shm, p);
	uint64_t fp, word;

	if (entry == NULL) {
		return 0;
	}
	fp = rl_load(&entry->pair.a);
	word = rl_load(&entry->pair.b);
	return rl_fp_is(fp, p.fp) && rl_counter_end_ms(word) > debt_now_ms() ? rl_counter_count(word) : 0;
}

uint64_t rl_debt_forgive(rl_position p, uint64_t n)
{
	int64_t left_ms;

	return debt_take(p, n, &left_ms);
}

/* ---- The mark: a word as that of a debt, with any count above 0 ---- */

uint64_t rl_debt_mark(rl_position p, int64_t for_us)
{
	while (rl_worker_register() != NULL) {
		int64_t now_us = rl_shm_now_us(), now_ms = now_us / RL_US_PER_MS;
		rl_entry *entry = rl_table_claim(&rl_shm, p, now_us);
		uint64_t fp = rl_load(&entry->pair.a), was = rl_load(&entry->pair.b);
		/* The count tells two marks of one millisecond apart. */
		uint64_t mark = rl_counter_pack(debt_end_ms(now_ms, for_us), false,
			1 + (uint32_t) ((uint64_t) now_us % RL_COUNTER_COUNT_MASK));

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		if (rl_counter_end_ms(was) > now_ms && rl_counter_count(was) > 0) {
			return 0;
		}
		if (rl_pair_cas(&entry->pair, fp, was, p.fp | RL_FP_EXHAUSTED, mark)) {
			debts_end_at(rl_counter_end_ms(mark));
			return mark;
		}
	}
	return 0;
}

bool rl_debt_is_marked(rl_position p)
{
	return rl_debt_look(p) > 0;
}

void rl_debt_unmark(rl_position p, uint64_t mark)
{
	rl_entry *entry = rl_table_find(&rl_shm, p);

	if (entry != NULL) {
		(void) rl_pair_cas(&entry->pair, p.fp | RL_FP_EXHAUSTED, mark, p.fp, 0);
	}
}
