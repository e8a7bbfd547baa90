/* Random questions of limiter_test.c: limits of all algorithms, costs, permits, bookings and bans, small and at the bounds. */
#ifndef RL_TEST_REDIS_QUESTIONS_H
#define RL_TEST_REDIS_QUESTIONS_H

#include "src/core/decide/limiter.h"

/* A program that goes on in real time needs periods that end while it runs. */
#define TICK_US INT64_C(4000)

static uint64_t seed_now;

static uint64_t any(uint64_t n)
{
	seed_now ^= seed_now << 13;
	seed_now ^= seed_now >> 7;
	seed_now ^= seed_now << 17;
	return seed_now % n;
}

/* A number of any size, up to max. */
static int64_t some(int64_t max)
{
	int64_t n = 1 + (int64_t) any(UINT64_C(1) << any(50));

	return n > max ? 1 + (int64_t) any((uint64_t) max) : n;
}

/* Bans that escalate, by a few steps of the clock. */
static const rl_ban_steps ban_steps[] = {
	{.forget_us = 30000, .n = 3, .us = {1000, 5000, 20000}},
	{.forget_us = 1000000, .n = 1, .us = {7000}},
};

/* What earlier acquires of a program hold. */
typedef struct {
	uint64_t number;
	uint8_t n_limits;
	rl_held held[RL_LIMITS_MAX];
} permit;

#define PERMITS 12

static struct {
	bool calm; /* without bans */
	int64_t booked[8];
	permit permits[PERMITS];
	uint64_t last_number;
	rl_held held[RL_LIMITS_MAX]; /* of the question */
} player;

static rl_limit any_limit(void)
{
	static const int64_t periods[] = {1000, 3000, 10007, 30000, 100000, 1000000, INT64_C(86400000000)};
	rl_limit limit = {.algorithm = (rl_algorithm) (1 + any(RL_ALGORITHMS))};

	limit.limit = (uint64_t) (any(4) ? 1 + any(12) : 1 + any(1000));
	limit.period_us = any(6) ? periods[any(7)] : some(RL_PERIOD_MAX_US - RL_PERIOD_MIN_US) + RL_PERIOD_MIN_US;
	if (limit.algorithm == RL_CALENDAR_WINDOW) {
		limit.period_us = 0;
		limit.period = (rl_period) (1 + any(3));
	}
	if (limit.algorithm == RL_CONCURRENT) {
		limit.limit = limit.limit < RL_LOG_LIMIT_MAX ? limit.limit : RL_LOG_LIMIT_MAX;
		return limit;
	}
	if (limit.algorithm == RL_TOKEN_BUCKET) {
		limit.rate = (uint64_t) (any(3) ? 1 + any(30) : (uint64_t) some(RL_LIMIT_MAX));
		limit.limit = any(3) ? limit.limit : (uint64_t) some(RL_LIMIT_MAX);
		/* Ten years to fill, at the most. */
		while ((double) limit.limit * (double) limit.period_us / limit.rate > (double) RL_PERIOD_MAX_US) {
			limit.limit = (limit.limit + 1) / 2;
			limit.period_us = limit.limit == 1 ? limit.period_us / 2 : limit.period_us;
		}
		limit.period_us = limit.period_us < RL_PERIOD_MIN_US ? RL_PERIOD_MIN_US : limit.period_us;
	} else if (any(8) == 0 && limit.algorithm != RL_SLIDING_LOG) {
		limit.limit = (uint64_t) some(RL_LIMIT_MAX);
	}
	switch (any(7)) {
		case 6:
			limit.ban = RL_BAN_STEPS;
			limit.steps = &ban_steps[any(2)];
			break;
		case 0:
			limit.ban = RL_BAN_FOR;
			limit.ban_us = some(50000) + 1000;
			break;
		case 1:
			limit.ban = RL_BAN_UNTIL; /* its moment is set for each question */
			break;
	}
	return limit;
}

/* A clock whose minutes, hours and days are short enough to come to an end. */
static void set_boundaries(rl_limit *limit, int64_t wall_us)
{
	int64_t window_us = TICK_US * (limit->period == RL_MINUTE ? 1 : limit->period == RL_HOUR ? 5 : 25);

	limit->boundary[0] = wall_us - wall_us % window_us;
	limit->boundary[1] = limit->boundary[0] + window_us;
	limit->boundary[2] = limit->boundary[1] + window_us;
}

static bool books(const rl_question *q)
{
	for (int i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm != RL_CALENDAR_WINDOW && q->limits[i].algorithm != RL_SLIDING_LOG) {
			return false;
		}
	}
	return true;
}

/* What a permit holds, or something like it. */
static void any_held(rl_question *q, int64_t wall_us)
{
	const permit *from = &player.permits[any(PERMITS)];
	unsigned i;

	q->held = player.held;
	q->tag = from->number;
	for (i = 0; i < q->n_limits; i++) {
		rl_held *held = &player.held[i];

		*held = from->held[from->n_limits > 0 && any(30) == 0 ? any(from->n_limits) : i];
		switch (any(60)) {
			case 0:
				*held = (rl_held){0};
				break;
			case 1:
				held->tag = 1 + any(player.last_number + 1);
				break;
			case 2:
				held->place = any(2) ? wall_us - 100000 + (int64_t) any(200000) : (int64_t) any(UINT64_C(1) << any(53));
				break;
			case 3:
				held->moved_us = (int64_t) any(UINT64_C(1) << any(50));
				break;
			case 4:
				held->cost = any(RL_LIMIT_MAX + 1);
				break;
			default:
				break;
		}
	}
}

