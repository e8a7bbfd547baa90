/* The failure policy (ratelimit.on_failure): what a decision is when its store cannot take it. */
#ifndef RL_GUARD_FAILURE_POLICY_H
#define RL_GUARD_FAILURE_POLICY_H

#include "guard.h"

/* Does the policy answer for a store that said this? If not, it is to be thrown; RL_OK and RL_STALE_BOUNDARIES are handed through. */
bool rl_failure_policy_applies(const rl_guard *g, rl_status status);

/* The store that decides meanwhile; NULL when there is none, or it is the one that failed. */
rl_store *rl_failure_policy_fallback(const rl_guard *g);

/* Is there something to be decided, rather than to be done? */
bool rl_op_is_decision(rl_op op);

/* The decision when nobody can count. */
void rl_failure_policy_decide(const rl_guard *g, uint32_t limit, rl_decision *d);

/* What the store answered is the answer, or the policy's is. */
rl_status rl_failure_policy_apply(const rl_guard *g, rl_status status, const rl_key *key, const rl_question *q,
	rl_answer *a, rl_error *e);

#endif
