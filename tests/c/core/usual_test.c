/* The usual decisions (core/decide/usual.h), of one limit, of several, of several with tags, and of another store's answer, compared with
 * rl_limiter_decide(): every answer, every next state and every permit's part. */
#include "check.h"
#include "harness.h"
#include "random.h"
#include "same_left.h"

#include "src/core/algorithm/sliding_ring.h"
#include "src/core/limit/limit_mark.h"
#include "src/core/decide/limiter_steps.h"
#include "src/core/decide/usual.h"

#define S         RL_US_PER_SECOND
#define HISTORIES 40000
#define STEPS     40
#define WORDS_MAX 24000
#define ROOM_MIN  6 /* of a record */

static uint64_t state[WORDS_MAX], next[WORDS_MAX], made[WORDS_MAX];
static size_t words;
static unsigned decided[RL_ALGORITHMS + 1][2], left[RL_ALGORITHMS + 1]; /* index 0: several limits */

static int64_t some_period(void)
{
	static const int64_t periods[] = {RL_PERIOD_MIN_US, 7777, S / 3, S, 60 * S, 3600 * S, RL_PERIOD_MAX_US};

	return one_in(4) ? between(RL_PERIOD_MIN_US, 100 * S) : periods[test_random(&seed) % 7];
}

static uint64_t some_limit(rl_algorithm algorithm)
{
	if (algorithm == RL_SLIDING_LOG) {
		return (uint64_t) between(1, one_in(3) ? 300 : 12);
	}
	return (uint64_t) (one_in(10) ? between(1, RL_LIMIT_MAX) : between(1, one_in(2) ? 5 : 1000));
}

/* Gives the limit another number. A bucket fills in ten years at most, as PHP demands. */
static void set_number(rl_limit *limit, uint64_t number)
{
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		unsigned __int128 most = (unsigned __int128) RL_PERIOD_MAX_US * limit->rate
			/ (unsigned __int128) limit->period_us;

		number = number > most ? (uint64_t) most : number;
	}
	limit->limit = number;
}

static rl_limit random_limit(void)
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

static void advance(const rl_limit *limit, rl_now *now)
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
static rl_usual_result decide_usual(const rl_usual_call *call, const rl_now *now, size_t room, rl_decision *d,
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
static void check_number(const uint64_t *limit_state)
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
static void check_numbers(const uint64_t *of, size_t n)
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
static void keep_state(rl_outcome outcome, size_t n)
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

static void compare(const rl_question *q, const rl_now *now)
{
	unsigned algorithm = q->n_limits > 1 ? 0 : q->limits[0].algorithm;
	rl_decision d = {0};
	rl_answer a;
	size_t n = 0, made_words = 0;
	rl_usual_call call = {.limits = q->limits, .n = q->n_limits, .cost = q->cost, .costs = q->costs};
	rl_usual_result result = decide_usual(&call, now, WORDS_MAX, &d, &made_words);
	bool short_way = result > RL_USUAL_NO_ROOM;
	rl_outcome outcome = rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);

	if (short_way) {
		const rl_decision *g = &a.decision;

		decided[algorithm][d.accepted]++;
		check(d.accepted == (result == RL_USUAL_ADMITTED), "algorithm %u: result %u", algorithm, result);
		check(outcome == (d.accepted ? RL_WRITE_STATE : RL_WRITE_NOTHING), "algorithm %u: outcome %u", algorithm,
			outcome);
		check(d.reason == g->reason && d.accepted == g->accepted && d.limit_index == g->limit_index
				&& d.level == g->level && d.limit == g->limit && d.remaining == g->remaining,
			"algorithm %u: reason %u and %u, remaining %lu and %lu of %lu", algorithm, d.reason, g->reason,
			(unsigned long) d.remaining, (unsigned long) g->remaining, (unsigned long) g->limit);
		check(d.retry_after_us == g->retry_after_us && d.reset_after_us == g->reset_after_us,
			"algorithm %u: retry after %ld and %ld, reset after %ld and %ld", algorithm, (long) d.retry_after_us,
			(long) g->retry_after_us, (long) d.reset_after_us, (long) g->reset_after_us);
		same_left(&d, g, q->n_limits);
		check(!d.accepted || (made_words == n && memcmp(made, next, n * sizeof *next) == 0),
			"algorithm %u: %zu and %zu words, and their content", algorithm, made_words, n);
	} else {
		left[algorithm]++;
	}
	keep_state(outcome, n);
}

