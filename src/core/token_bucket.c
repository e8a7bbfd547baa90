/* A bucket of limit permits, refilled continuously with rate of them in a period.
 *
 * What is kept is the tb_tat: the moment at which the bucket will be full, as us + num / rate microseconds, exactly. One
 * permit is worth period / rate microseconds. All products are taken with 128 bits: 24 of a rate, 49 of a time.
 *
 * Slot: num in the head; period; rate; us. */
#include "algorithm.h"

typedef unsigned __int128 wide;

enum { PERIOD = 1, RATE = 2, US = 3, WORDS = 4 };

/* A tb_tat, and the terms on which it is paid back. */
typedef struct {
	int64_t us; /* paid at us + num / rate */
	uint32_t num;
	uint32_t rate;
	int64_t period_us;
} tb_tat;

static bool tb_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us && limit_state[RATE] == limit->rate;
}

static int64_t tb_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	(void) now;
	return rl_moment(limit_state[US]) + (rl_limit_state_number(limit_state) > 0);
}

/* What is still owed at a moment, in units of 1 / rate microseconds. */
static wide tb_backlog(const tb_tat *d, int64_t t_us)
{
	return d->us >= t_us ? (wide) (uint64_t) (d->us - t_us) * d->rate + d->num : 0;
}

static wide tb_price(const tb_tat *d, uint32_t permits)
{
	return (wide) permits * (wide) d->period_us;
}

static void tb_tat_add(tb_tat *d, int64_t t_us, wide amount)
{
	d->us = t_us + (int64_t) (amount / d->rate);
	d->num = (uint32_t) (amount % d->rate);
}

/* On the limit state's own terms: a limit that has changed applies to what is admitted from now on. */
static tb_tat tb_load(const rl_limit_ctx *c)
{
	tb_tat d = {.us = c->now.mono_us, .rate = c->limit->rate, .period_us = c->limit->period_us};

	if (c->limit_state != NULL && tb_expires_at(c->limit_state, &c->now) > c->now.mono_us) {
		uint64_t rate = c->limit_state[RATE];

		d.us = rl_moment(c->limit_state[US]);
		d.num = rl_limit_state_number(c->limit_state);
		d.rate = (uint32_t) (rate < 1 || rate > RL_LIMIT_MAX ? 1 : rate);
		d.period_us = rl_period_of(c->limit_state[PERIOD]);
	}
	return d;
}

static uint32_t tb_backlog_permits(const tb_tat *d, int64_t t_us)
{
	wide n = (tb_backlog(d, t_us) + tb_price(d, 1) - 1) / tb_price(d, 1);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t) n;
}

static uint32_t tb_used(const rl_limit_ctx *c)
{
	tb_tat d = tb_load(c);

	return tb_backlog_permits(&d, c->now.mono_us);
}

static int64_t tb_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	tb_tat d = tb_load(c);
	wide spare = tb_price(&d, c->limit->limit - c->cost);
	wide backlog = tb_backlog(&d, t_us);

	return backlog <= spare ? t_us : t_us + (int64_t) ((backlog - spare + d.rate - 1) / d.rate);
}

static int64_t tb_full_at(const rl_limit_ctx *c)
{
	tb_tat d = tb_load(c);

	return d.us + (d.num > 0);
}

static size_t tb_max_words(const rl_limit_ctx *c)
{
	(void) c;
	return WORDS;
}

static size_t tb_write(const tb_tat *d, uint64_t *out)
{
	out[0] = rl_limit_state_head(RL_TOKEN_BUCKET, WORDS, d->num);
	out[PERIOD] = (uint64_t) d->period_us;
	out[RATE] = d->rate;
	out[US] = (uint64_t) d->us;
	return WORDS;
}

static size_t tb_admit(const rl_limit_ctx *c, uint64_t *out)
{
	tb_tat d = tb_load(c);

	if (d.rate != c->limit->rate || d.period_us != c->limit->period_us) {
		uint32_t permits = tb_backlog_permits(&d, c->now.mono_us);

		d.rate = c->limit->rate;
		d.period_us = c->limit->period_us;
		tb_tat_add(&d, c->now.mono_us, tb_price(&d, permits));
	}
	tb_tat_add(&d, c->now.mono_us, tb_backlog(&d, c->now.mono_us) + tb_price(&d, c->cost));
	return tb_write(&d, out);
}

static size_t tb_refund(const rl_limit_ctx *c, uint64_t *out)
{
	tb_tat d = tb_load(c);
	wide was = tb_backlog(&d, c->now.mono_us);
	wide back = tb_price(&d, c->cost);

	tb_tat_add(&d, c->now.mono_us, was > back ? was - back : 0);
	return tb_write(&d, out);
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
	.refund = tb_refund,
};
