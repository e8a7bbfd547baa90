/* One limit's share of a usual call (usual.h): each reads the limit state of a limit that runs, calls its step, and writes the next limit
 * state of an admission. And a consume of one limit alone. Inlined: a caller that knows the algorithm has nothing of the others. */
#ifndef RL_CORE_USUAL_STEP_H
#define RL_CORE_USUAL_STEP_H

#include "usual.h"

#include "../algorithm/bucket.h"
#include "../algorithm/log_view.h"
#include "../algorithm/sliding_ring.h"
#include "../algorithm/window.h"

/* One limit's share of a call: its limit state, in so many words, and the room for the next one. */
typedef struct {
	const rl_limit *limit;
	uint64_t cost; /* at most the limit */
	const rl_now *now;
	uint64_t *state;
	size_t words;
	uint64_t *next;
	size_t room;
} rl_usual_share;

/* Returns the mark of a limit of so many, where a limit state has it. A limit that has the state for itself writes none. */
RL_INLINE uint64_t rl_usual_mark(unsigned n, const rl_limit *limit)
{
	return n == 1 ? 0 : (uint64_t) limit->mark << RL_LIMIT_STATE_MARK_AT;
}

/* Returns the result of a step whose next limit state takes so many words. */
RL_INLINE rl_usual_result rl_usual_outcome(rl_usual_share u, const rl_step *s, size_t words)
{
	if (!s->accepted) {
		return RL_USUAL_REFUSED;
	}
	return RL_LIKELY(words <= u.room) ? RL_USUAL_ADMITTED : RL_USUAL_NO_ROOM;
}

RL_INLINE rl_usual_result rl_usual_window(rl_algorithm algorithm, rl_usual_share u, rl_step *s)
{
	bool fixed = algorithm == RL_FIXED_WINDOW;
	rl_window w;
	rl_usual_result result;

	if (u.words < RL_WINDOW_WORDS || !rl_window_read(algorithm, u.limit, u.state, u.now, &w)) {
		return RL_USUAL_LEFT;
	}
	*s = rl_window_step(&w, u.limit->limit, u.cost, fixed ? u.now->mono_us : u.now->wall_us);
	result = rl_usual_outcome(u, s, RL_WINDOW_WORDS);
	if (result == RL_USUAL_ADMITTED) {
		rl_window_write(algorithm, fixed ? (uint64_t) u.limit->period_us : u.limit->period, w, u.next);
	}
	return result;
}

RL_INLINE rl_usual_result rl_usual_token_bucket(rl_usual_share u, rl_step *s)
{
	rl_bucket_units units = rl_bucket_units_of(u.limit);
	rl_usual_result result;
	rl_units backlog;

	if (u.words < RL_BUCKET_WORDS || !rl_bucket_read(u.limit, u.state, u.now->mono_us, &backlog)) {
		return RL_USUAL_LEFT;
	}
	*s = rl_bucket_step(units, &backlog, u.limit->limit, u.cost);
	if (RL_UNLIKELY(backlog > (rl_units) RL_PERIOD_MAX_US * units.parts)) {
		return RL_USUAL_LEFT; /* another limit's debt, or a bucket that PHP does not allow */
	}
	result = rl_usual_outcome(u, s, RL_BUCKET_WORDS);
	if (result == RL_USUAL_ADMITTED) {
		rl_bucket_write(units, u.now->mono_us, backlog, u.next);
	}
	return result;
}

/* Reads a log in so many words, and its first moment that counts. Returns false for one to which no moment can be appended. */
RL_INLINE bool rl_usual_log_read(const rl_limit *limit, const uint64_t *state, size_t words, int64_t now_us,
	rl_log_view *v, uint32_t *first)
{
	if (words < RL_LOG_MOMENTS || limit->limit > (uint64_t) RL_LOG_LIMIT_MAX
		|| !rl_log_read_usual(limit, state, words, v)) {
		return false;
	}
	*first = rl_log_first_after(v, now_us - v->period_us);
	return rl_log_can_append(v, *first, now_us);
}

