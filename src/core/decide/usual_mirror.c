#include "usual_step.h"

/* The limit state of one limit, a copy without its mark, in which an answer of another store is put. was: as it is. */
typedef struct {
	const rl_limit *limit;
	const rl_now *now;
	const uint64_t *was;
	uint64_t *next;
	size_t words, room;
	const rl_told *answer;
	const rl_told_limit *told;
} told_share;

/* The limit state after it. */
typedef struct {
	bool changed;
	uint64_t used;
	int64_t reset_us; /* until it is over */
} told_step;

/* Each does for its algorithm what rl_algorithm_ops.mirror() does, or an admission of what is missing. Returns false if that is to decide:
 * the limit state is no usual one, or the next one has no room. */

RL_INLINE bool told_window(rl_algorithm algorithm, told_share u, told_step *s)
{
	bool fixed = algorithm == RL_FIXED_WINDOW;
	int64_t now_us = fixed ? u.now->mono_us : u.now->wall_us;
	rl_window w, next;

	if (u.words < RL_WINDOW_WORDS || !rl_window_read(algorithm, u.limit, u.next, u.now, &w)) {
		return false;
	}
	next = w;
	if (fixed ? rl_window_mirror(&next, rl_window_told(u.told, now_us), u.limit->period_us, u.answer,
			rl_told_lowers(u.limit, u.answer, u.told))
			  : rl_calendar_window_mirror(&next, u.limit, now_us, u.answer, u.told)) {
		s->changed = next.end_us != w.end_us || next.count != w.count;
		w = next;
		rl_window_put(w, u.next);
	}
	s->used = w.count;
	s->reset_us = w.end_us - now_us;
	return true;
}

RL_INLINE bool told_bucket(told_share u, told_step *s)
{
	int64_t now_us = u.now->mono_us;
	rl_units backlog;

	if (u.words < RL_BUCKET_WORDS || !rl_bucket_read(u.limit, u.next, now_us, &backlog) || backlog == 0) {
		return false;
	}
	if (rl_bucket_mirrors(rl_moment(u.next[RL_BUCKET_TAT]), now_us, u.answer, u.told)) {
		rl_bucket_put((uint64_t) (now_us + u.told->full_us), 0, u.next);
		backlog = (rl_units) (uint64_t) u.told->full_us * u.limit->rate;
		s->changed = true;
	}
	s->used = rl_bucket_step(rl_bucket_units_of(u.limit), &backlog, u.limit->limit, 0).used;
	s->reset_us = rl_moment(u.next[RL_BUCKET_TAT]) + (u.next[RL_BUCKET_FRAC] > 0) - now_us;
	return true;
}

/* Returns how many permits are missing of those that an answer tells of. Sets *lowers if it tells of less. */
RL_INLINE uint64_t told_missing(told_share u, uint64_t used, bool *lowers)
{
	*lowers = used > u.told->used && rl_told_lowers(u.limit, u.answer, u.told);
	return used < u.told->used ? u.told->used - used : 0;
}

RL_INLINE bool told_log(told_share u, told_step *s)
{
	int64_t now_us = u.now->mono_us;
	uint64_t missing;
	uint32_t first;
	rl_log_view v;
	rl_step step;
	bool lowers;

	if (!rl_usual_log_read(u.limit, u.next, u.words, now_us, &v, &first)) {
		return false;
	}
	missing = told_missing(u, v.n - first, &lowers);
	if (lowers || rl_log_words_for(v.n - first + (uint32_t) missing, false) > u.room) {
		return false;
	}
	step = rl_log_step(&v, first, u.limit->limit, missing, now_us);
	if (missing > 0) {
		v.moments = u.was + RL_LOG_MOMENTS;
		rl_log_append(&v, first, (uint32_t) missing, now_us, v.period_us, u.next);
		s->changed = true;
	}
	s->used = step.used;
	s->reset_us = step.reset_us;
	return true;
}

