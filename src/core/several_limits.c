#include "several_limits.h"

#include "tagged_steps.h"

/* A decision, from limit to limit. */
typedef struct {
	const rl_now *now;
	uint64_t cost;
	const uint64_t *state; /* from the next limit's limit state on, with so many words */
	size_t words;
	uint64_t *next;
	size_t room;
	uint64_t exhausted, used; /* of the next state: its flag, and its count in place */
	int64_t expires_us;
	unsigned over; /* the algorithms of limit states that are over, a bit for each */
	bool lacks_room;
} several_pass;

/* Returns whether the next state has room for so many words more. */
static inline bool several_has_room(several_pass *p, size_t words)
{
	if (RL_UNLIKELY(p->room < words)) {
		p->lacks_room = true;
		return false;
	}
	return true;
}

/* Moves on to the next limit state. */
static inline void several_advance(several_pass *p, size_t words, size_t next_words)
{
	p->state += words;
	p->words -= words;
	p->next += next_words;
	p->room -= next_words;
}

/* Adds a limit's part of the state's own words. */
static inline void several_take(several_pass *p, uint64_t head, int64_t expires_us)
{
	uint64_t used = head >> RL_STATE_USED_AT;

	p->exhausted |= head & RL_STATE_EXHAUSTED;
	p->used = used > p->used ? used : p->used;
	p->expires_us = expires_us > p->expires_us ? expires_us : p->expires_us;
}

/* Decides a window or a bucket, whose limit state has so many words. */
RL_INLINE bool several_few_words(several_pass *p, rl_algorithm algorithm, const rl_limit *limit, size_t words,
	rl_decision *d)
{
	/* The functions of one limit read a limit state behind two words of the state. */
	const uint64_t *state = p->state - RL_SINGLE_HEAD;
	rl_single_state s;

	if (p->words < words || !several_has_room(p, words)) {
		return false;
	}
	if (!(algorithm == RL_FIXED_WINDOW            ? rl_single_fixed_window(limit, p->cost, p->now, state, &s, d)
				: algorithm == RL_CALENDAR_WINDOW ? rl_single_calendar_window(limit, p->cost, p->now, state, &s, d)
												  : rl_single_token_bucket(limit, p->cost, p->now, state, &s, d))) {
		return false;
	}
	memcpy(p->next, s.state + RL_SINGLE_HEAD, words * sizeof *p->next);
	several_take(p, s.state[0], (int64_t) s.state[1]);
	several_advance(p, words, words);
	return true;
}

static bool several_token_bucket(several_pass *p, const rl_limit *limit, rl_decision *d)
{
	enum { TAT = 3, WORDS };

	if (p->words >= WORDS && rl_moment(p->state[TAT]) <= p->now->mono_us) {
		p->over |= 1u << RL_TOKEN_BUCKET; /* perhaps; the bucket is full */
	}
	return several_few_words(p, RL_TOKEN_BUCKET, limit, WORDS, d);
}

static bool several_log(several_pass *p, const rl_limit *limit, rl_decision *d)
{
	rl_single_log_state next;

	if (p->words < RL_SINGLE_LOG_HEAD
		|| !rl_single_log(limit, p->cost, p->now, p->state,
			(const uint32_t *) (const void *) (p->state + RL_SINGLE_LOG_HEAD), p->words, &next, d)) {
		return false;
	}
	if (!d->accepted) {
		several_advance(p, rl_limit_state_words(p->state), 0);
		return true;
	}
	if (!several_has_room(p, next.words)) {
		return false;
	}
	rl_single_write_log(&next, p->next);
	several_take(p, next.outcome.head, next.outcome.expires_us);
	several_advance(p, rl_limit_state_words(p->state), next.words);
	return true;
}

static bool several_sliding_window(several_pass *p, const rl_limit *limit, rl_decision *d)
{
	rl_single_outcome outcome = {0};

	if (p->words < RL_SINGLE_SLIDING_WORDS || !several_has_room(p, RL_SINGLE_SLIDING_WORDS)) {
		return false;
	}
	memcpy(p->next, p->state, RL_SINGLE_SLIDING_WORDS * sizeof *p->next);
	if (!rl_single_sliding_window(limit, p->cost, p->now->mono_us, p->next, &outcome, d)) {
		return false;
	}
	several_take(p, outcome.head, outcome.expires_us);
	several_advance(p, RL_SINGLE_SLIDING_WORDS, RL_SINGLE_SLIDING_WORDS);
	return true;
}

