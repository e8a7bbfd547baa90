#include "limiter_steps.h"

uint64_t rl_limiter_left(const rl_evaluation *ev, unsigned i)
{
	uint64_t limit = ev->q->limits[i].limit, used = ev->ops[i]->used(&ev->ctx[i]);

	return used < limit ? limit - used : 0;
}

void rl_limiter_set_decision(const rl_evaluation *ev, unsigned i, rl_reason reason, uint64_t remaining,
	int64_t retry_after_us, rl_decision *d)
{
	int64_t reset_us = ev->ops[i]->full_at(&ev->ctx[i]) - ev->now->mono_us;

	d->reason = reason;
	d->accepted = reason == RL_ACCEPTED;
	d->limit_index = (uint8_t) i;
	d->level = ev->state.level;
	d->limit = ev->q->limits[i].limit;
	d->remaining = remaining;
	d->retry_after_us = retry_after_us;
	d->reset_after_us = reset_us > 0 ? reset_us : 0;
}

void rl_limiter_set_banned(const rl_evaluation *ev, unsigned i, int64_t end_us, int64_t retry_at_us, rl_decision *d)
{
	d->reason = RL_BANNED;
	d->accepted = false;
	d->limit_index = (uint8_t) i;
	d->level = ev->state.level;
	d->limit = ev->q->limits[i].limit;
	d->remaining = 0;
	d->retry_after_us = retry_at_us - ev->now->mono_us;
	d->reset_after_us = end_us - ev->now->mono_us;
}

/* Each round moves to a later moment at which a kept entry runs out, so the loop ends; the bound on rounds is for invalid
 * states. */
int64_t rl_limiter_earliest(const rl_evaluation *ev, int64_t t_us)
{
	unsigned i, rounds;

	for (rounds = 0; rounds < RL_LIMITS_MAX * (unsigned) RL_LOG_LIMIT_MAX; rounds++) {
		int64_t before_us = t_us;

		for (i = 0; i < ev->q->n_limits; i++) {
			t_us = rl_limiter_earliest_of(ev, i, t_us, true);
		}
		if (t_us == before_us) {
			break;
		}
	}
	return t_us;
}

/* Returns the time until a call with a cost of 1 for each limit that is not skipped passes, from the moment that is judged
 * on, after a ban that is running. left: of the limit that has the least. Changes the costs of all limits. The answer to release
 * and renew has no such time: their questions lack the boundaries of calendar windows. */
static int64_t next_after_us(rl_evaluation *ev, uint64_t left, int64_t at_us)
{
	unsigned i;

	if (RL_UNLIKELY(ev->banned) && ev->q->op == RL_OP_SETTLE) {
		at_us = ev->state.ban_end_us;
	}
	if (left == 0 && ev->q->op != RL_OP_RELEASE && ev->q->op != RL_OP_RENEW) {
		for (i = 0; i < ev->q->n_limits; i++) {
			ev->ctx[i].cost = 1;
		}
		at_us = rl_limiter_earliest(ev, at_us);
	}
	return at_us > ev->now->mono_us ? at_us - ev->now->mono_us : 0;
}

void rl_limiter_set_accepted(rl_evaluation *ev, rl_tightest t, unsigned judged, rl_decision *d)
{
	rl_limiter_set_decision(ev, t.limit_index, RL_ACCEPTED, t.left, next_after_us(ev, t.left, ev->ctx[judged].at_us),
		d);
}

uint64_t rl_limiter_tag_to_write(const rl_evaluation *ev, unsigned i)
{
	const rl_limit_ctx *c = &ev->ctx[i];
	bool stays = c->limit_state != NULL && (!ev->ops[i]->converts || ev->ops[i]->same_period(c->limit, c->limit_state));

	if (stays && rl_limit_state_tag(c->limit_state) != 0) {
		return rl_limit_state_tag(c->limit_state);
	}
	/* A concurrent limit's places have numbers of their own. */
	if (ev->q->op != RL_OP_ACQUIRE || c->limit->algorithm == RL_CONCURRENT) {
		return 0;
	}
	return stays ? ev->q->tag | RL_TAG_WAS_THERE : ev->q->tag;
}

void rl_limiter_set_left(const rl_evaluation *ev, rl_decision *d)
{
	int64_t now_us = ev->now->mono_us;
	unsigned i;

	d->n_left = ev->q->n_limits;
	if (d->n_left == 1 && !ev->banned && ev->state.level == 0 && !ev->q->as_is) {
		d->n_left = 0; /* the decision says the same */
		return;
	}
	for (i = 0; i < ev->q->n_limits; i++) {
		int64_t reset_us = ev->ops[i]->full_at(&ev->ctx[i]) - now_us;

		d->left[i] = (rl_left){
			.remaining = rl_limiter_left(ev, i),
			.level = ev->state.level,
			.reset_after_us = reset_us > 0 ? reset_us : 0,
			.ban_after_us = ev->banned ? ev->state.ban_end_us - now_us : 0,
			.forget_after_us = ev->state.level > 0 ? ev->state.forget_at_us - now_us : 0,
		};
	}
}
