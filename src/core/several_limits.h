/* Decides a call of several ordinary limits against a state of these limits alone, in their order: the usual case, in one pass.
 * Each answer and each next state is that of rl_limiter_decide() (tests/core/single_limit_test.c compares them). Limits and
 * states that single_limit.h leaves to that function are left here, too. */
#ifndef RL_CORE_SEVERAL_LIMITS_H
#define RL_CORE_SEVERAL_LIMITS_H

#include "single_limit.h"

#define RL_SEVERAL_WORDS_MAX 128 /* the words of a state, at most */

/* Decides the call. state: a copy, of at most RL_SEVERAL_WORDS_MAX words. Fills in d but its source, and, if the call is
 * accepted, the next state, of at most room words (up to RL_SEVERAL_WORDS_MAX). next may lie in memory that others write. Returns
 * false where only rl_limiter_decide() can decide. */
bool rl_several_decide(const rl_limit *limits, unsigned n, uint64_t cost, const rl_now *now, const uint64_t *state,
	size_t words, uint64_t *next, size_t room, size_t *next_words, rl_decision *d);

#endif
