/* Applies the failure policy (ratelimit.on_failure), which decides when the store is unavailable. */
#ifndef RL_GUARD_FAILURE_POLICY_H
#define RL_GUARD_FAILURE_POLICY_H

#include "guard_types.h"

/* Returns whether the op is a decision, which the policy can take. Any other op is a command, which takes effect in the
 * store or does not. */
static inline bool rl_op_is_decision(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_PEEK || op == RL_OP_RESERVE || op == RL_OP_ACQUIRE;
}

/* Returns whether an accepted decision of this op counts. A peek does not. */
static inline bool rl_op_counts(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_RESERVE || op == RL_OP_ACQUIRE;
}

/* Asks the embedded store, or a fallback on it, about one key or several. */
rl_status rl_failure_policy_ask_embedded(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a,
	rl_error *e);

/* Returns the store's status, or lets the policy answer in its place. RL_OK: a is the answer. Any other status is the
 * caller's: RL_STALE_BOUNDARIES, or an exception with e->message. */
rl_status rl_failure_policy_apply(const rl_guard *g, rl_status status, const rl_key *key, const rl_question *q,
	rl_answer *a, rl_error *e);

/* Does the same for a counter that the store did not decide. */
rl_status rl_failure_policy_count(const rl_guard *g, rl_status status, bool peek, const rl_key *key,
	const rl_counter_question *q, rl_decision *d, const rl_error *e);

/* Does the same for a command to a counter that the store did not carry out: the fallback does, and the status is that of
 * the exception. */
rl_status rl_failure_policy_command(const rl_guard *g, rl_status status, const rl_key *key, const rl_counter_command *c,
	bool *found, rl_error *e);

#endif