/* What no call of consume() does: permits, bans by hand, gifts. It leaves states that the usual way must not take. */
static void interfere(rl_question *q, const rl_now *now)
{
	static const rl_op ops[] = {RL_OP_CREDIT, RL_OP_BAN, RL_OP_ACQUIRE, RL_OP_UNBAN};
	rl_held held[RL_LIMITS_MAX];
	rl_answer a;
	size_t n = 0;
	rl_outcome outcome;

	q->op = ops[test_random(&seed) % 4];
	q->ban = RL_BAN_FOR;
	q->ban_us = between(1, 10 * S);
	q->held = held;
	q->tag = 77;
	q->max_wait_us = one_in(2) ? 0 : 100 * S;
	outcome = rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);
	keep_state(outcome, n);
}

/* Sets the clocks, and empties the state. Returns one in how many questions goes around the usual way. */
static unsigned begin_history(rl_now *now)
{
	*now = random_now();
	words = 0;
	return one_in(3) ? 10 : 10000;
}

static void test_same_answers(void)
{
	unsigned history, step, i;

	for (history = 0; history < HISTORIES && checks_broken == 0; history++) {
		rl_limit limit;
		rl_now now;
		unsigned interferes;

		seed = history;
		limit = random_limit();
		interferes = begin_history(&now);
		for (step = 0; step < STEPS && checks_broken == 0; step++) {
			rl_question q;

			if (one_in(40)) {
				limit = random_limit(); /* a deploy */
			} else if (one_in(30)) {
				set_number(&limit, some_limit(limit.algorithm));
			}
			if (one_in(20)) {
				limit.ban = limit.ban == RL_BAN_NONE ? RL_BAN_FOR : RL_BAN_NONE;
				limit.ban_us = 3 * S;
			}
			advance(&limit, &now);
			set_boundaries(&limit, one_in(30) ? now.wall_us - calendar_length(&limit) : now.wall_us);
			q = test_question(RL_OP_CONSUME, limit, 1);
			q.cost = one_in(4) ? (uint64_t) between(1, (int64_t) limit.limit + (one_in(20) ? 1 : 0)) : 1;
			if (one_in(interferes)) {
				interfere(&q, &now);
			} else {
				compare(&q, &now);
			}
		}
	}
	for (i = 0; i < 5; i++) {
		static const rl_algorithm all[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET, RL_SLIDING_LOG,
			RL_SLIDING_WINDOW};
		rl_algorithm a = all[i];

		printf("algorithm %u: %u accepted and %u refused the usual way, %u left\n", a, decided[a][1], decided[a][0],
			left[a]);
	}
}

/* Writes a sliding window of one counter, and decides a call on it the usual way. */
static bool decide_sliding(const rl_limit *limit, uint64_t count, uint32_t number, int64_t now_us, rl_decision *d)
{
	rl_sliding r;
	rl_step s;
	uint64_t own[RL_SLIDING_WORDS] = {rl_limit_state_head(RL_SLIDING_WINDOW, RL_SLIDING_WORDS, number), 0,
		(uint64_t) limit->period_us, 5 * S, count};

	if (!rl_sliding_read_usual(limit, own, now_us, &r)) {
		return false;
	}
	s = rl_sliding_step(&r, limit->limit, 1, now_us);
	rl_step_answer(&s, limit, d);
	return true;
}

/* A sum that the head does not hold is counted; one of a damaged head leads to some answer within its bounds. */
static void test_numbers(void)
{
	rl_limit limit = {.algorithm = RL_SLIDING_WINDOW, .limit = RL_LIMIT_MAX, .period_us = 3600 * S};
	rl_decision d;
	unsigned i;

	check(decide_sliding(&limit, 1 << 27, 0, 5 * S, &d) && d.accepted && d.remaining == limit.limit - (1 << 27) - 1,
		"a sum of 2^27 is counted");
	check(decide_sliding(&limit, (1 << 27) - 1, UINT32_MAX << 5, 5 * S, &d) && d.remaining == limit.limit - (1 << 27),
		"a sum below is in the head");
	check(!decide_sliding(&limit, 0, 0, 5 * S, &d), "a window without counters is over");
	limit.limit = 5;
	for (i = 0; i < 100000; i++) {
		seed = i;
		if (decide_sliding(&limit, test_random(&seed) >> (test_random(&seed) & 63), (uint32_t) test_random(&seed),
				between(5 * S, 3 * limit.period_us), &d)) {
			check(d.remaining <= d.limit && d.retry_after_us >= 0 && d.reset_after_us >= 0
					&& d.retry_after_us <= 2 * limit.period_us,
				"a damaged number: retry after %ld, reset after %ld", (long) d.retry_after_us, (long) d.reset_after_us);
		}
	}
}

