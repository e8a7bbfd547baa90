/* The short ways of a concurrent limit (core/concurrent.h) compared with rl_limiter_decide(): every answer and every next state. */
#include "check.h"
#include "harness.h"
#include "random.h"

#include "../../src/core/concurrent.h"

#define S         RL_US_PER_SECOND
#define SLACK_US  (64 * RL_US_PER_MS)
#define HISTORIES 40000
#define STEPS     60
#define WORDS_MAX 2000
#define PERMITS   100 /* that a history remembers */

static uint64_t state[WORDS_MAX], next[WORDS_MAX], copy[WORDS_MAX];
static size_t words; /* 0: there is no state */
static rl_held permits[PERMITS];
static unsigned admitted, refused, left_takes, freed, emptied, left_frees, missing, rough_frees;

static rl_limit random_limit(void)
{
	static const int64_t periods[] = {RL_PERIOD_MIN_US, S / 10, S, 60 * S, RL_PERIOD_MAX_US};
	rl_limit limit = {
		.algorithm = RL_CONCURRENT,
		.limit = (uint64_t) (one_in(20) ? between(60, 80) : between(1, one_in(2) ? 3 : 12)),
		.period_us = one_in(2) ? between(RL_PERIOD_MIN_US, 3 * S) : periods[test_random(&seed) % 5],
	};

	if (one_in(10)) {
		limit.ban = RL_BAN_FOR;
		limit.ban_us = S;
	}
	return limit;
}

/* Takes over a next state, in a record with more room, and old words behind it. */
static void keep(rl_outcome outcome, const uint64_t *from, size_t n)
{
	if (outcome == RL_WRITE_STATE) {
		memcpy(state, from, n * sizeof *from);
		words = (n + 1) / 4 * 4 + 2;
	} else if (outcome == RL_WRITE_DELETE) {
		words = 0;
	}
}

static rl_outcome decide(const rl_question *q, const rl_now *now, size_t *n, rl_answer *a)
{
	return rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, n, a);
}

static bool short_take(const rl_question *q, const rl_now *now, rl_single_places *made, rl_decision *d)
{
	rl_single_place call = {.limit = &q->limits[0],
		.number = q->tag,
		.owner = q->owner,
		.cost = q->cost,
		.now_us = now->mono_us};

	return words >= RL_SINGLE_PLACES_HEAD_WORDS
		&& rl_single_take_place(&call, state, state + RL_SINGLE_PLACES_HEAD_WORDS, words, made, d);
}

static bool is_gone(uint64_t owner, void *context)
{
	(void) context;
	return owner % 3 == 1;
}

/* Compares what dead workers hold in the present state and in that of a refusal: without it both give the same answer. */
static void compare_dead(const rl_question *q, const rl_now *now, rl_single_places *made)
{
	rl_answer a, b;
	rl_question other = *q;
	rl_held held[2] = {{0}, {0}};
	rl_outcome outcome;
	size_t n = 0, m = 0;
	bool any;

	memcpy(copy, state, words * sizeof *state);
	any = rl_concurrent_drop(made->state, made->words, is_gone, NULL);
	check(!any || rl_concurrent_drop(copy, words, is_gone, NULL), "a refusal's state has places that are not there");
	other.held = &held[1];
	outcome = rl_limiter_decide(q, now, now->mono_us, copy, words, next, &n, &a);
	check(rl_limiter_decide(&other, now, now->mono_us, made->state, made->words, copy, &m, &b) == outcome
			&& a.decision.accepted == b.decision.accepted && a.decision.remaining == b.decision.remaining
			&& a.decision.retry_after_us == b.decision.retry_after_us,
		"a refusal's state without dead workers decides otherwise");
	check(outcome != RL_WRITE_STATE || (n == m && memcmp(next, copy, n * sizeof *next) == 0), "and writes otherwise");
}

