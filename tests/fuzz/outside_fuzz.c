/* Fuzzes all external input below PHP: a DSN, Redis' replies, a damaged segment. The first
 * byte selects one. No content may cause a crash, an access out of bounds, or an endless wait. */
#include "input.h"

static int64_t period(input *in)
{
	return take(in, 1) % 4 == 0
		? RL_PERIOD_MIN_US + (int64_t) (take(in, 8) % (uint64_t) (RL_PERIOD_MAX_US - RL_PERIOD_MIN_US))
		: between(in, 1, 8) * RL_US_PER_SECOND;
}

/* Bans that escalate. */
static const rl_ban_steps steps = {.forget_us = 4000, .n = 3, .us = {1000, 2000, 3000}};

static rl_limit make_limit(input *in, const rl_question *q, int64_t wall_us)
{
	unsigned which = (unsigned) take(in, 1);
	bool booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL;
	int64_t us = booking ? q->at_us : wall_us;
	rl_limit limit = {
		.algorithm = booking ? (which % 2 ? RL_SLIDING_LOG : RL_CALENDAR_WINDOW)
							 : (rl_algorithm) (1 + which % RL_ALGORITHMS),
		.ban = (rl_ban_kind) (which / 16 % 4),
	};

	limit.limit = (uint64_t) number(in, limit.algorithm == RL_SLIDING_LOG ? RL_LOG_LIMIT_MAX : RL_LIMIT_MAX);
	limit.steps = limit.ban == RL_BAN_STEPS ? &steps : NULL;
	limit.ban_us = limit.ban == RL_BAN_FOR ? period(in) : limit.ban == RL_BAN_UNTIL ? wall_us - 1000 + period(in) : 0;
	if (limit.algorithm == RL_CALENDAR_WINDOW) {
		limit.period = (rl_period) (1 + which % 5);
		limit.boundary[0] = us - between(in, 0, 60000000);
		limit.boundary[1] = us + between(in, 0, 60000000);
		limit.boundary[2] = limit.boundary[1] + between(in, 1, 60000000);
		return limit;
	}
	limit.period_us = period(in);
	if (limit.algorithm == RL_TOKEN_BUCKET) {
		limit.rate = (uint64_t) number(in, RL_LIMIT_MAX);
		/* A bucket fills within ten years: the limit's factory guarantees it. */
		while (
			(unsigned __int128) limit.limit * (uint64_t) limit.period_us / limit.rate > (uint64_t) RL_PERIOD_MAX_US) {
			limit.limit = limit.limit / 2 + 1;
			limit.period_us = limit.period_us / 2 + 1;
		}
	}
	return limit;
}

rl_question make_question(input *in, int64_t wall_us)
{
	unsigned shape = (unsigned) take(in, 1), i;
	rl_question q = {
		.op = (rl_op) (1 + shape % RL_OP_RESET),
		.n_limits = (uint8_t) (shape >= 0xe0 ? RL_LIMITS_MAX : 1 + shape / 8 % 2),
		.ban = shape / 16 % 2 ? RL_BAN_FOR : RL_BAN_UNTIL,
	};

	q.cost = (uint64_t) number(in, RL_LIMIT_MAX);
	q.at_us = wall_us + (take(in, 1) % 4 == 0 ? period(in) : between(in, 0, 20000000));
	q.ban_us = q.ban == RL_BAN_FOR ? period(in) : wall_us + period(in);
	for (i = 0; i < q.n_limits; i++) {
		q.limits[i] = make_limit(in, &q, wall_us);
	}
	return q;
}

rl_counter_question make_plain_question(input *in, int64_t wall_us)
{
	rl_counter_question q = {
		.seconds = (uint32_t) number(in, RL_SECONDS_MAX),
		.limit = (uint32_t) number(in, RL_COUNTER_MAX),
		.ban = (rl_ban_kind) (take(in, 1) % 3),
	};

	q.ban_s = q.ban == RL_BAN_NONE
		? 0
		: number(in, RL_SECONDS_MAX) + (q.ban == RL_BAN_UNTIL ? wall_us / RL_US_PER_SECOND - 9 : 0);
	return q;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	prepare_segment();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(input * in) = {fuzz_dsn, fuzz_redis, fuzz_segment, fuzz_attach};
	input in = {data, size};
	unsigned which = (unsigned) take(&in, 1);

	targets[which % (sizeof targets / sizeof *targets)](&in);
	return 0;
}
