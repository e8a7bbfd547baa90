#include "permits.h"

#include "clock.h"
#include "desk.h"

int64_t rl_permits_now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_boot_us());
}

bool rl_permits_take(rl_place p, uint32_t n, bool peek, rl_permits *seen)
{
	const rl_segment *s = &rl_shm;
	rl_cell *cell;

	while ((cell = rl_table_find(s, p)) != NULL) {
		uint64_t fp = rl_load(&cell->pair.a);
		uint64_t word = rl_load(&cell->pair.b);
		uint32_t left = rl_plain_count(word);

		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		seen->now_us = rl_permits_now_us();
		seen->end_us = rl_plain_end_ms(word) * RL_US_PER_MS;
		if (seen->end_us <= seen->now_us || left < n) {
			return false;
		}
		seen->left = left - n;
		if (peek ? rl_load(&cell->pair.a) == fp : rl_pair_cas(&cell->pair, fp, word, p.fp, word - n)) {
			return true;
		}
	}
	return false;
}

/* Permits of two windows never meet here: what was handed out for a window ends before the window does, so that by the time
 * there is a batch of the next one, this one has ended. */
void rl_permits_put(rl_place p, uint32_t n, int64_t end_us)
{
	const rl_segment *s = &rl_shm;
	int64_t end_ms = end_us / RL_US_PER_MS;

	for (;;) {
		rl_cell *cell = rl_desk_claim() != NULL
			? rl_table_claim(s, p, rl_segment_us(s, rl_clock_true_us())) : NULL;
		uint64_t fp, word, left = n;
		int64_t now_ms, until_ms = end_ms;

		if (cell == NULL) {
			return;
		}
		fp = rl_load(&cell->pair.a);
		word = rl_load(&cell->pair.b);
		if (!rl_fp_is(fp, p.fp)) {
			continue;
		}
		now_ms = rl_permits_now_us() / RL_US_PER_MS;
		if (end_ms <= now_ms) {
			return;
		}
		if (rl_plain_end_ms(word) > now_ms) {
			left += rl_plain_count(word);
			until_ms = rl_plain_end_ms(word) < end_ms ? rl_plain_end_ms(word) : end_ms;
		}
		left = left > RL_PLAIN_COUNT_MASK ? RL_PLAIN_COUNT_MASK : left;
		if (rl_pair_cas(&cell->pair, fp, word, p.fp, rl_plain_pack(until_ms, false, (uint32_t) left))) {
			return;
		}
	}
}
