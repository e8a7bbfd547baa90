/* Guards one request to a Redis: begins it if the circuit breaker of its server allows it, and ends it by reporting the
 * result to the breaker and to stats(). The embedded store needs neither. */
#ifndef RL_GUARD_ATTEMPT_H
#define RL_GUARD_ATTEMPT_H

#include "breaker.h"
#include "guard_types.h"

/* An attempt must stay at its address: the call points to the node's name. */
typedef struct {
	const rl_guard *g;
	const rl_key *key;
	rl_breaker_name node; /* of a cluster */
	rl_breaker_call call;
} rl_attempt;

/* Returns the server that decides about a key. In a cluster that is one node, since each node fails by itself; the
 * function puts the node's name into *node. Without a map of the cluster's slots, the server is the cluster as a
 * whole. */
const rl_breaker_name *rl_attempt_server(const rl_guard *g, const rl_key *key, rl_breaker_name *node);

/* Begins an attempt. Returns RL_OK if the breaker allows the request; the caller then calls rl_attempt_end(). With any
 * other status the caller must not use the store: the status and e are those of the server's last failure. */
rl_status rl_attempt_begin(rl_attempt *t, const rl_guard *g, const rl_key *key, rl_error *e);

/* Does the same for keys of one server that share a request. NULL: the server has no breaker. */
rl_status rl_attempt_begin_at(rl_attempt *t, const rl_guard *g, const rl_breaker_name *server, rl_error *e);

/* Ends an attempt about one key with the store's status. decided: a decision whose refusal is counted; NULL for a command
 * or a peek. */
void rl_attempt_end(const rl_attempt *t, rl_status status, const rl_decision *decided, const rl_error *e);

/* Asks the store about one key, as one attempt: for what is no decision. */
rl_status rl_attempt_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

/* Perform the two parts of rl_attempt_end(). The first reports the store's status about a key to the breaker, once for
 * each server. The second counts one answer for stats(). */
void rl_attempt_record(const rl_attempt *t, const rl_key *key, rl_status status, const rl_error *e);
void rl_attempt_count(const rl_key *key, rl_status status, const rl_decision *decided);

#endif
