/* What this machine's memory answers in a Redis' place: from a batch of leased permits, or with a remembered refusal. */
#ifndef RL_GUARD_RECALL_H
#define RL_GUARD_RECALL_H

#include "guard.h"
#include "lease.h"
#include "refusals.h"

/* One question about one identity, and what is looked for to answer it. */
typedef struct {
	bool leases, remembers;
	rl_refusable refusable;
	rl_place batch;
	int64_t began_us; /* leases: before Redis is asked, by rl_permits_now_us() */
} rl_recall;

/* True, with the answer, when the store need not be asked. Always before it is asked: what it answers then belongs to what
 * the memory was at this time. */
bool rl_recall_answers(rl_recall *r, const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a);

/* The same for a plain counter. peek: it is not counted. */
bool rl_recall_plain(rl_recall *r, const rl_guard *g, const rl_key *key, const rl_plain_question *q, bool peek,
	rl_decision *d);

/* Is Redis to be asked for a batch? Then with rl_lease_question(). */
bool rl_recall_wants_lease(const rl_guard *g, const rl_question *q);

/* Keeps what the store answered. asked_us: before it was asked, as rl_attempt has it. */
void rl_recall_learn(const rl_recall *r, const rl_guard *g, int64_t asked_us, rl_answer *a);
void rl_recall_learn_plain(const rl_recall *r, const rl_guard *g, int64_t asked_us, const rl_decision *d);

/* After anything but counting: what is known of this identity is no longer true. Also when nobody knows whether it was
 * done, and where this process remembers nothing: another may. */
void rl_recall_forget(const rl_guard *g, const rl_key *key);

#endif
