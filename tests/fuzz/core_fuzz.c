/* Fuzzes the core: a state of any words, then a series of questions within their bounds, each on the state of the one
 * before left. Permits are those of earlier questions, or any words. Buffers have exactly the size that the core requires, so that the sanitizers detect any access beyond. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/core/algorithm/counter.h"
#include "../../src/core/decide/usual.h"

typedef struct {
	const uint8_t *at;
	size_t left;
} source;

static uint64_t take(source *s, size_t bytes)
{
	uint64_t value = 0;

	bytes = bytes < s->left ? bytes : s->left;
	memcpy(&value, s->at, bytes);
	s->at += bytes;
	s->left -= bytes;
	return value;
}

static int64_t between(source *s, int64_t low, int64_t high)
{
	return low + (int64_t) (take(s, 8) % (uint64_t) (high - low + 1));
}

/* Small numbers have the most edge cases; products of large ones overflow. */
static int64_t number(source *s, int64_t high)
{
	return take(s, 1) % 4 == 0 ? between(s, 1, high) : between(s, 1, high < 12 ? high : 12);
}

static int64_t period(source *s)
{
	return take(s, 1) % 4 == 0 ? between(s, RL_PERIOD_MIN_US, RL_PERIOD_MAX_US) : between(s, 1, 8) * RL_PERIOD_MIN_US;
}

/* Bans that escalate. */
static const rl_ban_steps steps = {.forget_us = 4000, .n = 3, .us = {1000, 2000, 3000}};

static void make_limit(source *s, rl_limit *limit, const rl_now *now, int64_t at_us, bool booking)
{
	unsigned which = (unsigned) take(s, 1);

	memset(limit, 0, sizeof *limit);
	limit->algorithm = booking ? (which % 2 ? RL_SLIDING_LOG : RL_CALENDAR_WINDOW)
							   : (rl_algorithm) (1 + which % RL_ALGORITHMS);
	limit->limit = (uint64_t) number(s,
		limit->algorithm == RL_SLIDING_LOG || limit->algorithm == RL_CONCURRENT ? RL_LOG_LIMIT_MAX : RL_LIMIT_MAX);
	limit->ban = (rl_ban_kind) (which / 16 % 4);
	limit->steps = limit->ban == RL_BAN_STEPS ? &steps : NULL;
	limit->ban_us = limit->ban == RL_BAN_FOR ? period(s)
		: limit->ban == RL_BAN_UNTIL         ? now->wall_us + period(s) - 1000
											 : 0;
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		int64_t us = booking ? at_us : now->wall_us;

		limit->period = (rl_period) (1 + which % 5);
		limit->boundary[0] = us - between(s, 0, 5000);
		limit->boundary[1] = us + between(s, 1, 5000);
		limit->boundary[2] = limit->boundary[1] + between(s, 1, 5000);
	} else {
		limit->period_us = period(s);
		if (limit->algorithm == RL_TOKEN_BUCKET) {
			limit->rate = (uint64_t) number(s, RL_LIMIT_MAX);
			/* A bucket fills within ten years: the limit's factory guarantees it. */
			while ((unsigned __int128) limit->limit * (uint64_t) limit->period_us / limit->rate
				> (uint64_t) RL_PERIOD_MAX_US) {
				limit->limit = limit->limit / 2 + 1;
				limit->period_us = limit->period_us / 2 + 1;
			}
		}
	}
}

#define must(kept) ((kept) ? (void) 0 : broken(__LINE__))

static void broken(int line)
{
	fprintf(stderr, "line %d: a promise is broken\n", line);
	abort();
}

static void check(const rl_question *q, const rl_answer *a)
{
	const rl_decision *d = &a->decision;
	uint64_t cost;

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_RESERVE && q->op != RL_OP_ACQUIRE
		&& q->op != RL_OP_SETTLE) {
		return;
	}
	must(d->limit_index < q->n_limits && d->limit == q->limits[d->limit_index].limit);
	must(d->remaining <= d->limit);
	cost = q->costs != NULL ? q->costs[d->limit_index] : q->cost;
	must(d->reset_after_us >= 0 && d->retry_after_us >= 0);
	must(d->accepted == (d->reason == RL_ACCEPTED));
	must((d->reason == RL_TOO_EXPENSIVE) == (d->retry_after_us == RL_NEVER));
	must(d->reason != RL_TOO_EXPENSIVE || cost + q->leave > d->limit);
	must(q->op == RL_OP_SETTLE
		|| (d->accepted ? (a->granted > 0 || q->costs != NULL) && a->granted <= cost : a->granted == 0));
	must(a->wait_us >= 0 && a->wait_us <= (q->op == RL_OP_ACQUIRE ? q->max_wait_us : 0));
}

