/* Random numbers of a program of random histories: each history starts from a seed of its own. */
#ifndef RL_TEST_RANDOM_H
#define RL_TEST_RANDOM_H

#include "harness.h"

static uint64_t seed;

/* Returns a number from low to high, both included. */
static inline int64_t between(int64_t low, int64_t high)
{
	return low + (int64_t) (test_random(&seed) % (uint64_t) (high - low + 1));
}

/* Returns true once in n times. */
static inline bool one_in(unsigned n)
{
	return test_random(&seed) % n == 0;
}

/* Returns the length of a random limit's calendar window: its period is a minute or an hour. */
static inline int64_t calendar_length(const rl_limit *limit)
{
	return (limit->period == RL_MINUTE ? 60 : 3600) * RL_US_PER_SECOND;
}

/* Sets the boundaries of a random limit, if it is a calendar window. */
static inline void set_boundaries(rl_limit *limit, int64_t wall_us)
{
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		test_boundaries(limit, calendar_length(limit), wall_us);
	}
}

/* Returns the clocks at the beginning of a history: within a thousand seconds, and in an hour of 1970. */
static inline rl_now random_now(void)
{
	return (rl_now){
		.mono_us = between(0, 1000 * RL_US_PER_SECOND),
		.wall_us = between(1000, 2000) * 3600 * RL_US_PER_SECOND,
	};
}

#endif
