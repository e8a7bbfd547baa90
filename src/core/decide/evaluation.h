/* One question evaluated against one state: pairs each limit with its limit state, and lists the limit states that no
 * limit matched. */
#ifndef RL_CORE_EVALUATION_H
#define RL_CORE_EVALUATION_H

#include "../algorithm/algorithm.h"

typedef struct {
	const rl_question *q;
	const rl_now *now;
	rl_state state;
	bool banned;  /* the state's ban is running */
	bool is_live; /* a limit state is not over */
	const rl_algorithm_ops *ops[RL_LIMITS_MAX];
	rl_limit_ctx ctx[RL_LIMITS_MAX];
	unsigned n_unmatched;
	const uint64_t *unmatched[RL_LIMITS_MAX];
} rl_evaluation;

/* Returns the mark that limit i writes. Its limit state has a state for itself, of one word perhaps, with a mark of 0. */
static inline uint32_t rl_evaluation_mark(const rl_evaluation *ev, unsigned i)
{
	return ev->q->n_limits == 1 && ev->n_unmatched == 0 ? 0 : ev->q->limits[i].mark;
}

/* Returns whether limit i has equals: then a ban that it begins has its mark. */
bool rl_evaluation_has_equals(const rl_evaluation *ev, unsigned i);

/* Matches the question's limits with the state's limit states. at_us is the moment that is judged, on the state's
 * monotonic clock. state is NULL if there is none. All pointers stay borrowed. */
void rl_evaluation_init(rl_evaluation *ev, const rl_question *q, const rl_now *now, int64_t at_us,
	const uint64_t *state, size_t words);

#endif
