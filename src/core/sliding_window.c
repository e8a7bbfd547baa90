/* Admits at most limit permits in every interval of the period, with a few dozen counters whatever the limit is.
 *
 * The period is cut into SUB_WINDOWS. A permit counts until the whole of its sub-window is a period old. So a sliding
 * window never admits one too many, and refuses up to one sub-window longer than a log would.
 *
 * Limit state: period; origin; the index of the first sub-window that has a counter; 32 counters, two to a word. */
#include "algorithm.h"

#include <string.h>

enum { PERIOD = 1, ORIGIN = 2, FIRST = 3, COUNTERS = 4, SUB_WINDOWS = 30, RING = 32, WORDS = COUNTERS + RING / 2 };

typedef struct {
	int64_t period_us, width_us, origin_us;
	int64_t first; /* the sub-window of counts[0] */
	uint32_t counts[RING];
} sw_ring;

static bool sw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us;
}

static int64_t sw_width_of(int64_t period_us)
{
	return (period_us + SUB_WINDOWS - 1) / SUB_WINDOWS;
}

static int64_t sw_floor_div(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Returns when the i-th counter stops counting. */
static int64_t sw_sub_window_expires_at(const sw_ring *r, unsigned i)
{
	return r->origin_us + (r->first + (int64_t) i + 1) * r->width_us + r->period_us;
}

static void sw_read_ring(const uint64_t *limit_state, sw_ring *r)
{
	int64_t bound;

	r->period_us = rl_period_of(limit_state[PERIOD]);
	r->width_us = sw_width_of(r->period_us);
	r->origin_us = rl_moment(limit_state[ORIGIN]);
	bound = INT64_MAX / 4 / r->width_us - RING;
	r->first = (int64_t) limit_state[FIRST];
	r->first = r->first < 0 ? 0 : r->first > bound ? bound : r->first;
	memcpy(r->counts, limit_state + COUNTERS, sizeof r->counts);
}

/* Drops the counters that no longer count. */
static void sw_forget_old(sw_ring *r, int64_t now_us)
{
	unsigned i;

	for (i = 0; i < RING; i++) {
		if (r->counts[i] != 0 && sw_sub_window_expires_at(r, i) <= now_us) {
			r->counts[i] = 0;
		}
	}
}

static bool sw_is_zero(const sw_ring *r)
{
	unsigned i;

	for (i = 0; i < RING && r->counts[i] == 0; i++) {
	}
	return i == RING;
}

/* Shifts the counters so that sub-window i has one. Those that fall out at the front have stopped counting. */
static void sw_shift_to(sw_ring *r, int64_t i)
{
	int64_t shift = i - r->first - (RING - 1);

	if (shift <= 0) {
		return;
	}
	if (shift >= RING) {
		memset(r->counts, 0, sizeof r->counts);
	} else {
		memmove(r->counts, r->counts + shift, (size_t) (RING - shift) * sizeof r->counts[0]);
		memset(r->counts + RING - shift, 0, (size_t) shift * sizeof r->counts[0]);
	}
	r->first += shift;
}

static void sw_count(sw_ring *r, int64_t moment_us, uint32_t n)
{
	int64_t i = sw_floor_div(moment_us - r->origin_us, r->width_us);

	if (i < r->first) {
		i = r->first;
	}
	sw_shift_to(r, i);
	r->counts[i - r->first] = rl_add_count(r->counts[i - r->first], n);
}

static void sw_start(sw_ring *r, int64_t period_us, int64_t origin_us)
{
	r->period_us = period_us;
	r->width_us = sw_width_of(period_us);
	r->origin_us = origin_us;
	r->first = 0;
	memset(r->counts, 0, sizeof r->counts);
}

/* Counts anew what was counted under another period, each sub-window at its last moment, so that nothing is forgotten too
 * early. */
static void sw_recount(const sw_ring *old, int64_t period_us, int64_t now_us, sw_ring *r)
{
	bool started = false;
	unsigned i;

	for (i = 0; i < RING; i++) {
		int64_t last_us = old->origin_us + (old->first + (int64_t) i + 1) * old->width_us - 1;

		if (old->counts[i] == 0) {
			continue;
		}
		if (last_us > now_us) {
			last_us = now_us;
		}
		if (!started) {
			sw_start(r, period_us, last_us);
			started = true;
		}
		sw_count(r, last_us, old->counts[i]);
	}
	sw_forget_old(r, now_us);
}

/* Reads what counts now, by the limit state's own period. Returns false if nothing does. */
static bool sw_load(const rl_limit_ctx *c, sw_ring *r)
{
	if (c->limit_state == NULL) {
		return false;
	}
	sw_read_ring(c->limit_state, r);
	sw_forget_old(r, c->now.mono_us);
	return !sw_is_zero(r);
}

static int64_t sw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	sw_ring r;
	unsigned i;

	sw_read_ring(limit_state, &r);
	for (i = RING; i > 0; i--) {
		if (r.counts[i - 1] != 0) {
			return sw_sub_window_expires_at(&r, i - 1);
		}
	}
	return now->mono_us;
}

