/* Admits at most limit permits in the period that begins with the first admitted call.
 *
 * Limit state: count in the head; period; end. */
#include "algorithm.h"

enum { PERIOD = 1, END = 2, WORDS = 3 };

static bool fw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us;
}

static int64_t fw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	(void) now;
	return rl_moment(limit_state[END]);
}

static bool fw_is_running(const rl_limit_ctx *c)
{
	return c->limit_state != NULL && fw_expires_at(c->limit_state, &c->now) > c->now.mono_us;
}

static uint32_t fw_used(const rl_limit_ctx *c)
{
	return fw_is_running(c) ? rl_limit_state_number(c->limit_state) : 0;
}

static int64_t fw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	int64_t end_us;

	if (!fw_is_running(c) || (uint64_t) fw_used(c) + c->cost <= c->limit->limit) {
		return t_us;
	}
	end_us = fw_expires_at(c->limit_state, &c->now);
	return end_us > t_us ? end_us : t_us;
}

static int64_t fw_full_at(const rl_limit_ctx *c)
{
	return fw_is_running(c) ? fw_expires_at(c->limit_state, &c->now) : c->now.mono_us;
}

static size_t fw_max_words(const rl_limit_ctx *c)
{
	(void) c;
	return WORDS;
}

static size_t fw_write(uint64_t *out, uint32_t count, uint64_t period, uint64_t end)
{
	out[0] = rl_limit_state_head(RL_FIXED_WINDOW, WORDS, count);
	out[PERIOD] = period;
	out[END] = end;
	return WORDS;
}

static size_t fw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	if (!fw_is_running(c)) {
		return fw_write(out, c->cost, (uint64_t) c->limit->period_us,
			(uint64_t) (c->now.mono_us + c->limit->period_us));
	}
	return fw_write(out, rl_add_count(fw_used(c), c->cost), c->limit_state[PERIOD], c->limit_state[END]);
}

static size_t fw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	return fw_write(out, rl_take_count(fw_used(c), c->cost), c->limit_state[PERIOD], c->limit_state[END]);
}

const rl_algorithm_ops rl_fixed_window_ops = {
	.words_min = WORDS,
	.same_period = fw_same_period,
	.expires_at = fw_expires_at,
	.used = fw_used,
	.earliest = fw_earliest,
	.full_at = fw_full_at,
	.max_words = fw_max_words,
	.admit = fw_admit,
	.credit = fw_credit,
};
