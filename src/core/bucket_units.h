/* A token bucket in one number: its TAT in units of 1 / parts us, in which a permit takes a whole number, too.
 *
 * permit / parts is period / rate in lowest terms. So a permit of 360,000 s / 16,777,215 takes 8 * 10^9 units of
 * 1 / 372,827 us. A decision compares and adds whole units. Only the answer needs divisions: the permits that are used, and the
 * time until the bucket is full. */
#ifndef RL_CORE_BUCKET_UNITS_H
#define RL_CORE_BUCKET_UNITS_H

#include "../compiler.h"
#include "single_limit.h"

/* Returns the greatest common divisor, by which a period and a rate become a bucket's units. Neither is 0. */
RL_INLINE uint64_t rl_bucket_divisor(uint64_t period, uint64_t rate)
{
	while (rate != 0) {
		uint64_t rest = period % rate;

		period = rate;
		rate = rest;
	}
	return period;
}

/* Notes the units of a limit that is a token bucket, for the fast path. */
static inline void rl_bucket_prepare(rl_limit *limit)
{
	limit->divisor = rl_bucket_divisor((uint64_t) limit->period_us, limit->rate);
	limit->units = (rl_bucket_units){(uint64_t) limit->period_us / limit->divisor, limit->rate / limit->divisor};
}

/* Returns whether a TAT is a moment (rl_moment()), and not a damaged one. */
RL_INLINE bool rl_bucket_is_sound(rl_bucket_units units, uint64_t tat)
{
	return RL_LIKELY(tat >> 61 == 0) || units.parts >= 8;
}

/* Returns the units from now to the TAT; 0 if the bucket is full. */
RL_INLINE uint64_t rl_bucket_backlog(rl_bucket_units units, uint64_t tat, int64_t now_us)
{
	uint64_t now;

	return now_us <= 0                                                               ? tat
		: __builtin_mul_overflow((uint64_t) now_us, units.parts, &now) || tat <= now ? 0
																					 : tat - now;
}

RL_INLINE uint64_t rl_bucket_round_up(uint64_t n, uint64_t by)
{
	return n / by + (n % by > 0);
}

/* The numbers of a call, in units. */
typedef struct {
	uint64_t all;     /* a whole bucket */
	uint64_t of_cost; /* at most all */
	uint64_t tat;     /* now or later */
	uint64_t backlog; /* from now to the TAT */
} rl_bucket_call;

/* Reads a call against a TAT. Returns false if a number is too large for it. Requires a cost up to the limit. */
RL_INLINE bool rl_bucket_begin(const rl_limit *limit, rl_bucket_units units, uint64_t cost, int64_t now_us,
	uint64_t tat, rl_bucket_call *c)
{
	uint64_t now;

	if (RL_UNLIKELY(__builtin_mul_overflow(limit->limit, units.permit, &c->all)
			|| __builtin_mul_overflow((uint64_t) now_us, units.parts, &now))) {
		return false;
	}
	c->of_cost = cost * units.permit;
	c->tat = tat > now ? tat : now;
	c->backlog = c->tat - now;
	return true;
}

/* Fills in the answer of a call. backlog: after it. spare: the largest backlog with which the next call is admitted: the same one,
 * or after an admission one with a cost of 1. */
RL_INLINE void rl_bucket_answer(const rl_limit *limit, rl_bucket_units units, bool accepted, uint64_t backlog,
	uint64_t spare, rl_decision *d)
{
	int64_t retry_us = 0;

	if (RL_UNLIKELY(backlog > spare)) {
		retry_us = (int64_t) rl_bucket_round_up(backlog - spare, units.parts);
	}
	rl_single_answer(d, limit, accepted, rl_bucket_round_up(backlog, units.permit), retry_us,
		(int64_t) rl_bucket_round_up(backlog, units.parts));
}

#endif
