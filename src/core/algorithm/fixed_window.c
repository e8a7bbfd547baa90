/* Admits at most limit permits in the period that begins with the first admitted call. window.h decides a call in one window; here it
 * is replayed over the windows of calls that wait for their turn.
 *
 * Those follow the current one directly, each of the same period. When the current window is over, the next one takes its place. The
 * notes are their begins and their counts, which are above 0.
 *
 * Limit state: window.h. */
#include "notes.h"
#include "window.h"

typedef struct {
	int64_t period_us;
	rl_window current;
	rl_notes later;
} fw_view;

static bool fw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[RL_LIMIT_STATE_PERIOD] == limit->period_us;
}

/* Returns the end of the last window. */
static int64_t fw_last_end(const fw_view *v)
{
	return v->later.n > 0 ? rl_notes_moment(&v->later, v->later.n - 1) + v->period_us : v->current.end_us;
}

static fw_view fw_read(const uint64_t *limit_state)
{
	return (fw_view){
		.period_us = rl_period_of(limit_state[RL_LIMIT_STATE_PERIOD]),
		.current = {rl_moment(limit_state[RL_WINDOW_END]), rl_count_of(limit_state[RL_WINDOW_COUNT])},
		.later = rl_notes_of(limit_state),
	};
}

static int64_t fw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	fw_view v = fw_read(limit_state);

	(void) now;
	return fw_last_end(&v);
}

/* Lets the window that now has reached take the current one's place. While a later one is kept, they follow each other. */
static void fw_come(fw_view *v, int64_t now_us)
{
	int64_t begin_us;

	rl_notes_drop(&v->later, rl_notes_first(&v->later, now_us - v->period_us + 1));
	if (v->later.n == 0) {
		return;
	}
	begin_us = rl_notes_moment(&v->later, 0);
	if (begin_us > now_us) {
		v->current = (rl_window){.end_us = begin_us - (begin_us - now_us - 1) / v->period_us * v->period_us};
		return;
	}
	v->current = (rl_window){begin_us + v->period_us, rl_notes_number(&v->later, 0)};
	rl_notes_drop(&v->later, 1);
}

/* Reads the windows, from the current one on. Without a running window that is a fresh one, which begins now. Returns
 * whether one runs. */
static bool fw_load(const rl_limit_ctx *c, fw_view *v)
{
	int64_t now_us = c->now.mono_us;

	if (c->limit_state != NULL) {
		*v = fw_read(c->limit_state);
		if (v->current.end_us <= now_us) {
			fw_come(v, now_us);
		}
		if (v->current.end_us > now_us) {
			return true;
		}
	}
	*v = (fw_view){
		.period_us = c->limit->period_us,
		.current.end_us = rl_fixed_window_end(now_us, c->limit->period_us),
	};
	return false;
}

/* Returns the window that contains t, with a count of 0 where nothing is counted. The current one contains each moment before its
 * end. */
static rl_window fw_window_at(const fw_view *v, int64_t t_us)
{
	int64_t begin_us;

	if (t_us < v->current.end_us) {
		return v->current;
	}
	begin_us = t_us - (t_us - v->current.end_us) % v->period_us;
	return (rl_window){begin_us + v->period_us, rl_notes_at(&v->later, begin_us)};
}

static uint64_t fw_used(const rl_limit_ctx *c)
{
	fw_view v;

	return fw_load(c, &v) ? fw_window_at(&v, c->at_us).count : 0;
}

static int64_t fw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	fw_view v;
	rl_window w;

	if (!fw_load(c, &v)) {
		return t_us;
	}
	for (; t_us < fw_last_end(&v); t_us = w.end_us) {
		w = fw_window_at(&v, t_us);
		if (rl_window_step(&w, c->limit->limit, c->cost, t_us).accepted) {
			break;
		}
	}
	return t_us;
}

