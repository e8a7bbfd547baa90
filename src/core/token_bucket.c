/* A bucket of limit permits, refilled continuously with rate of them in a period.
 *
 * What is kept is the debt: the moment at which the bucket will be full, as us + num / rate microseconds, exactly. One
 * permit is worth period / rate microseconds. All products are taken with 128 bits: 24 of a rate, 49 of a time.
 *
 * Slot: num in the head; period; rate; us. */
#include "algorithm.h"

typedef unsigned __int128 wide;

enum { PERIOD = 1, RATE = 2, US = 3, WORDS = 4 };

/* A debt, and the terms on which it is paid back. */
typedef struct {
	int64_t us;       /* paid at us + num / rate */
	uint32_t num;
	uint32_t rate;
	int64_t period_us;
} debt;

static bool fits(const rl_limit *limit, const uint64_t *slot)
{
	return (int64_t) slot[PERIOD] == limit->period_us && slot[RATE] == limit->rate;
}

static int64_t over_at(const uint64_t *slot, const rl_now *now)
{
	(void) now;
	return rl_moment(slot[US]) + (rl_slot_number(slot) > 0);
}

/* What is still owed at a moment, in units of 1 / rate microseconds. */
static wide owed(const debt *d, int64_t t_us)
{
	return d->us >= t_us ? (wide) (uint64_t) (d->us - t_us) * d->rate + d->num : 0;
}

static wide price(const debt *d, uint32_t permits)
{
	return (wide) permits * (wide) d->period_us;
}

static void owe(debt *d, int64_t t_us, wide amount)
{
	d->us = t_us + (int64_t) (amount / d->rate);
	d->num = (uint32_t) (amount % d->rate);
}

/* On the slot's own terms: a limit that has changed applies to what is admitted from now on. */
static debt load(const rl_case *c)
{
	debt d = {.us = c->now.mono_us, .rate = c->limit->rate, .period_us = c->limit->period_us};

	if (c->slot != NULL && over_at(c->slot, &c->now) > c->now.mono_us) {
		uint64_t rate = c->slot[RATE];

		d.us = rl_moment(c->slot[US]);
		d.num = rl_slot_number(c->slot);
		d.rate = (uint32_t) (rate < 1 || rate > RL_LIMIT_MAX ? 1 : rate);
		d.period_us = rl_period_of(c->slot[PERIOD]);
	}
	return d;
}

static uint32_t permits_owed(const debt *d, int64_t t_us)
{
	wide n = (owed(d, t_us) + price(d, 1) - 1) / price(d, 1);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t) n;
}

static uint32_t used(const rl_case *c)
{
	debt d = load(c);

	return permits_owed(&d, c->now.mono_us);
}

static int64_t earliest(const rl_case *c, int64_t t_us)
{
	debt d = load(c);
	wide spare = price(&d, c->limit->limit - c->cost);
	wide now_owed = owed(&d, t_us);

	return now_owed <= spare ? t_us : t_us + (int64_t) ((now_owed - spare + d.rate - 1) / d.rate);
}

static int64_t whole_at(const rl_case *c)
{
	debt d = load(c);

	return d.us + (d.num > 0);
}

static size_t room(const rl_case *c)
{
	(void) c;
	return WORDS;
}

static size_t write(const debt *d, uint64_t *out)
{
	out[0] = rl_slot_head(RL_TOKEN_BUCKET, WORDS, d->num);
	out[PERIOD] = (uint64_t) d->period_us;
	out[RATE] = d->rate;
	out[US] = (uint64_t) d->us;
	return WORDS;
}

static size_t admit(const rl_case *c, uint64_t *out)
{
	debt d = load(c);

	if (d.rate != c->limit->rate || d.period_us != c->limit->period_us) {
		uint32_t permits = permits_owed(&d, c->now.mono_us);

		d.rate = c->limit->rate;
		d.period_us = c->limit->period_us;
		owe(&d, c->now.mono_us, price(&d, permits));
	}
	owe(&d, c->now.mono_us, owed(&d, c->now.mono_us) + price(&d, c->cost));
	return write(&d, out);
}

static size_t refund(const rl_case *c, uint64_t *out)
{
	debt d = load(c);
	wide was = owed(&d, c->now.mono_us);
	wide back = price(&d, c->cost);

	owe(&d, c->now.mono_us, was > back ? was - back : 0);
	return write(&d, out);
}

const rl_algorithm_ops rl_token_bucket_ops = {
	.words_min = WORDS,
	.fits = fits,
	.over_at = over_at,
	.used = used,
	.earliest = earliest,
	.whole_at = whole_at,
	.room = room,
	.admit = admit,
	.refund = refund,
};
