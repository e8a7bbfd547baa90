/* The limit states without their tags and marks are those of a consume, which several_limits.h decides. An admission puts the
 * tags back, and the marks with one more take. */
#include "tagged_limits.h"

#include <string.h>

/* token_bucket.c has the words and the rules of marks. */
enum { WINDOW_END = 2, BUCKET_TAT = 3, BUCKET_WORDS, MARKS_WORDS_MAX = 2 * 8 };

/* What a limit state has behind the algorithm's words. */
typedef struct {
	uint64_t tag;
	const uint64_t *marks; /* of a bucket: the number of the last take, then so many words of marks; else NULL */
	size_t marks_words;
} tagged_rest;

/* Copies the limit state of limit without its tag and its marks. Returns its words; 0: the general way decides. */
static inline size_t tagged_strip(const rl_limit *limit, const rl_now *now, const uint64_t *limit_state, size_t left,
	uint64_t *out, tagged_rest *rest)
{
	size_t own;

	if (left == 0 || !rl_limit_state_is_tagged(limit_state) || rl_limit_state_words(limit_state) > left
		|| rl_limit_state_words(limit_state) < BUCKET_WORDS || rl_limit_state_is_wide(limit_state)) {
		return 0;
	}
	own = rl_limit_state_own_words(limit_state);
	rest->tag = rl_limit_state_tag(limit_state);
	rest->marks = NULL;
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		/* A bucket that is full begins again, with another tag. */
		if (own <= BUCKET_WORDS || (own - BUCKET_WORDS) % 2 == 0 || own - BUCKET_WORDS - 1 > MARKS_WORDS_MAX
			|| rl_moment(limit_state[BUCKET_TAT]) <= now->mono_us) {
			return 0;
		}
		rest->marks = limit_state + BUCKET_WORDS;
		rest->marks_words = own - BUCKET_WORDS - 1;
		own = BUCKET_WORDS;
	}
	/* The window of a clock that was set back has not begun. */
	if (limit->algorithm == RL_FIXED_WINDOW && rl_moment(limit_state[WINDOW_END]) - limit->period_us > now->mono_us) {
		return 0;
	}
	memcpy(out, limit_state, own * sizeof *out);
	out[0] = (limit_state[0] & ~(RL_LIMIT_STATE_TAGGED | UINT64_C(0xffff) << 16)) | (uint64_t) own << 16;
	return rest->tag != 0 ? own : 0;
}

/* Writes the marks after a take that found this backlog. Returns their words, with the number of the take. */
static inline size_t tagged_mark(const tagged_rest *rest, uint64_t backlog_us, uint64_t *out)
{
	const uint64_t *marks = rest->marks + 1;
	uint64_t take = rest->marks[0] + 1;
	size_t n = rest->marks_words;

	while (n > 0 && marks[n - 1] >= backlog_us) {
		n -= 2;
	}
	out[0] = take;
	memcpy(out + 1, marks, n * sizeof *out);
	if (n == MARKS_WORDS_MAX) {
		out[n - 1] = take;
		return n + 1;
	}
	out[n + 1] = take;
	out[n + 2] = backlog_us;
	return n + 3;
}

/* Returns the permit's place in a limit state that was written without its tag. */
static inline int64_t tagged_place(const rl_limit *limit, const rl_now *now, const uint64_t *limit_state,
	const tagged_rest *rest)
{
	enum { END = 2, ORIGIN = 2, SUB_WINDOWS = 30 };
	int64_t origin_us, width_us;

	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
		case RL_CALENDAR_WINDOW:
			return rl_moment(limit_state[END]);
		case RL_SLIDING_WINDOW:
			origin_us = rl_moment(limit_state[ORIGIN]);
			width_us = (limit->period_us + SUB_WINDOWS - 1) / SUB_WINDOWS;
			return now->mono_us - (now->mono_us - origin_us) % width_us;
		case RL_TOKEN_BUCKET:
			return (int64_t) (rest->marks[0] + 1);
		default:
			return now->mono_us;
	}
}

/* Writes a limit state with its tag and its marks. before: the one that was read, without them. Returns its words; 0: there is no
 * room. */
static inline size_t tagged_write(const rl_now *now, const uint64_t *before, const uint64_t *limit_state,
	const tagged_rest *rest, uint64_t *out, size_t room)
{
	size_t own = rl_limit_state_words(limit_state), words = own;

	if (own + 1 + (rest->marks != NULL ? rest->marks_words + 3 : 0) > room) {
		return 0;
	}
	memcpy(out, limit_state, own * sizeof *out);
	if (rest->marks != NULL) {
		words += tagged_mark(rest, (uint64_t) (rl_moment(before[BUCKET_TAT]) - now->mono_us), out + own);
	}
	out[words++] = rest->tag;
	out[0] += ((uint64_t) (words - own) << 16) | RL_LIMIT_STATE_TAGGED;
	return words;
}

bool rl_tagged_decide(const rl_tagged_call *call, const rl_now *now, const uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	uint64_t plain[RL_SEVERAL_WORDS_MAX], made[RL_SEVERAL_WORDS_MAX];
	tagged_rest rest[RL_LIMITS_MAX];
	size_t at = RL_STATE_HEAD_WORDS, from = RL_STATE_HEAD_WORDS, to = RL_STATE_HEAD_WORDS, made_words;
	unsigned i;

	if (words < RL_STATE_HEAD_WORDS || (state[0] & RL_STATE_LIMITS_MASK) != call->n) {
		return false;
	}
	plain[0] = state[0];
	plain[1] = state[1];
	for (i = 0; i < call->n; i++) {
		size_t own = tagged_strip(&call->limits[i], now, state + from, words - from, plain + to, &rest[i]);

		if (own == 0) {
			return false;
		}
		from += rl_limit_state_words(state + from);
		to += own;
	}
	if (!rl_several_decide_running(call->limits, call->n, call->cost, call->costs, now, plain, to, made,
			RL_SEVERAL_WORDS_MAX, &made_words, d)) {
		return false;
	}
	if (!d->accepted) {
		return true;
	}
	next[0] = made[0];
	next[1] = made[1];
	from = to = RL_STATE_HEAD_WORDS;
	for (i = 0; i < call->n; i++) {
		size_t with_tag = tagged_write(now, plain + from, made + at, &rest[i], next + to, room - to);

		if (with_tag == 0) {
			return false;
		}
		call->held[i] = (rl_held){.tag = rest[i].tag,
			.place = tagged_place(&call->limits[i], now, made + at, &rest[i]),
			.cost = call->costs != NULL ? call->costs[i] : call->cost};
		from += rl_limit_state_words(plain + from);
		at += rl_limit_state_words(made + at);
		to += with_tag;
	}
	*next_words = to;
	return true;
}