/* A damaged head has a sum, and no counter has anything: a limit of another period finds a fresh window. */
static void test_a_sum_of_nothing(void)
{
	rl_limit limit = {.algorithm = RL_SLIDING_WINDOW, .limit = 5, .period_us = 60 * S};
	rl_question q = test_question(RL_OP_CONSUME, limit, 1);
	rl_now now = {.mono_us = 5 * S};
	uint64_t *own = state + RL_STATE_HEAD_WORDS;
	rl_answer a = {.passed = 0};
	size_t n = 0;

	rl_state_begin(1, false, 1, 3600 * S, state);
	memset(own, 0, RL_SLIDING_WORDS * sizeof *own);
	own[0] = rl_limit_state_head(RL_SLIDING_WINDOW, RL_SLIDING_WORDS, 1 << RL_SLIDING_LAST_BITS);
	own[RL_LIMIT_STATE_PERIOD] = (uint64_t) (3600 * S);
	own[RL_SLIDING_ORIGIN] = (uint64_t) now.mono_us;
	check(rl_limiter_decide(&q, &now, now.mono_us, state, RL_STATE_HEAD_WORDS + RL_SLIDING_WORDS, next, &n, &a)
				== RL_WRITE_STATE
			&& a.decision.accepted && a.decision.remaining == 4,
		"a sum of nothing: %llu left", (unsigned long long) a.decision.remaining);
	words = 0;
}

/* Sets the boundaries of all limits, and a cost that mostly fits. */
static void ask_several(rl_question *q, const rl_now *now)
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
static void mark_limits(rl_question *q)
{
	rl_limits_mark(q->limits, names, (const char *[RL_LIMITS_MAX]){NULL}, q->n_limits);
}

/* Changes the limits as deploys do. */
static void deploy_several(rl_question *q)
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
static rl_question random_several(rl_op op, unsigned least, unsigned most)
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
static void next_step(rl_question *q, rl_now *now)
{
	deploy_several(q);
	advance(&q->limits[test_random(&seed) % q->n_limits], now);
	ask_several(q, now);
}

/* Plays histories of least to most limits. */
static void play_several(unsigned first_seed, unsigned least, unsigned most,
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

static void test_several(void)
{
	play_several(1000000, 2, 4, compare);
	printf("several limits: %u accepted and %u refused the usual way, %u left\n", decided[0][1], decided[0][0],
		left[0]);
}

/* A sliding window that cannot count the cost in 32 bits is left as it was, also where its counters have moved. */
static void test_large_costs(void)
{
	unsigned i;

	for (i = 0; i < 20000 && checks_broken == 0; i++) {
		rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_WINDOW, 1, S), 1);
		rl_now now;

		seed = i + 3000000;
		q.n_limits = (uint8_t) between(1, 2);
		q.limits[0].limit = RL_LIMIT_MAX;
		q.limits[1] = test_limit(RL_TOKEN_BUCKET, 1, S);
		q.limits[1].limit = q.limits[1].rate = RL_LIMIT_MAX;
		now = random_now();
		words = 0;
		compare(&q, &now);
		now.mono_us += between(0, S);
		compare(&q, &now);
		now.mono_us += between(0, S + S / 10);
		q.cost = UINT64_C(1) << 33;
		compare(&q, &now);
	}
}

/* ---- Tags ---- */

static unsigned tagged[2], not_tagged, lacked_room;

static bool same_held(const rl_held *one, const rl_held *other, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (one[i].tag != other[i].tag || one[i].place != other[i].place || one[i].moved_us != other[i].moved_us
			|| one[i].cost != other[i].cost) {
			return false;
		}
	}
	return true;
}

