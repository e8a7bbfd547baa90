#include "scribe.h"

#include <string.h>

void rl_scribe_begin(rl_scribe *w, const rl_hearing *h, uint64_t *out)
{
	*w = (rl_scribe) {.hearing = h, .out = out, .at = RL_STATE_HEAD_WORDS, .over_at_us = INT64_MIN, .used = h->state.used};
}

static void write_ban(rl_scribe *w, int64_t end_us, unsigned algorithm, uint32_t rate, int64_t period)
{
	w->out[w->at] = (uint64_t) end_us;
	w->out[w->at + 1] = (uint64_t) rate << 32 | algorithm;
	w->out[w->at + 2] = (uint64_t) period;
	w->at += RL_STATE_BAN_WORDS;
	w->over_at_us = end_us;
	w->ban = true;
}

void rl_scribe_ban(rl_scribe *w, int64_t end_us, const rl_limit *limit)
{
	if (limit) {
		write_ban(w, end_us, limit->algorithm, limit->rate, rl_state_ban_period(limit));
	} else {
		write_ban(w, end_us, 0, 0, 0);
	}
}

void rl_scribe_old_ban(rl_scribe *w)
{
	const rl_state *state = &w->hearing->state;

	if (w->hearing->banned) {
		write_ban(w, state->ban_end_us, state->ban_algorithm, state->ban_rate, state->ban_period);
	}
}

const uint64_t *rl_scribe_slot(rl_scribe *w, size_t words)
{
	const rl_now *now = w->hearing->now;
	const uint64_t *slot = w->out + w->at;
	int64_t over_at_us = rl_algorithm_of((unsigned) rl_slot_algorithm(slot))->over_at(slot, now);

	if (over_at_us <= now->mono_us) {
		return NULL;
	}
	if (over_at_us > w->over_at_us) {
		w->over_at_us = over_at_us;
	}
	w->at += words;
	w->n_slots++;
	return slot;
}

void rl_scribe_old_slot(rl_scribe *w, const uint64_t *slot)
{
	if (slot) {
		memcpy(w->out + w->at, slot, rl_slot_words(slot) * sizeof *slot);
		rl_scribe_slot(w, rl_slot_words(slot));
	}
}

size_t rl_scribe_end(rl_scribe *w)
{
	unsigned i;

	for (i = 0; i < w->hearing->n_others; i++) {
		rl_scribe_old_slot(w, w->hearing->others[i]);
	}
	if (!w->ban && w->n_slots == 0) {
		return 0;
	}
	w->out[0] = w->n_slots | (w->ban ? RL_STATE_BAN : 0) | (w->exhausted ? RL_STATE_EXHAUSTED : 0)
		| (uint64_t) w->used << RL_STATE_USED_AT;
	w->out[1] = (uint64_t) w->over_at_us;
	return w->at;
}
