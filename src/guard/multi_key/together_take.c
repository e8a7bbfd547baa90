#include "together_part.h"

/* Gives back what the parts of the first n keys took, as if it had never been. A part whose key does not answer stays charged. */
static void together_undo(rl_together *t, unsigned n)
{
	for (unsigned group = 0; group < n; group++) {
		rl_answer ignored;
		rl_error e;

		rl_part_make(t, group, RL_OP_SETTLE, false);
		t->part.cost = 0;
		t->part.costs = NULL;
		(void) t->ask(t, &t->keys[group], &ignored, &e);
	}
}

/* Finds the limits of a key. Returns false if others are between them. */
static bool part_find(const rl_question *q, unsigned group, unsigned *first, unsigned *n)
{
	unsigned i = 0;

	while (i < q->n_limits && q->limits[i].identity != group) {
		i++;
	}
	*first = i;
	while (i < q->n_limits && q->limits[i].identity == group) {
		i++;
	}
	*n = i - *first;
	while (i < q->n_limits && q->limits[i].identity != group) {
		i++;
	}
	return i == q->n_limits;
}

/* Returns whether an undo of what the part takes leaves a mark. */
static bool part_marks(const rl_limit *limits, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (rl_algorithm_of(limits[i].algorithm)->undo_marks) {
			return true;
		}
	}
	return false;
}

/* Takes the part of a key as part_take() does, on the fast path. Returns false, and has changed nothing, where that cannot. */
static bool part_take_fast(rl_together *t, unsigned group, bool plain, rl_answer *a)
{
	const rl_question *q = t->q;
	rl_usual_call part;
	unsigned first, n;

	if (!part_find(q, group, &first, &n) || (plain && part_marks(q->limits + first, n))) {
		return false;
	}
	part = (rl_usual_call){.limits = q->limits + first,
		.n = n,
		.cost = q->cost,
		.costs = q->costs != NULL ? q->costs + first : NULL,
		.held = q->held + first};
	if (!rl_limiter_parts_take(&t->fast, group, &part, &a->decision)) {
		return false;
	}
	a->decision.limit_index = (uint8_t) (a->decision.limit_index + first);
	a->granted = 0;
	a->wait_us = 0;
	a->found = false;
	a->not_plain = false;
	return true;
}

/* Takes the part of a key. Sets *skipped if the part was taken, but all its limits are skipped. */
static rl_status part_take(rl_together *t, unsigned group, bool plain, rl_answer *a, bool *skipped, rl_error *e)
{
	rl_status status;

	*skipped = false;
	if (t->is_fast && part_take_fast(t, group, plain, a)) {
		return RL_OK;
	}
	rl_part_make(t, group, RL_OP_ACQUIRE, false);
	if (plain) {
		t->part.part = RL_PART_PLAIN;
	}
	status = rl_part_ask(t, a, e);
	if (status == RL_OK && a->decision.accepted) {
		rl_part_keep_held(t);
		*skipped = rl_part_is_skipped(t);
	}
	return status;
}

/* Takes all parts in turn, or none. Sets *refused if a limit refuses, with that answer in a. plain: takes them only where giving them
 * back leaves no trace; else *not_plain is set. */
static rl_status take_parts(rl_together *t, bool plain, rl_answer *a, bool *refused, bool *not_plain, rl_error *e)
{
	const rl_question *q = t->q;
	rl_answer other, *part = a; /* the first part that is not skipped is decided in place */
	int64_t next_us = 0;

	t->is_fast = t->is_fast && rl_limiter_parts_begin(&t->fast, t->keys, q->n_keys, q->limits, q->n_limits);
	for (unsigned group = 0; group < q->n_keys; group++) {
		bool skipped;
		rl_status status = part_take(t, group, plain && group + 1u < q->n_keys, part, &skipped, e);
		if (status != RL_OK || !part->decision.accepted) {
			*refused = true;
			*not_plain = status == RL_OK && plain && part->not_plain;
			if (part != a) {
				*a = *part;
			}
			together_undo(t, group);
			return status;
		}
		if (skipped) {
			continue;
		}
		next_us = rl_later_of(next_us, part->decision.retry_after_us);
		if (part == a) {
			part = &other;
		} else if (rl_is_tighter(&part->decision, &a->decision)) {
			*a = *part;
		}
	}
	a->decision.retry_after_us = next_us;
	rl_set_granted(q, a);
	return RL_OK;
}

/* A part that cannot be given back without a trace is taken when the later ones have been asked. */
rl_status rl_together_take(rl_together *t, rl_answer *a, bool *refused, rl_error *e)
{
	bool not_plain = false;
	rl_status status;

	*refused = false;
	if (t->g == NULL) {
		status = take_parts(t, true, a, refused, &not_plain, e);
		if (!not_plain) {
			return status;
		}
	}
	*refused = false;
	for (unsigned group = 1; group < t->q->n_keys; group++) {
		rl_part_make(t, group, RL_OP_PEEK, false);
		status = rl_part_ask(t, a, e);
		if (status != RL_OK || !a->decision.accepted) {
			*refused = true;
			return status;
		}
	}
	return take_parts(t, false, a, refused, &not_plain, e);
}
