#include <string.h>

#include "limiter_steps.h"

/* Returns the end of the ban that the answer tells of; 0: none runs. The state's own end stays where it is the same ban. */
static int64_t told_ban_end_us(const rl_evaluation *ev, const rl_told *told)
{
	int64_t end_us = ev->now->mono_us + told->ban_us, own_us = ev->state.ban_end_us;

	if (told->ban_us <= 0) {
		return 0;
	}
	return ev->banned && own_us >= end_us - told->trip_us - RL_TOLD_SLACK_US && own_us <= end_us + RL_TOLD_SLACK_US
		? own_us
		: end_us;
}

static void put_told_ban(rl_evaluation *ev, rl_state_writer *w)
{
	const rl_told *told = ev->q->told;
	int64_t end_us = told_ban_end_us(ev, told);

	if (ev->banned && end_us == ev->state.ban_end_us) {
		rl_state_writer_keep_ban(w);
	} else if (end_us != 0) {
		rl_state_writer_put_ban(w, end_us, told->ban_limit);
		if (told->ban_limit < ev->q->n_limits) {
			ev->ctx[told->ban_limit].limit_state = NULL; /* a ban ends the state of the limit that begins it */
		}
	}
	if (told->level != ev->state.level) {
		w->level = told->level;
		w->forget_at_us = ev->now->mono_us + told->forget_us;
	}
}

/* Writes the limit state of limit i that the answer tells of. Returns its words; 0: it stays as it is. */
static size_t put_told_limit(rl_evaluation *ev, unsigned i, uint64_t *out)
{
	const rl_told *answer = ev->q->told;
	const rl_told_limit *told = &answer->limits[i];
	rl_limit_ctx *c = &ev->ctx[i];
	uint64_t used;

	if (!rl_told_counts(answer, i) || c->limit->algorithm == RL_CONCURRENT) {
		return 0;
	}
	c->tag = c->limit_state != NULL ? rl_limiter_tag_to_write(ev, i) : 0;
	if (ev->ops[i]->mirror != NULL) {
		return ev->ops[i]->mirror(c, answer, told, out);
	}
	used = ev->ops[i]->used(c);
	if (used > told->used && rl_told_lowers(c->limit, answer, told) && rl_limit_state_n_notes(c->limit_state) == 0) {
		/* Elsewhere permits were given back, nobody knows which: those that are left count from now on. */
		c->limit_state = NULL;
		c->tag = 0;
		used = 0;
	}
	if (used >= told->used) {
		return 0;
	}
	c->cost = told->used - used;
	c->debt = true; /* it is counted, whatever the state has room for */
	return ev->ops[i]->admit(c, out);
}

rl_outcome rl_limiter_mirror(rl_evaluation *ev, const uint64_t *state, size_t words, uint64_t *out, size_t *out_words)
{
	rl_tightest t = {.left = UINT64_MAX};
	rl_outcome outcome;
	rl_state_writer w;
	unsigned i;

	rl_state_writer_init(&w, ev, out);
	put_told_ban(ev, &w);
	w.used = 0;
	for (i = 0; i < ev->q->n_limits; i++) {
		size_t n = put_told_limit(ev, i, out + w.at);

		if (n > 0) {
			ev->ctx[i].limit_state = rl_state_writer_put_limit(&w, i, n, ev->ctx[i].tag);
		} else {
			rl_state_writer_keep_limit(&w, i);
		}
		rl_limiter_count_used(ev, i, &w, &t, false);
	}
	outcome = rl_limiter_finish(&w, out_words);
	if (outcome == RL_WRITE_STATE && *out_words == words && memcmp(out, state, words * sizeof *out) == 0) {
		return RL_WRITE_NOTHING;
	}
	return outcome == RL_WRITE_DELETE && state == NULL ? RL_WRITE_NOTHING : outcome;
}
