/* Declares how a limiter with carry() decides: a window admits what the last one left, beside its limit. */
#ifndef RL_CORE_CARRY_H
#define RL_CORE_CARRY_H

#include "evaluation.h"
#include "limiter.h"

/* Decides as rl_limiter_decide(), which calls it for questions with carries, and for a plain part about a state that has some. */
rl_outcome rl_carry_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state, size_t words,
	uint64_t *out, size_t *out_words, rl_answer *a);

/* For carry.c, in limiter.c. The first is rl_limiter_decide() behind its evaluation, whose ctx then have the next limit states;
 * exists: there was a state. The other returns whether the boundaries of calendar windows do not contain now. */
rl_outcome rl_limiter_decide_evaluated(rl_evaluation *ev, bool exists, uint64_t *out, size_t *out_words, rl_answer *a);
bool rl_limiter_is_stale(const rl_question *q, const rl_now *now);

#endif
