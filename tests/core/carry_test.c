/* What windows carry over (core/carry.c): the moments at which a part begins and ends to count, and that a plain part of a
 * question about several states, and its undo, leave a state that answers as before. */
#include "check.h"
#include "harness.h"
#include "random.h"

#define S         RL_US_PER_SECOND
#define HISTORIES 12000
#define STEPS     25
#define WORDS_MAX 400
#define OWN_TAG   UINT64_C(999999)

typedef struct {
	size_t words;
	uint64_t state[WORDS_MAX];
} kept_state;

static unsigned undone[2], not_plain;

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

/* ---- One limit ---- */

static uint64_t left_now(kept_state *kept, rl_limit limit, rl_now now)
{
	rl_question q = test_question(RL_OP_PEEK, limit, 0);
	rl_answer a;

	q.carries = limit.carry > 0;
	decide(kept, &q, &now, &a);
	return a.decision.remaining;
}

static bool take(kept_state *kept, rl_limit limit, uint32_t cost, rl_now now)
{
	rl_question q = test_question(RL_OP_CONSUME, limit, cost);
	rl_answer a;

	q.carries = limit.carry > 0;
	decide(kept, &q, &now, &a);
	return a.decision.accepted;
}

static rl_now at(int64_t us)
{
	return (rl_now){.mono_us = 1000 * S + us, .wall_us = 5000 * S + us};
}

static void test_fixed_window(void)
{
	kept_state kept = {0};
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 10, 60 * S), more, none;

	limit.carry = 4;
	more = none = limit;
	more.carry = 10;
	none.carry = 0;
	check(left_now(&kept, limit, at(0)) == 10, "nothing comes into the first window");
	check(take(&kept, limit, 1, at(0)), "admitted");
	check(left_now(&kept, limit, at(60 * S - 1)) == 9, "the window runs until its end");
	check(left_now(&kept, limit, at(60 * S)) == 14, "4 of 9 come into the next one from its end on");
	check(left_now(&kept, limit, at(120 * S - 1)) == 14, "until a period after the end");
	check(left_now(&kept, limit, at(120 * S)) == 10, "and not at that moment");
	check(left_now(&kept, more, at(61 * S)) == 19, "a larger number has more of what is left");
	check(left_now(&kept, none, at(61 * S)) == 10, "a limit without carry has none of it");
	check(!take(&kept, limit, 11, at(61 * S)), "a cost above the limit is too expensive");
	check(take(&kept, limit, 10, at(61 * S)) && take(&kept, limit, 4, at(62 * S)), "what came over is admitted");
	check(!take(&kept, limit, 1, at(63 * S)), "and not one more");
	check(left_now(&kept, more, at(64 * S)) == 0, "a window keeps what came into it when it began");
	check(left_now(&kept, limit, at(121 * S)) == 10, "a window that was used up leaves nothing");
	check(take(&kept, none, 1, at(121 * S)), "admitted");
	check(left_now(&kept, limit, at(181 * S)) == 10, "a call without carry leaves nothing");
}

static rl_limit minutes(uint64_t number, uint64_t carry, rl_now now)
{
	rl_limit limit = {.algorithm = RL_CALENDAR_WINDOW, .period = RL_MINUTE, .limit = number, .carry = carry};

	limit.boundary[0] = now.wall_us - now.wall_us % (60 * S);
	limit.boundary[1] = limit.boundary[0] + 60 * S;
	limit.boundary[2] = limit.boundary[1] + 60 * S;
	return limit;
}

static void test_calendar_window(void)
{
	kept_state kept = {0};
	int64_t end_us = 60 * S - at(0).wall_us % (60 * S);
	rl_now now = at(0);

	check(take(&kept, minutes(10, 10, now), 3, now), "admitted");
	now = at(end_us);
	check(left_now(&kept, minutes(10, 10, now), now) == 17, "7 come into the next minute");
	now = at(end_us + 60 * S - 1);
	check(left_now(&kept, minutes(10, 10, now), now) == 17, "until its end");
	now = at(end_us + 60 * S);
	check(left_now(&kept, minutes(10, 10, now), now) == 10, "and not into the minute after it");
	now = at(end_us);
	check(take(&kept, minutes(10, 10, now), 9, now) && left_now(&kept, minutes(10, 10, now), now) == 8, "8 are left");
	now = at(end_us);
	now.wall_us -= 1;
	check(left_now(&kept, minutes(10, 10, now), now) == 8,
		"a clock that is set back keeps the window, with what came over");
}

/* What a permit charged too little is counted above the limit, and a ban makes the limit fresh. */
static void test_debt_and_ban(void)
{
	kept_state kept = {0};
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 10, 60 * S);
	rl_question q;
	rl_held held[1];
	rl_answer a;
	rl_now now = at(0);

	limit.carry = 10;
	q = test_question(RL_OP_ACQUIRE, limit, 1);
	q.carries = true;
	q.held = held;
	q.tag = 7;
	decide(&kept, &q, &now, &a);
	q.op = RL_OP_SETTLE;
	q.tag = 0;
	q.cost = 25;
	decide(&kept, &q, &now, &a);
	check(left_now(&kept, limit, at(60 * S)) == 10, "a window in debt leaves nothing");

	limit.ban = RL_BAN_FOR;
	limit.ban_us = 5 * S;
	check(take(&kept, limit, 3, at(70 * S)), "admitted");
	check(!take(&kept, limit, 10, at(71 * S)), "banned");
	check(left_now(&kept, limit, at(131 * S)) == 10, "the ban drops what was left");
}

/* ---- A part of a question about several states, and its undo ---- */

static rl_limit random_limit(void)
{
	static const int64_t periods[] = {60 * S, 60 * S, 90 * S};
	rl_limit limit = {.algorithm = one_in(2) ? RL_FIXED_WINDOW : RL_CALENDAR_WINDOW, .limit = (uint64_t) between(1, 9)};

	if (limit.algorithm == RL_FIXED_WINDOW) {
		limit.period_us = periods[between(0, 2)];
	} else {
		limit.period = one_in(2) ? RL_MINUTE : RL_HOUR;
	}
	limit.carry = one_in(3) ? 0 : (uint64_t) between(1, (int64_t) limit.limit);
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
			limit->carry = one_in(3) ? 0 : (uint64_t) between(1, (int64_t) limit->limit);
			break;
	}
	q->carries = false;
	for (unsigned i = 0; i < q->n_limits; i++) {
		q->carries |= q->limits[i].carry > 0;
	}
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
	q.part = RL_PART_PLAIN;
	q.tag = OWN_TAG;
	q.held = held;
	decide(&copy, &q, &now, &a);
	if (!a.decision.accepted) {
		not_plain += a.not_plain;
		check(copy.words == kept->words && memcmp(copy.state, kept->state, kept->words * sizeof *kept->state) == 0,
			"a refusal changes nothing");
		return;
	}
	q.op = RL_OP_SETTLE;
	q.part = RL_PART;
	q.cost = 0;
	q.costs = NULL;
	decide(&copy, &q, &now, &a);
	undone[q.carries]++;
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
	printf("%u plain takes undone with carry, %u without; %u takes are not plain\n", undone[1], undone[0], not_plain);
	check(undone[1] > HISTORIES && undone[0] > HISTORIES / 10 && not_plain > HISTORIES / 100, "all cases occur");
}

int main(void)
{
	test_fixed_window();
	test_calendar_window();
	test_debt_and_ban();
	test_undo();
	return checks_report();
}
