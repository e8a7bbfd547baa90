/* The way back of the mirror (mirror.h): what the fallback admits of an identity without a request to Redis is a debt of this machine,
 * and the identity's next request carries it. Redis counts it first, whatever the limits are, and judges the call then.
 *
 * A request that was sent and got no reply makes no debt: a server that pauses executes it later. So at most the calls of one such
 * request for each worker, and of the probes, pass beyond the limit. A debt is taken before it is sent: it is told at most once, and lost
 * with the reply. A probe carries none, because most probes get no reply. Until the reply the fallback decides the identity's other
 * calls: Redis would judge them without the debt. */
#ifndef RL_GUARD_DEBT_H
#define RL_GUARD_DEBT_H

#include "../shm/machine/debt_entry.h"
#include "breaker.h"
#include "guard_types.h"

/* The debts that one question carries. */
typedef struct {
	bool any;
	uint64_t marks[RL_LIMITS_MAX]; /* of the keys; 0: none */
	rl_debt of[RL_LIMITS_MAX];
	rl_question question; /* the question with them */
} rl_debts;

/* That of a counter. */
typedef struct {
	uint64_t mark;
	rl_debt debt;
} rl_counter_debt;

/* Adds what the fallback has admitted to the debts. keys: those of the question's limits. */
void rl_debts_add(const rl_guard *g, const rl_key *keys, const rl_question *q, const rl_answer *a);
void rl_debts_add_counter(const rl_guard *g, const rl_key *key, const rl_counter_question *q, const rl_decision *d);

/* Take the debts of a question's limits, or of a counter, which its request is to carry; call: that request. RL_UNAVAILABLE: another
 * request carries them; the fallback decides. */
rl_status rl_debts_take(rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q,
	const rl_breaker_call *call, rl_error *e);
rl_status rl_debts_take_counter(rl_counter_debt *debt, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, const rl_breaker_call *call, rl_error *e);

/* Returns whether this machine owes permits of a question's limits, and then sets owed to those of each. now_us: of the segment's
 * time. */
bool rl_debts_owe(const rl_guard *g, const rl_key *keys, const rl_question *q, int64_t now_us,
	uint64_t owed[RL_LIMITS_MAX]);

/* Returns the permits of a counter that this machine owes. */
uint64_t rl_debts_owe_counter(const rl_guard *g, const rl_key *key, int64_t now_us);

/* Return a question for the fallback of one machine of several (rl_failure_policy.share), with what this one has admitted since. */
rl_question rl_debts_share(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_debt debts[RL_LIMITS_MAX]);
rl_counter_question rl_debts_share_counter(const rl_guard *g, rl_store *fallback, const rl_key *key,
	const rl_counter_question *q);

/* End debts that a request has carried: they are told, or lost; or, where it was not executed, they are debts again. */
void rl_debts_end(const rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q, rl_status status,
	const rl_error *e);
void rl_debts_end_counter(const rl_counter_debt *debt, const rl_guard *g, const rl_key *key, rl_status status,
	const rl_error *e);

/* Takes what a permit of the fallback gives back out of the debts, before it ends with the cost of q. */
void rl_debts_forgive(const rl_guard *g, const rl_key *keys, const rl_question *q);

/* Forget the debts of a question's limits, or of a counter: a reset. */
void rl_debts_drop(const rl_guard *g, const rl_key *keys, const rl_question *q);
void rl_debts_drop_counter(const rl_guard *g, const rl_key *key);

#endif
