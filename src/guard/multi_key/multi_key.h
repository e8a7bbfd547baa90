/* src/guard/multi_key: Several keys, one decision: all or none, over any ask(key).
 *
 * Asks one question about the states of several keys, of limits with
 * identities of their own (Limit::by()), where no store decides it in one step: on the embedded store, in a cluster, on the fallback.
 * Each state is decided in one atomic step, in turn, and what was taken goes back exactly when a later state refuses.
 * docs/protocols.md has the steps. */
#ifndef RL_GUARD_MULTI_KEY_H
#define RL_GUARD_MULTI_KEY_H

#include "../../store.h"

/* Asks the part of a question that is about one key: it has the limits of that key alone, and no rl_question.n_keys above 1. */
typedef rl_status (
	*rl_multi_key_ask)(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e);

typedef struct {
	rl_multi_key_ask ask;
	void *context;
	bool is_cheap; /* no round trip: parts are taken first, where they go back without a trace */
} rl_multi_key;

/* Returns whether the question is one about several keys. Then a key stands for the first of q->n_keys. */
static inline bool rl_multi_key_is_asked(const rl_question *q)
{
	return q->n_keys > 1;
}

/* Answers an acquire (as which a consume is asked) or a peek. */
rl_status rl_multi_key_decide(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e);

/* Credits each state in turn; or settles, releases or renews what a permit holds there. A part that was settled is noted in q->held,
 * so that a second call leaves it as it is. Returns the first status that is not RL_OK, or RL_STALE_BOUNDARIES, if one is. */
rl_status rl_multi_key_change(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e);

#endif
