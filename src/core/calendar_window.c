/* At most limit in each minute, hour, day, week or month of a clock. The boundaries come with the limit; they are wall-clock
 * moments, as the ends of the windows that are kept.
 *
 * Slot: how many windows in the head; the Period, and whether any was booked ahead; then each window's end and count, in
 * the order of their ends. */
#include "algorithm.h"

#include <string.h>

enum { PERIOD = 1, WINDOWS = 2, WORDS_MIN = WINDOWS, WORDS_PER_WINDOW = 2 };

#define BOOKED      (UINT64_C(1) << 63)
#define PERIOD_MASK UINT64_C(0xff)

typedef struct {
	const uint64_t *windows; /* the first that is not over */
	unsigned n;
	uint64_t period; /* with BOOKED */
	/* The window of the moment that is judged. */
	unsigned current; /* its place; n or less even when it is not there */
	bool is_there;
	int64_t end_us;
	uint32_t count;
} windows_view;

static bool cw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (limit_state[PERIOD] & PERIOD_MASK) == (uint64_t) limit->period;
}

static int64_t cw_end_of(const uint64_t *windows, unsigned i)
{
	return rl_moment(windows[WORDS_PER_WINDOW * i]);
}

static uint32_t cw_count_of(const uint64_t *windows, unsigned i)
{
	return (uint32_t) windows[WORDS_PER_WINDOW * i + 1];
}

static void cw_read(const uint64_t *limit_state, const rl_now *now, windows_view *d)
{
	size_t room = (rl_limit_state_words(limit_state) - WINDOWS) / WORDS_PER_WINDOW;

	d->windows = limit_state + WINDOWS;
	d->n = rl_limit_state_number(limit_state) < room ? rl_limit_state_number(limit_state) : (unsigned) room;
	d->period = limit_state[PERIOD] & (BOOKED | PERIOD_MASK);
	while (d->n > 0 && cw_end_of(d->windows, 0) <= now->wall_us) {
		d->windows += WORDS_PER_WINDOW;
		d->n--;
	}
}

/* The end of the clock's window that contains the moment that is judged. */
static int64_t cw_boundary(const rl_limit_ctx *c)
{
	return c->booking || c->now.wall_us < c->limit->boundary[1] ? c->limit->boundary[1] : c->limit->boundary[2];
}

static void cw_load(const rl_limit_ctx *c, windows_view *d)
{
	int64_t b = cw_boundary(c);
	bool running;

	*d = (windows_view){.period = (uint64_t) c->limit->period};
	if (c->limit_state != NULL) {
		cw_read(c->limit_state, &c->now, d);
		if (d->n == 0) {
			d->period = (uint64_t) c->limit->period;
		}
	}
	d->end_us = b;
	if (c->booking) {
		while (d->current < d->n && cw_end_of(d->windows, d->current) < b) {
			d->current++;
		}
		running = d->current < d->n && cw_end_of(d->windows, d->current) == b;
	} else if (d->n > 0 && (d->period & PERIOD_MASK) != (uint64_t) c->limit->period) {
		d->end_us = cw_end_of(d->windows, 0); /* another period: from the next window on */
		running = true;
	} else if (d->n > 0 && cw_end_of(d->windows, 0) <= b) {
		d->end_us = cw_end_of(d->windows, 0);
		running = true;
	} else {
		/* A window that ends later was booked, or the clock went back: then it ends with the clock's. */
		running = d->n > 0 && !(d->period & BOOKED);
	}
	if (running) {
		d->is_there = true;
		d->count = cw_count_of(d->windows, d->current);
	}
}

static int64_t cw_to_mono(const rl_now *now, int64_t wall_us)
{
	return wall_us - now->wall_us + now->mono_us;
}

static int64_t cw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	windows_view d;

	cw_read(limit_state, now, &d);
	return d.n > 0 ? cw_to_mono(now, cw_end_of(d.windows, d.n - 1)) : now->mono_us;
}

static uint32_t cw_used(const rl_limit_ctx *c)
{
	windows_view d;

	cw_load(c, &d);
	return d.count;
}

static bool cw_is_full(const rl_limit_ctx *c, uint32_t count)
{
	return (uint64_t) count + c->cost > c->limit->limit;
}