/* Decides a part: often in the room of the present state, as its record has it, and where that is too small with the most. */
static rl_usual_result decide_tagged(const rl_usual_call *call, const rl_now *now, size_t *made_words, rl_decision *d)
{
	const uint64_t mark = UINT64_C(0x5a5a5a5a5a5a5a5a);
	size_t room = words - (words > 6 && one_in(4) ? (size_t) between(0, 5) : 0);
	rl_usual_result result;

	if (!one_in(3)) {
		made[room] = mark;
		result = decide_usual(call, now, room, d, made_words);
		check(made[room] == mark, "tags: a word behind the room of %zu", room);
		check(result != RL_USUAL_ADMITTED || *made_words <= room, "tags: %zu words in a room of %zu", *made_words,
			room);
		if (result != RL_USUAL_NO_ROOM) {
			return result;
		}
		lacked_room++;
	}
	return decide_usual(call, now, WORDS_MAX, d, made_words);
}

/* Compares an acquire. Returns whether it was admitted. */
static bool compare_tagged(const rl_question *q, const rl_now *now)
{
	rl_held held[RL_LIMITS_MAX] = {{0}};
	rl_usual_call call = {.limits = q->limits, .n = q->n_limits, .cost = q->cost, .costs = q->costs, .held = held};
	const rl_decision *g;
	rl_decision d = {0};
	rl_answer a;
	size_t n = 0, made_words = 0;
	bool short_way = words > 0 && decide_tagged(&call, now, &made_words, &d) > RL_USUAL_NO_ROOM;
	rl_outcome outcome = rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);

	g = &a.decision;
	if (short_way) {
		tagged[d.accepted]++;
		check(outcome == (d.accepted ? RL_WRITE_STATE : RL_WRITE_NOTHING), "tags: outcome %u", outcome);
		check(d.reason == g->reason && d.limit_index == g->limit_index && d.level == g->level && d.limit == g->limit
				&& d.remaining == g->remaining && d.retry_after_us == g->retry_after_us
				&& d.reset_after_us == g->reset_after_us,
			"tags: reason %u and %u, limit %u and %u, remaining %lu and %lu, retry after %ld and %ld", d.reason,
			g->reason, d.limit_index, g->limit_index, (unsigned long) d.remaining, (unsigned long) g->remaining,
			(long) d.retry_after_us, (long) g->retry_after_us);
		same_left(&d, g, q->n_limits);
		check(!d.accepted || (made_words == n && memcmp(made, next, n * sizeof *next) == 0),
			"tags: %zu and %zu words, and their content", made_words, n);
		check(!d.accepted || same_held(held, q->held, q->n_limits), "tags: what the permit holds");
	} else {
		not_tagged++;
	}
	keep_state(outcome, n);
	return g->accepted && outcome == RL_WRITE_STATE;
}

/* Gives back what an earlier acquire took, as if it had never been, or a part of it. */
static void give_back(const rl_question *taken, rl_held held[], const rl_now *now)
{
	rl_question q = *taken;
	rl_outcome outcome;
	rl_answer a;
	size_t n = 0;

	q.op = RL_OP_SETTLE;
	q.cost = 0;
	q.costs = NULL;
	q.tag = one_in(2) ? q.tag : 0;
	q.held = held;
	outcome = rl_limiter_decide(&q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);
	keep_state(outcome, n);
}

static void test_tags(void)
{
	unsigned history, step, i;

	for (history = 0; history < HISTORIES && checks_broken == 0; history++) {
		uint64_t costs[RL_LIMITS_MAX];
		rl_held held[RL_LIMITS_MAX], kept[RL_LIMITS_MAX];
		rl_question q, taken = {0};
		unsigned interferes;
		rl_now now;

		seed = history + 2000000;
		q = random_several(RL_OP_ACQUIRE, 1, 3);
		interferes = begin_history(&now);
		for (step = 0; step < 2 * STEPS && checks_broken == 0; step++) {
			next_step(&q, &now);
			if (one_in(interferes)) {
				interfere(&q, &now);
				taken.n_limits = 0;
				continue;
			}
			q.op = RL_OP_ACQUIRE;
			q.tag = 2 * (uint64_t) between(1, 1000000);
			q.held = held;
			q.costs = one_in(3) ? NULL : costs;
			for (i = 0; i < q.n_limits; i++) {
				costs[i] = one_in(30) ? 0 : (uint64_t) between(1, one_in(2) ? 3 : (int64_t) q.limits[i].limit);
			}
			if (compare_tagged(&q, &now)) {
				taken = q;
				memcpy(kept, held, sizeof kept);
			} else if (taken.n_limits > 0 && one_in(2)) {
				give_back(&taken, kept, &now);
				taken.n_limits = 0;
			}
		}
	}
	printf("tags: %u accepted and %u refused the usual way, %u left, %u without room at first\n", tagged[1], tagged[0],
		not_tagged, lacked_room);
}

