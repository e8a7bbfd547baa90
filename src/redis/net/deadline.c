#include "deadline.h"

rl_redis_deadline rl_redis_deadline_in(int timeout_ms)
{
	return (rl_redis_deadline){.at_us = rl_redis_clock_us() + timeout_ms * RL_US_PER_MS, .timeout_ms = timeout_ms};
}

rl_redis_deadline rl_redis_deadline_half(rl_redis_deadline whole)
{
	int64_t now = rl_redis_clock_us();
	int64_t half = whole.at_us > now ? (whole.at_us - now) / 2 : 0;

	return (rl_redis_deadline){.at_us = now + half, .timeout_ms = (int) (half / RL_US_PER_MS)};
}

rl_redis_budget rl_redis_budget_of(int connect_timeout_ms, int timeout_ms)
{
	return (rl_redis_budget){
		.connect_timeout_ms = connect_timeout_ms,
		.connect_left_us = connect_timeout_ms * RL_US_PER_MS,
		.timeout_ms = timeout_ms,
	};
}

rl_redis_deadline rl_redis_budget_connect(const rl_redis_budget *b, int64_t *start)
{
	*start = rl_redis_clock_us();
	return (rl_redis_deadline){.at_us = *start + b->connect_left_us, .timeout_ms = b->connect_timeout_ms};
}

void rl_redis_budget_connected(rl_redis_budget *b, int64_t start)
{
	int64_t spent = rl_redis_clock_us() - start;

	b->connect_left_us = spent < b->connect_left_us ? b->connect_left_us - spent : 0;
	if (b->answer.at_us) {
		b->answer.at_us += spent;
	}
}

rl_redis_deadline rl_redis_budget_answer(rl_redis_budget *b)
{
	rl_redis_deadline answer = b->answer;

	if (!answer.at_us) {
		answer = b->answer = rl_redis_deadline_in(b->timeout_ms);
		answer.whole = true;
	}
	return answer;
}
