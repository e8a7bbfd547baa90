/* Decides a usual call: 1 to 8 ordinary limits, against a state of these limits alone, in their order; a consume, or an acquire
 * whose limit states all have a tag. In one pass, by the step of each algorithm. Each answer, each next state and each permit's part
 * are those of rl_limiter_decide() (tests/c/core/usual_*test.c compare them). Left to that function are a ban, a level, bookings, other
 * limits' states, a call that begins a ban, and a limit that is skipped. */
#ifndef RL_CORE_USUAL_H
#define RL_CORE_USUAL_H

#include "../../compiler.h"
#include "../algorithm/algorithm.h"
#include "../algorithm/state.h"
#include "limiter.h"

#define RL_USUAL_WORDS_MAX 128 /* the words of a state for which a caller has room on its stack */

typedef struct {
	const rl_limit *limits; /* of a calendar window: with boundaries around now, or the call is left */
	unsigned n;
	uint64_t cost;
	const uint64_t *costs; /* of each limit, in the place of cost; or NULL */
	bool peeks;            /* the next state is not published, and rl_decision.left is of the state as it is */
	rl_held *held;         /* of an acquire: n of them, which an admission fills in; of a consume NULL */
} rl_usual_call;

typedef enum {
	RL_USUAL_LEFT,    /* only rl_limiter_decide() can decide */
	RL_USUAL_NO_ROOM, /* the next state needs more room */
	RL_USUAL_REFUSED,
	RL_USUAL_ADMITTED,
} rl_usual_result;

/* Returns whether a state of so many words has n limits, and nothing beside them. */
RL_INLINE bool rl_usual_has(const uint64_t *state, size_t words, unsigned n)
{
	return words >= RL_STATE_HEAD_WORDS && rl_state_has_limits_alone(state, n);
}

/* Decide in a state of the call's limits alone: the limit of a consume; the limits of one, which may have costs; those of an acquire. */
rl_usual_result rl_usual_one(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d);
rl_usual_result rl_usual_several(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d);
rl_usual_result rl_usual_acquire(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d);

/* Decides the call. state: a private copy of so many words, which changes; next: private, too. Fills in d, with the embedded store
 * as its source, and, if the call is admitted, the next state, of at most room words. */
RL_INLINE rl_usual_result rl_usual_decide(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	if (RL_UNLIKELY(!rl_usual_has(state, words, call->n))) {
		return RL_USUAL_LEFT;
	}
	if (RL_UNLIKELY(room < RL_STATE_HEAD_WORDS)) {
		return RL_USUAL_NO_ROOM;
	}
	if (call->held != NULL) {
		return rl_usual_acquire(call, now, state, words, next, room, next_words, d);
	}
	return call->n == 1 && call->costs == NULL ? rl_usual_one(call, now, state, words, next, room, next_words, d)
											   : rl_usual_several(call, now, state, words, next, room, next_words, d);
}

/* Does the same for a consume of an identity without a state. room: RL_USUAL_WORDS_MAX, or more. */
rl_usual_result rl_usual_begin(const rl_usual_call *call, const rl_now *now, uint64_t *next, size_t room,
	size_t *next_words, rl_decision *d);

/* Puts an answer of another store, without a ban and a level, into a state of the question's limits alone, as an RL_OP_MIRROR does. Writes,
 * in at most room words, the state that rl_limiter_decide() writes. There is room for the head. Returns false if that function has to
 * decide. Boundaries that do not contain now are left to it. */
bool rl_usual_mirror(const rl_question *q, const rl_told *answer, const rl_now *now, const uint64_t *state,
	size_t words, uint64_t *out, size_t room, size_t *out_words, rl_outcome *outcome);

#endif
