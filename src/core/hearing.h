/* A question heard with the state that it is asked of: the limits, each with the slot that is its own, and the slots that no
 * limit took. */
#ifndef RL_CORE_HEARING_H
#define RL_CORE_HEARING_H

#include "algorithm.h"

typedef struct {
	const rl_question *q;
	const rl_now *now;
	rl_state state;                  /* without the slots that are over */
	bool banned;                     /* a ban is running */
	const rl_algorithm_ops *ops[RL_LIMITS_MAX];
	rl_case cases[RL_LIMITS_MAX];
	unsigned n_others;
	const uint64_t *others[RL_LIMITS_MAX];
} rl_hearing;

/* at_us: the moment that is judged, on the state's monotonic clock. state: NULL when there is none. What is taken up stays
 * borrowed. */
void rl_hearing_open(rl_hearing *h, const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state, size_t words);

#endif
