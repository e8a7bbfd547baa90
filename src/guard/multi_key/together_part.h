/* The parts of a question about several keys (together.h): each part is the question about the limits of one key. */
#ifndef RL_GUARD_TOGETHER_PART_H
#define RL_GUARD_TOGETHER_PART_H

#include "../guard_types.h"
#include "../../shm/store/limiter_fast.h"

typedef struct rl_together rl_together;

typedef rl_status (*rl_ask_part)(rl_together *t, const rl_key *key, rl_answer *a, rl_error *e);

struct rl_together {
	const rl_guard *g; /* NULL: the store is an embedded one */
	rl_store *store;
	rl_ask_part ask;
	const rl_key *keys;
	const rl_question *q;
	uint64_t tag; /* of what is taken in this round */
	bool is_fast; /* the fast path may take parts */
	rl_limiter_parts fast;
	/* The question about one key. */
	unsigned group;
	rl_question part;
	uint8_t index[RL_LIMITS_MAX]; /* of the part's limits in the question */
	uint64_t costs[RL_LIMITS_MAX];
	rl_held held[RL_LIMITS_MAX];
};

/* Begins without clearing the part, which is large. g: NULL for an embedded store. */
void rl_together_begin(rl_together *t, const rl_guard *g, rl_store *store, const rl_key *keys, const rl_question *q);

/* Gives what is taken from now on another tag. A window of the last one may be gone, and another call may hold a part of it, which
 * it must not give back to a window that this call begins anew. */
void rl_together_next_tag(rl_together *t);

/* Makes the part of the question about one of its keys. bans: with the bans of its limits. */
void rl_part_make(rl_together *t, unsigned group, rl_op op, bool bans);

/* Asks the part, and names its deciding limit as the question does. */
rl_status rl_part_ask(rl_together *t, rl_answer *a, rl_error *e);

/* Returns what the permit holds of the part to the question. */
void rl_part_keep_held(const rl_together *t);

/* Returns whether all limits of the part are skipped. */
bool rl_part_is_skipped(const rl_together *t);

/* Takes all parts, or none (together_take.c). Sets *refused if a limit refuses, with that answer in a. */
rl_status rl_together_take(rl_together *t, rl_answer *a, bool *refused, rl_error *e);

/* Judges all parts together (together_judge.c). Sets *passes if none refuses. */
rl_status rl_together_judge(rl_together *t, rl_answer *a, bool *passes, rl_error *e);

/* Returns whether a decision's limit precedes another one's: it has less left, or as much and is the first. */
static inline bool rl_is_tighter(const rl_decision *d, const rl_decision *than)
{
	return d->remaining < than->remaining || (d->remaining == than->remaining && d->limit_index < than->limit_index);
}

static inline int64_t rl_later_of(int64_t us, int64_t other_us)
{
	return other_us > us ? other_us : us;
}

static inline void rl_set_granted(const rl_question *q, rl_answer *a)
{
	a->granted = q->costs != NULL ? q->costs[a->decision.limit_index] : q->cost;
	a->wait_us = 0;
	a->found = false;
}

#endif
