#include "hearing.h"

/* The usual case: a limiter of the same limits has left the state. Each then takes the slot in its own place, as it would
 * below. */
static bool take_slots_in_order(rl_hearing *h)
{
	unsigned i;

	if (h->state.n_slots != h->q->n_limits) {
		return false;
	}
	for (i = 0; i < h->q->n_limits; i++) {
		const rl_limit *limit = &h->q->limits[i];
		const uint64_t *slot = h->state.slots[i];

		if (rl_slot_algorithm(slot) != limit->algorithm || !h->ops[i]->fits(limit, slot)) {
			return false;
		}
	}
	for (i = 0; i < h->q->n_limits; i++) {
		h->cases[i].slot = h->state.slots[i];
	}
	return true;
}

static void take_slots_of(rl_hearing *h, bool taken[RL_STATE_SLOTS_MAX], bool same_period)
{
	unsigned i, s;

	for (i = 0; i < h->q->n_limits; i++) {
		if (h->cases[i].slot != NULL) {
			continue;
		}
		for (s = 0; s < h->state.n_slots && h->cases[i].slot == NULL; s++) {
			const uint64_t *slot = h->state.slots[s];

			if (!taken[s] && rl_slot_algorithm(slot) == h->q->limits[i].algorithm
					&& (!same_period || h->ops[i]->fits(&h->q->limits[i], slot))) {
				h->cases[i].slot = slot;
				taken[s] = true;
			}
		}
	}
}

static void take_slots(rl_hearing *h)
{
	bool taken[RL_STATE_SLOTS_MAX] = {false};
	unsigned i;

	take_slots_of(h, taken, true);
	take_slots_of(h, taken, false);
	for (i = 0; i < h->state.n_slots && h->n_others < RL_LIMITS_MAX; i++) {
		if (!taken[i]) {
			h->others[h->n_others++] = h->state.slots[i];
		}
	}
}

static bool is_empty(const uint64_t *slot, const rl_now *now)
{
	return rl_algorithm_of((unsigned) rl_slot_algorithm(slot))->over_at(slot, now) <= now->mono_us;
}

void rl_hearing_open(rl_hearing *h, const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state, size_t words)
{
	unsigned i, kept = 0;

	h->q = q;
	h->now = now;
	rl_state_read(state, words, &h->state);
	h->banned = h->state.ban && h->state.ban_end_us > now->mono_us;
	for (i = 0; i < h->state.n_slots; i++) {
		if (!is_empty(h->state.slots[i], now)) {
			h->state.slots[kept++] = h->state.slots[i];
		}
	}
	h->state.n_slots = kept;
	for (i = 0; i < q->n_limits; i++) {
		h->ops[i] = rl_algorithm_of(q->limits[i].algorithm);
		h->cases[i] = (rl_case) {
			.limit = &q->limits[i],
			.now = *now,
			.at_us = at_us,
			.booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL,
			.cost = q->cost,
		};
	}
	h->n_others = 0;
	if (h->state.n_slots > 0 && !take_slots_in_order(h)) {
		take_slots(h);
	}
}