RL_INLINE bool told_sliding_window(told_share u, told_step *s)
{
	int64_t now_us = u.now->mono_us;
	uint64_t missing;
	rl_sliding r;
	bool lowers;

	if (u.words < RL_SLIDING_WORDS || !rl_sliding_read_usual(u.limit, u.next, now_us, &r)) {
		return false;
	}
	missing = told_missing(u, r.sum, &lowers);
	if (lowers || r.sum + missing > UINT32_MAX) {
		return false;
	}
	if (missing > 0) {
		rl_sliding_step(&r, u.limit->limit, missing, now_us);
		rl_sliding_write(&r, u.next);
		s->changed = true;
	} else {
		memcpy(u.next, u.was, RL_SLIDING_WORDS * sizeof *u.next); /* also what has stopped counting */
	}
	s->used = r.sum;
	s->reset_us = rl_sliding_ends_at(&r) - now_us;
	return true;
}

RL_INLINE bool told_limit(told_share u, told_step *s)
{
	switch (u.limit->algorithm) {
		case RL_FIXED_WINDOW:
			return told_window(RL_FIXED_WINDOW, u, s);
		case RL_CALENDAR_WINDOW:
			return told_window(RL_CALENDAR_WINDOW, u, s);
		case RL_SLIDING_LOG:
			return told_log(u, s);
		case RL_SLIDING_WINDOW:
			return told_sliding_window(u, s);
		case RL_TOKEN_BUCKET:
			return told_bucket(u, s);
		default:
			return false;
	}
}

/* Copies the limit state at state, of at most so many words, without this mark. Returns its words; 0: it is longer, has another mark, or a
 * tag. */
RL_INLINE size_t told_copy(const uint64_t *state, size_t left, uint64_t mark, uint64_t *next)
{
	size_t words = left >= RL_LIMIT_STATE_HEAD_WORDS ? rl_limit_state_words(state) : 0, i;

	if (words < RL_LIMIT_STATE_HEAD_WORDS || words > left || (state[0] & RL_LIMIT_STATE_MARK) != mark
		|| state[RL_LIMIT_STATE_TAG] != 0) {
		return 0;
	}
	next[0] = state[0] ^ mark;
	for (i = 1; i < words; i++) {
		next[i] = state[i];
	}
	return words;
}

bool rl_usual_mirror(const rl_question *q, const rl_told *answer, const rl_now *now, const uint64_t *state,
	size_t words, uint64_t *out, size_t room, size_t *out_words, rl_outcome *outcome)
{
	told_share u = {.now = now, .next = out + RL_STATE_HEAD_WORDS, .answer = answer};
	size_t at = RL_STATE_HEAD_WORDS;
	bool changed = false, exhausted = false;
	uint64_t used = 0;
	int64_t reset_us = 0;
	unsigned i;

	if (!rl_usual_has(state, words, q->n_limits)) {
		return false;
	}
	for (i = 0; i < q->n_limits; i++) {
		uint64_t mark = rl_usual_mark(q->n_limits, &q->limits[i]);
		told_step s = {.changed = false};

		u.limit = &q->limits[i];
		u.told = &answer->limits[i];
		u.was = state + at;
		u.room = room - (size_t) (u.next - out);
		u.words = told_copy(u.was, words - at < u.room ? words - at : u.room, mark, u.next);
		if (u.words == 0 || !rl_told_is_usual(answer, i) || !told_limit(u, &s)) {
			return false;
		}
		changed = changed || s.changed;
		used = s.used > used ? s.used : used;
		exhausted = exhausted || s.used >= u.limit->limit;
		reset_us = s.reset_us > reset_us ? s.reset_us : reset_us;
		at += u.words;
		u.next[0] |= mark;
		u.next += rl_limit_state_words(u.next);
	}
	rl_state_begin(q->n_limits, exhausted, used, now->mono_us + reset_us, out);
	*out_words = (size_t) (u.next - out);
	*outcome = changed ? RL_WRITE_STATE : RL_WRITE_NOTHING;
	return true;
}
