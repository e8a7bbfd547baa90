/* Marks the limits of a limiter, so that each finds its own limit state again. docs/semantics.md has the rule. */
#ifndef RL_CORE_LIMIT_MARK_H
#define RL_CORE_LIMIT_MARK_H

#include "limit.h"

/* Sets the marks of a limiter's limits, whose identities are set. names: of each limit, NULL if it has none. */
void rl_limits_mark(rl_limit *limits, const char *const *names, unsigned n);

#endif
