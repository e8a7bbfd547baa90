/* Applies the failure policy (ratelimit.on_failure), which decides when the store is unavailable. */
#ifndef RL_GUARD_FAILURE_POLICY_H
#define RL_GUARD_FAILURE_POLICY_H

#include "guard_types.h"

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
