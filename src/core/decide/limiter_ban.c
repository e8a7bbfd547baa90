#include "limiter_steps.h"

/* Returns how much a limit is like the one that began the running ban. */
static unsigned likeness(const rl_state *state, const rl_limit *limit)
{
	uint64_t differs = rl_state_ban_limit(limit, limit->mark) ^ state->ban_limit;

	if ((differs & RL_STATE_BAN_ALGORITHM) != 0) {
		return 0;
	}
	return differs >> RL_STATE_BAN_HASH_AT != 0 ? 1 : differs != 0 ? 2 : 3;
}

unsigned rl_limiter_banning_limit(const rl_evaluation *ev)
{
	unsigned i, found = 0;

	for (i = 1; i < ev->q->n_limits; i++) {
		if (likeness(&ev->state, &ev->q->limits[i]) > likeness(&ev->state, &ev->q->limits[found])) {
			found = i;
		}
	}
	return found;
}

int64_t rl_limiter_ban_end_us(const rl_evaluation *ev, rl_ban_kind kind, int64_t us)
{
	switch (kind) {
		case RL_BAN_FOR:
			return ev->now->mono_us + us;
		case RL_BAN_UNTIL:
			return us - ev->now->wall_us + ev->now->mono_us;
		case RL_BAN_STEPS:
		case RL_BAN_NONE:
			break;
	}
	return ev->now->mono_us;
}

/* Returns the end of the ban that a limit begins now. */
static int64_t limit_ban_end_us(const rl_evaluation *ev, const rl_limit *limit)
{
	if (limit->ban == RL_BAN_STEPS) {
		uint32_t step = ev->state.level < limit->steps->n ? ev->state.level : limit->steps->n - 1;

		return ev->now->mono_us + limit->steps->us[step];
	}
	return rl_limiter_ban_end_us(ev, limit->ban, limit->ban_us);
}

unsigned rl_limiter_ban_to_begin(const rl_evaluation *ev, const int64_t earliest_us[], int64_t *end_us)
{
	unsigned i, which = ev->q->n_limits;

	*end_us = ev->now->mono_us;
	for (i = 0; i < ev->q->n_limits; i++) {
		int64_t us = limit_ban_end_us(ev, &ev->q->limits[i]);

		if (earliest_us[i] > ev->now->mono_us && us > *end_us) {
			which = i;
			*end_us = us;
		}
	}
	return which;
}

rl_outcome rl_limiter_begin_ban(rl_evaluation *ev, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words,
	rl_decision *d)
{
	const rl_limit *limit = &ev->q->limits[i];
	rl_state_writer w;
	unsigned other;

	ev->ctx[i].limit_state = NULL;
	ev->banned = true;
	ev->state.ban_end_us = end_us;
	rl_state_writer_init(&w, ev, out);
	if (limit->ban == RL_BAN_STEPS) {
		w.level = ev->state.level += ev->state.level < RL_LEVEL_MAX;
		w.forget_at_us = ev->state.forget_at_us = end_us + limit->steps->forget_us;
	}
	rl_state_writer_put_ban(&w, end_us, i);
	for (other = 0; other < ev->q->n_limits; other++) {
		rl_state_writer_keep_limit(&w, other);
	}
	rl_limiter_set_banned(ev, i, end_us, rl_limiter_earliest(ev, end_us), d);
	return rl_limiter_finish(&w, out_words);
}

rl_outcome rl_limiter_write_with_ban(rl_evaluation *ev, bool ban, int64_t end_us, uint64_t *out, size_t *out_words)
{
	rl_state_writer w;
	unsigned i;

	rl_state_writer_init(&w, ev, out);
	if (ban) {
		rl_state_writer_put_ban(&w, end_us, ev->q->n_limits);
	}
	w.exhausted = ev->state.exhausted;
	for (i = 0; i < ev->q->n_limits; i++) {
		rl_state_writer_keep_limit(&w, i);
	}
	return rl_limiter_finish(&w, out_words);
}
