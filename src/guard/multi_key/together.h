/* Asks one question about the states of several keys: limits with identities of their own (Limit::by()). One server decides it in
 * one atomic step. The embedded store and a cluster decide each state in one, in turn, and what was taken goes back exactly
 * when a later state refuses. docs/semantics.md has the steps. */
#ifndef RL_GUARD_TOGETHER_H
#define RL_GUARD_TOGETHER_H

#include "../guard_types.h"

/* Returns whether the question is one about several keys. Then a key stands for the first of q->n_keys. */
static inline bool rl_together_is_asked(const rl_question *q)
{
	return q->n_keys > 1;
}

/* Answers consume (as an acquire), acquire, peek and credit by a guarded store. */
rl_status rl_together_ask(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e);

/* Does so by the embedded store, or a fallback on it. */
rl_status rl_together_ask_embedded(rl_store *store, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e);

/* Settles, releases or renews what a permit holds, in each state in turn. A part that was settled is noted in q->held, so that a
 * second call leaves it as it is. */
rl_status rl_together_change(const rl_guard *g, rl_source from, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e);

#endif
