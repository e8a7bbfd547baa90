#include "mirror.h"

#include "../core/algorithm/algorithm.h"
#include "debt.h"

rl_mirror_mark rl_mirror_begin(const rl_guard *g, const rl_key *key, bool record)
{
	if (rl_shm_store() == NULL) {
		return (rl_mirror_mark){.generation = NULL};
	}
	return rl_shm_mirror_mark(g->store->id, key, record);
}

/* Sets the time of an answer. owes: this machine has admitted permits that Redis does not know of, and perhaps more than are noted
 * yet. */
static void mirror_set_time(rl_told *told, const rl_mirror_answer *a, bool owes)
{
	int64_t trip_us = rl_shm_now_us() - a->began_us;

	told->trip_us = trip_us > 0 ? trip_us : 0;
	told->is_latest = told->trip_us <= RL_TOLD_LATE_US && !owes;
}

/* Adds what this machine owes to what Redis told of: it has admitted it, and only the answer to a probe is without it. */
static RL_COLD void mirror_add_owed(rl_told_limit *told, const rl_limit *limit, uint64_t owed)
{
	uint64_t left = told->used < limit->limit ? limit->limit - told->used : 0;

	owed = owed < left ? owed : left;
	told->used += owed;
	if (limit->algorithm == RL_TOKEN_BUCKET) {
		told->full_us += (int64_t) ((unsigned __int128) owed * (uint64_t) limit->period_us / limit->rate);
	}
}

void rl_mirror_note(rl_mirror_mark mark, const rl_mirror_answer *a, const rl_question *q, const uint8_t *index)
{
	const rl_decision *d = a->decision;
	rl_told told;
	uint64_t owed[RL_LIMITS_MAX];
	bool owes;

	if (mark.generation == NULL || !rl_op_counts(q->op)) {
		return;
	}
	owes = rl_debts_owe(a->g, a->key, q, a->began_us, owed);
	mirror_set_time(&told, a, owes);
	/* Field by field: most of the structure is of limits that the question does not have. */
	told.ban_us = told.forget_us = 0;
	told.ban_limit = q->n_limits;
	told.level = 0;
	for (unsigned i = 0; i < q->n_limits; i++) {
		unsigned at = index != NULL ? index[i] : i;
		rl_left left;

		told.limits[i].is_known = false;
		if (!rl_decision_left(d, at, &left)) {
			continue;
		}
		/* An answer about one limit has what is left with the batch, which is this machine's. */
		told.limits[i] = (rl_told_limit){
			.is_known = d->n_left > 0 || d->reason != RL_BANNED,
			.used = q->limits[i].limit - left.remaining + (d->n_left > 0 ? 0 : a->leased),
			.full_us = left.reset_after_us,
		};
		if (RL_UNLIKELY(owes)) {
			mirror_add_owed(&told.limits[i], &q->limits[i], owed[i]);
		}
		told.ban_us = left.ban_after_us;
		told.level = left.level;
		told.forget_us = left.forget_after_us;
		if (d->reason == RL_BANNED && at == d->limit_index) {
			told.ban_limit = (uint8_t) i;
		}
	}
	rl_shm_mirror(&mark, q, &told);
}

void rl_mirror_note_counter(rl_mirror_mark mark, const rl_mirror_answer *a, const rl_counter_question *q)
{
	rl_told told;
	uint64_t owed;

	if (mark.generation != NULL) {
		owed = rl_debts_owe_counter(a->g, a->key, a->began_us);
		mirror_set_time(&told, a, owed > 0);
		owed = owed < a->decision->remaining ? owed : a->decision->remaining;
		rl_shm_mirror_counter(&mark, q, a->decision, &told, a->leased + (uint32_t) owed);
	}
}

static bool mirror_store(const rl_guard *g, rl_store *fallback)
{
	return !rl_guard_is_embedded(g) && rl_shm_fallback(fallback, g->store->id);
}

void rl_mirror_command(const rl_guard *g, const rl_key *key, const rl_question *q)
{
	rl_store fallback;
	rl_answer ignored;
	rl_error e;

	if (mirror_store(g, &fallback)) {
		if (q->op == RL_OP_BAN || q->op == RL_OP_UNBAN || q->op == RL_OP_RESET) {
			rl_shm_mirror_renew(fallback.id, key);
		}
		(void) fallback.ops->ask(&fallback, key, q, &ignored, &e);
	}
}

void rl_mirror_command_counter(const rl_guard *g, const rl_key *key, const rl_counter_command *c, bool found)
{
	/* An unban that ends a ban deletes the state, also where the mirror has a count, and has not heard of the ban. */
	rl_counter_command deletes = {.op = RL_OP_RESET};
	rl_store fallback;
	rl_error e;
	bool ignored;

	if (mirror_store(g, &fallback)) {
		rl_shm_mirror_renew_counter(fallback.id, key);
		(void) fallback.ops->command(&fallback, key, c->op == RL_OP_UNBAN && found ? &deletes : c, &ignored, &e);
	}
}
