/* The step of a window, fixed or of a calendar: it admits at most limit permits until its end. And how a state has the one window
 * that an ordinary limit has. fixed_window.c and calendar_window.c replay the step over the windows that are booked. */
#ifndef RL_CORE_WINDOW_H
#define RL_CORE_WINDOW_H

#include "step.h"

typedef struct {
	int64_t end_us; /* of a calendar window by the wall clock */
	uint64_t count;
} rl_window;

/* Decides a call now, in a window that runs. */
RL_INLINE rl_step rl_window_step(rl_window *w, uint64_t limit, uint64_t cost, int64_t now_us)
{
	rl_step s = {.accepted = w->count + cost <= limit, .reset_us = w->end_us - now_us};

	if (RL_LIKELY(s.accepted)) {
		w->count += cost;
		s.exhausted = w->count == limit;
		s.near = (limit - w->count) * 10 < limit;
	}
	s.used = w->count;
	s.retry_us = s.accepted && !s.exhausted ? 0 : s.reset_us;
	return s;
}

/* Counts a cost by the step, and one that it refuses, too: of a debt. */
static inline void rl_window_take(rl_window *w, uint64_t limit, uint64_t cost, int64_t now_us)
{
	if (!rl_window_step(w, limit, cost, now_us).accepted) {
		w->count = rl_add_count(w->count, cost);
	}
}

/* Puts what another store's answer tells of into a fixed window that runs. lowers: a smaller count counts, too. Returns false if it
 * stays. An answer about a window that ends before this one comes from a worker that was stopped. The latest answer knows the window
 * better: this machine began its own while the other store was away. */
RL_INLINE bool rl_window_mirror(rl_window *w, rl_window told, int64_t period_us, const rl_told *answer, bool lowers)
{
	int64_t slack_us = RL_TOLD_SLACK_US + period_us / RL_TOLD_DRIFT;

	if (told.end_us + slack_us < w->end_us && !answer->is_latest) {
		return false;
	}
	if (told.end_us - answer->trip_us > w->end_us + slack_us) {
		*w = told; /* a new window */
		return told.count > 0;
	}
	w->count = told.count > w->count || lowers ? told.count : w->count;
	w->end_us = told.end_us < w->end_us ? told.end_us : w->end_us;
	return true;
}

/* Does the same with a calendar window, of which an answer tells at a moment of the wall clock. One about the clock's window before or
 * after this one comes from a server whose clock differs. */
RL_INLINE bool rl_calendar_window_mirror(rl_window *w, const rl_limit *limit, int64_t now_us, const rl_told *answer,
	const rl_told_limit *told)
{
	int64_t apart_us = w->end_us - now_us - told->full_us, half_us = (limit->boundary[1] - limit->boundary[0]) / 2;

	if (apart_us > half_us || apart_us < -half_us || told->used == w->count
		|| (told->used < w->count && !rl_told_lowers(limit, answer, told))) {
		return false;
	}
	w->count = told->used;
	return true;
}

/* ---- The limit state of one window ---- */

enum { RL_WINDOW_END = RL_LIMIT_STATE_HEAD_WORDS, RL_WINDOW_COUNT, RL_WINDOW_WORDS };

/* Returns the end of a fixed window that begins now: a whole millisecond, rounded up. */
RL_INLINE int64_t rl_fixed_window_end(int64_t now_us, int64_t period_us)
{
	return (now_us + period_us + RL_US_PER_MS - 1) / RL_US_PER_MS * RL_US_PER_MS;
}

/* Returns the fixed window that another store's answer tells of now. */
RL_INLINE rl_window rl_window_told(const rl_told_limit *told, int64_t now_us)
{
	return (rl_window){.end_us = rl_fixed_window_end(now_us, told->full_us), .count = told->used};
}

/* Returns whether a calendar window with this end is the running one of the limit's clock, at any moment from early to late. */
RL_INLINE bool rl_calendar_window_runs(const rl_limit *limit, int64_t end_us, int64_t early_us, int64_t late_us)
{
	return early_us >= limit->boundary[0] && late_us < limit->boundary[1] && end_us > late_us
		&& end_us <= limit->boundary[2];
}

/* Reads the one window of a limit, which runs. Returns false for any other limit state. */
RL_INLINE bool rl_window_read(rl_algorithm algorithm, const rl_limit *limit, const uint64_t *limit_state,
	const rl_now *now, rl_window *w)
{
	bool fixed = algorithm == RL_FIXED_WINDOW;

	*w = (rl_window){.end_us = rl_moment(limit_state[RL_WINDOW_END]),
		.count = rl_count_of(limit_state[RL_WINDOW_COUNT])};
	return limit_state[0] == rl_limit_state_head(algorithm, RL_WINDOW_WORDS, 0)
		&& limit_state[RL_LIMIT_STATE_PERIOD] == (fixed ? (uint64_t) limit->period_us : limit->period)
		&& (fixed ? w->end_us > now->mono_us : rl_calendar_window_runs(limit, w->end_us, now->wall_us, now->wall_us));
}

/* Writes the window into its limit state. */
RL_INLINE void rl_window_put(rl_window w, uint64_t *out)
{
	out[RL_WINDOW_END] = (uint64_t) w.end_us;
	out[RL_WINDOW_COUNT] = w.count;
}

/* Writes the limit state of one window, without a tag. */
RL_INLINE void rl_window_write(rl_algorithm algorithm, uint64_t period, rl_window w, uint64_t *out)
{
	rl_limit_state_begin(algorithm, period, RL_WINDOW_WORDS, 0, 0, out);
	rl_window_put(w, out);
}

#endif
