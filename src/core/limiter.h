/* Several limits, decided together: the whole of a limiter's arithmetic, from a state to an answer and the next state. */
#ifndef RL_CORE_LIMITER_H
#define RL_CORE_LIMITER_H

#include "state.h"

typedef enum {
	RL_WRITE_NOTHING, /* the state stays as it is */
	RL_WRITE_STATE,   /* out takes its place */
	RL_WRITE_DELETE,  /* nothing is left to remember */
	RL_WRITE_STALE,   /* a calendar limit's boundaries do not hold now: no answer, nothing changes */
} rl_outcome;

/* Words that rl_limiter_decide() may write, at the most, for a state of so many. */
size_t rl_limiter_size(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words);

/* No less than that, whatever the state is: for who has room to spare, without looking at it. */
size_t rl_limiter_size_max(const rl_question *q, size_t words);

/* Does the answer depend on the wall clock? */
bool rl_limiter_needs_wall(const rl_question *q);

/* Answers a question to a state (NULL: there is none). now is on the state's clocks, and q->at_us, q->ban_us and the
 * limits' ban_us and boundaries are on its wall clock; at_us is the moment of a booking on its monotonic clock. out has
 * room for rl_limiter_size() words; *out_words says how many were written. Fills everything of a but the source. */
rl_outcome rl_limiter_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a);

#endif