static int64_t fw_full_at(const rl_limit_ctx *c)
{
	int64_t end_us = c->limit_state != NULL ? fw_expires_at(c->limit_state, &c->now) : INT64_MIN;

	return end_us > c->now.mono_us ? end_us : c->now.mono_us;
}

static int64_t fw_book_at(const rl_limit_ctx *c)
{
	fw_view v;

	(void) fw_load(c, &v);
	return c->at_us >= v.current.end_us + (RL_WINDOWS_MAX - 1) * v.period_us ? v.current.end_us : INT64_MIN;
}

static size_t fw_max_words(const rl_limit_ctx *c)
{
	return RL_WINDOW_WORDS
		+ RL_NOTE_WORDS * (1 + (c->limit_state != NULL ? rl_limit_state_n_notes(c->limit_state) : 0));
}

/* Writes the windows, the one that ends so with this count. */
static size_t fw_write(const fw_view *v, rl_window changed, uint64_t *out)
{
	bool is_current = changed.end_us == v->current.end_us;
	size_t n = is_current
		? rl_notes_write(&v->later, INT64_MIN, 0, out + RL_WINDOW_WORDS)
		: rl_notes_write(&v->later, changed.end_us - v->period_us, changed.count, out + RL_WINDOW_WORDS);

	rl_window_write(RL_FIXED_WINDOW, (uint64_t) v->period_us, is_current ? changed : v->current, out);
	return rl_limit_state_begin(RL_FIXED_WINDOW, (uint64_t) v->period_us, RL_WINDOW_WORDS, n, 0, out);
}

/* A running window keeps its period: a changed limit applies from the next window on. */
static size_t fw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_window w;
	fw_view v;

	(void) fw_load(c, &v);
	w = fw_window_at(&v, c->at_us);
	rl_window_take(&w, c->limit->limit, c->cost, c->at_us);
	if (c->held != NULL) {
		c->held->place = w.end_us;
	}
	return fw_write(&v, w, out);
}

static size_t fw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	fw_view v;

	(void) fw_load(c, &v);
	return fw_write(&v, (rl_window){v.current.end_us, rl_take_count(v.current.count, c->cost)}, out);
}

static size_t fw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	rl_window w = {.end_us = rl_moment((uint64_t) held->place)};
	bool is_current;
	fw_view v;

	(void) all;
	if (!fw_load(c, &v)) {
		return 0;
	}
	is_current = w.end_us == v.current.end_us;
	w.count = is_current ? v.current.count : rl_notes_at(&v.later, w.end_us - v.period_us);
	if (!is_current && w.count == 0) {
		return 0;
	}
	if (c->undo && is_current && v.later.n == 0 && w.count <= n) {
		v.current.end_us = w.end_us = c->now.mono_us; /* it is over */
	}
	w.count = rl_take_count(w.count, n);
	return fw_write(&v, w, out);
}

static size_t fw_mirror(const rl_limit_ctx *c, const rl_told *answer, const rl_told_limit *told, uint64_t *out)
{
	rl_window w = rl_window_told(told, c->now.mono_us);
	fw_view v;

	if (fw_load(c, &v)) {
		return rl_window_mirror(&v.current, w, v.period_us, answer, rl_told_lowers(c->limit, answer, told))
			? fw_write(&v, v.current, out)
			: 0;
	}
	v = (fw_view){.period_us = c->limit->period_us, .current = w};
	return w.count > 0 ? fw_write(&v, w, out) : 0;
}

const rl_algorithm_ops rl_fixed_window_ops = {
	.words_min = RL_WINDOW_WORDS,
	.same_period = fw_same_period,
	.expires_at = fw_expires_at,
	.used = fw_used,
	.earliest = fw_earliest,
	.full_at = fw_full_at,
	.max_words = fw_max_words,
	.admit = fw_admit,
	.credit = fw_credit,
	.book_at = fw_book_at,
	.give_back = fw_give_back,
	.mirror = fw_mirror,
};