/* The window after the current one, if the call has brought its end. */
static int64_t cw_skip_full_next(const rl_limit_ctx *c, const windows_view *d, int64_t t_us)
{
	int64_t next_us = c->limit->boundary[2];
	unsigned i;

	if (d->end_us >= next_us || t_us >= cw_to_mono(&c->now, next_us)) {
		return t_us;
	}
	for (i = d->is_there ? 1 : 0; i < d->n; i++) {
		if (cw_end_of(d->windows, i) == next_us && cw_is_full(c, cw_count_of(d->windows, i))) {
			return cw_to_mono(&c->now, next_us);
		}
	}
	return t_us;
}

static int64_t cw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	windows_view d;
	int64_t end_us;

	cw_load(c, &d);
	end_us = cw_to_mono(&c->now, d.end_us);
	/* A booking is of its window even where the wall clock was set since moments were placed. */
	if (t_us < end_us || (c->booking && t_us == c->at_us)) {
		if (!cw_is_full(c, d.count)) {
			return t_us;
		}
		t_us = end_us > t_us ? end_us : t_us + 1;
	}
	return cw_skip_full_next(c, &d, t_us);
}

static int64_t cw_book_at(const rl_limit_ctx *c)
{
	windows_view d;

	cw_load(c, &d);
	return !d.is_there && d.n >= RL_WINDOWS_MAX ? cw_to_mono(&c->now, cw_end_of(d.windows, 0)) : INT64_MIN;
}

static int64_t cw_full_at(const rl_limit_ctx *c)
{
	windows_view d;

	cw_load(c, &d);
	return d.is_there ? cw_to_mono(&c->now, d.end_us) : c->now.mono_us;
}

static size_t cw_max_words(const rl_limit_ctx *c)
{
	windows_view d;

	cw_load(c, &d);
	return WINDOWS + (size_t) WORDS_PER_WINDOW * (d.n + 1);
}

/* The windows as they are, but the current one with another count. */
static size_t cw_write(const rl_limit_ctx *c, const windows_view *d, uint32_t count, uint64_t *out)
{
	unsigned n = d->n + !d->is_there, rest = d->n - d->current - d->is_there;
	uint64_t *windows = out + WINDOWS;

	if (d->current > 0) {
		memcpy(windows, d->windows, (size_t) d->current * WORDS_PER_WINDOW * sizeof *out);
	}
	windows += WORDS_PER_WINDOW * d->current;
	windows[0] = (uint64_t) d->end_us;
	windows[1] = count;
	if (rest > 0) {
		memcpy(windows + WORDS_PER_WINDOW, d->windows + (size_t) WORDS_PER_WINDOW * (d->current + d->is_there),
			(size_t) rest * WORDS_PER_WINDOW * sizeof *out);
	}
	out[0] = rl_limit_state_head(RL_CALENDAR_WINDOW, WINDOWS + (size_t) WORDS_PER_WINDOW * n, n);
	out[PERIOD] = d->period | (c->booking ? BOOKED : 0);
	return WINDOWS + (size_t) WORDS_PER_WINDOW * n;
}

static size_t cw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view d;

	cw_load(c, &d);
	return cw_write(c, &d, rl_add_count(d.count, c->cost), out);
}

/* Without a current window there is nothing to give back. */
static size_t cw_refund(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view d;

	cw_load(c, &d);
	if (!d.is_there) {
		memcpy(out, c->limit_state, rl_limit_state_words(c->limit_state) * sizeof *out);
		return rl_limit_state_words(c->limit_state);
	}
	return cw_write(c, &d, rl_take_count(d.count, c->cost), out);
}

static size_t cw_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view d;

	cw_load(c, &d);
	if (!d.is_there || d.count < c->cost) {
		return 0;
	}
	return cw_write(c, &d, d.count - c->cost, out);
}

const rl_algorithm_ops rl_calendar_window_ops = {
	.words_min = WORDS_MIN,
	.same_period = cw_same_period,
	.expires_at = cw_expires_at,
	.used = cw_used,
	.earliest = cw_earliest,
	.full_at = cw_full_at,
	.max_words = cw_max_words,
	.admit = cw_admit,
	.refund = cw_refund,
	.book_at = cw_book_at,
	.cancel = cw_cancel,
};
