#include "dead_places.h"

#include "../shm/machine/held_places.h"
#include "attempt.h"

/* A request gives back so many places at the most, and begins none after so long; the next one goes on. */
#define GIVE_BACK_MAX 8
#define GIVE_BACK_US  (20 * RL_US_PER_MS)

/* Ends the places by the permit's number alone: the limits of the dead worker are not known here. */
static rl_status dead_release(const rl_guard *g, const rl_dead_place *found)
{
	rl_question q = {.op = RL_OP_RELEASE, .tag = found->number};
	rl_answer a;
	rl_error e;

	return rl_attempt_ask(g, &found->key, &q, &a, &e);
}

void rl_dead_places_give_back(const rl_guard *g)
{
	rl_dead_place found;
	int64_t end_us;

	if (g->store == NULL || !rl_dead_places_are_due(g->store->id)) {
		return;
	}
	found.slot = 0;
	end_us = rl_shm_now_us() + GIVE_BACK_US;
	for (unsigned n = 0; rl_dead_place_find(g->store->id, &found); n++) {
		rl_status status;

		if (n == GIVE_BACK_MAX || (n > 0 && rl_shm_now_us() >= end_us)) {
			rl_dead_places_again();
			return;
		}
		status = dead_release(g, &found);
		if (status != RL_OK && status != RL_WRONG_TYPE) {
			return; /* the places stay noted until the server answers */
		}
		rl_dead_place_forget(g->store->id, &found);
	}
}

/* Returns the index of the first concurrent limit; n_limits without one. */
static unsigned dead_first_concurrent(const rl_question *q)
{
	unsigned i;

	for (i = 0; i < q->n_limits && q->limits[i].algorithm != RL_CONCURRENT; i++) {
	}
	return i;
}

/* Returns how long the last of the concurrent places is held from its begin. */
static int64_t dead_longest_us(const rl_question *q)
{
	int64_t longest_us = 0;

	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == RL_CONCURRENT && q->limits[i].period_us > longest_us) {
			longest_us = q->limits[i].period_us;
		}
	}
	return longest_us;
}

static rl_held_place dead_held(const rl_guard *g, const rl_key *key, uint64_t number, int64_t for_us)
{
	rl_held_place held = {.key = key, .number = number, .for_us = for_us};

	rl_guard_store_id(g, held.store_id);
	return held;
}

static bool dead_takes_places(const rl_question *q)
{
	return q->op == RL_OP_ACQUIRE && dead_first_concurrent(q) < q->n_limits;
}

void rl_dead_places_note(const rl_guard *g, const rl_key *key, const rl_question *q)
{
	rl_held_place held;

	if (dead_takes_places(q)) {
		held = dead_held(g, key, q->tag, g->ask_timeout_us + q->max_wait_us + dead_longest_us(q));
		rl_held_place_note(&held);
	}
}

void rl_dead_places_note_answer(const rl_guard *g, const rl_key *key, const rl_question *q, rl_status status,
	const rl_answer *a)
{
	rl_held_place held;

	if (!dead_takes_places(q) || (status == RL_OK && a->decision.reason == RL_ACCEPTED)) {
		return;
	}
	held = dead_held(g, key, q->tag, 0);
	if (status == RL_UNAVAILABLE) {
		rl_held_place_abandon(&held);
	} else {
		rl_held_place_forget(&held);
	}
}

void rl_dead_places_note_change(const rl_guard *g, const rl_key *key, const rl_question *q, rl_status status,
	const rl_answer *a)
{
	unsigned i = dead_first_concurrent(q);
	rl_held_place held;

	if (i == q->n_limits || q->held[i].tag == 0) {
		return;
	}
	held = dead_held(g, key, q->held[i].tag, q->renew_us > 0 ? q->renew_us : dead_longest_us(q));
	if (q->op != RL_OP_RENEW && status == RL_OK) {
		rl_held_place_forget(&held);
	} else if (q->op != RL_OP_RENEW && status != RL_STALE_BOUNDARIES) {
		rl_held_place_abandon(&held);
	} else if (status == RL_OK && a->found) {
		rl_held_place_note(&held);
	}
}