/* ---- An answer of another store ---- */

static unsigned mirrored[2], not_mirrored;

/* Returns an answer that is near to what the state counts. */
static rl_told told_near(const rl_question *q, const rl_now *now)
{
	rl_told told = {.trip_us = one_in(4) ? between(0, 100 * RL_US_PER_MS) : between(0, 99), .is_latest = one_in(2)};
	rl_question peek = *q;
	rl_answer a = {.passed = 0};
	size_t n;
	unsigned i;

	peek.op = RL_OP_PEEK;
	peek.cost = 0;
	(void) rl_limiter_decide(&peek, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);
	for (i = 0; i < q->n_limits; i++) {
		int64_t most = (int64_t) q->limits[i].limit, used = most - (int64_t) a.decision.left[i].remaining;
		int64_t full_us = a.decision.left[i].reset_after_us;

		used += one_in(2) ? between(-3, 3) : one_in(3) ? between(-most, most) : 0;
		full_us += one_in(2) ? between(-RL_US_PER_MS, RL_US_PER_MS) : one_in(3) ? between(-full_us, full_us) : 0;
		told.limits[i] = (rl_told_limit){.is_known = !one_in(40),
			.used = (uint64_t) (used < 0 ? 0
					: used > most        ? most
										 : used),
			.full_us = full_us > 0 ? full_us : 0};
	}
	if (one_in(60)) {
		told.ban_us = S;
	}
	return told;
}

/* Compares what an answer changes. The usual way leaves the head's hints as they are where that is nothing. */
static void compare_mirror(const rl_question *asked, const rl_now *now)
{
	rl_told told = told_near(asked, now);
	rl_question q = *asked;
	rl_outcome usual, outcome;
	rl_evaluation ev;
	size_t n = 0, made_words = 0;
	bool short_way;

	q.op = RL_OP_MIRROR;
	q.told = &told;
	short_way = words > 0
		&& rl_usual_mirror(&q, &told, now, state, words, made, one_in(4) ? words : WORDS_MAX, &made_words, &usual);
	rl_evaluation_init(&ev, &q, now, now->mono_us, words > 0 ? state : NULL, words);
	outcome = rl_limiter_mirror(&ev, words > 0 ? state : NULL, words, next, &n);
	if (!short_way) {
		not_mirrored++;
	} else if (usual == RL_WRITE_STATE) {
		mirrored[1]++;
		check(outcome == usual && made_words == n && memcmp(made, next, n * sizeof *next) == 0,
			"an answer: outcome %u, %zu and %zu words, and their content", outcome, made_words, n);
	} else {
		mirrored[0]++;
		check(usual == RL_WRITE_NOTHING
				&& (outcome == RL_WRITE_NOTHING
					|| (outcome == RL_WRITE_STATE
						&& memcmp(next + RL_STATE_BAN_END, state + RL_STATE_BAN_END,
							   (n - RL_STATE_BAN_END) * sizeof *next)
							== 0)),
			"an answer that changes nothing: outcome %u", outcome);
	}
	keep_state(outcome, n);
}

static void compare_either(const rl_question *q, const rl_now *now)
{
	if (one_in(2)) {
		compare_mirror(q, now);
	} else {
		compare(q, now);
	}
}

static void test_mirror(void)
{
	play_several(4000000, 1, 3, compare_either);
	printf("answers: %u changed a state and %u did not the usual way, %u left\n", mirrored[1], mirrored[0],
		not_mirrored);
}

int main(void)
{
	test_same_answers();
	test_numbers();
	test_a_sum_of_nothing();
	test_several();
	test_large_costs();
	test_tags();
	test_mirror();
	return checks_report();
}
