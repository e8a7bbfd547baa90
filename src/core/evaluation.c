#include "evaluation.h"

/* The usual case: a limiter of the same limits has written the state. Each limit then matches the limit state at its own
 * index, as match_limit_states() would find. */
static bool match_in_order(rl_evaluation *ev)
{
	unsigned i;

	if (ev->state.n_limits != ev->q->n_limits) {
		return false;
	}
	for (i = 0; i < ev->q->n_limits; i++) {
		const rl_limit *limit = &ev->q->limits[i];
		const uint64_t *limit_state = ev->state.limit_states[i];

		if (rl_limit_state_algorithm(limit_state) != limit->algorithm || !ev->ops[i]->same_period(limit, limit_state)) {
			return false;
		}
	}
	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].limit_state = ev->state.limit_states[i];
	}
	return true;
}

static void match_by(rl_evaluation *ev, bool taken[RL_STATE_LIMITS_MAX], bool same_period)
{
	unsigned i, s;

	for (i = 0; i < ev->q->n_limits; i++) {
		if (ev->ctx[i].limit_state != NULL) {
			continue;
		}
		for (s = 0; s < ev->state.n_limits && ev->ctx[i].limit_state == NULL; s++) {
			const uint64_t *limit_state = ev->state.limit_states[s];

			if (!taken[s] && rl_limit_state_algorithm(limit_state) == ev->q->limits[i].algorithm
				&& (!same_period || ev->ops[i]->same_period(&ev->q->limits[i], limit_state))) {
				ev->ctx[i].limit_state = limit_state;
				taken[s] = true;
			}
		}
	}
}

static void match_limit_states(rl_evaluation *ev)
{
	bool taken[RL_STATE_LIMITS_MAX] = {false};
	unsigned i;

	match_by(ev, taken, true);
	match_by(ev, taken, false);
	for (i = 0; i < ev->state.n_limits && ev->n_unmatched < RL_LIMITS_MAX; i++) {
		if (!taken[i]) {
			ev->unmatched[ev->n_unmatched++] = ev->state.limit_states[i];
		}
	}
}

static bool is_empty(const uint64_t *limit_state, const rl_now *now)
{
	return rl_algorithm_of((unsigned) rl_limit_state_algorithm(limit_state))->expires_at(limit_state, now)
		<= now->mono_us;
}

void rl_evaluation_init(rl_evaluation *ev, const rl_question *q, const rl_now *now, int64_t at_us,
	const uint64_t *state, size_t words)
{
	unsigned i, kept = 0;

	ev->q = q;
	ev->now = now;
	rl_state_read(state, words, &ev->state);
	if (ev->state.forget_at_us <= now->mono_us) {
		ev->state.level = 0;
	}
	ev->banned = ev->state.ban && ev->state.ban_end_us > now->mono_us;
	for (i = 0; i < ev->state.n_limits; i++) {
		if (!is_empty(ev->state.limit_states[i], now)) {
			ev->state.limit_states[kept++] = ev->state.limit_states[i];
		}
	}
	ev->state.n_limits = kept;
	for (i = 0; i < q->n_limits; i++) {
		ev->ops[i] = rl_algorithm_of(q->limits[i].algorithm);
		ev->ctx[i] = (rl_limit_ctx){
			.limit = &q->limits[i],
			.now = *now,
			.at_us = at_us,
			.booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL,
			.cost = q->cost,
		};
	}
	ev->n_unmatched = 0;
	if (ev->state.n_limits > 0 && !match_in_order(ev)) {
		match_limit_states(ev);
	}
}
