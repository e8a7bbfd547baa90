/* Decides a usual call: 1 to 8 ordinary limits, against a state of these limits alone, in their order; a consume, or an acquire
 * whose limit states all have a tag. In one pass, by the step of each algorithm. Each answer, each next state and each permit's part
 * are those of rl_limiter_decide() (tests/core/usual_test.c compares them). Left to that function are a ban, a level, bookings, other
 * limits' states, a call that begins a ban, and a limit that is skipped. */
#ifndef RL_CORE_USUAL_H
#define RL_CORE_USUAL_H

#include "../algorithm/algorithm.h"

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

/* Decides the call. state: a private copy of so many words, which changes; next: private, too. Fills in d, with the embedded store
 * as its source, and, if the call is admitted, the next state, of at most room words. */
rl_usual_result rl_usual_decide(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d);

/* Does the same for a consume of an identity without a state. room: RL_USUAL_WORDS_MAX, or more. */
rl_usual_result rl_usual_begin(const rl_usual_call *call, const rl_now *now, uint64_t *next, size_t room,
	size_t *next_words, rl_decision *d);

#endif
