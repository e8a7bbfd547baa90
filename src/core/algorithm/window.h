/* The step of a window, fixed or of a calendar: it admits at most limit permits until its end. And how a state has the one window
 * that an ordinary limit has. fixed_window.c and calendar_window.c have the windows that are booked. */
#ifndef RL_CORE_WINDOW_H
#define RL_CORE_WINDOW_H

#include "step.h"

typedef struct {
	int64_t end_us; /* of a calendar window by the wall clock */
	uint64_t count;
} rl_window;

RL_INLINE bool rl_window_fits(uint64_t count, uint64_t cost, uint64_t limit)
{
	return count + cost <= limit;
}

/* Decides a call now, in a window that runs. */
RL_INLINE rl_step rl_window_step(rl_window *w, uint64_t limit, uint64_t cost, int64_t now_us)
{
	rl_step s = {.accepted = rl_window_fits(w->count, cost, limit), .reset_us = w->end_us - now_us};

	if (RL_LIKELY(s.accepted)) {
		w->count += cost;
		s.exhausted = w->count == limit;
		s.near = (limit - w->count) * 10 < limit;
	}
	s.used = w->count;
	s.retry_us = s.accepted && !s.exhausted ? 0 : s.reset_us;
	return s;
}

/* ---- The limit state of one window ---- */

enum { RL_FIXED_PERIOD = 1, RL_FIXED_END, RL_FIXED_WORDS };

/* Returns the end of a fixed window that begins now: a whole millisecond, rounded up. */
RL_INLINE int64_t rl_fixed_window_end(int64_t now_us, int64_t period_us)
{
	return (now_us + period_us + RL_US_PER_MS - 1) / RL_US_PER_MS * RL_US_PER_MS;
}

/* Reads a window of a small count that runs. Returns false for any other limit state. */
RL_INLINE bool rl_fixed_window_read(const rl_limit *limit, const uint64_t *limit_state, const rl_now *now, rl_window *w)
{
	uint64_t head = limit_state[0];

	*w = (rl_window){.end_us = rl_moment(limit_state[RL_FIXED_END]), .count = head >> 32};
	return (uint32_t) head == (uint32_t) rl_limit_state_head(RL_FIXED_WINDOW, RL_FIXED_WORDS, 0)
		&& (int64_t) limit_state[RL_FIXED_PERIOD] == limit->period_us && w->end_us > now->mono_us;
}

/* Requires a count of 32 bits. */
RL_INLINE void rl_fixed_window_write(uint64_t period, rl_window w, uint64_t *out)
{
	out[0] = rl_limit_state_head(RL_FIXED_WINDOW, RL_FIXED_WORDS, (uint32_t) w.count);
	out[RL_FIXED_PERIOD] = period;
	out[RL_FIXED_END] = (uint64_t) w.end_us;
}

enum { RL_CALENDAR_PERIOD = 1, RL_CALENDAR_END, RL_CALENDAR_COUNT, RL_CALENDAR_WORDS };

/* Returns the first word of a calendar window's limit state. */
RL_INLINE uint64_t rl_calendar_window_head(void)
{
	return rl_limit_state_head(RL_CALENDAR_WINDOW, RL_CALENDAR_WORDS, rl_limit_state_number_of(1, 0));
}

/* Returns whether a window with this end is the running one of the limit's clock, at any moment from early to late. */
RL_INLINE bool rl_calendar_window_runs(const rl_limit *limit, int64_t end_us, int64_t early_us, int64_t late_us)
{
	return early_us >= limit->boundary[0] && late_us < limit->boundary[1] && end_us > late_us
		&& end_us <= limit->boundary[2];
}

/* Reads a window that runs, where the limit's boundaries are around now. Returns false for any other limit state. */
RL_INLINE bool rl_calendar_window_read(const rl_limit *limit, const uint64_t *limit_state, const rl_now *now,
	rl_window *w)
{
	*w = (rl_window){.end_us = rl_moment(limit_state[RL_CALENDAR_END]),
		.count = rl_count_of(limit_state[RL_CALENDAR_COUNT])};
	return limit_state[0] == rl_calendar_window_head() && limit_state[RL_CALENDAR_PERIOD] == limit->period
		&& rl_calendar_window_runs(limit, w->end_us, now->wall_us, now->wall_us);
}

RL_INLINE void rl_calendar_window_write(uint64_t period, rl_window w, uint64_t *out)
{
	out[0] = rl_calendar_window_head();
	out[RL_CALENDAR_PERIOD] = period;
	out[RL_CALENDAR_END] = (uint64_t) w.end_us;
	out[RL_CALENDAR_COUNT] = w.count;
}

#endif
