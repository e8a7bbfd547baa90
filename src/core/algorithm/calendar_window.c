/* Admits at most limit permits in each period of a clock: a minute to a year, or an interval from an anchor. window.h decides a call
 * in one window; here is which window that is. The boundaries come with the limit; they are wall-clock moments, as are the ends of the
 * windows that are kept.
 *
 * A window has come when the clock's window reached its end's: it is then the running one until its own end, also where
 * the wall clock is set back over its beginning. One that would run on for more than the clock's next window belongs to a
 * clock that was far ahead, and is forgotten. A booked window that has not come counts for its own time only.
 *
 * Limit state: window.h, with the end and the count of each window that has come, in the order of their ends. The notes are the ends
 * and the counts of those that are booked and have not come. As they follow, all windows are one list. */
#include "algorithm.h"

#include <string.h>

#include "window.h"

enum { PERIOD = RL_LIMIT_STATE_PERIOD, WINDOWS = RL_WINDOW_END, WORDS_MIN = WINDOWS, WORDS_PER_WINDOW = RL_NOTE_WORDS };

_Static_assert(RL_WINDOW_COUNT == WINDOWS + 1 && RL_WINDOW_WORDS == WINDOWS + WORDS_PER_WINDOW,
	"window.h has a limit state of one window");

typedef struct {
	const uint64_t *windows; /* the first that is not over */
	unsigned n;
	unsigned ahead; /* how many of the last are booked and have not come */
	uint64_t period;
	/* The window of the moment that is judged. */
	unsigned current; /* its index, or the index to insert it at */
	bool exists;
	int64_t end_us;
	uint64_t count;
} windows_view;

static bool cw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return limit_state[PERIOD] == limit->period;
}

static int64_t cw_end_of(const uint64_t *windows, unsigned i)
{
	return rl_moment(windows[WORDS_PER_WINDOW * i]);
}

static uint64_t cw_count_of(const uint64_t *windows, unsigned i)
{
	return rl_count_of(windows[WORDS_PER_WINDOW * i + 1]);
}

static void cw_drop_first(windows_view *v, unsigned n)
{
	v->windows += (size_t) WORDS_PER_WINDOW * n;
	v->n -= n;
}

static void cw_read(const uint64_t *limit_state, const rl_now *now, windows_view *v)
{
	v->windows = limit_state + WINDOWS;
	v->n = (unsigned) (rl_limit_state_words(limit_state) - WINDOWS) / WORDS_PER_WINDOW;
	v->ahead = (unsigned) rl_limit_state_n_notes(limit_state);
	v->period = limit_state[PERIOD];
	while (v->n > 0 && cw_end_of(v->windows, 0) <= now->wall_us) {
		cw_drop_first(v, 1);
	}
	if (v->ahead > v->n) {
		v->ahead = v->n;
	}
}

/* Returns the end of the clock's window that contains the moment that is judged. Sets next_us to the end of the window
 * after it, or to INT64_MAX if the call did not bring that one. */
static int64_t cw_boundary(const rl_limit_ctx *c, int64_t *next_us)
{
	if (c->booking || c->now.wall_us < c->limit->boundary[1]) {
		*next_us = c->limit->boundary[2];
		return c->limit->boundary[1];
	}
	*next_us = INT64_MAX;
	return c->limit->boundary[2];
}

/* Finds the window of an ordinary call: the first one, unless that was booked for later. */
static void cw_find_running(const rl_limit_ctx *c, windows_view *v, int64_t b)
{
	while (v->ahead > 0 && cw_end_of(v->windows, v->n - v->ahead) <= b) {
		v->ahead--;
	}
	/* A window of another Period runs until it is over, whatever its end is. */
	v->exists = v->n > 0 && (v->ahead < v->n || cw_end_of(v->windows, 0) <= b || v->period != c->limit->period);
}

/* Finds the window of a booking: the clock's own, or one that has come and runs longer. */
static void cw_find_booked(const rl_limit_ctx *c, windows_view *v, int64_t b)
{
	while (v->current < v->n && cw_end_of(v->windows, v->current) < b) {
		v->current++;
	}
	if (v->current < v->n) {
		v->exists = cw_end_of(v->windows, v->current) == b
			|| (v->current < v->n - v->ahead && v->period == c->limit->period);
	}
}