/* What a permit holds: what an earlier acquire has filled in, or any words. */
static void make_held(source *s, rl_held held[RL_LIMITS_MAX])
{
	unsigned i;

	if (take(s, 1) % 4 > 0) {
		return;
	}
	for (i = 0; i < RL_LIMITS_MAX; i++) {
		held[i] = (rl_held){
			.tag = take(s, 1) % 2 == 0 ? held[i].tag : take(s, 1),
			.place = take(s, 1) % 2 == 0 ? (int64_t) ((uint64_t) held[i].place + (uint64_t) between(s, -2, 2))
										 : (int64_t) take(s, 8),
			.moved_us = between(s, 0, RL_PERIOD_MAX_US),
			.cost = (uint64_t) number(s, RL_LIMIT_MAX),
		};
	}
}

static void make_permit_question(source *s, rl_question *q)
{
	q->tag = 1 + take(s, 1) % 8;
	q->owner = take(s, 1);
	q->leave = take(s, 1) % 8 == 0 ? (uint64_t) between(s, 0, RL_LIMIT_MAX) : 0;
	q->at_least = take(s, 1) % 8 == 0 ? (uint64_t) between(s, 1, (int64_t) q->cost) : 0;
	q->max_wait_us = take(s, 1) % 2 == 0 ? 0 : period(s);
	q->renew_us = take(s, 1) % 2 == 0 ? 0 : period(s);
	if (q->op == RL_OP_SETTLE && take(s, 1) % 2 == 0) {
		q->cost = 0;
	}
	if (q->at_least > 0) {
		q->max_wait_us = 0;
	}
}

static const rl_op ops[] = {RL_OP_CONSUME, RL_OP_PEEK, RL_OP_RESERVE, RL_OP_CANCEL, RL_OP_CREDIT, RL_OP_BAN,
	RL_OP_UNBAN, RL_OP_RESET, RL_OP_ACQUIRE, RL_OP_ACQUIRE, RL_OP_SETTLE, RL_OP_SETTLE, RL_OP_RELEASE, RL_OP_RENEW,
	RL_OP_MIRROR, RL_OP_MIRROR};

/* What another store tells of: anything within its bounds. */
static void make_told(source *s, const rl_question *q, rl_told *told)
{
	unsigned i;

	*told = (rl_told){.trip_us = take(s, 1) * 100,
		.is_latest = take(s, 1) % 2 == 0,
		.ban_us = take(s, 1) % 4 == 0 ? period(s) : 0,
		.ban_limit = (uint8_t) (take(s, 1) % (q->n_limits + 1u)),
		.level = take(s, 1) % 8 == 0 ? (uint16_t) take(s, 2) : 0};
	told->forget_us = told->level > 0 ? period(s) : 0;
	for (i = 0; i < q->n_limits; i++) {
		told->limits[i] = (rl_told_limit){.is_known = take(s, 1) % 8 > 0,
			.used = (uint64_t) between(s, 0, (int64_t) q->limits[i].limit),
			.full_us = take(s, 1) % 4 == 0 ? between(s, 0, RL_PERIOD_MAX_US) : period(s)};
	}
}

/* Puts an answer into a usual state, in as much room as the general way had, or less. sound: of a state that nobody has damaged: then
 * it is what the general way has written to out; the head's hints stay where nothing else changes. */
static void mirror_usual(source *s, const rl_question *q, const rl_now *now, const uint64_t *state, size_t words,
	rl_outcome outcome, const uint64_t *out, size_t out_words, size_t room, bool sound)
{
	uint64_t *next;
	size_t next_words = 0;
	rl_outcome usual;

	room = take(s, 1) % 4 == 0 ? take(s, 1) % (room + 1) : room;
	room = room < RL_STATE_HEAD_WORDS ? RL_STATE_HEAD_WORDS : room;
	next = malloc(room * sizeof *next);
	if (rl_usual_mirror(q, q->told, now, state, words, next, room, &next_words, &usual)) {
		must(next_words <= room && (usual == RL_WRITE_STATE || usual == RL_WRITE_NOTHING));
		must(!sound || usual == RL_WRITE_NOTHING
			|| (outcome == usual && next_words == out_words && memcmp(next, out, out_words * sizeof *out) == 0));
		must(!sound || usual == RL_WRITE_STATE || outcome == RL_WRITE_NOTHING
			|| memcmp(out + RL_STATE_BAN_END, state + RL_STATE_BAN_END, (out_words - RL_STATE_BAN_END) * sizeof *out)
				== 0);
	}
	free(next);
}

