/* src/core/decide: One question against one state: which limits pass, what is written next.
 *
 * Decides several limits together: a limiter's arithmetic, from a state to an answer and the next state. */
#ifndef RL_CORE_LIMITER_H
#define RL_CORE_LIMITER_H

#include "../algorithm/state.h"

typedef enum {
	RL_WRITE_NOTHING, /* the state stays as it is */
	RL_WRITE_STATE,   /* out replaces it */
	RL_WRITE_DELETE,  /* nothing is left to keep */
	RL_WRITE_STALE,   /* a calendar limit's boundaries do not contain now: no answer, nothing changes */
} rl_outcome;

/* Returns the largest number of words that rl_limiter_decide() may write for this state. */
size_t rl_limiter_size(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words);

/* Upper bound of rl_limiter_size(), which costs less. */
size_t rl_limiter_size_max(const rl_question *q, const uint64_t *state, size_t words);

/* Returns whether the answer depends on the wall clock. */
bool rl_limiter_needs_wall(const rl_question *q);

/* Answers a question against a state (NULL: none). now is on the state's clocks; q->at_us, q->ban_us and the limits'
 * ban_us and boundaries are on its wall clock; at_us is the moment of a booking on its monotonic clock. Requires room for
 * rl_limiter_size() words in out; sets *out_words to the words written. Fills every field of a but the source. */
rl_outcome rl_limiter_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a);

#endif
