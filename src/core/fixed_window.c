/* At most limit in the period that begins with the first admitted call.
 *
 * Slot: count in the head; period; end. */
#include "algorithm.h"

enum { PERIOD = 1, END = 2, WORDS = 3 };

static bool fits(const rl_limit *limit, const uint64_t *slot)
{
	return (int64_t) slot[PERIOD] == limit->period_us;
}

static int64_t over_at(const uint64_t *slot, const rl_now *now)
{
	(void) now;
	return rl_moment(slot[END]);
}

static bool is_running(const rl_case *c)
{
	return c->slot != NULL && over_at(c->slot, &c->now) > c->now.mono_us;
}

static uint32_t used(const rl_case *c)
{
	return is_running(c) ? rl_slot_number(c->slot) : 0;
}

static int64_t earliest(const rl_case *c, int64_t t_us)
{
	int64_t end_us;

	if (!is_running(c) || (uint64_t) used(c) + c->cost <= c->limit->limit) {
		return t_us;
	}
	end_us = over_at(c->slot, &c->now);
	return end_us > t_us ? end_us : t_us;
}

static int64_t whole_at(const rl_case *c)
{
	return is_running(c) ? over_at(c->slot, &c->now) : c->now.mono_us;
}

static size_t room(const rl_case *c)
{
	(void) c;
	return WORDS;
}

static size_t write(uint64_t *out, uint32_t count, uint64_t period, uint64_t end)
{
	out[0] = rl_slot_head(RL_FIXED_WINDOW, WORDS, count);
	out[PERIOD] = period;
	out[END] = end;
	return WORDS;
}

static size_t admit(const rl_case *c, uint64_t *out)
{
	if (!is_running(c)) {
		return write(out, c->cost, (uint64_t) c->limit->period_us, (uint64_t) (c->now.mono_us + c->limit->period_us));
	}
	return write(out, rl_add_count(used(c), c->cost), c->slot[PERIOD], c->slot[END]);
}

static size_t refund(const rl_case *c, uint64_t *out)
{
	return write(out, rl_take_count(used(c), c->cost), c->slot[PERIOD], c->slot[END]);
}

const rl_algorithm_ops rl_fixed_window_ops = {
	.words_min = WORDS,
	.fits = fits,
	.over_at = over_at,
	.used = used,
	.earliest = earliest,
	.whole_at = whole_at,
	.room = room,
	.admit = admit,
	.refund = refund,
};
