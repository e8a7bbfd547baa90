/* What another store's answer changes the usual way (core/decide/usual.h), compared with rl_limiter_mirror(). */
#include "histories.h"

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

/* Counts a call, or an answer about it. */
static void count_either(const rl_question *q, const rl_now *now)
{
	if (one_in(2)) {
		compare_mirror(q, now);
	} else {
		decide_and_keep(q, now);
	}
}

static void test_mirror(void)
{
	play_several(4000000, 1, 3, count_either);
	printf("answers: %u changed a state and %u did not the usual way, %u left\n", mirrored[1], mirrored[0],
		not_mirrored);
}

int main(void)
{
	test_mirror();
	return checks_report();
}
