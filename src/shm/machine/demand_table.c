#include "demand_table.h"

#include "demand.h"
#include "../segment/segment.h"

/* The words of a set: half a cache line. */
#define DEMAND_WAYS 4

/* The table's own bits of a fingerprint. */
#define DEMAND_SET_AT 8
#define DEMAND_TAG_AT 40

static uint64_t *demand_set(rl_position p)
{
	return &rl_shm.demands[(p.fp >> DEMAND_SET_AT & (rl_shm.n_demands / DEMAND_WAYS - 1)) * DEMAND_WAYS];
}

static uint16_t demand_tag(rl_position p)
{
	return (uint16_t) (p.fp >> DEMAND_TAG_AT);
}

/* Returns the word of the identity; else the one that was begun longest ago, of those that it may take; else NULL. */
static uint64_t *demand_word(rl_position p, int64_t now_ms)
{
	uint64_t *set = demand_set(p), *oldest = NULL;
	int64_t oldest_ms = -1;

	for (unsigned i = 0; i < DEMAND_WAYS; i++) {
		uint64_t word = rl_load(&set[i]);
		int64_t spare_ms = rl_demand_spare_ms(word, now_ms);

		if (rl_demand_is_of(word, demand_tag(p))) {
			return &set[i];
		}
		if (spare_ms > oldest_ms) {
			oldest = &set[i];
			oldest_ms = spare_ms;
		}
	}
	return oldest;
}

static bool demand_swap(uint64_t *at, uint64_t *was, uint64_t word)
{
	return __atomic_compare_exchange_n(at, was, word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint32_t rl_demand_table_ask(rl_position p, uint64_t cost, int64_t now_us)
{
	int64_t now_ms = now_us / RL_US_PER_MS;
	uint64_t *at = demand_word(p, now_ms), was;
	rl_demand demand;

	if (at == NULL) {
		return 0;
	}
	was = rl_load(at);
	demand = rl_demand_ask(was, demand_tag(p), now_ms, cost);
	/* A failed swap means that another worker has counted just now. This request is not counted, and takes nothing ahead. */
	return demand_swap(at, &was, demand.word) ? demand.wanted : 0;
}

void rl_demand_table_add(rl_position p, uint32_t permits)
{
	uint64_t *set = demand_set(p);

	for (unsigned i = 0; i < DEMAND_WAYS; i++) {
		uint64_t was = rl_load(&set[i]);

		while (rl_demand_is_of(was, demand_tag(p))) {
			if (demand_swap(&set[i], &was, rl_demand_add(was, permits))) {
				return;
			}
		}
	}
}