/* The windows of a limit without a state: an address is needed, because no offset may be added to NULL. */
static const uint64_t no_windows[1];

static void cw_load(const rl_limit_ctx *c, windows_view *v)
{
	int64_t next_us, b = cw_boundary(c, &next_us);

	*v = (windows_view){.windows = no_windows, .period = c->limit->period, .end_us = b};
	if (c->limit_state == NULL) {
		return;
	}
	cw_read(c->limit_state, &c->now, v);
	if (v->ahead < v->n && v->period == c->limit->period && cw_end_of(v->windows, 0) > next_us) {
		cw_drop_first(v, v->n - v->ahead); /* the wall clock was set back by a whole window or more */
	}
	if (v->n == 0) {
		v->period = c->limit->period;
		return;
	}
	if (c->booking) {
		cw_find_booked(c, v, b);
	} else {
		cw_find_running(c, v, b);
	}
	if (v->exists) {
		v->end_us = cw_end_of(v->windows, v->current);
		v->count = cw_count_of(v->windows, v->current);
	}
}

static int64_t cw_to_mono(const rl_now *now, int64_t wall_us)
{
	return wall_us - now->wall_us + now->mono_us;
}

bool rl_calendar_window_around(rl_limit_ctx *c, int64_t t_us, rl_limit *shifted)
{
	const int64_t *b = c->limit->boundary;
	int64_t wall_us = t_us - c->now.mono_us + c->now.wall_us;

	if (wall_us >= b[2]) {
		return false;
	}
	if (wall_us >= b[1]) {
		*shifted = *c->limit;
		shifted->boundary[0] = b[1];
		shifted->boundary[1] = b[2];
		shifted->boundary[2] = INT64_MAX / 4; /* not known */
		c->limit = shifted;
	}
	return true;
}

static int64_t cw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	windows_view v;

	cw_read(limit_state, now, &v);
	return v.n > 0 ? cw_to_mono(now, cw_end_of(v.windows, v.n - 1)) : now->mono_us;
}

static uint64_t cw_used(const rl_limit_ctx *c)
{
	windows_view v;

	cw_load(c, &v);
	return v.count;
}

static bool cw_is_full(const rl_limit_ctx *c, uint64_t count)
{
	return !rl_window_fits(count, c->cost, c->limit->limit);
}

/* Returns t, or the end of the next window if t lies in that one, the call has brought its end, and it is full. */
static int64_t cw_skip_full_next(const rl_limit_ctx *c, const windows_view *v, int64_t t_us)
{
	int64_t next_us = c->limit->boundary[2];
	unsigned i;

	if (v->end_us >= next_us || t_us >= cw_to_mono(&c->now, next_us)) {
		return t_us;
	}
	for (i = v->exists ? 1 : 0; i < v->n; i++) {
		if (cw_end_of(v->windows, i) == next_us && cw_is_full(c, cw_count_of(v->windows, i))) {
			return cw_to_mono(&c->now, next_us);
		}
	}
	return t_us;
}

static int64_t cw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	windows_view v;
	int64_t end_us;

	cw_load(c, &v);
	end_us = cw_to_mono(&c->now, v.end_us);
	/* A booking belongs to its window even where the wall clock was set since moments were placed. */
	if (t_us < end_us || (c->booking && t_us == c->at_us)) {
		if (!cw_is_full(c, v.count)) {
			return t_us;
		}
		t_us = end_us > t_us ? end_us : t_us + 1;
	}
	return cw_skip_full_next(c, &v, t_us);
}

static int64_t cw_book_at(const rl_limit_ctx *c)
{
	windows_view v;

	cw_load(c, &v);
	return !v.exists && v.n >= RL_WINDOWS_MAX ? cw_to_mono(&c->now, cw_end_of(v.windows, 0)) : INT64_MIN;
}

static int64_t cw_full_at(const rl_limit_ctx *c)
{
	windows_view v;

	cw_load(c, &v);
	return v.exists ? cw_to_mono(&c->now, v.end_us) : c->now.mono_us;
}

static size_t cw_max_words(const rl_limit_ctx *c)
{
	windows_view v;

	cw_load(c, &v);
	return WINDOWS + (size_t) WORDS_PER_WINDOW * (v.n + 1);
}