RL_INLINE rl_usual_result rl_usual_log(rl_usual_share u, rl_step *s)
{
	int64_t now_us = u.now->mono_us;
	rl_usual_result result;
	uint32_t first;
	rl_log_view v;

	if (!rl_usual_log_read(u.limit, u.state, u.words, now_us, &v, &first)) {
		return RL_USUAL_LEFT;
	}
	*s = rl_log_step(&v, first, u.limit->limit, u.cost, now_us);
	result = rl_usual_outcome(u, s, rl_log_words_for((uint32_t) s->used, false));
	if (result == RL_USUAL_ADMITTED) {
		rl_log_append(&v, first, (uint32_t) u.cost, now_us, v.period_us, u.next);
	}
	return result;
}

/* The next limit state is a copy, in which the step counts. */
RL_INLINE rl_usual_result rl_usual_sliding_window(rl_usual_share u, rl_step *s)
{
	uint64_t limit = u.limit->limit;
	int64_t now_us = u.now->mono_us;
	rl_sliding r;

	if (u.words < RL_SLIDING_WORDS || !rl_sliding_read_usual(u.limit, u.state, now_us, &r)
		|| (r.sum + u.cost > UINT32_MAX && limit > UINT32_MAX)) {
		return RL_USUAL_LEFT;
	}
	if (RL_UNLIKELY(!rl_sliding_fits(&r, limit, u.cost))) {
		*s = rl_sliding_step(&r, limit, u.cost, now_us);
		return RL_USUAL_REFUSED;
	}
	if (RL_UNLIKELY(u.room < RL_SLIDING_WORDS)) {
		return RL_USUAL_NO_ROOM;
	}
	rl_sliding_copy(&r, u.state, u.next);
	*s = rl_sliding_step(&r, limit, u.cost, now_us);
	rl_sliding_write(&r, u.next);
	return RL_USUAL_ADMITTED;
}

/* algorithm: the limit's. */
RL_INLINE rl_usual_result rl_usual_step(rl_algorithm algorithm, rl_usual_share u, rl_step *s)
{
	switch (algorithm) {
		case RL_FIXED_WINDOW:
			return rl_usual_window(RL_FIXED_WINDOW, u, s);
		case RL_CALENDAR_WINDOW:
			return rl_usual_window(RL_CALENDAR_WINDOW, u, s);
		case RL_SLIDING_LOG:
			return rl_usual_log(u, s);
		case RL_SLIDING_WINDOW:
			return rl_usual_sliding_window(u, s);
		case RL_TOKEN_BUCKET:
			return rl_usual_token_bucket(u, s);
		default:
			return RL_USUAL_LEFT;
	}
}

/* Returns the share of the first limit, behind the heads of both states. */
RL_INLINE rl_usual_share rl_usual_first(const rl_now *now, uint64_t *state, size_t words, uint64_t *next, size_t room)
{
	return (rl_usual_share){
		.now = now,
		.state = state + RL_STATE_HEAD_WORDS,
		.words = words - RL_STATE_HEAD_WORDS,
		.next = next + RL_STATE_HEAD_WORDS,
		.room = room - RL_STATE_HEAD_WORDS,
	};
}

/* Decides a consume of one limit, in a state of it: what the pass over several keeps in memory stays in registers. */
RL_INLINE rl_usual_result rl_usual_alone(rl_algorithm algorithm, const rl_limit *limit, uint64_t cost,
	const rl_now *now, uint64_t *state, size_t words, uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	rl_usual_share u = rl_usual_first(now, state, words, next, room);
	rl_usual_result result = RL_USUAL_LEFT;
	rl_step s = {0};

	u.limit = limit;
	u.cost = cost;
	if (cost - 1 < limit->limit && u.words >= RL_LIMIT_STATE_HEAD_WORDS && u.state[RL_LIMIT_STATE_TAG] == 0) {
		result = rl_usual_step(algorithm, u, &s);
	}
	if (RL_LIKELY(result == RL_USUAL_ADMITTED)) {
		rl_state_begin(1, s.exhausted, s.used, now->mono_us + s.reset_us, next);
		*next_words = RL_STATE_HEAD_WORDS + rl_limit_state_words(u.next);
	} else if (result != RL_USUAL_REFUSED || limit->ban != RL_BAN_NONE) {
		return result == RL_USUAL_NO_ROOM ? result : RL_USUAL_LEFT;
	}
	rl_step_answer(&s, limit, d);
	return result;
}

#endif
