#include "state_writer.h"

#include <string.h>

#include "../../compiler.h"

void rl_state_writer_init(rl_state_writer *w, const rl_evaluation *ev, uint64_t *out)
{
	*w = (rl_state_writer){.evaluation = ev,
		.out = out,
		.at = RL_STATE_HEAD_WORDS,
		.expires_at_us = INT64_MIN,
		.forget_at_us = ev->state.forget_at_us,
		.level = ev->state.level,
		.used = ev->state.used};
	rl_state_begin(0, false, 0, 0, out);
}

static void write_ban(rl_state_writer *w, int64_t end_us, uint64_t limit)
{
	w->out[RL_STATE_BAN_END] = (uint64_t) end_us;
	w->out[RL_STATE_BAN_LIMIT] = limit;
	w->expires_at_us = end_us;
	w->ban = true;
}

void rl_state_writer_put_ban(rl_state_writer *w, int64_t end_us, unsigned i)
{
	const rl_limit *limit = &w->evaluation->q->limits[i];
	bool by_hand = i >= w->evaluation->q->n_limits;

	write_ban(w, end_us,
		by_hand ? 0 : rl_state_ban_limit(limit, rl_evaluation_has_equals(w->evaluation, i) ? limit->mark : 0));
}

void rl_state_writer_keep_ban(rl_state_writer *w)
{
	const rl_state *state = &w->evaluation->state;

	if (w->evaluation->banned) {
		write_ban(w, state->ban_end_us, state->ban_limit);
	}
}

/* Keeps the limit state at w->out + w->at, its tag included. */
static const uint64_t *keep_written(rl_state_writer *w, size_t words)
{
	const rl_now *now = w->evaluation->now;
	const uint64_t *limit_state = w->out + w->at;
	int64_t expires_at_us =
		rl_algorithm_of((unsigned) rl_limit_state_algorithm(limit_state))->expires_at(limit_state, now);

	if (expires_at_us <= now->mono_us) {
		return NULL;
	}
	if (expires_at_us > w->expires_at_us) {
		w->expires_at_us = expires_at_us;
	}
	w->at += words;
	w->n_limits++;
	return limit_state;
}

const uint64_t *rl_state_writer_put_limit(rl_state_writer *w, unsigned i, size_t words, uint64_t tag)
{
	uint64_t *limit_state = w->out + w->at;

	limit_state[RL_LIMIT_STATE_TAG] |= tag;
	rl_limit_state_set_mark(limit_state, rl_evaluation_mark(w->evaluation, i));
	return keep_written(w, words);
}

static void keep_as_it_is(rl_state_writer *w, const uint64_t *limit_state)
{
	size_t words = rl_limit_state_words(limit_state);

	memcpy(w->out + w->at, limit_state, words * sizeof *limit_state);
	keep_written(w, words);
}

void rl_state_writer_keep_limit(rl_state_writer *w, unsigned i)
{
	const uint64_t *limit_state = w->evaluation->ctx[i].limit_state;
	uint64_t *kept = w->out + w->at;

	if (limit_state != NULL) {
		keep_as_it_is(w, limit_state);
		rl_limit_state_set_mark(kept, rl_evaluation_mark(w->evaluation, i));
	}
}

size_t rl_state_writer_finish(rl_state_writer *w)
{
	unsigned i;

	for (i = 0; i < w->evaluation->n_unmatched; i++) {
		keep_as_it_is(w, w->evaluation->unmatched[i]);
	}
	if (!w->ban && w->n_limits == 0 && w->level == 0) {
		return 0;
	}
	if (w->level > 0 && w->forget_at_us > w->expires_at_us) {
		w->expires_at_us = w->forget_at_us;
	}
	w->out[0] = rl_state_head(w->n_limits, w->exhausted, w->used) | (uint64_t) w->level << RL_STATE_LEVEL_AT;
	w->out[RL_STATE_EXPIRES] = (uint64_t) w->expires_at_us;
	w->out[RL_STATE_FORGET] = w->level > 0 ? (uint64_t) w->forget_at_us : 0;
	return w->at;
}