static void cw_copy(uint64_t *to, const uint64_t *windows, unsigned n)
{
	if (n > 0) {
		memcpy(to, windows, (size_t) n * WORDS_PER_WINDOW * sizeof *to);
	}
}

static size_t cw_write_head(const windows_view *v, unsigned n, unsigned ahead, uint64_t *out)
{
	return rl_limit_state_begin(RL_CALENDAR_WINDOW, v->period, WINDOWS + (size_t) WORDS_PER_WINDOW * (n - ahead), ahead,
		0, out);
}

/* Writes the windows, the current one with this count. */
static size_t cw_write(const rl_limit_ctx *c, const windows_view *v, uint64_t count, uint64_t *out)
{
	unsigned after = v->current + v->exists;
	bool is_ahead = !v->exists && c->booking && v->current + v->ahead >= v->n;
	uint64_t *windows = out + WINDOWS;

	cw_copy(windows, v->windows, v->current);
	windows += (size_t) WORDS_PER_WINDOW * v->current;
	windows[0] = (uint64_t) v->end_us;
	windows[1] = count;
	cw_copy(windows + WORDS_PER_WINDOW, v->windows + (size_t) WORDS_PER_WINDOW * after, v->n - after);
	return cw_write_head(v, v->n + !v->exists, v->ahead + is_ahead, out);
}

/* Writes the windows but the current one. */
static size_t cw_write_without(const windows_view *v, uint64_t *out)
{
	uint64_t *windows = out + WINDOWS;

	cw_copy(windows, v->windows, v->current);
	cw_copy(windows + (size_t) WORDS_PER_WINDOW * v->current, v->windows + (size_t) WORDS_PER_WINDOW * (v->current + 1),
		v->n - v->current - 1);
	return cw_write_head(v, v->n - 1, v->current >= v->n - v->ahead ? v->ahead - 1 : v->ahead, out);
}

static size_t cw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view v;

	cw_load(c, &v);
	if (c->held != NULL) {
		c->held->place = v.end_us;
	}
	return cw_write(c, &v, rl_add_count(v.count, c->cost), out);
}

/* Without a current window there is nothing to give back. */
static size_t cw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view v;

	cw_load(c, &v);
	if (!v.exists) {
		cw_copy(out + WINDOWS, v.windows, v.n);
		return cw_write_head(&v, v.n, v.ahead, out);
	}
	return cw_write(c, &v, rl_take_count(v.count, c->cost), out);
}

/* A moment of a window that is over is in no window, although a booking would count it in the running one. */
static size_t cw_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	windows_view v;

	cw_load(c, &v);
	if (c->limit->boundary[1] <= c->now.wall_us || !v.exists || v.count < c->cost) {
		return 0;
	}
	return cw_write(c, &v, v.count - c->cost, out);
}

static size_t cw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	windows_view v;

	(void) all;
	cw_load(c, &v);
	for (v.current = 0; v.current < v.n && cw_end_of(v.windows, v.current) != held->place; v.current++) {
	}
	if (v.current == v.n) {
		return 0;
	}
	v.exists = true;
	v.end_us = held->place;
	if (c->undo && cw_count_of(v.windows, v.current) <= n) {
		return cw_write_without(&v, out);
	}
	return cw_write(c, &v, rl_take_count(cw_count_of(v.windows, v.current), n), out);
}

/* An answer about the clock's window before or after this one comes from a server whose clock differs. */
static size_t cw_mirror(const rl_limit_ctx *c, const rl_told *answer, const rl_told_limit *told, uint64_t *out)
{
	int64_t apart_us, window_us = c->limit->boundary[1] - c->limit->boundary[0];
	windows_view v;

	cw_load(c, &v);
	apart_us = v.end_us - c->now.wall_us - told->full_us;
	if (apart_us > window_us / 2 || apart_us < -window_us / 2 || told->used == v.count
		|| (told->used < v.count && !rl_told_lowers(c->limit, answer, told))) {
		return 0;
	}
	return cw_write(c, &v, told->used, out);
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
	.credit = cw_credit,
	.book_at = cw_book_at,
	.cancel = cw_cancel,
	.give_back = cw_give_back,
	.mirror = cw_mirror,
};
