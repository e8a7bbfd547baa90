/* Marks the limits of a limiter, so that each finds its own limit state again. docs/semantics.md has the rule. */
#ifndef RL_CORE_LIMIT_MARK_H
#define RL_CORE_LIMIT_MARK_H

#include "limit.h"

/* In a mark: the other bits are of the hash of the limit's name, which no other limit has. */
#define RL_MARK_OF_NAME UINT32_C(0x1000)

/* Returns whether two limits have one algorithm and one period. */
static inline bool rl_limits_are_equals(const rl_limit *a, const rl_limit *b)
{
	return a->algorithm == b->algorithm && a->period == b->period && a->period_us == b->period_us && a->rate == b->rate;
}

/* Sets the marks of a limiter's limits, whose identities are set. names, zones: of each limit, NULL if it has none. */
void rl_limits_mark(rl_limit *limits, const char *const *names, const char *const *zones, unsigned n);

#endif