/* Returns whether the limit state that follows is one of the limit's algorithm, and over. */
static bool several_is_over(const several_pass *p, const rl_limit *limit, const rl_algorithm_ops *ops)
{
	return p->words > 0 && rl_limit_state_algorithm(p->state) == limit->algorithm
		&& rl_limit_state_words(p->state) <= p->words
		&& (p->state[0] & (RL_LIMIT_STATE_WIDE | RL_LIMIT_STATE_TAGGED)) == 0
		&& rl_limit_state_words(p->state) >= ops->words_min && ops->expires_at(p->state, p->now) <= p->now->mono_us;
}

/* Begins the limit state of a limit again, whose last one is over. It is read back from a copy of its own: others may write
 * into the next state. */
static RL_COLD bool several_begin(several_pass *p, const rl_limit *limit, rl_decision *d)
{
	const rl_algorithm_ops *ops = rl_algorithm_of(limit->algorithm);
	uint64_t begun[RL_SEVERAL_WORDS_MAX];
	rl_limit_ctx c = {.limit = limit, .now = *p->now, .at_us = p->now->mono_us, .cost = p->cost};
	int64_t now_us = p->now->mono_us, expires_us, next_us;
	size_t words;
	uint64_t used;

	if (limit->algorithm == RL_CONCURRENT || !several_is_over(p, limit, ops) || ops->max_words(&c) > p->room
		|| (limit->algorithm == RL_CALENDAR_WINDOW
			&& (p->now->wall_us < limit->boundary[0] || p->now->wall_us >= limit->boundary[1]))) {
		return false;
	}
	words = ops->admit(&c, begun);
	expires_us = ops->expires_at(begun, p->now);
	if (expires_us <= now_us) {
		return false;
	}
	memcpy(p->next, begun, words * sizeof *begun);
	c.limit_state = begun;
	c.cost = 1;
	used = ops->used(&c);
	next_us = used < limit->limit ? now_us : ops->earliest(&c, now_us);
	rl_single_answer(d, limit, true, used, next_us - now_us, ops->full_at(&c) - now_us);
	p->over |= 1u << limit->algorithm;
	several_take(p, rl_single_head(limit, used), expires_us);
	several_advance(p, rl_limit_state_words(p->state), words);
	return true;
}

/* Returns whether a limit that matched no limit state may match that of another limit: both have an algorithm of which a limit
 * state is over. */
static RL_COLD bool several_is_ambiguous(const rl_limit *limits, unsigned n, unsigned over)
{
	unsigned i, found = 0;

	for (i = 0; i < n; i++) {
		unsigned bit = 1u << limits[i].algorithm & over;

		if ((found & bit) != 0) {
			return true;
		}
		found |= bit;
	}
	return false;
}

static inline bool several_running(several_pass *p, const rl_limit *limit, rl_decision *d)
{
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			return several_few_words(p, RL_FIXED_WINDOW, limit, 3, d);
		case RL_CALENDAR_WINDOW:
			return several_few_words(p, RL_CALENDAR_WINDOW, limit, 4, d);
		case RL_SLIDING_LOG:
			return several_log(p, limit, d);
		case RL_SLIDING_WINDOW:
			return several_sliding_window(p, limit, d);
		case RL_TOKEN_BUCKET:
			return several_token_bucket(p, limit, d);
		default:
			return false;
	}
}

/* Returns whether a limit's decision decides in the place of that of the limits before it: a refusal that lasts longer; with no
 * refusal, fewer permits that remain. */
static inline bool several_is_tighter(const rl_decision *limit, const rl_decision *before)
{
	if (limit->accepted != before->accepted) {
		return !limit->accepted;
	}
	return limit->accepted ? limit->remaining < before->remaining : limit->retry_after_us > before->retry_after_us;
}

/* Begins a limit of a part with tags: its limit state is one without a tag then. Leaves a limit that is skipped. */
static inline bool several_begin_tagged(several_pass *p, const rl_tagged_call *call, unsigned i, rl_tagged_rest *rest)
{
	if (call->costs != NULL) {
		p->cost = call->costs[i];
	}
	/* The state is the caller's copy, which it lets us change. */
	return p->cost > 0 && rl_tagged_strip(&call->limits[i], p->now, (uint64_t *) p->state, p->words, rest);
}