static uint64_t sw_sum(const sw_ring *r)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < RING; i++) {
		n += r->counts[i];
	}
	return n;
}

static uint32_t sw_used(const rl_limit_ctx *c)
{
	sw_ring r;
	uint64_t n = sw_load(c, &r) ? sw_sum(&r) : 0;

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t) n;
}

static int64_t sw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	sw_ring r;
	uint64_t n;
	unsigned i;

	if (!sw_load(c, &r)) {
		return t_us;
	}
	n = sw_sum(&r);
	for (i = 0; i < RING; i++) {
		if (r.counts[i] == 0) {
			continue;
		}
		if (sw_sub_window_expires_at(&r, i) > t_us) {
			if (n + c->cost <= c->limit->limit) {
				break;
			}
			t_us = sw_sub_window_expires_at(&r, i);
		}
		n -= r.counts[i];
	}
	return t_us;
}

static int64_t sw_full_at(const rl_limit_ctx *c)
{
	sw_ring r;
	unsigned i;

	if (sw_load(c, &r)) {
		for (i = RING; i > 0; i--) {
			if (r.counts[i - 1] != 0) {
				return sw_sub_window_expires_at(&r, i - 1);
			}
		}
	}
	return c->now.mono_us;
}

static size_t sw_max_words(const rl_limit_ctx *c)
{
	(void) c;
	return WORDS;
}

static size_t sw_write(const sw_ring *r, uint64_t *out)
{
	out[0] = rl_limit_state_head(RL_SLIDING_WINDOW, WORDS, 0);
	out[PERIOD] = (uint64_t) r->period_us;
	out[ORIGIN] = (uint64_t) r->origin_us;
	out[FIRST] = (uint64_t) r->first;
	memcpy(out + COUNTERS, r->counts, sizeof r->counts);
	return WORDS;
}

static size_t sw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	sw_ring r, old;

	if (!sw_load(c, &r)) {
		sw_start(&r, c->limit->period_us, c->now.mono_us);
	} else if (!sw_same_period(c->limit, c->limit_state)) {
		old = r;
		sw_recount(&old, c->limit->period_us, c->now.mono_us, &r);
		if (sw_is_zero(&r)) {
			sw_start(&r, c->limit->period_us, c->now.mono_us);
		}
	}
	sw_count(&r, c->now.mono_us, c->cost);
	return sw_write(&r, out);
}

/* Takes from the newest counter first. */
static size_t sw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	sw_ring r;
	uint32_t left = c->cost;
	unsigned i;

	if (!sw_load(c, &r)) {
		sw_start(&r, c->limit->period_us, c->now.mono_us);
	}
	for (i = RING; i > 0 && left > 0; i--) {
		uint32_t back = r.counts[i - 1] < left ? r.counts[i - 1] : left;

		r.counts[i - 1] -= back;
		left -= back;
	}
	return sw_write(&r, out);
}

const rl_algorithm_ops rl_sliding_window_ops = {
	.words_min = WORDS,
	.same_period = sw_same_period,
	.expires_at = sw_expires_at,
	.used = sw_used,
	.earliest = sw_earliest,
	.full_at = sw_full_at,
	.max_words = sw_max_words,
	.admit = sw_admit,
	.credit = sw_credit,
};