static uint64_t *answer(source *s, uint64_t *state, size_t *words, rl_now *now, rl_held held[RL_LIMITS_MAX], bool sound)
{
	rl_question q = {.op = ops[take(s, 1) % (sizeof ops / sizeof *ops)]};
	bool booking = q.op == RL_OP_RESERVE || q.op == RL_OP_CANCEL;
	rl_answer a = {0};
	rl_outcome outcome;
	uint64_t *out;
	size_t room, out_words = 0;
	int64_t ahead_us;
	uint64_t costs[RL_LIMITS_MAX];
	rl_told told;
	unsigned i;

	now->mono_us += take(s, 1) % 3 == 0 ? between(s, 0, RL_PERIOD_MAX_US) / 64 : between(s, 0, 4000);
	now->wall_us = now->mono_us + between(s, 0, 1000000);
	ahead_us = between(s, 0, 20000);
	q.n_limits = (uint8_t) (1 + take(s, 1) % (take(s, 1) % 8 == 0 ? RL_LIMITS_MAX : 2));
	q.cost = (uint64_t) number(s, RL_LIMIT_MAX);
	q.at_us = now->wall_us + ahead_us;
	q.ban = RL_BAN_FOR;
	q.ban_us = period(s);
	if (q.op != RL_OP_MIRROR && (q.op == RL_OP_CONSUME || q.op >= RL_OP_ACQUIRE)) {
		make_permit_question(s, &q);
		make_held(s, held);
	}
	if (q.op < RL_OP_ACQUIRE) {
		q.max_wait_us = 0;
	}
	q.held = held;
	q.costs = q.op != RL_OP_MIRROR && take(s, 1) % 4 == 0 ? costs : NULL;
	if (q.costs != NULL) {
		q.at_least = 0;
	}
	for (i = 0; i < q.n_limits; i++) {
		costs[i] = take(s, 1) % 4 == 0 ? 0 : (uint64_t) number(s, RL_LIMIT_MAX);
		make_limit(s, &q.limits[i], now, q.at_us, booking);
	}
	if (q.op == RL_OP_MIRROR) {
		make_told(s, &q, &told);
		q.told = &told;
	}

	room = rl_limiter_size(&q, now, state, *words);
	if (room > rl_limiter_size_max(&q, state, *words)) {
		abort();
	}
	must(room < (size_t) 1 << 22);
	out = malloc(room * sizeof *out);
	outcome = rl_limiter_decide(&q, now, booking ? now->mono_us + ahead_us : now->mono_us, state, *words, out,
		&out_words, &a);
	must(outcome != RL_WRITE_STALE);
	must(out_words <= room);
	check(&q, &a);
	if (q.op == RL_OP_MIRROR && state != NULL) {
		mirror_usual(s, &q, now, state, *words, outcome, out, out_words, room, sound);
	}
	if (outcome == RL_WRITE_NOTHING) {
		free(out);
		return state;
	}
	free(state);
	if (outcome == RL_WRITE_DELETE) {
		free(out);
		*words = 0;
		return NULL;
	}
	must((int64_t) out[1] > now->mono_us);
	*words = out_words;
	return realloc(out, out_words * sizeof *out);
}

static void plain(source *s)
{
	uint64_t word = take(s, 8);
	int64_t now_us = between(s, 0, RL_PERIOD_MAX_US / 2);

	while (s->left > 0) {
		rl_counter_question q = {
			.seconds = (uint32_t) number(s, RL_SECONDS_MAX),
			.limit = (uint32_t) number(s, RL_COUNTER_MAX),
			.ban = (rl_ban_kind) (take(s, 1) % 3),
		};
		int64_t wall_us = now_us + between(s, 0, RL_PERIOD_MAX_US);
		uint64_t next;
		rl_decision d;

		q.ban_s = q.ban == RL_BAN_FOR ? number(s, RL_SECONDS_MAX)
									  : wall_us / RL_US_PER_SECOND + between(s, -9, RL_SECONDS_MAX);
		next = rl_counter_decide(word, &q, now_us, wall_us, &d);
		must(d.remaining <= d.limit && d.limit == q.limit);
		must(d.accepted == (d.reason == RL_ACCEPTED) && d.retry_after_us >= 0 && d.reset_after_us > 0);
		must(rl_counter_end_ms(next) > now_us / RL_US_PER_MS);
		word = next;
		now_us += between(s, 0, 3000000);
		if (now_us > RL_PERIOD_MAX_US / 2) {
			break;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	source s = {data, size};
	unsigned kind = (unsigned) take(&s, 1), questions;
	rl_now now = {1000000000, 1000000000};
	rl_held held[RL_LIMITS_MAX] = {0};
	uint64_t *state = NULL;
	size_t words = 0;

	if (kind % 4 == 3) {
		plain(&s);
		return 0;
	}
	if (kind % 4 == 2) { /* from random words */
		words = take(&s, 1) % 64;
		state = calloc(words + 1, sizeof *state);
		for (size_t i = 0; i < words; i++) {
			state[i] = take(&s, 8);
		}
		state = realloc(state, (words > 0 ? words : 1) * sizeof *state);
	}
	for (questions = 0; questions < 64 && s.left > 0; questions++) {
		state = answer(&s, state, &words, &now, held, kind % 4 != 2);
	}
	free(state);
	return 0;
}
