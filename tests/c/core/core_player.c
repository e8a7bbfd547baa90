/* Plays a random program's calls on the core alone, for tests/model/core_player.inc: reads a question from each line, with
 * its clocks, and prints the answer. Buffers have exactly the size that the core requires.
 *
 *   new                                        forgets all states and permits
 *   ask OP IDENTITY PERMIT MONO WALL COST LEAVE AT_LEAST AT BAN BAN_US MAX_WAIT RENEW HAS_COSTS N, then N times
 *       ALGORITHM PERIOD LIMIT RATE PERIOD_US MARK BEGIN END NEXT_END BAN BAN_US, with bans that escalate FORGET_US N and N times US,
 *       OWN_COST
 *
 * All are decimal numbers. PERMIT numbers an acquire's permit from 1 on; the answer of a call for a permit that is not held
 * is "ended". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/decide/limiter.h"

enum { IDENTITIES = 8, PERMITS = 4096 };

static struct {
	uint64_t *words;
	size_t n;
} states[IDENTITIES];

static struct {
	bool is_held;
	rl_held parts[RL_LIMITS_MAX];
} permits[PERMITS];

static void fail(const char *what)
{
	fprintf(stderr, "core_player: %s\n", what);
	exit(1);
}

static int64_t next_number(char **at)
{
	char *end;
	int64_t number = strtoll(*at, &end, 10);

	if (end == *at) {
		fail("a number is missing");
	}
	*at = end;
	return number;
}

static void forget_all(void)
{
	unsigned i;

	for (i = 0; i < IDENTITIES; i++) {
		free(states[i].words);
		states[i].words = NULL;
		states[i].n = 0;
	}
	memset(permits, 0, sizeof permits);
}

static void read_limit(char **at, rl_limit *limit, uint64_t *cost, rl_ban_steps *steps)
{
	unsigned i;

	limit->algorithm = (rl_algorithm) next_number(at);
	limit->period = (uint64_t) next_number(at);
	limit->limit = (uint64_t) next_number(at);
	limit->rate = (uint64_t) next_number(at);
	limit->period_us = next_number(at);
	limit->mark = (uint32_t) next_number(at);
	for (i = 0; i < 3; i++) {
		limit->boundary[i] = next_number(at);
	}
	limit->ban = (rl_ban_kind) next_number(at);
	limit->ban_us = next_number(at);
	if (limit->ban == RL_BAN_STEPS) {
		steps->forget_us = next_number(at);
		steps->n = (uint32_t) next_number(at);
		for (i = 0; i < steps->n && i < RL_BAN_STEPS_MAX; i++) {
			steps->us[i] = next_number(at);
		}
		limit->steps = steps;
	}
	*cost = (uint64_t) next_number(at);
}

/* Returns the room in words for the next state, as the core says. */
static size_t room_for(const rl_question *q, const rl_now *now, const uint64_t *words, size_t n)
{
	size_t room = rl_limiter_size(q, now, words, n);

	if (room > rl_limiter_size_max(q, words, n)) {
		fail("rl_limiter_size() is above rl_limiter_size_max()");
	}
	return room;
}

static void decide(const rl_question *q, unsigned identity, const rl_now *now, int64_t at_us, rl_answer *a)
{
	const uint64_t *words = states[identity].words;
	size_t n = states[identity].n, room = room_for(q, now, words, n), out_words = 0;
	uint64_t *out = malloc((room > 0 ? room : 1) * sizeof *out);

	if (out == NULL) {
		fail("no memory");
	}
	switch (rl_limiter_decide(q, now, at_us, words, n, out, &out_words, a)) {
		case RL_WRITE_STATE:
			if (out_words > room) {
				fail("a state is longer than rl_limiter_size()");
			}
			free(states[identity].words);
			states[identity].words = realloc(out, out_words * sizeof *out);
			states[identity].n = out_words;
			return;
		case RL_WRITE_DELETE:
			free(states[identity].words);
			states[identity].words = NULL;
			states[identity].n = 0;
			break;
		case RL_WRITE_STALE:
			fail("stale boundaries");
			break;
		case RL_WRITE_NOTHING:
			break;
	}
	free(out);
}

static void answer(char *at)
{
	rl_question q = {.op = (rl_op) next_number(&at)};
	unsigned identity = (unsigned) next_number(&at) % IDENTITIES, permit = (unsigned) next_number(&at) % PERMITS, i;
	rl_now now = {.mono_us = next_number(&at)};
	rl_ban_steps steps[RL_LIMITS_MAX];
	rl_answer a = {0};
	int64_t at_us;
	uint64_t costs[RL_LIMITS_MAX];

	now.wall_us = next_number(&at);
	q.cost = (uint64_t) next_number(&at);
	q.leave = (uint64_t) next_number(&at);
	q.at_least = (uint64_t) next_number(&at);
	q.at_us = next_number(&at);
	q.ban = (rl_ban_kind) next_number(&at);
	q.ban_us = next_number(&at);
	q.max_wait_us = next_number(&at);
	q.renew_us = next_number(&at);
	q.costs = next_number(&at) ? costs : NULL;
	q.n_limits = (uint8_t) next_number(&at);
	for (i = 0; i < q.n_limits && i < RL_LIMITS_MAX; i++) {
		read_limit(&at, &q.limits[i], &costs[i], &steps[i]);
	}
	q.tag = q.op == RL_OP_ACQUIRE ? permit * (RL_TAG_WAS_THERE + 1) : 0;
	q.held = permits[permit].parts;
	at_us = q.op == RL_OP_RESERVE || q.op == RL_OP_CANCEL ? q.at_us - now.wall_us + now.mono_us : now.mono_us;
	if (q.op != RL_OP_CANCEL && at_us < now.mono_us) {
		at_us = now.mono_us;
	}
	if ((q.op == RL_OP_SETTLE || q.op == RL_OP_RELEASE || q.op == RL_OP_RENEW) && !permits[permit].is_held) {
		puts("ended");
		return;
	}
	decide(&q, identity, &now, at_us, &a);
	if (q.op == RL_OP_ACQUIRE) {
		permits[permit].is_held = a.decision.accepted;
	} else if (q.op == RL_OP_SETTLE || q.op == RL_OP_RELEASE) {
		permits[permit].is_held = false;
	}
	printf("%d %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %d %" PRIu64 " %" PRId64 " %u",
		(int) a.decision.reason, a.decision.limit_index, a.decision.limit, a.decision.remaining,
		a.decision.retry_after_us == RL_NEVER ? -1 : a.decision.retry_after_us, a.decision.reset_after_us, a.found,
		a.granted, a.wait_us, a.decision.level);
	for (i = 0; i < q.n_limits; i++) {
		rl_left left;

		(void) rl_decision_left(&a.decision, i, &left);
		printf(" %" PRIu64 ":%" PRId64 ":%" PRId64 ":%u:%" PRId64, (uint64_t) left.remaining, left.reset_after_us,
			left.ban_after_us, (unsigned) left.level, left.forget_after_us);
	}
	putchar('\n');
}

int main(void)
{
	char line[16384];

	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strncmp(line, "ask ", 4) == 0) {
			answer(line + 4);
		} else {
			forget_all();
			puts("ok");
		}
		fflush(stdout);
	}
	forget_all();
	return 0;
}
