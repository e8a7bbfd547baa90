/* The usual decisions (core/decide/usual.h), of one limit and of several, compared with rl_limiter_decide(): every answer and every next
 * state. */
#include "histories.h"
#include "same_left.h"

static unsigned decided[RL_ALGORITHMS + 1][2], left[RL_ALGORITHMS + 1]; /* index 0: several limits */

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

int main(void)
{
	test_same_answers();
	test_numbers();
	test_a_sum_of_nothing();
	test_several();
	test_large_costs();
	return checks_report();
}
