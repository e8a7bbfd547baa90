#include "lease_entry.h"

#include <time.h>

#include "../segment/clock.h"
#include "../store/shm.h"
#include "../table/table.h"
#include "../process/worker.h"

/* The allowance for the time between the two readings. Both clocks are readings of one counter, so only steps part
 * them. */
#define STEP_US RL_US_PER_MS

/* The bounds of a measurement. While its two readings are further apart than this, it is repeated, at most so often. */
#define MEASURE_TRIES  16
#define MEASURE_GAP_US (RL_LEASE_APART_MAX_US - STEP_US)

static int64_t true_wall_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t) ts.tv_sec * RL_US_PER_SECOND + ts.tv_nsec / 1000;
}

/* Returns the lead of the wall clock over the other one, within half of *gap_us. */
static int64_t measure_once(int64_t *boot_us, int64_t *gap_us)
{
	int64_t before_us = rl_clock_boot_us();
	int64_t wall_us = true_wall_us();

	*boot_us = rl_clock_boot_us();
	*gap_us = *boot_us - before_us;
	return wall_us - *boot_us + *gap_us / 2;
}

/* Returns the best of several measurements: an interrupted one has a wide gap. */
static int64_t measure(int64_t *boot_us, int64_t *gap_us)
{
	int64_t apart_us = measure_once(boot_us, gap_us);

	for (unsigned i = 1; i<MEASURE_TRIES && * gap_us> MEASURE_GAP_US; i++) {
		int64_t gap_again_us, again_us = measure_once(boot_us, &gap_again_us);

		if (gap_again_us < *gap_us) {
			apart_us = again_us;
			*gap_us = gap_again_us;
		}
	}
	return apart_us;
}

/* Computes without a sign, because the segment may hold any value. */
static bool is_within(int64_t apart_us, uint64_t was_us, int64_t by_us)
{
	return (uint64_t) apart_us - was_us + (uint64_t) by_us <= 2 * (uint64_t) by_us;
}

uint64_t rl_lease_epoch(void)
{
	return rl_load(&rl_shm.header->lease_clocks.b);
}

/* The header's pair is the distance of the clocks when the epoch began, and the epoch. It changes by one swap, and only
 * when an epoch begins. */
rl_lease_now rl_lease_now_read(void)
{
	rl_pair *clocks = &rl_shm.header->lease_clocks;
	int64_t wall_us = true_wall_us(), boot_us = rl_clock_boot_us();
	int64_t apart_us = wall_us - boot_us, gap_us = 0;
	bool measured = false;

	for (;;) {
		uint64_t epoch = rl_load(&clocks->b);
		uint64_t was_us = rl_load(&clocks->a);

		if (RL_UNLIKELY(rl_load(&clocks->b) != epoch)) {
			continue;
		}
		if (RL_LIKELY(epoch != 0 && is_within(apart_us, was_us, STEP_US + gap_us / 2))) {
			return (rl_lease_now){rl_segment_us(&rl_shm, boot_us), epoch};
		}
		if (!measured) {
			/* An interruption between the two readings looks the same: measure again. */
			apart_us = measure(&boot_us, &gap_us);
			measured = true;
		} else if (rl_pair_cas(clocks, was_us, epoch, (uint64_t) apart_us, epoch + 1)) {
			return (rl_lease_now){rl_segment_us(&rl_shm, boot_us), epoch + 1};
		}
	}
}

rl_lease_position rl_lease_position_of(const rl_key *key, rl_deny_key m, uint64_t epoch)
{
	uint64_t spread = epoch * UINT64_C(0x9e3779b97f4a7c15);

	return (rl_lease_position){rl_deny_position_of(key, rl_deny_mix(m, spread, ~spread), false), epoch};
}

bool rl_lease_entry_take(rl_lease_position p, uint32_t n, bool peek, rl_lease_entry *seen)
{
	const rl_segment *s = &rl_shm;
	rl_entry *entry;

	while ((entry = rl_table_find(s, p.position)) != NULL) {
		uint64_t fp = rl_load(&entry->pair.a);
		uint64_t word = rl_load(&entry->pair.b);
		uint32_t left = rl_counter_count(word);
		rl_lease_now now;

		if (!rl_fp_is(fp, p.position.fp)) {
			continue;
		}
		now = rl_lease_now_read();
		seen->end_us = rl_counter_end_ms(word) * RL_US_PER_MS;
		seen->left_us = seen->end_us - now.now_us;
		if (now.epoch != p.epoch || seen->left_us <= 0 || left < n) {
			return false;
		}
		seen->left = left - n;
		if (peek ? rl_entry_has(entry, fp, word) : rl_pair_cas(&entry->pair, fp, word, p.position.fp, word - n)) {
			return true;
		}
	}
	return false;
}

/* Adds permits. Permits of two windows never meet here: a batch ends before its window does, so it has ended before a
 * batch of the next window exists. */
void rl_lease_entry_put(rl_lease_position p, uint32_t n, int64_t end_us)
{
	const rl_segment *s = &rl_shm;
	int64_t end_ms = end_us / RL_US_PER_MS;

	while (rl_worker_register() != NULL) {
		rl_entry *entry = rl_table_claim(s, p.position, rl_shm_now_us());
		uint64_t fp, word, left = n;
		int64_t now_ms, until_ms = end_ms;
		rl_lease_now now;

		fp = rl_load(&entry->pair.a);
		word = rl_load(&entry->pair.b);
		if (!rl_fp_is(fp, p.position.fp)) {
			continue;
		}
		now = rl_lease_now_read();
		now_ms = now.now_us / RL_US_PER_MS;
		if (now.epoch != p.epoch || end_ms <= now_ms) {
			return;
		}
		if (rl_counter_end_ms(word) > now_ms && rl_counter_count(word) > 0) {
			left += rl_counter_count(word);
			until_ms = rl_counter_end_ms(word) < end_ms ? rl_counter_end_ms(word) : end_ms;
		}
		left = left > RL_COUNTER_COUNT_MASK ? RL_COUNTER_COUNT_MASK : left;
		if (rl_pair_cas(&entry->pair, fp, word, p.position.fp, rl_counter_pack(until_ms, false, (uint32_t) left))) {
			return;
		}
	}
}