static void any_permit_question(rl_question *q, int64_t wall_us, uint64_t least)
{
	uint64_t kind = any(100);

	q->op = kind < 45 ? RL_OP_ACQUIRE : kind < 80 ? RL_OP_SETTLE : kind < 90 ? RL_OP_RELEASE : RL_OP_RENEW;
	q->renew_us = any(3) ? 0 : RL_PERIOD_MIN_US + (int64_t) any(any(4) ? 100000 : RL_PERIOD_MAX_US - RL_PERIOD_MIN_US);
	if (q->op != RL_OP_ACQUIRE) {
		any_held(q, wall_us);
		q->cost = any(3) ? any(player.held[0].cost + 1)
			: any(10)    ? player.held[0].cost + any(1 + (any(4) ? 2 : least))
						 : (uint64_t) some(RL_LIMIT_MAX);
		q->cost = q->cost < RL_LIMIT_MAX ? q->cost : (uint64_t) RL_LIMIT_MAX;
		return;
	}
	q->tag = any(20) ? ++player.last_number : 1 + any(player.last_number + 1);
	q->held = player.held;
	q->max_wait_us = any(3) == 0 ? 0 : any(4) ? (int64_t) any(100000) : (int64_t) any(RL_PERIOD_MAX_US);
	if (q->max_wait_us == 0 && any(4) == 0) {
		q->at_least = 1 + any(q->cost);
	}
}

/* Gives some questions a cost for each limit, of which some are 0; all of them for settle alone. */
static void any_costs(rl_question *q)
{
	static uint64_t costs[RL_LIMITS_MAX];
	bool has_cost = false;

	q->costs = NULL;
	if (any(5) > 0 || (q->op > RL_OP_CREDIT && q->op != RL_OP_ACQUIRE && q->op != RL_OP_SETTLE)) {
		return;
	}
	q->costs = costs;
	q->at_least = 0;
	for (int i = 0; i < q->n_limits; i++) {
		costs[i] = any(4) == 0 ? 0 : any(8) ? 1 + any(1 + q->limits[i].limit) : (uint64_t) some(RL_LIMIT_MAX);
		costs[i] = costs[i] < RL_LIMIT_MAX ? costs[i] : (uint64_t) RL_LIMIT_MAX;
		has_cost = has_cost || costs[i] > 0;
	}
	if (!has_cost && q->op != RL_OP_SETTLE) {
		costs[any(q->n_limits)] = 1;
	}
}

static void any_question(rl_question *q, int64_t wall_us, const int64_t booked[8])
{
	uint64_t kind = any(100);
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < q->n_limits; i++) {
		least = q->limits[i].limit < least ? q->limits[i].limit : least;
	}
	q->op = kind < 50 ? RL_OP_CONSUME
		: kind < 65   ? RL_OP_PEEK
		: kind < 84   ? (books(q) ? RL_OP_RESERVE : RL_OP_CONSUME)
		: kind < 89   ? RL_OP_CANCEL
		: kind < 94   ? RL_OP_CREDIT
		: kind < 96   ? (player.calm ? RL_OP_CONSUME : RL_OP_BAN)
		: kind < 98   ? RL_OP_UNBAN
		: kind < 99   ? RL_OP_RESET
					  : RL_OP_CONSUME;
	q->cost = any(3) ? 1 : any(6) ? 1 + any(1 + least / 2) : (uint64_t) some(RL_LIMIT_MAX);
	if (q->op == RL_OP_CREDIT && any(4) == 0) {
		q->cost = (uint64_t) some(RL_LIMIT_MAX);
	}
	q->at_us = any(5) ? wall_us + 2000 + (int64_t) any((uint64_t) TICK_US * 30) : booked[any(8)];
	if (q->op == RL_OP_CANCEL) {
		q->at_us = booked[any(8)];
	}
	q->leave = q->at_least = 0;
	q->max_wait_us = 0;
	if (any(2)) {
		any_permit_question(q, wall_us, least);
	}
	if (any(8) == 0) {
		q->leave = any(3) ? any(1 + least) : any(RL_LIMIT_MAX);
	}
	if (q->op == RL_OP_CONSUME && any(8) == 0) {
		q->at_least = 1 + any(q->cost);
	}
	any_costs(q);
	q->as_is = q->op == RL_OP_PEEK && any(3) == 0;
	q->ban = any(2) ? RL_BAN_FOR : RL_BAN_UNTIL;
	q->ban_us = q->ban == RL_BAN_FOR ? some(20000) + 1000 : wall_us - 1000 + some(20000);
	for (int i = 0; i < q->n_limits; i++) {
		rl_limit *limit = &q->limits[i];
		bool booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL;

		if (limit->algorithm == RL_CALENDAR_WINDOW) {
			set_boundaries(limit, booking ? q->at_us : any(20) ? wall_us : wall_us - TICK_US);
		}
		if (player.calm) {
			limit->ban = RL_BAN_NONE;
		} else if (limit->ban == RL_BAN_UNTIL) {
			limit->ban_us = wall_us - 2000 + some(50000);
		}
	}
}

#endif
