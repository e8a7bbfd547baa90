/* Admits at most limit permits in each period of a clock: a minute to a year, or an interval from an anchor. window.h decides a call
 * in one window; here is which window that is. The boundaries come with the limit; they are wall-clock moments, as are the ends of the
 * windows that are kept.
 *
 * A window has come when the clock's window reached its end's: it is then the running one until its own end, also where
 * the wall clock is set back over its beginning. One that would run on for more than the clock's next window belongs to a
 * clock that was far ahead, and is forgotten. A booked window that has not come counts for its own time only.
 *
 * Limit state: window.h, with the end and the count of each window that has come, in the order of their ends. The notes are the ends
 * and the counts of those that are booked and have not come. As they follow, all windows are one list of notes. */
#include "notes.h"
#include "window.h"

enum { PERIOD = RL_LIMIT_STATE_PERIOD, WINDOWS = RL_WINDOW_END };

_Static_assert(RL_WINDOW_COUNT == WINDOWS + 1 && RL_WINDOW_WORDS == WINDOWS + RL_NOTE_WORDS,
	"window.h has a limit state of one window");

typedef struct {
	rl_notes windows; /* those that are not over */
	size_t ahead;     /* how many of the last are booked and have not come */
	uint64_t period;
	bool exists; /* the window of the moment that is judged is one of them */
	rl_window w; /* that window */
} cw_view;

static bool cw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return limit_state[PERIOD] == limit->period;
}

static int64_t cw_end_of(const cw_view *v, size_t i)
{
	return rl_notes_moment(&v->windows, i);
}

static void cw_read(const uint64_t *limit_state, const rl_now *now, cw_view *v)
{
	v->windows = (rl_notes){limit_state + WINDOWS, (rl_limit_state_words(limit_state) - WINDOWS) / RL_NOTE_WORDS};
	v->ahead = rl_limit_state_n_notes(limit_state);
	v->period = limit_state[PERIOD];
	rl_notes_drop(&v->windows, rl_notes_first(&v->windows, now->wall_us + 1));
	v->ahead = v->ahead < v->windows.n ? v->ahead : v->windows.n;
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

/* Finds the window of an ordinary call: the first one, unless that was booked for later. A window of another Period runs until it is
 * over, whatever its end is. */
static bool cw_finds_running(const rl_limit_ctx *c, cw_view *v, int64_t b)
{
	while (v->ahead > 0 && cw_end_of(v, v->windows.n - v->ahead) <= b) {
		v->ahead--;
	}
	return v->ahead < v->windows.n || v->period != c->limit->period;
}

/* Loads the window of the moment that is judged: of an ordinary call, the running one; of a booking, the clock's own, or one that has
 * come and runs longer. If there is none, it is the clock's own, with a count of 0. */
static void cw_load(const rl_limit_ctx *c, cw_view *v)
{
	int64_t next_us, b = cw_boundary(c, &next_us);
	size_t i = 0;

	*v = (cw_view){.period = c->limit->period, .w.end_us = b};
	if (c->limit_state == NULL) {
		return;
	}
	cw_read(c->limit_state, &c->now, v);
	if (v->ahead < v->windows.n && v->period == c->limit->period && cw_end_of(v, 0) > next_us) {
		rl_notes_drop(&v->windows, v->windows.n - v->ahead); /* the wall clock was set back by a whole window or more */
	}
	if (v->windows.n == 0) {
		v->period = c->limit->period;
		return;
	}
	if (c->booking) {
		i = rl_notes_first(&v->windows, b);
		v->exists = i < v->windows.n
			&& (cw_end_of(v, i) == b || (i + v->ahead < v->windows.n && v->period == c->limit->period));
	} else {
		v->exists = cw_finds_running(c, v, b);
	}
	if (v->exists) {
		v->w = (rl_window){cw_end_of(v, i), rl_notes_number(&v->windows, i)};
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
	cw_view v;

	cw_read(limit_state, now, &v);
	return v.windows.n > 0 ? cw_to_mono(now, cw_end_of(&v, v.windows.n - 1)) : now->mono_us;
}

static uint64_t cw_used(const rl_limit_ctx *c)
{
	cw_view v;

	cw_load(c, &v);
	return v.w.count;
}

/* Decides the cost at t in a window, without a change. */
static rl_step cw_step(const rl_limit_ctx *c, rl_window w, int64_t t_us)
{
	w.end_us = cw_to_mono(&c->now, w.end_us);
	return rl_window_step(&w, c->limit->limit, c->cost, t_us);
}

/* Returns t, or the end of the next window if t lies in that one, the call has brought its end, and it is full. */
static int64_t cw_skip_full_next(const rl_limit_ctx *c, const cw_view *v, int64_t t_us)
{
	rl_window next = {.end_us = c->limit->boundary[2]};

	if (v->w.end_us >= next.end_us || t_us >= cw_to_mono(&c->now, next.end_us)) {
		return t_us;
	}
	next.count = rl_notes_at(&v->windows, next.end_us);
	return cw_step(c, next, t_us).accepted ? t_us : cw_to_mono(&c->now, next.end_us);
}

static int64_t cw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	cw_view v;

	cw_load(c, &v);
	/* A booking belongs to its window even where the wall clock was set since moments were placed. */
	if (t_us < cw_to_mono(&c->now, v.w.end_us) || (c->booking && t_us == c->at_us)) {
		rl_step s = cw_step(c, v.w, t_us);

		if (s.accepted) {
			return t_us;
		}
		t_us += s.reset_us > 0 ? s.reset_us : 1;
	}
	return cw_skip_full_next(c, &v, t_us);
}

static int64_t cw_book_at(const rl_limit_ctx *c)
{
	cw_view v;

	cw_load(c, &v);
	return !v.exists && v.windows.n >= RL_WINDOWS_MAX ? cw_to_mono(&c->now, cw_end_of(&v, 0)) : INT64_MIN;
}

static int64_t cw_full_at(const rl_limit_ctx *c)
{
	cw_view v;

	cw_load(c, &v);
	return v.exists ? cw_to_mono(&c->now, v.w.end_us) : c->now.mono_us;
}

static size_t cw_max_words(const rl_limit_ctx *c)
{
	cw_view v;

	cw_load(c, &v);
	return WINDOWS + RL_NOTE_WORDS * (v.windows.n + 1);
}

/* Ends the limit state of n windows. */
static size_t cw_end(const cw_view *v, size_t n, size_t ahead, uint64_t *out)
{
	return rl_limit_state_begin(RL_CALENDAR_WINDOW, v->period, WINDOWS + RL_NOTE_WORDS * (n - ahead), ahead, 0, out);
}

/* Writes the windows, the one that is judged as it is now. */
static size_t cw_write(const rl_limit_ctx *c, const cw_view *v, uint64_t *out)
{
	size_t before = rl_notes_first(&v->windows, v->w.end_us);
	bool is_ahead = !v->exists && c->booking && before + v->ahead >= v->windows.n;

	return cw_end(v, rl_notes_put(&v->windows, v->w.end_us, v->w.count, out + WINDOWS), v->ahead + is_ahead, out);
}

static size_t cw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	cw_view v;

	cw_load(c, &v);
	if (c->held != NULL) {
		c->held->place = v.w.end_us;
	}
	rl_window_take(&v.w, c->limit->limit, c->cost, c->now.wall_us);
	return cw_write(c, &v, out);
}

