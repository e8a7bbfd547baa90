/* A plain part of a question about several states, and its undo, leave a state that answers as before. */
#include "check.h"
#include "harness.h"
#include "random.h"

#include "src/core/limit/limit_mark.h"

#define S         RL_US_PER_SECOND
#define HISTORIES 12000
#define STEPS     25
#define WORDS_MAX 400
#define OWN_TAG   UINT64_C(999999)

typedef struct {
	size_t words;
	uint64_t state[WORDS_MAX];
} kept_state;

static unsigned undone, not_taken;

static rl_outcome decide(kept_state *kept, const rl_question *q, const rl_now *now, rl_answer *a)
{
	uint64_t next[WORDS_MAX];
	size_t n = 0;
	const uint64_t *state = kept->words > 0 ? kept->state : NULL;

	check(rl_limiter_size(q, now, state, kept->words) <= WORDS_MAX, "room for the next state");
	rl_outcome outcome = rl_limiter_decide(q, now, now->mono_us, state, kept->words, next, &n, a);
	if (outcome == RL_WRITE_STATE) {
		check(n <= rl_limiter_size(q, now, state, kept->words), "%zu words are written", n);
		memcpy(kept->state, next, n * sizeof *next);
		kept->words = n;
	} else if (outcome == RL_WRITE_DELETE) {
		kept->words = 0;
	}
	return outcome;
}

static rl_limit random_limit(void)
{
	static const int64_t periods[] = {60 * S, 60 * S, 90 * S};
	rl_limit limit = {.algorithm = one_in(2) ? RL_FIXED_WINDOW : RL_CALENDAR_WINDOW, .limit = (uint64_t) between(1, 9)};

	if (limit.algorithm == RL_FIXED_WINDOW) {
		limit.period_us = periods[between(0, 2)];
	} else {
		limit.period = one_in(2) ? RL_MINUTE : RL_HOUR;
	}
	return limit;
}

static void set_all_boundaries(rl_question *q, int64_t wall_us)
{
	for (unsigned i = 0; i < q->n_limits; i++) {
		rl_limit *limit = &q->limits[i];

		if (limit->algorithm == RL_CALENDAR_WINDOW) {
			/* An hour of two minutes, so that it ends. */
			test_boundaries(limit, (limit->period == RL_MINUTE ? 60 : 120) * S, wall_us);
		}
	}
}

static void deploy(rl_question *q)
{
	rl_limit *limit = &q->limits[between(0, q->n_limits - 1)];
	rl_limit first = q->limits[0];

	switch (between(0, 4)) {
		case 0:
			q->n_limits = (uint8_t) between(1, 3);
			break;
		case 1:
			*limit = random_limit();
			break;
		case 2:
			q->limits[0] = *limit;
			*limit = first;
			break;
		default:
			limit->limit = (uint64_t) between(1, 9);
			break;
	}
	rl_limits_mark(q->limits, (const char *[RL_LIMITS_MAX]){NULL}, (const char *[RL_LIMITS_MAX]){NULL}, q->n_limits);
}

static void set_costs(rl_question *q, uint64_t costs[])
{
	bool any = false;

	q->cost = 1;
	q->costs = NULL;
	if (one_in(2)) {
		for (unsigned i = 0; i < q->n_limits; i++) {
			costs[i] = one_in(3) ? 0 : (uint64_t) between(1, 3);
			any = any || costs[i] > 0;
		}
		q->costs = any ? costs : NULL;
	}
}

/* Compares what two states answer: now, and at moments around which windows end; also after a deploy. */
static void compare_states(const kept_state *before, const kept_state *after, rl_question q, rl_now now)
{
	for (int step = 0; step < 6; step++) {
		kept_state one = *before, two = *after;
		rl_answer a = {0}, b = {0};

		set_all_boundaries(&q, now.wall_us);
		q.op = RL_OP_PEEK;
		q.costs = NULL;
		q.cost = (uint64_t) between(0, 3);
		decide(&one, &q, &now, &a);
		decide(&two, &q, &now, &b);
		check(a.decision.reason == b.decision.reason && a.decision.remaining == b.decision.remaining
				&& a.decision.retry_after_us == b.decision.retry_after_us
				&& a.decision.reset_after_us == b.decision.reset_after_us
				&& a.decision.limit_index == b.decision.limit_index,
			"seed %lu: %lu and %lu remain, reason %u and %u, reset after %ld and %ld", (unsigned long) seed,
			(unsigned long) a.decision.remaining, (unsigned long) b.decision.remaining, a.decision.reason,
			b.decision.reason, (long) a.decision.reset_after_us, (long) b.decision.reset_after_us);
		int64_t us = between(0, 70) * S;
		now.mono_us += us;
		now.wall_us += us;
		if (one_in(3)) {
			deploy(&q);
		}
	}
}

/* Takes a plain part and gives it back, beside a state that stays as it is. */
static void take_and_undo(const kept_state *kept, rl_question q, rl_now now)
{
	kept_state copy = *kept;
	rl_held held[RL_LIMITS_MAX];
	rl_answer a;

	q.op = RL_OP_ACQUIRE;
	q.part = RL_PART_TENTATIVE;
	q.tag = OWN_TAG;
	q.held = held;
	decide(&copy, &q, &now, &a);
	if (!a.decision.accepted) {
		check(copy.words == kept->words && memcmp(copy.state, kept->state, kept->words * sizeof *kept->state) == 0,
			"a refusal changes nothing");
		q.part = RL_PART;
		decide(&copy, &q, &now, &a);
		not_taken += a.decision.accepted;
		return;
	}
	q.op = RL_OP_SETTLE;
	q.part = RL_PART;
	q.cost = 0;
	q.costs = NULL;
	decide(&copy, &q, &now, &a);
	undone++;
	compare_states(kept, &copy, q, now);
}

static void test_undo(void)
{
	for (unsigned history = 0; history < HISTORIES && checks_broken == 0; history++) {
		kept_state kept = {0};
		rl_now now;
		rl_question q = {.op = RL_OP_ACQUIRE, .n_limits = 3};
		uint64_t costs[RL_LIMITS_MAX];

		seed = history;
		now = (rl_now){.mono_us = between(1, 1000) * S, .wall_us = between(1000, 2000) * 3600 * S};
		for (unsigned i = 0; i < 3; i++) {
			q.limits[i] = random_limit();
		}
		deploy(&q);
		for (unsigned step = 0; step < STEPS && checks_broken == 0; step++) {
			rl_held held[RL_LIMITS_MAX];
			rl_answer a;
			int64_t us = one_in(2) ? 0 : between(0, one_in(4) ? 130 : 30) * S;

			now.mono_us += us;
			now.wall_us += us - (one_in(60) ? between(0, 200) * S : 0);
			if (one_in(12)) {
				deploy(&q);
			}
			set_all_boundaries(&q, now.wall_us);
			set_costs(&q, costs);
			q.op = one_in(8) ? RL_OP_CREDIT : RL_OP_ACQUIRE;
			q.tag = 1 + step;
			q.held = held;
			take_and_undo(&kept, q, now);
			decide(&kept, &q, &now, &a);
		}
	}
	printf("%u takes undone; %u are not taken, because an undo would leave a trace\n", undone, not_taken);
	check(undone > HISTORIES && not_taken > HISTORIES / 100, "all cases occur");
}

int main(void)
{
	test_undo();
	return checks_report();
}
