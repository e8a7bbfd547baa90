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
	uint64_t period;         /* with BOOKED */
	/* The window of the moment that is judged. */
	unsigned current;        /* its place; n or less even when it is not there */
	bool is_there;
	int64_t end_us;
	uint32_t count;
} diary;

static bool fits(const rl_limit *limit, const uint64_t *slot)
{
	return (slot[PERIOD] & PERIOD_MASK) == (uint64_t) limit->period;
}

static int64_t end_of(const uint64_t *windows, unsigned i)
{
	return rl_moment(windows[WORDS_PER_WINDOW * i]);
}

static uint32_t count_of(const uint64_t *windows, unsigned i)
{
	return (uint32_t) windows[WORDS_PER_WINDOW * i + 1];
}

static void read_slot(const uint64_t *slot, const rl_now *now, diary *d)
{
	size_t room = (rl_slot_words(slot) - WINDOWS) / WORDS_PER_WINDOW;

	d->windows = slot + WINDOWS;
	d->n = rl_slot_number(slot) < room ? rl_slot_number(slot) : (unsigned) room;
	d->period = slot[PERIOD] & (BOOKED | PERIOD_MASK);
	while (d->n > 0 && end_of(d->windows, 0) <= now->wall_us) {
		d->windows += WORDS_PER_WINDOW;
		d->n--;
	}
}

/* The end of the clock's window that contains the moment that is judged. */
static int64_t boundary(const rl_case *c)
{
	return c->booking || c->now.wall_us < c->limit->boundary[1] ? c->limit->boundary[1] : c->limit->boundary[2];
}

static void load(const rl_case *c, diary *d)
{
	int64_t b = boundary(c);
	bool running;

	*d = (diary) {.period = (uint64_t) c->limit->period};
	if (c->slot != NULL) {
		read_slot(c->slot, &c->now, d);
		if (d->n == 0) {
			d->period = (uint64_t) c->limit->period;
		}
	}
	d->end_us = b;
	if (c->booking) {
		while (d->current < d->n && end_of(d->windows, d->current) < b) {
			d->current++;
		}
		running = d->current < d->n && end_of(d->windows, d->current) == b;
	} else if (d->n > 0 && (d->period & PERIOD_MASK) != (uint64_t) c->limit->period) {
		d->end_us = end_of(d->windows, 0); /* another period: from the next window on */
		running = true;
	} else if (d->n > 0 && end_of(d->windows, 0) <= b) {
		d->end_us = end_of(d->windows, 0);
		running = true;
	} else {
		/* A window that ends later was booked, or the clock went back: then it ends with the clock's. */
		running = d->n > 0 && !(d->period & BOOKED);
	}
	if (running) {
		d->is_there = true;
		d->count = count_of(d->windows, d->current);
	}
}

static int64_t to_mono(const rl_now *now, int64_t wall_us)
{
	return wall_us - now->wall_us + now->mono_us;
}

static int64_t over_at(const uint64_t *slot, const rl_now *now)
{
	diary d;

	read_slot(slot, now, &d);
	return d.n > 0 ? to_mono(now, end_of(d.windows, d.n - 1)) : now->mono_us;
}

static uint32_t used(const rl_case *c)
{
	diary d;

	load(c, &d);
	return d.count;
}

static bool is_full(const rl_case *c, uint32_t count)
{
	return (uint64_t) count + c->cost > c->limit->limit;
}

/* The window after the current one, if the call has brought its end. */
static int64_t past_the_next(const rl_case *c, const diary *d, int64_t t_us)
{
	int64_t next_us = c->limit->boundary[2];
	unsigned i;

	if (d->end_us >= next_us || t_us >= to_mono(&c->now, next_us)) {
		return t_us;
	}
	for (i = d->is_there ? 1 : 0; i < d->n; i++) {
		if (end_of(d->windows, i) == next_us && is_full(c, count_of(d->windows, i))) {
			return to_mono(&c->now, next_us);
		}
	}
	return t_us;
}

static int64_t earliest(const rl_case *c, int64_t t_us)
{
	diary d;
	int64_t end_us;

	load(c, &d);
	end_us = to_mono(&c->now, d.end_us);
	/* A booking is of its window even where the wall clock was set since moments were placed. */
	if (t_us < end_us || (c->booking && t_us == c->at_us)) {
		if (!is_full(c, d.count)) {
			return t_us;
		}
		t_us = end_us > t_us ? end_us : t_us + 1;
	}
	return past_the_next(c, &d, t_us);
}

static int64_t room_at(const rl_case *c)
{
	diary d;

	load(c, &d);
	return !d.is_there && d.n >= RL_WINDOWS_MAX ? to_mono(&c->now, end_of(d.windows, 0)) : INT64_MIN;
}

static int64_t whole_at(const rl_case *c)
{
	diary d;

	load(c, &d);
	return d.is_there ? to_mono(&c->now, d.end_us) : c->now.mono_us;
}

static size_t room(const rl_case *c)
{
	diary d;

	load(c, &d);
	return WINDOWS + (size_t) WORDS_PER_WINDOW * (d.n + 1);
}

/* The windows as they are, but the current one with another count. */
static size_t write(const rl_case *c, const diary *d, uint32_t count, uint64_t *out)
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
	out[0] = rl_slot_head(RL_CALENDAR_WINDOW, WINDOWS + (size_t) WORDS_PER_WINDOW * n, n);
	out[PERIOD] = d->period | (c->booking ? BOOKED : 0);
	return WINDOWS + (size_t) WORDS_PER_WINDOW * n;
}

static size_t admit(const rl_case *c, uint64_t *out)
{
	diary d;

	load(c, &d);
	return write(c, &d, rl_add_count(d.count, c->cost), out);
}

/* Without a current window there is nothing to give back. */
static size_t refund(const rl_case *c, uint64_t *out)
{
	diary d;

	load(c, &d);
	if (!d.is_there) {
		memcpy(out, c->slot, rl_slot_words(c->slot) * sizeof *out);
		return rl_slot_words(c->slot);
	}
	return write(c, &d, rl_take_count(d.count, c->cost), out);
}

static size_t cancel(const rl_case *c, uint64_t *out)
{
	diary d;

	load(c, &d);
	if (!d.is_there || d.count < c->cost) {
		return 0;
	}
	return write(c, &d, d.count - c->cost, out);
}

const rl_algorithm_ops rl_calendar_window_ops = {
	.words_min = WORDS_MIN,
	.fits = fits,
	.over_at = over_at,
	.used = used,
	.earliest = earliest,
	.whole_at = whole_at,
	.room = room,
	.admit = admit,
	.refund = refund,
	.room_at = room_at,
	.cancel = cancel,
};
