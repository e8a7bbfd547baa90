/* Decides a part of a call about several identities: an acquire of ordinary limits, against a state of these limits alone whose
 * limit states all have a tag. Each answer, each next state and each permit's part are those of rl_limiter_decide()
 * (tests/core/single_limit_test.c compares them). */
#ifndef RL_CORE_TAGGED_LIMITS_H
#define RL_CORE_TAGGED_LIMITS_H

#include "several_limits.h"

/* The question of a call. */
typedef struct {
	const rl_limit *limits;
	unsigned n;
	uint64_t cost;
	const uint64_t *costs; /* of each limit, in the place of cost; or NULL */
	rl_held *held;         /* n of them; an admission fills them in */
} rl_tagged_call;

/* Decides the call. state: a copy, of at most RL_SEVERAL_WORDS_MAX words, which is changed. Fills in d but its source, and, if the
 * call is accepted, the next state, of at most room words, and what the permit holds. Returns false where only rl_limiter_decide()
 * can decide or, with *next_words set to 0, where the room is too small. In several_limits.c. */
bool rl_tagged_decide(const rl_tagged_call *call, const rl_now *now, uint64_t *state, size_t words, uint64_t *next,
	size_t room, size_t *next_words, rl_decision *d);

#endif
