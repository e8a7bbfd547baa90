#include "together_part.h"

#include <string.h>

#include "../attempt.h"
#include "../dead_places.h"

void rl_part_make(rl_together *t, unsigned group, rl_op op, bool bans)
{
	const rl_question *q = t->q;
	rl_question *part = &t->part;

	t->group = group;
	memcpy(part, q, offsetof(rl_question, limits));
	part->op = op;
	part->n_keys = 1;
	part->part = RL_PART;
	part->tag = t->tag;
	part->n_limits = 0;
	part->held = t->held;
	if (q->costs != NULL) {
		part->costs = t->costs;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].identity != group) {
			continue;
		}
		unsigned own = part->n_limits++;
		t->index[own] = (uint8_t) i;
		part->limits[own] = q->limits[i];
		part->limits[own].identity = 0;
		if (!bans) {
			part->limits[own].ban = RL_BAN_NONE;
		}
		if (q->costs != NULL) {
			t->costs[own] = q->costs[i];
		}
		if (q->held != NULL) {
			t->held[own] = q->held[i];
		}
	}
}

rl_status rl_part_ask(rl_together *t, rl_answer *a, rl_error *e)
{
	rl_status status = t->ask(t, &t->keys[t->group], a, e);

	if (status == RL_OK) {
		a->decision.limit_index = t->index[a->decision.limit_index];
	}
	return status;
}

void rl_part_keep_held(const rl_together *t)
{
	for (unsigned own = 0; own < t->part.n_limits; own++) {
		t->q->held[t->index[own]] = t->held[own];
	}
}

bool rl_part_is_skipped(const rl_together *t)
{
	bool skipped = t->part.costs != NULL;

	for (unsigned own = 0; skipped && own < t->part.n_limits; own++) {
		skipped = t->costs[own] == 0;
	}
	return skipped;
}

static rl_status ask_embedded(rl_together *t, const rl_key *key, rl_answer *a, rl_error *e)
{
	return t->store->ops->ask(t->store, key, &t->part, a, e);
}

/* Asks one node of a cluster. Its circuit breaker and the statistics have it as a question of its own. */
static rl_status ask_node(rl_together *t, const rl_key *key, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = rl_attempt_begin(&attempt, t->g, key, e);

	if (status == RL_OK) {
		rl_dead_places_note(t->g, key, &t->part);
		status = t->store->ops->ask(t->store, key, &t->part, a, e);
		rl_dead_places_note_answer(t->g, key, &t->part, status, a);
		rl_attempt_end(&attempt, status, NULL, e);
	}
	if (t->part.op == RL_OP_SETTLE) {
		rl_dead_places_note_change(t->g, key, &t->part, status, a);
	}
	return status;
}

void rl_together_begin(rl_together *t, const rl_guard *g, rl_store *store, const rl_key *keys, const rl_question *q)
{
	t->g = g;
	t->store = store;
	t->ask = g != NULL ? ask_node : ask_embedded;
	t->keys = keys;
	t->q = q;
	t->tag = q->tag;
	t->is_fast = false;
}

void rl_together_next_tag(rl_together *t)
{
	uint64_t z = t->tag + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z = (z ^ z >> 31) & RL_TAG_MASK;
	t->tag = z != 0 ? z : 1;
}
