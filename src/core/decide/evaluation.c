#include "evaluation.h"

#include "../limit/limit_mark.h"

static bool is_empty(const uint64_t *limit_state, const rl_now *now)
{
	return rl_algorithm_of((unsigned) rl_limit_state_algorithm(limit_state))->expires_at(limit_state, now)
		<= now->mono_us;
}

/* Gives a limit its limit state. One that is over is as none. */
static void match(rl_evaluation *ev, unsigned i, const uint64_t *limit_state)
{
	ev->ctx[i].limit_state = is_empty(limit_state, ev->now) ? NULL : limit_state;
}

static bool is_of_kind(const rl_evaluation *ev, unsigned i, const uint64_t *limit_state)
{
	return rl_limit_state_algorithm(limit_state) == ev->q->limits[i].algorithm
		&& ev->ops[i]->same_period(&ev->q->limits[i], limit_state);
}

/* The usual case: a limiter of the same limits has written the state. Each limit then matches the limit state at its own
 * index, as match_limit_states() would find. */
static bool match_in_order(rl_evaluation *ev)
{
	unsigned i, n = ev->q->n_limits;

	if (ev->state.n_limits != n) {
		return false;
	}
	for (i = 0; i < n; i++) {
		const uint64_t *limit_state = ev->state.limit_states[i];

		if (!is_of_kind(ev, i, limit_state) || (n > 1 && rl_limit_state_mark(limit_state) != ev->q->limits[i].mark)) {
			return false;
		}
	}
	for (i = 0; i < n; i++) {
		match(ev, i, ev->state.limit_states[i]);
	}
	return true;
}

/* Limit states and limits, a bit for each. */
typedef struct {
	unsigned taken;   /* limit states */
	unsigned matched; /* limits */
} matching;

static void take(rl_evaluation *ev, matching *m, unsigned i, unsigned s)
{
	match(ev, i, ev->state.limit_states[s]);
	m->matched |= 1u << i;
	m->taken |= 1u << s;
}

/* Returns the limit states of limit i's kind. */
static unsigned states_of_kind(const rl_evaluation *ev, unsigned i)
{
	unsigned s, found = 0;

	for (s = 0; s < ev->state.n_limits; s++) {
		found |= (unsigned) is_of_kind(ev, i, ev->state.limit_states[s]) << s;
	}
	return found;
}

/* Returns the first of these limit states with this mark; n_limits: none has it. */
static unsigned state_of_mark(const rl_evaluation *ev, unsigned states, uint32_t mark)
{
	unsigned s = 0;

	while (
		s < ev->state.n_limits && ((states & 1u << s) == 0 || rl_limit_state_mark(ev->state.limit_states[s]) != mark)) {
		s++;
	}
	return s;
}

bool rl_evaluation_has_equals(const rl_evaluation *ev, unsigned i)
{
	unsigned other = 0;

	while (other < ev->q->n_limits && (other == i || !rl_limits_are_equals(&ev->q->limits[i], &ev->q->limits[other]))) {
		other++;
	}
	return other < ev->q->n_limits;
}

/* Matches limit i with the limit state of its kind that is its own. */
static void match_own(rl_evaluation *ev, matching *m, unsigned i)
{
	unsigned states = states_of_kind(ev, i), s;

	if (!rl_evaluation_has_equals(ev, i) && states != 0 && (states & (states - 1)) == 0) {
		s = (unsigned) __builtin_ctz(states);
	} else {
		s = state_of_mark(ev, states, ev->q->limits[i].mark);
	}
	if (s < ev->state.n_limits) {
		take(ev, m, i, s);
	}
}

