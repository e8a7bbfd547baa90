/* A question heard with the state that it is asked of: the limits, each with the limit state that is its own, and the limit states that no
 * limit took. */
#ifndef RL_CORE_EVALUATION_H
#define RL_CORE_EVALUATION_H

#include "algorithm.h"

typedef struct {
	const rl_question *q;
	const rl_now *now;
	rl_state state; /* without the limit states that are over */
	bool banned;    /* a ban is running */
	const rl_algorithm_ops *ops[RL_LIMITS_MAX];
	rl_limit_ctx ctx[RL_LIMITS_MAX];
	unsigned n_unmatched;
	const uint64_t *unmatched[RL_LIMITS_MAX];
} rl_evaluation;

/* at_us: the moment that is judged, on the state's monotonic clock. state: NULL when there is none. What is taken up stays
 * borrowed. */
void rl_evaluation_init(rl_evaluation *ev, const rl_question *q, const rl_now *now, int64_t at_us,
	const uint64_t *state, size_t words);

#endif