static void compare_take(rl_question *q, const rl_now *now)
{
	rl_held *held = &permits[test_random(&seed) % PERMITS];
	rl_single_places made;
	rl_decision d = {0};
	const rl_decision *g;
	rl_answer a;
	size_t n = 0;
	bool short_way;
	rl_outcome outcome;

	q->op = RL_OP_ACQUIRE;
	q->held = held;
	*held = (rl_held){0};
	q->tag = 2 * (uint64_t) between(1, one_in(10) ? 3 : (int64_t) (RL_TAG_MASK / 2));
	q->owner = (uint64_t) between(0, 20);
	short_way = short_take(q, now, &made, &d);
	outcome = decide(q, now, &n, &a);
	if (!short_way) {
		left_takes++;
		keep(outcome, next, n);
		return;
	}
	g = &a.decision;
	check(outcome == (d.accepted ? RL_WRITE_STATE : RL_WRITE_NOTHING), "outcome %u", outcome);
	check(d.reason == g->reason && d.accepted == g->accepted && d.limit_index == g->limit_index && d.level == g->level
			&& d.limit == g->limit && d.remaining == g->remaining,
		"reason %u and %u, remaining %lu and %lu of %lu", d.reason, g->reason, (unsigned long) d.remaining,
		(unsigned long) g->remaining, (unsigned long) g->limit);
	check(d.retry_after_us == g->retry_after_us && d.reset_after_us == g->reset_after_us,
		"retry after %ld and %ld, reset after %ld and %ld", (long) d.retry_after_us, (long) g->retry_after_us,
		(long) d.reset_after_us, (long) g->reset_after_us);
	check(made.words % 2 == 0 || made.state[made.words] == 0, "no 0 behind %zu words", made.words);
	if (d.accepted) {
		admitted++;
		check(made.words == n && memcmp(made.state, next, n * sizeof *next) == 0,
			"%zu and %zu words, and their content", made.words, n);
		check(held->tag == q->tag && held->cost == q->cost && held->place == 0 && held->moved_us == 0, "what is held");
		keep(outcome, next, n);
	} else {
		refused++;
		compare_dead(q, now, &made);
	}
}

/* A state without places equals none. */
static void check_emptied(const rl_single_places *made)
{
	emptied++;
	check(made->words == RL_SINGLE_PLACES_HEAD_WORDS && made->state[0] == 1 && (int64_t) made->state[1] == INT64_MIN,
		"%zu words, head %lx, over at %ld", made->words, (unsigned long) made->state[0], (long) made->state[1]);
}

static void compare_free(rl_question *q, const rl_now *now)
{
	rl_held *held = &permits[test_random(&seed) % PERMITS];
	bool rough = one_in(2);
	rl_single_place call = {.limit = &q->limits[0],
		.number = held->tag,
		.now_us = now->mono_us + (rough ? between(0, SLACK_US) : 0),
		.rough = rough};
	rl_single_places made;
	rl_answer a;
	size_t n = 0;
	bool short_way;
	rl_outcome outcome;

	if (held->tag == 0) {
		return;
	}
	q->op = RL_OP_RELEASE;
	q->held = held;
	q->cost = 0;
	short_way = words >= RL_SINGLE_PLACES_HEAD_WORDS
		&& rl_single_free_place(&call, state, state + RL_SINGLE_PLACES_HEAD_WORDS, words, &made);
	outcome = decide(q, now, &n, &a);
	*held = (rl_held){0};
	if (!short_way) {
		left_frees++;
		missing += !a.found;
		keep(outcome, next, n);
		return;
	}
	check(a.found, "a place that is gone was given back");
	if (outcome == RL_WRITE_DELETE) {
		check_emptied(&made);
		if (one_in(4)) {
			words = 0;
			return;
		}
	} else {
		freed++;
		rough_frees += rough;
		check(outcome == RL_WRITE_STATE && made.words == n && memcmp(made.state, next, n * sizeof *next) == 0,
			"outcome %u, %zu and %zu words, and their content", outcome, made.words, n);
	}
	keep(RL_WRITE_STATE, made.state, made.words);
}