/* Matches limit i with the fullest limit state of its kind whose mark none of its equals has; all of these are taken. */
static void match_fullest(rl_evaluation *ev, matching *m, unsigned i)
{
	unsigned states = states_of_kind(ev, i), other, s;
	uint64_t most = 0;
	int64_t last_us = INT64_MIN;
	rl_limit_ctx c = ev->ctx[i];

	for (other = 0; other < ev->q->n_limits; other++) {
		for (s = 0; rl_limits_are_equals(&ev->q->limits[i], &ev->q->limits[other]) && s < ev->state.n_limits; s++) {
			if (rl_limit_state_mark(ev->state.limit_states[s]) == ev->q->limits[other].mark) {
				states &= ~(1u << s);
			}
		}
	}
	m->taken |= states;
	c.at_us = ev->now->mono_us;
	c.booking = false;
	for (s = 0; s < ev->state.n_limits; s++) {
		uint64_t used;
		int64_t expires_us;

		c.limit_state = ev->state.limit_states[s];
		if ((states & 1u << s) == 0 || is_empty(c.limit_state, ev->now)) {
			continue;
		}
		used = ev->ops[i]->used(&c);
		expires_us = ev->ops[i]->expires_at(c.limit_state, ev->now);
		if (ev->ctx[i].limit_state == NULL || used > most || (used == most && expires_us > last_us)) {
			ev->ctx[i].limit_state = c.limit_state;
			most = used;
			last_us = expires_us;
		}
	}
	m->matched |= (unsigned) (states != 0) << i;
}

/* Matches limit i with a limit state of another period that is left: by its name, or because the algorithm has no other. */
static void match_other_kind(rl_evaluation *ev, matching *m, unsigned i)
{
	const rl_limit *limit = &ev->q->limits[i];
	unsigned states = 0, limits = 0, s;

	for (s = 0; s < ev->state.n_limits; s++) {
		states |= (unsigned) (rl_limit_state_algorithm(ev->state.limit_states[s]) == limit->algorithm) << s;
	}
	states &= ~m->taken;
	for (s = 0; s < ev->q->n_limits; s++) {
		limits += ev->q->limits[s].algorithm == limit->algorithm;
	}
	s = limit->mark >= RL_MARK_OF_NAME ? state_of_mark(ev, states, limit->mark) : ev->state.n_limits;
	if (s == ev->state.n_limits && limits == 1 && (states & (states - 1)) == 0) {
		/* A window of another period stays one until its end, and has the limit's mark after the first call. */
		s = state_of_mark(ev, states, 0);
		s = s < ev->state.n_limits ? s : state_of_mark(ev, states, limit->mark);
	}
	if (s < ev->state.n_limits) {
		take(ev, m, i, s);
	}
}

static void match_limit_states(rl_evaluation *ev)
{
	static void (*const steps[])(rl_evaluation *, matching *, unsigned) = {match_own, match_fullest, match_other_kind};
	matching m = {0};
	unsigned step, i;

	for (step = 0; step < sizeof steps / sizeof *steps; step++) {
		for (i = 0; i < ev->q->n_limits; i++) {
			if ((m.matched & 1u << i) == 0) {
				steps[step](ev, &m, i);
			}
		}
	}
	for (i = 0; i < ev->state.n_limits && ev->n_unmatched < RL_LIMITS_MAX; i++) {
		if ((m.taken & 1u << i) == 0 && !is_empty(ev->state.limit_states[i], ev->now)) {
			ev->unmatched[ev->n_unmatched++] = ev->state.limit_states[i];
		}
	}
}

void rl_evaluation_init(rl_evaluation *ev, const rl_question *q, const rl_now *now, int64_t at_us,
	const uint64_t *state, size_t words)
{
	unsigned i;

	ev->q = q;
	ev->now = now;
	rl_state_read(state, words, &ev->state);
	if (ev->state.forget_at_us <= now->mono_us) {
		ev->state.level = 0;
	}
	ev->banned = ev->state.ban && ev->state.ban_end_us > now->mono_us;
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
	ev->is_live = ev->n_unmatched > 0;
	for (i = 0; i < q->n_limits; i++) {
		ev->is_live = ev->is_live || ev->ctx[i].limit_state != NULL;
	}
}
