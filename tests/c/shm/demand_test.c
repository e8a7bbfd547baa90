/* The estimate of an identity's demand (shm/machine/demand.h), by calls at made-up times. */
#include "check.h"

#include <stddef.h>

#include "src/shm/machine/demand.h"

#define TAG 7

static uint32_t left; /* of the batch */

/* Calls every gap_us for ms. A request brings the batch that it wanted, up to grant_max. Returns the requests. */
static unsigned play(uint64_t *word, int64_t from_ms, int64_t ms, int64_t gap_us, uint32_t grant_max,
	uint32_t *batch_max)
{
	unsigned requests = 0;

	*batch_max = 0;
	for (int64_t us = 0; us < ms * 1000; us += gap_us) {
		if (left > 0) {
			left--;
			continue;
		}
		rl_demand demand = rl_demand_ask(*word, TAG, from_ms + us / 1000, 1);

		left = demand.wanted < grant_max ? demand.wanted : grant_max;
		*batch_max = left > *batch_max ? left : *batch_max;
		*word = rl_demand_add(demand.word, left);
		requests++;
	}
	return requests;
}

static void test_rates(void)
{
	static const struct {
		int64_t gap_us;
		unsigned percent; /* of the calls that are requests, at most */
	} rates[] = {{10, 1}, {100, 1}, {1000, 2}, {10000, 10}, {25000, 25}};
	uint32_t most;

	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		int64_t gap_us = rates[i].gap_us;
		uint64_t word = 0;
		unsigned requests;

		left = 0;
		play(&word, 0, 1000, gap_us, UINT32_MAX, &most);
		requests = play(&word, 1000, 4000, gap_us, UINT32_MAX, &most);
		check(requests * 100 <= rates[i].percent * 4000000 / gap_us, "a call every %d us: %u requests", (int) gap_us,
			requests);
		check(most <= 200000 / gap_us * 3 / 2 + 2, "a call every %d us: a batch of %u", (int) gap_us, most);
	}
}

static void test_rare(void)
{
	uint64_t word = 0;
	uint32_t most;

	left = 0;
	check(play(&word, 0, 100000, 200000, UINT32_MAX, &most) == 500 && most == 0, "five a second take nothing");
	word = 0;
	check(rl_demand_ask(word, TAG, 5, 1000000000000).wanted == 0, "nor does a first call of any cost");
	word = rl_demand_ask(word, TAG, 5, 1).word;
	check(rl_demand_ask(word, TAG, 6, 1).wanted == 0, "nor a second one at once");
	check(rl_demand_ask(word, TAG, 5 + RL_DEMAND_STALE_MS + 1, 1).wanted == 0, "nor one much later");
	check(rl_demand_ask(word, TAG + 1, 50, 1).wanted == 0, "nor that of another tag");
	for (unsigned i = 2; i < RL_DEMAND_EVIDENCE; i++) {
		rl_demand next = rl_demand_ask(word, TAG, 50, 1);

		check(next.wanted == 0, "nor %u calls", i);
		word = next.word;
	}
	word = rl_demand_ask(word, TAG, 50, 1).word;
	check(rl_demand_ask(word, TAG, 50, 1).wanted == 2 * RL_DEMAND_EVIDENCE,
		"a few more: the demand, at most twice as many");
}

static void test_decline(void)
{
	uint64_t word = 0;
	uint32_t most;

	play(&word, 0, 1000, 100, UINT32_MAX, &most);
	check(most > 1500, "a batch of %u", most);
	/* Its last batch was not used. */
	check(rl_demand_ask(word, TAG, 2300, 1).wanted < most, "the next batch is smaller");
	left = 0;
	play(&word, 10000, 1000, 300000, UINT32_MAX, &most);
	check(most == 0, "and then there is none: %u", most);

	/* The last permits of a window: batches are cut. */
	word = 0;
	left = 0;
	play(&word, 0, 1000, 100, 20, &most);
	check(rl_demand_ask(word, TAG, 1000, 1).wanted < 5000, "small batches raise no estimate");
}

static void test_places(void)
{
	uint64_t once = rl_demand_ask(0, TAG, 100, 1).word, twice = rl_demand_ask(once, TAG, 102, 1).word;

	check(rl_demand_spare_ms(0, 100) == INT64_MAX, "an empty word");
	check(rl_demand_spare_ms(once, 130) == 30, "of an identity with one request");
	check(rl_demand_spare_ms(twice, 130) == -1, "of one with two");
	check(rl_demand_spare_ms(twice, 130 + RL_DEMAND_STALE_MS) > 0, "of one with two, long ago");
	check(rl_demand_add(UINT64_MAX, UINT32_MAX) == UINT64_MAX, "permits do not overflow");
	for (uint64_t word = 1; word != 0; word <<= 1) {
		for (int64_t now = -5; now < 5; now++) {
			check(rl_demand_ask(word, 0, now, 1).wanted <= 2 * RL_DEMAND_PERMITS_MAX, "any word");
		}
	}
}

int main(void)
{
	test_rates();
	test_rare();
	test_decline();
	test_places();
	return checks_report();
}
