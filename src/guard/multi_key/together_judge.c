#include "together_part.h"

static bool part_has_ban(const rl_together *t, unsigned group)
{
	for (unsigned i = 0; i < t->q->n_limits; i++) {
		if (t->q->limits[i].identity == group && t->q->limits[i].ban != RL_BAN_NONE) {
			return true;
		}
	}
	return false;
}

/* Asks for the ban that a refusing part would begin. Sets *end_us to its time from now; 0: none. */
static rl_status ask_ban(rl_together *t, unsigned group, rl_op op, rl_answer *a, int64_t *end_us, rl_error *e)
{
	rl_status status;

	rl_part_make(t, group, op, true);
	status = rl_part_ask(t, a, e);
	*end_us = status == RL_OK && a->decision.reason == RL_BANNED && a->found ? a->decision.reset_after_us : 0;
	return status;
}

/* Begins the ban that ends last, of those that the refusing parts would begin. parts: their answers without bans. Sets *begun to its
 * group, n_keys: none; *changed if that part passes now. */
static rl_status together_begin_ban(rl_together *t, const rl_answer parts[], rl_answer *a, unsigned *begun,
	bool *changed, rl_error *e)
{
	int64_t last_us = 0, end_us;
	rl_answer ban;

	*begun = t->q->n_keys;
	for (unsigned group = 0; group < t->q->n_keys; group++) {
		if (parts[group].decision.reason != RL_LIMITED || !part_has_ban(t, group)) {
			continue;
		}
		rl_status status = ask_ban(t, group, RL_OP_PEEK, &ban, &end_us, e);
		if (status != RL_OK) {
			return status;
		}
		if (end_us > last_us
			|| (end_us > 0 && end_us == last_us && ban.decision.limit_index < a->decision.limit_index)) {
			last_us = end_us;
			*begun = group;
			*a = ban;
		}
	}
	if (*begun == t->q->n_keys || t->q->op == RL_OP_PEEK) {
		return RL_OK;
	}
	unsigned group = *begun;
	rl_together_next_tag(t);
	rl_status status = ask_ban(t, group, RL_OP_ACQUIRE, a, &end_us, e);
	if (status == RL_OK && a->decision.accepted) {
		rl_part_keep_held(t);
		rl_part_make(t, group, RL_OP_SETTLE, false);
		t->part.cost = 0;
		t->part.costs = NULL;
		status = t->ask(t, &t->keys[group], &ban, e);
		*changed = true;
	}
	return status;
}

/* Returns whether a refusal decides in the place of another one, both without bans that begin. */
static bool decides_before(const rl_decision *d, const rl_decision *than)
{
	if (d->reason != than->reason) {
		return d->reason > than->reason; /* too expensive, banned, limited, accepted */
	}
	switch (d->reason) {
		case RL_TOO_EXPENSIVE:
			return d->limit_index < than->limit_index;
		case RL_BANNED:
			return d->reset_after_us > than->reset_after_us;
		case RL_LIMITED:
			return d->retry_after_us > than->retry_after_us
				|| (d->retry_after_us == than->retry_after_us && d->limit_index < than->limit_index);
		default:
			return rl_is_tighter(d, than);
	}
}

rl_status rl_together_judge(rl_together *t, rl_answer *a, bool *passes, rl_error *e)
{
	rl_answer parts[RL_LIMITS_MAX];
	int64_t retry_us = 0, next_us = 0;
	unsigned begun = t->q->n_keys;
	bool first = true;

	*passes = false;
	for (unsigned group = 0; group < t->q->n_keys; group++) {
		rl_part_make(t, group, RL_OP_PEEK, false);
		rl_status status = rl_part_ask(t, &parts[group], e);
		if (status != RL_OK) {
			return status;
		}
		const rl_decision *d = &parts[group].decision;
		if (!d->accepted) {
			retry_us = rl_later_of(retry_us, d->retry_after_us);
		} else if (!rl_part_is_skipped(t)) {
			next_us = rl_later_of(next_us, d->retry_after_us);
		}
		if (!(d->accepted && rl_part_is_skipped(t)) && (first || decides_before(d, &a->decision))) {
			*a = parts[group];
			first = false;
		}
	}
	if (a->decision.accepted) {
		a->decision.retry_after_us = next_us;
		rl_set_granted(t->q, a);
		*passes = true;
		return RL_OK;
	}
	if (a->decision.reason == RL_LIMITED) {
		rl_answer ban;
		rl_status status = together_begin_ban(t, parts, &ban, &begun, passes, e);
		if (status != RL_OK || *passes) {
			return status;
		}
		if (begun < t->q->n_keys && ban.decision.reason == RL_BANNED) {
			*a = ban;
			retry_us = ban.decision.retry_after_us;
			for (unsigned group = 0; group < t->q->n_keys; group++) {
				if (group != begun && !parts[group].decision.accepted) {
					retry_us = rl_later_of(retry_us, parts[group].decision.retry_after_us);
				}
			}
		} else {
			begun = t->q->n_keys;
		}
	}
	a->decision.retry_after_us = retry_us;
	a->granted = 0;
	a->wait_us = 0;
	a->found = begun < t->q->n_keys;
	return RL_OK;
}