/* Ends it: gives the limit state that was written its tag. */
static inline bool several_end_tagged(several_pass *p, const rl_tagged_call *call, unsigned i,
	const rl_tagged_rest *rest, uint64_t *written, bool accepted)
{
	size_t added = 0;

	if (accepted) {
		added = rl_tagged_complete(&call->limits[i], p->now, rest, written, (size_t) (p->next - written), p->room,
			&call->held[i]);
		if (RL_UNLIKELY(added == 0)) {
			p->lacks_room = true;
			return false;
		}
		call->held[i].cost = p->cost;
	}
	p->state += rest->words;
	p->words -= rest->words;
	p->next += added;
	p->room -= added;
	return true;
}

/* Decides all limits in turn. A limit that admits the call now does so later, too, if no other call comes: so all admit it when
 * the last one does. */
RL_INLINE bool several_each(several_pass *p, const rl_limit *limits, unsigned n, const rl_tagged_call *tagged,
	rl_decision *d)
{
	int64_t retry_us = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		rl_decision other, *one = i == 0 ? d : &other;
		rl_tagged_rest rest;
		uint64_t *written = p->next;

		if (tagged != NULL && !several_begin_tagged(p, tagged, i, &rest)) {
			return false;
		}
		if (RL_UNLIKELY(p->cost > limits[i].limit
				|| !(several_running(p, &limits[i], one) || (tagged == NULL && several_begin(p, &limits[i], one)))
				|| (!one->accepted && limits[i].ban != RL_BAN_NONE))) {
			return false;
		}
		if (tagged != NULL && !several_end_tagged(p, tagged, i, &rest, written, one->accepted)) {
			return false;
		}
		retry_us = one->retry_after_us > retry_us ? one->retry_after_us : retry_us;
		if (i > 0 && several_is_tighter(one, d)) {
			*d = *one;
			d->limit_index = (uint8_t) i;
		}
	}
	if (RL_UNLIKELY(p->over != 0) && several_is_ambiguous(limits, n, p->over)) {
		return false;
	}
	if (d->accepted) {
		d->retry_after_us = d->remaining == 0 ? retry_us : 0;
	}
	return true;
}

RL_INLINE bool several_decide(const rl_limit *limits, unsigned n, uint64_t cost, const rl_tagged_call *tagged,
	const rl_now *now, const uint64_t *state, size_t words, uint64_t *next, size_t room, size_t *next_words,
	rl_decision *d)
{
	several_pass p = {
		.now = now,
		.cost = cost,
		.state = state + RL_STATE_HEAD_WORDS,
		.words = words - RL_STATE_HEAD_WORDS,
		.next = next + RL_STATE_HEAD_WORDS,
		.room = room - RL_STATE_HEAD_WORDS,
		.expires_us = INT64_MIN,
	};

	*next_words = SIZE_MAX;
	if (words < RL_STATE_HEAD_WORDS || room < RL_STATE_HEAD_WORDS
		|| (state[0] & (RL_STATE_LIMITS_MASK | RL_STATE_BAN | RL_STATE_LEVEL)) != n) {
		return false;
	}
	if (RL_UNLIKELY(!several_each(&p, limits, n, tagged, d))) {
		*next_words = p.lacks_room ? 0 : SIZE_MAX;
		return false;
	}
	next[0] = n | p.exhausted | p.used << RL_STATE_USED_AT;
	next[1] = (uint64_t) p.expires_us;
	*next_words = (size_t) (p.next - next);
	return true;
}

bool rl_several_decide(const rl_limit *limits, unsigned n, uint64_t cost, const rl_now *now, const uint64_t *state,
	size_t words, uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	return several_decide(limits, n, cost, NULL, now, state, words, next, room, next_words, d);
}

bool rl_tagged_decide(const rl_tagged_call *call, const rl_now *now, uint64_t *state, size_t words, uint64_t *next,
	size_t room, size_t *next_words, rl_decision *d)
{
	return several_decide(call->limits, call->n, call->cost, call, now, state, words, next, room, next_words, d);
}
