/* The steps that a part with tags has beside those of several limits, of each limit in turn. Limit states without their tags and
 * marks are those of a consume, which several_limits.c decides. Private to several_limits.c. */
#ifndef RL_CORE_TAGGED_STEPS_H
#define RL_CORE_TAGGED_STEPS_H

#include <string.h>

#include "tagged_limits.h"

/* token_bucket.c has the words and the rules of marks. */
enum { TAGGED_WINDOW_END = 2, TAGGED_BUCKET_TAT = 3, TAGGED_BUCKET_WORDS, TAGGED_MARKS_WORDS_MAX = 2 * 8 };

/* The words of a limit state behind those of its algorithm. */
typedef struct {
	uint64_t tag;
	size_t words;      /* the tag's and those of the marks */
	uint64_t n_takes;  /* of a bucket: the number of its last take */
	size_t mark_words; /* of a bucket */
	const uint64_t *marks;
	uint64_t backlog_us; /* of a bucket: what this take finds */
} rl_tagged_rest;

/* Reads the marks of a bucket, which is not full: a full one begins again, with another tag. */
RL_INLINE bool rl_tagged_read_marks(const rl_now *now, const uint64_t *limit_state, size_t own, rl_tagged_rest *rest)
{
	int64_t tat_us = rl_moment(limit_state[TAGGED_BUCKET_TAT]);

	if (own <= TAGGED_BUCKET_WORDS || (own - TAGGED_BUCKET_WORDS) % 2 == 0
		|| own - TAGGED_BUCKET_WORDS - 1 > TAGGED_MARKS_WORDS_MAX || tat_us <= now->mono_us) {
		return false;
	}
	rest->n_takes = limit_state[TAGGED_BUCKET_WORDS];
	rest->marks = limit_state + TAGGED_BUCKET_WORDS + 1;
	rest->mark_words = own - TAGGED_BUCKET_WORDS - 1;
	rest->backlog_us = (uint64_t) (tat_us - now->mono_us);
	return true;
}

/* Makes a limit state one without a tag and without marks: an algorithm's words alone. Returns false if the general way decides. */
RL_INLINE bool rl_tagged_strip(const rl_limit *limit, const rl_now *now, uint64_t *limit_state, size_t left,
	rl_tagged_rest *rest)
{
	size_t words, own;

	if (left == 0) {
		return false;
	}
	words = rl_limit_state_words(limit_state);
	if ((limit_state[0] & (RL_LIMIT_STATE_TAGGED | RL_LIMIT_STATE_WIDE)) != RL_LIMIT_STATE_TAGGED || words > left
		|| words < TAGGED_BUCKET_WORDS) {
		return false;
	}
	own = words - 1;
	*rest = (rl_tagged_rest){.tag = limit_state[own] & RL_TAG_MASK};
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		if (!rl_tagged_read_marks(now, limit_state, own, rest)) {
			return false;
		}
		own = TAGGED_BUCKET_WORDS;
	} else if (limit->algorithm == RL_FIXED_WINDOW
		&& rl_moment(limit_state[TAGGED_WINDOW_END]) - limit->period_us > now->mono_us) {
		return false; /* the window of a clock that was set back: it has not begun */
	}
	rest->words = words - own;
	limit_state[0] = (limit_state[0] & ~RL_LIMIT_STATE_TAGGED) - ((uint64_t) rest->words << 16);
	return rest->tag != 0;
}

/* Writes the marks after one more take. Returns their words, with the number of the take. */
RL_INLINE size_t rl_tagged_mark(const rl_tagged_rest *rest, uint64_t *out)
{
	uint64_t take = rest->n_takes + 1;
	size_t n = rest->mark_words, i;

	while (n > 0 && rest->marks[n - 1] >= rest->backlog_us) {
		n -= 2;
	}
	out[0] = take;
	for (i = 0; i < n; i += 2) {
		memcpy(&out[1 + i], &rest->marks[i], 2 * sizeof *out);
	}
	if (n == TAGGED_MARKS_WORDS_MAX) {
		out[n - 1] = take;
		return n + 1;
	}
	out[n + 1] = take;
	out[n + 2] = rest->backlog_us;
	return n + 3;
}

/* Returns the permit's place in a limit state. */
RL_INLINE int64_t rl_tagged_place(const rl_limit *limit, const rl_now *now, const rl_tagged_rest *rest,
	const uint64_t *limit_state)
{
	enum { ORIGIN = 2, SUB_WINDOWS = 30 };
	int64_t width_us;

	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
		case RL_CALENDAR_WINDOW:
			return rl_moment(limit_state[TAGGED_WINDOW_END]);
		case RL_SLIDING_WINDOW:
			width_us = (limit->period_us + SUB_WINDOWS - 1) / SUB_WINDOWS;
			return now->mono_us - (now->mono_us - rl_moment(limit_state[ORIGIN])) % width_us;
		case RL_TOKEN_BUCKET:
			return (int64_t) (rest->n_takes + 1);
		default:
			return now->mono_us;
	}
}

/* Adds the marks and the tag to a limit state that an admission wrote, with own words. Sets the permit's part but its cost. Returns
 * the words that were added; 0: there is no room. */
RL_INLINE size_t rl_tagged_complete(const rl_limit *limit, const rl_now *now, const rl_tagged_rest *rest,
	uint64_t *limit_state, size_t own, size_t room, rl_held *held)
{
	size_t added = 0;

	/* A take adds a mark, of two words, at most. */
	if (RL_UNLIKELY(room < rest->words + (limit->algorithm == RL_TOKEN_BUCKET ? 2 : 0))) {
		return 0;
	}
	held->tag = rest->tag;
	held->place = rl_tagged_place(limit, now, rest, limit_state);
	held->moved_us = 0;
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		added = rl_tagged_mark(rest, limit_state + own);
	}
	limit_state[own + added++] = rest->tag;
	limit_state[0] += ((uint64_t) added << 16) | RL_LIMIT_STATE_TAGGED;
	return added;
}

#endif
