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
}

static void write_ban(rl_state_writer *w, int64_t end_us, unsigned algorithm, uint32_t mark, uint64_t rate,
	int64_t period)
{
	w->out[w->at] = (uint64_t) end_us;
	w->out[w->at + 1] = rl_state_ban_limit(algorithm, mark, rate);
	w->out[w->at + 2] = (uint64_t) period;
	w->at += RL_STATE_BAN_WORDS;
	w->expires_at_us = end_us;
	w->ban = true;
}

void rl_state_writer_put_ban(rl_state_writer *w, int64_t end_us, unsigned i)
{
	const rl_limit *limit = &w->evaluation->q->limits[i];

	if (i < w->evaluation->q->n_limits) {
		write_ban(w, end_us, limit->algorithm, rl_evaluation_has_equals(w->evaluation, i) ? limit->mark : 0,
			limit->rate, rl_state_ban_period(limit));
	} else {
		write_ban(w, end_us, 0, 0, 0, 0);
	}
}

void rl_state_writer_keep_ban(rl_state_writer *w)
{
	const rl_state *state = &w->evaluation->state;

	if (w->evaluation->banned) {
		write_ban(w, state->ban_end_us, state->ban_algorithm, state->ban_mark, state->ban_rate, state->ban_period);
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

	if (tag != 0) {
		limit_state[words++] = tag;
		limit_state[0] = rl_limit_state_head(rl_limit_state_algorithm(limit_state), words,
							 rl_limit_state_number(limit_state))
			| (limit_state[0] & RL_LIMIT_STATE_WIDE) | RL_LIMIT_STATE_TAGGED;
	}
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

static RL_COLD void write_level(rl_state_writer *w)
{
	w->out[w->at] = rl_limit_state_head(0, RL_STATE_LEVEL_WORDS, w->level);
	w->out[w->at + 1] = (uint64_t) w->forget_at_us;
	w->at += RL_STATE_LEVEL_WORDS;
	if (w->forget_at_us > w->expires_at_us) {
		w->expires_at_us = w->forget_at_us;
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
	if (RL_UNLIKELY(w->level > 0)) {
		write_level(w);
	}
	w->out[0] = w->n_limits | (w->ban ? RL_STATE_BAN : 0) | (w->exhausted ? RL_STATE_EXHAUSTED : 0)
		| (w->level > 0 ? RL_STATE_LEVEL : 0) | (uint64_t) w->used << RL_STATE_USED_AT;
	w->out[1] = (uint64_t) w->expires_at_us;
	return w->at;
}
