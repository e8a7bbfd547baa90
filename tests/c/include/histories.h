/* Random histories of a limiter's calls: limits, clocks, deploys, costs, and the state that the calls leave. The tests of the usual
 * decisions (core/decide/usual.h) play them. */
#ifndef RL_TEST_HISTORIES_H
#define RL_TEST_HISTORIES_H

#include "check.h"
#include "harness.h"
#include "random.h"

#include "src/core/algorithm/sliding_ring.h"
#include "src/core/decide/limiter_steps.h"
#include "src/core/decide/usual.h"
#include "src/core/limit/limit_mark.h"

#define S         RL_US_PER_SECOND
#define HISTORIES 40000
#define STEPS     40
#define WORDS_MAX 24000
#define ROOM_MIN  6 /* of a record */

static uint64_t state[WORDS_MAX], next[WORDS_MAX], made[WORDS_MAX];
static size_t words;

static inline int64_t some_period(void)
{
	static const int64_t periods[] = {RL_PERIOD_MIN_US, 7777, S / 3, S, 60 * S, 3600 * S, RL_PERIOD_MAX_US};

	return one_in(4) ? between(RL_PERIOD_MIN_US, 100 * S) : periods[test_random(&seed) % 7];
}

static inline uint64_t some_limit(rl_algorithm algorithm)
{
	if (algorithm == RL_SLIDING_LOG) {
		return (uint64_t) between(1, one_in(3) ? 300 : 12);
	}
	return (uint64_t) (one_in(10) ? between(1, RL_LIMIT_MAX) : between(1, one_in(2) ? 5 : 1000));
}

/* Gives the limit another number. A bucket fills in ten years at most, as PHP demands. */
static inline void set_number(rl_limit *limit, uint64_t number)
{
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		unsigned __int128 most = (unsigned __int128) RL_PERIOD_MAX_US * limit->rate
			/ (unsigned __int128) limit->period_us;

		number = number > most ? (uint64_t) most : number;
	}
	limit->limit = number;
}

static inline rl_limit random_limit(void)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET, RL_SLIDING_LOG,
		RL_SLIDING_WINDOW};
	rl_limit limit = {.algorithm = algorithms[test_random(&seed) % 5]};

	if (limit.algorithm == RL_CALENDAR_WINDOW) {
		limit.period = one_in(2) ? RL_MINUTE : RL_HOUR;
	} else {
		limit.period_us = some_period();
	}
	if (limit.algorithm == RL_TOKEN_BUCKET) {
		limit.rate = one_in(10) ? (uint64_t) between(1, RL_LIMIT_MAX) : (uint64_t) between(1, 1000);
		if (one_in(6)) { /* products of more than 64 bits */
			limit.rate = (uint64_t) between(RL_LIMIT_MAX / 1000, RL_LIMIT_MAX);
			set_number(&limit, (uint64_t) between((int64_t) limit.rate / 10, RL_LIMIT_MAX));
			return limit;
		}
	}
	set_number(&limit, some_limit(limit.algorithm));
	return limit;
}

static inline void advance(const rl_limit *limit, rl_now *now)
{
	int64_t length = limit->algorithm == RL_CALENDAR_WINDOW ? calendar_length(limit) : limit->period_us;
	int64_t us = one_in(3) ? between(0, length / 40)
		: one_in(3)        ? between(0, length / 3)
		: one_in(5)        ? between(0, 2 * length)
						   : 0;

	now->mono_us += us;
	now->wall_us += us;
	if (one_in(60)) {
		now->mono_us -= between(0, length / 10); /* a segment that another machine has set back */
	}
	if (one_in(60)) {
		now->wall_us += between(-2 * length, 2 * length);
	}
}

/* Decides the usual way alone, with so much room. It may change its copy of the state. */
static inline rl_usual_result decide_usual(const rl_usual_call *call, const rl_now *now, size_t room, rl_decision *d,
	size_t *made_words)
{
	uint64_t copy[WORDS_MAX];

	if (words == 0) {
		return rl_usual_begin(call, now, made, room, made_words, d);
	}
	memcpy(copy, state, words * sizeof *copy);
	return rl_usual_decide(call, now, copy, words, made, room, made_words, d);
}

/* Checks the number of a sliding window that was written: it is that of the counters, which are small and have no notes. */
static inline void check_number(const uint64_t *limit_state)
{
	const uint32_t *counts = (const uint32_t *) (const void *) (limit_state + RL_SLIDING_LOW);
	size_t own = rl_limit_state_own_words(limit_state);
	uint32_t number = 0;
	uint64_t sum = 0;
	unsigned i;

	if (rl_limit_state_words(limit_state) == RL_SLIDING_WORDS) {
		for (i = 0; i < RL_SLIDING_RING; i++) {
			sum += counts[i];
			number = counts[i] != 0 ? i : number;
		}
		number = sum != 0 && sum < UINT64_C(1) << 27 ? (uint32_t) sum << 5 | number : 0;
	}
	check(rl_limit_state_number(limit_state) == number, "a sliding window of %zu words has the number %x, not %x", own,
		rl_limit_state_number(limit_state), number);
}

/* Checks it in a state of sliding windows alone. */
static inline void check_numbers(const uint64_t *of, size_t n)
{
	size_t at = RL_STATE_HEAD_WORDS;
	uint64_t limits = of[0] & RL_STATE_LIMITS_MASK;

	for (; limits > 0 && n > at; limits--, at += rl_limit_state_words(of + at)) {
		if (rl_limit_state_algorithm(of + at) == RL_SLIDING_WINDOW) {
			check_number(of + at);
		}
	}
}

