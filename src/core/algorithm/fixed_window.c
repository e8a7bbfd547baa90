/* Admits at most limit permits in the period that begins with the first admitted call. window.h decides a call in one window; here are
 * the windows of bookings, debts, gifts and large counts.
 *
 * Calls that wait for their turn are counted in the windows that follow the current one directly, each of the same period.
 * When the current window is over, the next one takes its place.
 *
 * Limit state: count in the head; period; end; then the count of each later window. The last of those is above 0. Wide: the
 * count follows the end. */
#include "window.h"

enum { PERIOD = RL_FIXED_PERIOD, END = RL_FIXED_END, WORDS = RL_FIXED_WORDS, LATER = WORDS, WIDE_COUNT = LATER };

typedef struct {
	int64_t period_us;
	int64_t end_us;
	uint64_t count;
	const uint64_t *later;
	size_t n_later;
} fw_view;

static bool fw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us;
}

static size_t fw_later_of(const uint64_t *limit_state)
{
	size_t n = rl_limit_state_own_words(limit_state) - rl_limit_state_is_wide(limit_state) - WORDS;

	return n < RL_WINDOWS_MAX ? n : RL_WINDOWS_MAX - 1;
}

/* Returns the count of the first window. */
static uint64_t fw_first_count(const uint64_t *limit_state)
{
	return RL_UNLIKELY(rl_limit_state_is_wide(limit_state)) ? rl_count_of(limit_state[WIDE_COUNT])
															: rl_limit_state_number(limit_state);
}

/* Returns the begin of window j behind the current one, which has index 0. */
static int64_t fw_begin_of(const fw_view *v, size_t j)
{
	return v->end_us + ((int64_t) j - 1) * v->period_us;
}

/* Returns whether the limit state has one window of a small count and no tag, as nearly always. */
static bool fw_is_plain(const uint64_t *limit_state)
{
	return rl_limit_state_words(limit_state) == WORDS;
}

static int64_t fw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	int64_t end_us = rl_moment(limit_state[END]);

	(void) now;
	if (fw_is_plain(limit_state)) {
		return end_us;
	}
	return end_us + (int64_t) fw_later_of(limit_state) * rl_period_of(limit_state[PERIOD]);
}

/* Reads the windows, from the current one on. Without a running window that is a fresh one, which begins now. Returns
 * whether one runs. */
static bool fw_load(const rl_limit_ctx *c, fw_view *v)
{
	int64_t now_us = c->now.mono_us;

	if (c->limit_state != NULL) {
		v->period_us = rl_period_of(c->limit_state[PERIOD]);
		v->end_us = rl_moment(c->limit_state[END]);
		v->count = fw_first_count(c->limit_state);
		v->later = c->limit_state + LATER + rl_limit_state_is_wide(c->limit_state);
		v->n_later = fw_later_of(c->limit_state);
		while (v->end_us <= now_us && v->n_later > 0) {
			v->end_us += v->period_us;
			v->count = rl_count_of(*v->later++);
			v->n_later--;
		}
		if (v->end_us > now_us) {
			return true;
		}
	}
	*v = (fw_view){
		.period_us = c->limit->period_us,
		.end_us = rl_fixed_window_end(now_us, c->limit->period_us),
	};
	return false;
}

/* Returns the index of the window that contains t. */
static size_t fw_index_of(const fw_view *v, int64_t t_us)
{
	return t_us < v->end_us ? 0 : (size_t) ((t_us - v->end_us) / v->period_us) + 1;
}

static uint64_t fw_count_of(const fw_view *v, size_t j)
{
	return j == 0 ? v->count : j <= v->n_later ? rl_count_of(v->later[j - 1]) : 0;
}

/* Returns whether the moment t lies in the window with which the limit state begins, as nearly always. */
static bool fw_is_in_first(const rl_limit_ctx *c, int64_t t_us)
{
	return c->limit_state != NULL && t_us < (int64_t) c->limit_state[END] && c->now.mono_us <= t_us;
}

static uint64_t fw_used(const rl_limit_ctx *c)
{
	fw_view v;

	if (fw_is_in_first(c, c->at_us)) {
		return fw_first_count(c->limit_state);
	}
	return fw_load(c, &v) ? fw_count_of(&v, fw_index_of(&v, c->at_us)) : 0;
}

