/* Keeps a token bucket of limit permits, refilled continuously with rate permits in a period, by the generic cell rate
 * algorithm (GCRA).
 *
 * A bucket is kept as its theoretical arrival time (TAT): the moment at which it will be full, us + frac / rate
 * microseconds, exactly. One permit takes period / rate microseconds. The backlog is the time from a moment to the TAT, in
 * units of 1 / rate microseconds. All products use 128 bits: a rate has 24 bits, a time 49.
 *
 * Limit state: the TAT's fraction in the head; period; rate; the TAT's microseconds. */
#include "algorithm.h"

typedef unsigned __int128 wide;

enum { PERIOD = 1, RATE = 2, TAT_US = 3, WORDS = 4 };

/* A TAT, and the rate at which its bucket refills. */
typedef struct {
	int64_t tat_us;
	uint32_t tat_frac; /* in 1 / rate us, less than rate */
	uint32_t rate;
	int64_t period_us;
} tb_bucket;

static bool tb_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us && limit_state[RATE] == limit->rate;
}

static int64_t tb_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	(void) now;
	return rl_moment(limit_state[TAT_US]) + (rl_limit_state_number(limit_state) > 0);
}

/* Returns the time from t to the TAT, in 1 / rate us; 0 if the bucket is full at t. */
static wide tb_backlog(const tb_bucket *b, int64_t t_us)
{
	return b->tat_us >= t_us ? (wide) (uint64_t) (b->tat_us - t_us) * b->rate + b->tat_frac : 0;
}

/* Returns the time that so many permits take to refill, in 1 / rate us. */
static wide tb_refill_time(const tb_bucket *b, uint32_t permits)
{
	return (wide) permits * (wide) b->period_us;
}

/* Sets the TAT to t plus the backlog. */
static void tb_set_backlog(tb_bucket *b, int64_t t_us, wide backlog)
{
	b->tat_us = t_us + (int64_t) (backlog / b->rate);
	b->tat_frac = (uint32_t) (backlog % b->rate);
}

/* Reads the bucket with the limit state's own rate: a changed limit applies from the next admission on. */
static tb_bucket tb_load(const rl_limit_ctx *c)
{
	tb_bucket b = {.tat_us = c->now.mono_us, .rate = c->limit->rate, .period_us = c->limit->period_us};

	if (c->limit_state != NULL && tb_expires_at(c->limit_state, &c->now) > c->now.mono_us) {
		uint64_t rate = c->limit_state[RATE];

		b.tat_us = rl_moment(c->limit_state[TAT_US]);
		b.tat_frac = rl_limit_state_number(c->limit_state);
		b.rate = (uint32_t) (rate < 1 || rate > RL_LIMIT_MAX ? 1 : rate);
		b.period_us = rl_period_of(c->limit_state[PERIOD]);
	}
	return b;
}

/* Returns the permits that are missing at t, a part of one as a whole. */
static uint32_t tb_missing(const tb_bucket *b, int64_t t_us)
{
	wide n = (tb_backlog(b, t_us) + tb_refill_time(b, 1) - 1) / tb_refill_time(b, 1);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t) n;
}

static uint32_t tb_used(const rl_limit_ctx *c)
{
	tb_bucket b = tb_load(c);

	return tb_missing(&b, c->now.mono_us);
}

static int64_t tb_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	tb_bucket b = tb_load(c);
	wide spare = tb_refill_time(&b, c->limit->limit - c->cost);
	wide backlog = tb_backlog(&b, t_us);

	return backlog <= spare ? t_us : t_us + (int64_t) ((backlog - spare + b.rate - 1) / b.rate);
}

static int64_t tb_full_at(const rl_limit_ctx *c)
{
	tb_bucket b = tb_load(c);

	return b.tat_us + (b.tat_frac > 0);
}

static size_t tb_max_words(const rl_limit_ctx *c)
{
	(void) c;
	return WORDS;
}

static size_t tb_write(const tb_bucket *b, uint64_t *out)
{
	out[0] = rl_limit_state_head(RL_TOKEN_BUCKET, WORDS, b->tat_frac);
	out[PERIOD] = (uint64_t) b->period_us;
	out[RATE] = b->rate;
	out[TAT_US] = (uint64_t) b->tat_us;
	return WORDS;
}

static size_t tb_admit(const rl_limit_ctx *c, uint64_t *out)
{
	tb_bucket b = tb_load(c);

	if (b.rate != c->limit->rate || b.period_us != c->limit->period_us) {
		uint32_t missing = tb_missing(&b, c->now.mono_us);

		b.rate = c->limit->rate;
		b.period_us = c->limit->period_us;
		tb_set_backlog(&b, c->now.mono_us, tb_refill_time(&b, missing));
	}
	tb_set_backlog(&b, c->now.mono_us, tb_backlog(&b, c->now.mono_us) + tb_refill_time(&b, c->cost));
	return tb_write(&b, out);
}

static size_t tb_credit(const rl_limit_ctx *c, uint64_t *out)
{
	tb_bucket b = tb_load(c);
	wide backlog = tb_backlog(&b, c->now.mono_us);
	wide back = tb_refill_time(&b, c->cost);

	tb_set_backlog(&b, c->now.mono_us, backlog > back ? backlog - back : 0);
	return tb_write(&b, out);
}

const rl_algorithm_ops rl_token_bucket_ops = {
	.words_min = WORDS,
	.same_period = tb_same_period,
	.expires_at = tb_expires_at,
	.used = tb_used,
	.earliest = tb_earliest,
	.full_at = tb_full_at,
	.max_words = tb_max_words,
	.admit = tb_admit,
	.credit = tb_credit,
};
