/* Limit states without their tags and marks are those of a consume, which several_limits.c decides. */
#include "tagged_limits.h"

#include <string.h>

/* token_bucket.c has the words and the rules of marks. */
enum { WINDOW_END = 2, BUCKET_TAT = 3, BUCKET_WORDS, MARKS_WORDS_MAX = 2 * 8 };

/* Reads the marks of a bucket, which is not full: a full one begins again, with another tag. */
static bool tagged_read_marks(const rl_now *now, const uint64_t *limit_state, size_t own, rl_tagged_rest *rest)
{
	int64_t tat_us = rl_moment(limit_state[BUCKET_TAT]);

	if (own <= BUCKET_WORDS || (own - BUCKET_WORDS) % 2 == 0 || own - BUCKET_WORDS - 1 > MARKS_WORDS_MAX
		|| tat_us <= now->mono_us) {
		return false;
	}
	rest->n_takes = limit_state[BUCKET_WORDS];
	rest->marks = limit_state + BUCKET_WORDS + 1;
	rest->mark_words = own - BUCKET_WORDS - 1;
	rest->backlog_us = (uint64_t) (tat_us - now->mono_us);
	return true;
}

bool rl_tagged_strip(const rl_limit *limit, const rl_now *now, uint64_t *limit_state, size_t left, rl_tagged_rest *rest)
{
	size_t words, own;

	if (left == 0) {
		return false;
	}
	words = rl_limit_state_words(limit_state);
	if ((limit_state[0] & (RL_LIMIT_STATE_TAGGED | RL_LIMIT_STATE_WIDE)) != RL_LIMIT_STATE_TAGGED || words > left
		|| words < BUCKET_WORDS) {
		return false;
	}
	own = words - 1;
	rest->tag = limit_state[own] & RL_TAG_MASK;
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		if (!tagged_read_marks(now, limit_state, own, rest)) {
			return false;
		}
		own = BUCKET_WORDS;
	} else if (limit->algorithm == RL_FIXED_WINDOW
		&& rl_moment(limit_state[WINDOW_END]) - limit->period_us > now->mono_us) {
		return false; /* the window of a clock that was set back: it has not begun */
	}
	rest->words = words - own;
	limit_state[0] = (limit_state[0] & ~RL_LIMIT_STATE_TAGGED) - ((uint64_t) rest->words << 16);
	return rest->tag != 0;
}

/* Writes the marks after one more take. Returns their words, with the number of the take. */
static size_t tagged_mark(const rl_tagged_rest *rest, uint64_t *out)
{
	uint64_t take = rest->n_takes + 1;
	size_t n = rest->mark_words;

	while (n > 0 && rest->marks[n - 1] >= rest->backlog_us) {
		n -= 2;
	}
	out[0] = take;
	memcpy(out + 1, rest->marks, n * sizeof *out);
	if (n == MARKS_WORDS_MAX) {
		out[n - 1] = take;
		return n + 1;
	}
	out[n + 1] = take;
	out[n + 2] = rest->backlog_us;
	return n + 3;
}

/* Returns the permit's place in a limit state. */
static int64_t tagged_place(const rl_limit *limit, const rl_now *now, const rl_tagged_rest *rest,
	const uint64_t *limit_state)
{
	enum { ORIGIN = 2, SUB_WINDOWS = 30 };
	int64_t width_us;

	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
		case RL_CALENDAR_WINDOW:
			return rl_moment(limit_state[WINDOW_END]);
		case RL_SLIDING_WINDOW:
			width_us = (limit->period_us + SUB_WINDOWS - 1) / SUB_WINDOWS;
			return now->mono_us - (now->mono_us - rl_moment(limit_state[ORIGIN])) % width_us;
		case RL_TOKEN_BUCKET:
			return (int64_t) (rest->n_takes + 1);
		default:
			return now->mono_us;
	}
}

size_t rl_tagged_complete(const rl_limit *limit, const rl_now *now, const rl_tagged_rest *rest, uint64_t *limit_state,
	size_t own, size_t room, rl_held *held)
{
	size_t added = 0;

	/* A take adds a mark, of two words, at most. */
	if (room < rest->words + 2) {
		return 0;
	}
	*held = (rl_held){.tag = rest->tag, .place = tagged_place(limit, now, rest, limit_state)};
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		added = tagged_mark(rest, limit_state + own);
	}
	limit_state[own + added++] = rest->tag;
	limit_state[0] += ((uint64_t) added << 16) | RL_LIMIT_STATE_TAGGED;
	return added;
}