static int64_t fw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	fw_view v;
	size_t j;

	if (c->limit_state != NULL && fw_is_plain(c->limit_state)) {
		rl_window w = {.end_us = rl_moment(c->limit_state[END]), .count = rl_limit_state_number(c->limit_state)};

		return w.end_us <= t_us || rl_window_step(&w, c->limit->limit, c->cost, t_us).accepted ? t_us : w.end_us;
	}
	if (!fw_load(c, &v)) {
		return t_us;
	}
	for (j = fw_index_of(&v, t_us); j <= v.n_later; j++) {
		if (rl_window_fits(fw_count_of(&v, j), c->cost, c->limit->limit)) {
			break;
		}
		t_us = fw_begin_of(&v, j + 1);
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
	return fw_index_of(&v, c->at_us) >= RL_WINDOWS_MAX ? v.end_us : INT64_MIN;
}

static size_t fw_max_words(const rl_limit_ctx *c)
{
	fw_view v;
	size_t j;

	(void) fw_load(c, &v);
	j = fw_index_of(&v, c->at_us);
	j = j < RL_WINDOWS_MAX ? j : RL_WINDOWS_MAX; /* behind those there is no room */
	return WORDS + 1 + (j > v.n_later ? j : v.n_later);
}

/* Writes n_later windows, window j with this count. */
static size_t fw_write(const fw_view *v, size_t n_later, size_t j, uint64_t count, uint64_t *out)
{
	uint64_t first = j == 0 ? count : v->count, *later = out + LATER;
	bool wide = first > UINT32_MAX;
	size_t i;

	if (RL_UNLIKELY(wide)) {
		*later++ = first;
	}
	for (i = 1; i <= n_later; i++) {
		later[i - 1] = i == j ? count : fw_count_of(v, i);
	}
	while (n_later > 0 && later[n_later - 1] == 0) {
		n_later--;
	}
	out[0] = rl_limit_state_head(RL_FIXED_WINDOW, WORDS + wide + n_later, wide ? 0 : (uint32_t) first)
		| (wide ? RL_LIMIT_STATE_WIDE : 0);
	out[PERIOD] = (uint64_t) v->period_us;
	out[END] = (uint64_t) v->end_us;
	return WORDS + wide + n_later;
}

static size_t fw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_window w;
	fw_view v;
	size_t j;

	if (c->limit_state != NULL && c->at_us == c->now.mono_us && c->held == NULL
		&& rl_fixed_window_read(c->limit, c->limit_state, &c->now, &w)
		&& rl_window_step(&w, c->limit->limit, c->cost, c->at_us).accepted && w.count <= UINT32_MAX) {
		rl_fixed_window_write((uint64_t) c->limit->period_us, w, out);
		return WORDS;
	}
	(void) fw_load(c, &v);
	j = fw_index_of(&v, c->at_us);
	if (c->held != NULL) {
		c->held->place = fw_begin_of(&v, j + 1);
	}
	return fw_write(&v, j > v.n_later ? j : v.n_later, j, rl_add_count(fw_count_of(&v, j), c->cost), out);
}

static size_t fw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	fw_view v;

	(void) fw_load(c, &v);
	return fw_write(&v, v.n_later, 0, rl_take_count(v.count, c->cost), out);
}

static size_t fw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	fw_view v;
	int64_t behind_us;
	size_t j;

	(void) all;
	if (!fw_load(c, &v)) {
		return 0;
	}
	behind_us = held->place - v.end_us;
	j = behind_us >= 0 ? (size_t) (behind_us / v.period_us) : SIZE_MAX;
	if (j > v.n_later || behind_us % v.period_us != 0) {
		return 0;
	}
	if (c->undo && j == 0 && v.n_later == 0 && v.count <= n) {
		v.end_us = c->now.mono_us; /* it is over */
	}
	return fw_write(&v, v.n_later, j, rl_take_count(fw_count_of(&v, j), n), out);
}

/* An answer about a window that has ended before this one's begin comes from a worker that was stopped. One that came at once
 * knows the window better: this machine began its own while the other store was away. */
static size_t fw_mirror(const rl_limit_ctx *c, const rl_told_limit *told, int64_t trip_us, uint64_t *out)
{
	int64_t end_us = c->now.mono_us + told->full_us, slack_us;
	uint64_t count = told->used;
	fw_view v;

	if (fw_load(c, &v)) {
		slack_us = RL_TOLD_SLACK_US + v.period_us / RL_TOLD_DRIFT;
		if (end_us + slack_us < v.end_us && trip_us > RL_TOLD_LATE_US) {
			return 0;
		}
		if (end_us - trip_us <= v.end_us + slack_us) {
			count = count > v.count ? count : v.count;
			v.end_us = end_us < v.end_us ? end_us : v.end_us;
			return fw_write(&v, v.n_later, 0, count, out);
		}
	}
	v = (fw_view){.period_us = c->limit->period_us, .end_us = end_us};
	return count > 0 ? fw_write(&v, 0, 0, count, out) : 0;
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
	.book_at = fw_book_at,
	.give_back = fw_give_back,
	.mirror = fw_mirror,
};
