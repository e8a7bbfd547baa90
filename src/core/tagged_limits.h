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
 * can decide. In several_limits.c. */
bool rl_tagged_decide(const rl_tagged_call *call, const rl_now *now, uint64_t *state, size_t words, uint64_t *next,
	size_t room, size_t *next_words, rl_decision *d);

/* ---- The steps of each limit, in tagged_limits.c ---- */

/* The words of a limit state behind those of its algorithm. */
typedef struct {
	uint64_t tag;
	size_t words;      /* the tag's and those of the marks */
	uint64_t n_takes;  /* of a bucket: the number of its last take */
	size_t mark_words; /* of a bucket */
	const uint64_t *marks;
	uint64_t backlog_us; /* of a bucket: what this take finds */
} rl_tagged_rest;

/* Makes a limit state one without a tag and without marks: an algorithm's words alone. Returns false if the general way decides. */
bool rl_tagged_strip(const rl_limit *limit, const rl_now *now, uint64_t *limit_state, size_t left,
	rl_tagged_rest *rest);

/* Adds the marks and the tag to a limit state that an admission wrote, with own words. Sets the permit's part but its cost. Returns
 * the words that were added; 0: there is no room. */
size_t rl_tagged_complete(const rl_limit *limit, const rl_now *now, const rl_tagged_rest *rest, uint64_t *limit_state,
	size_t own, size_t room, rl_held *held);

#endif