/* Without a current window there is nothing to give back. */
static size_t cw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	cw_view v;

	cw_load(c, &v);
	if (!v.exists) {
		return cw_end(&v, rl_notes_write(&v.windows, INT64_MIN, 0, out + WINDOWS), v.ahead, out);
	}
	v.w.count = rl_take_count(v.w.count, c->cost);
	return cw_write(c, &v, out);
}

/* A moment of a window that is over is in no window, although a booking would count it in the running one. */
static size_t cw_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	cw_view v;

	cw_load(c, &v);
	if (c->limit->boundary[1] <= c->now.wall_us || !v.exists || v.w.count < c->cost) {
		return 0;
	}
	v.w.count -= c->cost;
	return cw_write(c, &v, out);
}

static size_t cw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	cw_view v;
	size_t i;

	(void) all;
	cw_load(c, &v);
	i = rl_notes_first(&v.windows, held->place);
	if (i == v.windows.n || cw_end_of(&v, i) != held->place) {
		return 0;
	}
	v.exists = true;
	v.w = (rl_window){held->place, rl_notes_number(&v.windows, i)};
	if (c->undo && v.w.count <= n) {
		v.ahead -= i + v.ahead >= v.windows.n;
		return cw_end(&v, rl_notes_write(&v.windows, held->place, 0, out + WINDOWS), v.ahead, out);
	}
	v.w.count = rl_take_count(v.w.count, n);
	return cw_write(c, &v, out);
}

static size_t cw_mirror(const rl_limit_ctx *c, const rl_told *answer, const rl_told_limit *told, uint64_t *out)
{
	cw_view v;

	cw_load(c, &v);
	return rl_calendar_window_mirror(&v.w, c->limit, c->now.wall_us, answer, told) ? cw_write(c, &v, out) : 0;
}

const rl_algorithm_ops rl_calendar_window_ops = {
	.words_min = WINDOWS,
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
