/* The step of a sliding log in which nothing is booked: it admits at most limit permits in every interval of the period. And how a
 * state has the moments. sliding_log.c replays it over the moments that are booked.
 *
 * Limit state: the number of moments in the head, and a base. Then each moment is its distance from the base, in 4 bytes, while all lie
 * within 71 minutes of it; or in 8: RL_LOG_WIDE in the head's number. */
#ifndef RL_CORE_LOG_VIEW_H
#define RL_CORE_LOG_VIEW_H

#include <string.h>

#include "step.h"

enum { RL_LOG_BASE = RL_LIMIT_STATE_HEAD_WORDS, RL_LOG_MOMENTS };

#define RL_LOG_WIDE (UINT32_C(1) << 31)

typedef struct {
	const void *moments; /* of the limit state */
	bool wide;
	uint32_t n;
	int64_t base_us;
	int64_t period_us;
} rl_log_view;

static inline size_t rl_log_words_for(uint32_t n, bool wide)
{
	return RL_LOG_MOMENTS + (wide ? n : ((size_t) n + 1) / 2);
}

RL_INLINE int64_t rl_log_at(const rl_log_view *v, uint32_t i)
{
	return v->base_us + (v->wide ? rl_moment(((const uint64_t *) v->moments)[i]) : ((const uint32_t *) v->moments)[i]);
}

/* Returns the index of the first moment later than t. Mostly that is 0 (nothing is over yet) or n (everything is), so both
 * ends are compared first; then the search widens from the front in doubling steps. */
static inline uint32_t rl_log_first_after(const rl_log_view *v, int64_t t_us)
{
	uint32_t low = 0, high = v->n, step;

	if (high == 0 || rl_log_at(v, 0) > t_us) {
		return 0;
	}
	if (rl_log_at(v, high - 1) <= t_us) {
		return high;
	}
	/* Invariant: the moment at low is not later than t, that at high is. */
	for (high--, step = 1; step < high && rl_log_at(v, step) <= t_us; step *= 2) {
		low = step;
	}
	if (step < high) {
		high = step;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (rl_log_at(v, middle) <= t_us) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return high;
}

/* Decides a call at a moment. first: of the moments that count then; there is at least one. Requires a cost of at most the limit. */
RL_INLINE rl_step rl_log_step(const rl_log_view *v, uint32_t first, uint64_t limit, uint64_t cost, int64_t t_us)
{
	uint64_t kept = v->n - first;
	int64_t last_us = rl_log_at(v, v->n - 1);
	rl_step s = {.accepted = kept + cost <= limit, .used = kept};

	if (RL_LIKELY(s.accepted)) {
		last_us = cost > 0 && t_us > last_us ? t_us : last_us;
		s.used += cost;
		s.exhausted = s.used == limit;
		s.near = (limit - s.used) * 10 < limit;
		s.retry_us = s.exhausted ? rl_log_at(v, first) + v->period_us - t_us : 0;
	} else {
		/* The last of the moments without which the cost fits. */
		s.retry_us = rl_log_at(v, first + (uint32_t) (kept + cost - limit) - 1) + v->period_us - t_us;
	}
	s.reset_us = last_us + v->period_us - t_us;
	return s;
}

/* Reads a log with moments of 4 bytes, none of them booked, in so many words. Returns false for any other limit state. */
RL_INLINE bool rl_log_read_usual(const rl_limit *limit, const uint64_t *limit_state, size_t words, rl_log_view *v)
{
	uint32_t number = rl_limit_state_number(limit_state);

	*v = (rl_log_view){.moments = limit_state + RL_LOG_MOMENTS,
		.n = number,
		.base_us = rl_moment(limit_state[RL_LOG_BASE]),
		.period_us = limit->period_us};
	return number <= RL_LOG_LIMIT_MAX && limit_state[RL_LIMIT_STATE_PERIOD] == (uint64_t) limit->period_us
		&& limit_state[0] == rl_limit_state_head(RL_SLIDING_LOG, rl_log_words_for(number, false), number)
		&& rl_log_words_for(number, false) <= words;
}

/* Returns whether new moments at t can follow the ones from first on, with their base, as nearly always. */
RL_INLINE bool rl_log_can_append(const rl_log_view *v, uint32_t first, int64_t t_us)
{
	return first < v->n && !v->wide && rl_log_at(v, v->n - 1) <= t_us && t_us - v->base_us <= UINT32_MAX;
}

/* Writes the moments from first on, and n_new at t behind them. Returns the words. */
static inline size_t rl_log_append(const rl_log_view *v, uint32_t first, uint32_t n_new, int64_t t_us,
	int64_t period_us, uint64_t *out)
{
	uint32_t kept = v->n - first, n = kept + n_new, i;
	uint32_t *moments = (uint32_t *) (void *) (out + RL_LOG_MOMENTS);

	out[RL_LOG_BASE] = (uint64_t) v->base_us;
	memcpy(moments, (const uint32_t *) v->moments + first, kept * sizeof *moments);
	for (i = kept; i < n; i++) {
		moments[i] = (uint32_t) (t_us - v->base_us);
	}
	if (n % 2 == 1) {
		moments[n] = 0;
	}
	return rl_limit_state_begin(RL_SLIDING_LOG, (uint64_t) period_us, rl_log_words_for(n, false), 0, n, out);
}

#endif
