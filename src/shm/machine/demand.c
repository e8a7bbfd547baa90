#include "demand.h"

#define TAG_AT   48
#define BEGIN_AT 24
#define TIME_MAX ((UINT64_C(1) << 24) - 1)
#define KNOWN    (UINT64_C(1) << 23)

/* A measure can grow by this factor from batch to batch: an estimate from few requests is no more than that. */
#define GROWTH_MAX 2

static uint64_t demand_pack(uint16_t tag, uint64_t begin_ms, bool known, uint64_t permits)
{
	permits = permits > RL_DEMAND_PERMITS_MAX ? RL_DEMAND_PERMITS_MAX : permits;
	return (uint64_t) tag << TAG_AT | (begin_ms & TIME_MAX) << BEGIN_AT | (known ? KNOWN : 0) | permits;
}

/* Wraps around after four hours; then an old measure may look like a young one, and costs one batch of its size. */
static uint64_t demand_age_ms(uint64_t word, int64_t now_ms)
{
	return ((uint64_t) now_ms - (word >> BEGIN_AT)) & TIME_MAX;
}

bool rl_demand_is_of(uint64_t word, uint16_t tag)
{
	return word != 0 && word >> TAG_AT == tag;
}

rl_demand rl_demand_ask(uint64_t word, uint16_t tag, int64_t now_ms, uint64_t cost)
{
	uint64_t age_ms = demand_age_ms(word, now_ms), permits, wanted;

	cost = cost > RL_DEMAND_PERMITS_MAX ? RL_DEMAND_PERMITS_MAX : cost;
	if (!rl_demand_is_of(word, tag) || age_ms > RL_DEMAND_STALE_MS) {
		return (rl_demand){demand_pack(tag, (uint64_t) now_ms, false, cost), 0};
	}
	permits = word & RL_DEMAND_PERMITS_MAX;
	wanted = age_ms >= RL_DEMAND_MEASURE_MS && permits >= RL_DEMAND_EVIDENCE ? permits * RL_DEMAND_BATCH_MS / age_ms
																			 : 0;
	wanted = wanted > GROWTH_MAX * permits ? GROWTH_MAX * permits : wanted;
	if (wanted < RL_DEMAND_BATCH_MIN) {
		return (rl_demand){demand_pack(tag, word >> BEGIN_AT, true, permits + cost), 0};
	}
	return (rl_demand){demand_pack(tag, (uint64_t) now_ms, true, cost), (uint32_t) wanted};
}

uint64_t rl_demand_add(uint64_t word, uint32_t permits)
{
	uint64_t sum = (word & RL_DEMAND_PERMITS_MAX) + permits;

	return (word & ~RL_DEMAND_PERMITS_MAX) | (sum > RL_DEMAND_PERMITS_MAX ? RL_DEMAND_PERMITS_MAX : sum);
}

int64_t rl_demand_spare_ms(uint64_t word, int64_t now_ms)
{
	uint64_t age_ms = demand_age_ms(word, now_ms);

	return word == 0 ? INT64_MAX : (word & KNOWN) == 0 || age_ms > RL_DEMAND_STALE_MS ? (int64_t) age_ms : -1;
}
