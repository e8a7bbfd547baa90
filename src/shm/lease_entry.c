#include "lease_entry.h"

#include "clock.h"
#include "worker.h"

int64_t rl_lease_now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_boot_us());
}

bool rl_lease_entry_take(rl_place p, uint32_t n, bool peek, rl_lease_entry *seen)
{
	const rl_segment *s = &rl_shm;
	rl_entry *entry;

	while ((entry = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a);
		uint64_t word = rl_load(&entry->pair.b);
		uint32_t left = rl_counter_count(word);

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		seen->now_us = rl_lease_now_us();
		seen->end_us = rl_counter_end_ms(word) * RL_US_PER_MS;
		if (seen->end_us <= seen->now_us || left < n) {
			return false;
		}
		seen->left = left - n;
		if (peek ? rl_load(&entry->pair.a) == fp : rl_pair_cas(&entry->pair, fp, word, p.fp, word - n)) {
			return true;
		}
	}
	return false;
}

/* Permits of two windows never meet here: what was handed out for a window ends before the window does, so that by the time
 * there is a batch of the next one, this one has ended. */
void rl_lease_entry_put(rl_place p, uint32_t n, int64_t end_us)
{
	const rl_segment *s = &rl_shm;
	int64_t end_ms = end_us / RL_US_PER_MS;

	for (;;) {
		rl_entry *entry = rl_worker_register() != NULL ? rl_table_claim(s, p, rl_segment_us(s, rl_clock_true_us()))
													   : NULL;
		uint64_t fp, word, left = n;
		int64_t now_ms, until_ms = end_ms;

		if (entry == NULL) {
			return;
		}
		fp = rl_load(&entry->pair.a);
		word = rl_load(&entry->pair.b);
		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		now_ms = rl_lease_now_us() / RL_US_PER_MS;
		if (end_ms <= now_ms) {
			return;
		}
		if (rl_counter_end_ms(word) > now_ms) {
			left += rl_counter_count(word);
			until_ms = rl_counter_end_ms(word) < end_ms ? rl_counter_end_ms(word) : end_ms;
		}
		left = left > RL_COUNTER_COUNT_MASK ? RL_COUNTER_COUNT_MASK : left;
		if (rl_pair_cas(&entry->pair, fp, word, p.fp, rl_counter_pack(until_ms, false, (uint32_t) left))) {
			return;
		}
	}
}