/* Makes what was written the state. */
static inline void keep_state(rl_outcome outcome, size_t n)
{
	if (outcome == RL_WRITE_STATE) {
		check_numbers(next, n);
		memcpy(state, next, n * sizeof *next);
		/* A record has more room than its state, with old words behind it. */
		words = n < ROOM_MIN ? ROOM_MIN : n + (one_in(2) ? 2 : 0);
	} else if (outcome == RL_WRITE_DELETE) {
		words = 0;
	}
}

/* Decides the general way, and keeps the state. */
static inline void decide_and_keep(const rl_question *q, const rl_now *now)
{
	rl_answer a;
	size_t n = 0;
	rl_outcome outcome = rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);

	keep_state(outcome, n);
}

/* What no call of consume() does: permits, bans by hand, gifts. It leaves states that the usual way must not take. */
static inline void interfere(rl_question *q, const rl_now *now)
{
	static const rl_op ops[] = {RL_OP_CREDIT, RL_OP_BAN, RL_OP_ACQUIRE, RL_OP_UNBAN};
	rl_held held[RL_LIMITS_MAX];

	q->op = ops[test_random(&seed) % 4];
	q->ban = RL_BAN_FOR;
	q->ban_us = between(1, 10 * S);
	q->held = held;
	q->tag = 77;
	q->max_wait_us = one_in(2) ? 0 : 100 * S;
	decide_and_keep(q, now);
}

/* Sets the clocks, and empties the state. Returns one in how many questions goes around the usual way. */
static inline unsigned begin_history(rl_now *now)
{
	*now = random_now();
	words = 0;
	return one_in(3) ? 10 : 10000;
}

/* Sets the boundaries of all limits, and a cost that mostly fits. */
static inline void ask_several(rl_question *q, const rl_now *now)
{
	uint64_t most = RL_LIMIT_MAX;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		rl_limit *limit = &q->limits[i];

		set_boundaries(limit, one_in(60) ? now->wall_us - calendar_length(limit) : now->wall_us);
		most = limit->limit < most ? limit->limit : most;
	}
	q->op = RL_OP_CONSUME;
	q->cost = one_in(4) ? (uint64_t) between(1, (int64_t) most + (one_in(20) ? 1 : 0)) : 1;
	q->max_wait_us = 0;
}

static const char *names[RL_LIMITS_MAX]; /* of the question's limits */

/* Two limits often have one algorithm and one period. */
static inline void mark_limits(rl_question *q)
{
	rl_limits_mark(q->limits, names, (const char *[RL_LIMITS_MAX]){NULL}, q->n_limits);
}

/* Changes the limits as deploys do. */
static inline void deploy_several(rl_question *q)
{
	static const char *const some[] = {NULL, "a", "b", "c"};
	unsigned i = test_random(&seed) % q->n_limits, other = test_random(&seed) % q->n_limits;
	rl_limit *limit = &q->limits[i], moved = *limit;
	const char *name = names[i];

	if (one_in(40)) {
		names[i] = some[test_random(&seed) % 4];
	}
	if (one_in(40)) {
		*limit = q->limits[other];
		q->limits[other] = moved;
		names[i] = names[other];
		names[other] = name;
	}
	if (one_in(60)) {
		*limit = random_limit();
	} else if (one_in(30)) {
		set_number(limit, some_limit(limit->algorithm));
	} else if (one_in(60)) { /* two limits of one algorithm and one period */
		*limit = q->limits[0];
		set_number(limit, some_limit(limit->algorithm));
	} else if (one_in(40)) {
		limit->ban = limit->ban == RL_BAN_NONE ? RL_BAN_FOR : RL_BAN_NONE;
		limit->ban_us = 3 * S;
	}
	mark_limits(q);
}

/* Returns a question with least to most limits, now and then with as many as there may be. */
static inline rl_question random_several(rl_op op, unsigned least, unsigned most)
{
	rl_question q = test_question(op, random_limit(), 1);
	unsigned i;

	q.n_limits = (uint8_t) between(least, one_in(5) ? RL_LIMITS_MAX : most);
	for (i = 1; i < q.n_limits; i++) {
		q.limits[i] = one_in(3) ? q.limits[0] : random_limit();
		names[i] = one_in(2) ? NULL : (const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i];
	}
	mark_limits(&q);
	return q;
}

/* Goes on with a history: a deploy now and then, a later moment, and the call. */
static inline void next_step(rl_question *q, rl_now *now)
{
	deploy_several(q);
	advance(&q->limits[test_random(&seed) % q->n_limits], now);
	ask_several(q, now);
}

/* Plays histories of least to most limits. */
static inline void play_several(unsigned first_seed, unsigned least, unsigned most,
	void (*ask)(const rl_question *, const rl_now *))
{
	unsigned history, step;

	for (history = 0; history < HISTORIES && checks_broken == 0; history++) {
		unsigned interferes;
		rl_question q;
		rl_now now;

		seed = history + first_seed;
		q = random_several(RL_OP_CONSUME, least, most);
		interferes = begin_history(&now);
		for (step = 0; step < 2 * STEPS && checks_broken == 0; step++) {
			next_step(&q, &now);
			if (one_in(interferes)) {
				interfere(&q, &now);
			} else {
				ask(&q, &now);
			}
		}
	}
}

#endif