/* What the short ways do not do: later ends, bans by hand, gifts. It leaves states that they must not take, and others. */
static void interfere(rl_question *q, const rl_now *now)
{
	static const rl_op ops[] = {RL_OP_RENEW, RL_OP_RENEW, RL_OP_RENEW, RL_OP_CREDIT, RL_OP_BAN, RL_OP_UNBAN,
		RL_OP_RESET};
	rl_answer a;
	size_t n = 0;

	q->op = ops[test_random(&seed) % 7];
	q->ban = RL_BAN_FOR;
	q->ban_us = between(1, S);
	q->held = &permits[test_random(&seed) % PERMITS];
	q->renew_us = one_in(2) ? 0 : between(1000, 2 * q->limits[0].period_us);
	keep(decide(q, now, &n, &a), next, n);
}

/* Damages a word, as a file may have it: whatever the answer is, it is the same one. */
static void damage(void)
{
	if (words > RL_SINGLE_HEAD && one_in(2)) {
		size_t n = (size_t) between(0, RL_SINGLE_PLACES + 2);

		state[RL_SINGLE_HEAD] = rl_limit_state_head(RL_CONCURRENT, 2 + 3 * n, (uint32_t) n);
	} else if (words > 0) {
		state[test_random(&seed) % words] ^= one_in(2) ? UINT64_C(1) << test_random(&seed) % 64 : test_random(&seed);
	}
}

static void run_history(void)
{
	rl_limit limit = random_limit();
	rl_now now = {.mono_us = between(0, 1000 * S)};
	unsigned interferes = one_in(3) ? 8 : 10000, damages = one_in(10) ? 20 : UINT32_MAX, step;
	unsigned steps = limit.limit > RL_SINGLE_PLACES ? 5 * STEPS : STEPS, frees = one_in(4) ? 10 : 2;

	words = 0;
	memset(permits, 0, sizeof permits);
	for (step = 0; step < steps && checks_broken == 0; step++) {
		rl_question q;

		if (one_in(60)) {
			limit = random_limit(); /* a deploy */
		} else if (one_in(40)) {
			limit.limit = (uint64_t) between(1, 12);
		}
		now.mono_us += one_in(3) ? between(0, limit.period_us / 5) : one_in(20) ? between(0, 2 * limit.period_us) : 0;
		if (one_in(60)) {
			now.mono_us -= between(0, limit.period_us / 10); /* a segment that another machine has set back */
		}
		q = test_question(RL_OP_ACQUIRE, limit,
			one_in(4) ? (uint32_t) between(1, (int64_t) limit.limit + one_in(20)) : 1);
		if (one_in(damages)) {
			damage();
		}
		if (one_in(interferes)) {
			interfere(&q, &now);
		} else if (!one_in(frees)) {
			compare_take(&q, &now);
		} else {
			/* Most permits have ended, or never were. */
			unsigned tries = 0;

			while (tries++ < 20 && q.op == RL_OP_ACQUIRE) {
				compare_free(&q, &now);
			}
		}
	}
}

/* A state of more places than the short way has room for. */
static void test_many_places(void)
{
	rl_limit limit = test_limit(RL_CONCURRENT, 2 * RL_SINGLE_PLACES, S);
	rl_now now = {.mono_us = S};
	unsigned before = left_takes, i;

	words = 0;
	for (i = 0; i < 2 * RL_SINGLE_PLACES; i++) {
		rl_question q = test_question(RL_OP_ACQUIRE, limit, 1);

		now.mono_us++;
		compare_take(&q, &now);
	}
	check(left_takes - before == RL_SINGLE_PLACES + 1,
		"%u of %u places are left to the long way: the first, and those behind %u", left_takes - before,
		2 * RL_SINGLE_PLACES, RL_SINGLE_PLACES);
}

int main(void)
{
	unsigned history;

	for (history = 0; history < HISTORIES && checks_broken == 0; history++) {
		seed = history;
		run_history();
	}
	printf("%u admitted and %u refused the short way, %u left; %u given back (%u by a rough clock) and %u emptied, "
		   "%u left, of which %u had nothing\n",
		admitted, refused, left_takes, freed, rough_frees, emptied, left_frees, missing);
	test_many_places();
	check(admitted > 100000 && refused > 10000 && freed > 10000 && rough_frees > 1000 && emptied > 10000,
		"the histories do not reach all cases");
	return checks_report();
}
