#include "limiter_steps.h"

#include "../algorithm/algorithm.h"

/* Writes the next limit state of limit i after a permit has ended with its true cost, without the tag. Returns its words;
 * 0: nothing changes. */
static size_t settle_limit(rl_evaluation *ev, unsigned i, uint64_t *out)
{
	const rl_held *held = &ev->q->held[i];
	rl_limit_ctx *c = &ev->ctx[i];
	uint64_t cost = ev->ctx[i].cost;
	bool concurrent = ev->q->limits[i].algorithm == RL_CONCURRENT;

	if (cost > held->cost && !concurrent) {
		c->cost = cost - held->cost;
		c->debt = true;
		c->tag = rl_limiter_tag_to_write(ev, i);
		return ev->ops[i]->admit(c, out);
	}
	if (c->limit_state == NULL || held->tag == 0) {
		return 0;
	}
	c->tag = rl_limit_state_tag(c->limit_state);
	if (!concurrent && (cost == held->cost || c->tag == 0 || (c->tag ^ held->tag) > RL_TAG_WAS_THERE)) {
		return 0;
	}
	c->undo = ev->q->tag != 0 && ev->q->tag == held->tag;
	return ev->ops[i]->give_back(c, held, held->cost - (concurrent ? 0 : cost), cost == 0, out);
}

/* Writes the next limit state of a concurrent limit. Returns its words; 0: the permit's place is gone. */
static size_t end_or_renew_place(rl_evaluation *ev, unsigned i, uint64_t *out)
{
	const rl_limit_ctx *c = &ev->ctx[i];
	const rl_held *held = &ev->q->held[i];

	if (c->limit_state == NULL || held->tag == 0) {
		return 0;
	}
	return ev->q->op == RL_OP_RENEW
		? rl_concurrent_renew(c, held, ev->q->renew_us > 0 ? ev->q->renew_us : c->limit->period_us, out)
		: ev->ops[i]->give_back(c, held, held->cost, false, out);
}

rl_outcome rl_limiter_change_permit(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a)
{
	const rl_question *q = ev->q;
	rl_state_writer w;
	rl_outcome outcome;
	rl_tightest t = {.left = UINT64_MAX};
	unsigned i;
	bool any = false;

	a->found = true;
	a->granted = q->cost;
	a->wait_us = 0;
	if (q->costs != NULL) {
		rl_limiter_set_costs(ev, 0);
	}
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = 0;
	for (i = 0; i < q->n_limits; i++) {
		rl_limit_ctx *c = &ev->ctx[i];
		bool concurrent = q->limits[i].algorithm == RL_CONCURRENT;
		size_t words = 0;

		if (q->op == RL_OP_SETTLE) {
			words = settle_limit(ev, i, out + w.at);
		} else if (concurrent) {
			words = end_or_renew_place(ev, i, out + w.at);
		}
		if (words > 0) {
			c->limit_state = rl_state_writer_put_limit(&w, i, words, c->tag);
			any = true;
		} else {
			a->found = a->found && !concurrent;
			rl_state_writer_keep_limit(&w, i);
		}
		rl_limiter_count_used(ev, i, &w, &t, true);
	}
	if (RL_UNLIKELY(q->costs != NULL)) {
		a->granted = q->costs[t.limit_index];
	}
	if (q->part != RL_PART_TENTATIVE) {
		rl_limiter_set_accepted(ev, t, 0, &a->decision);
		rl_limiter_set_left(ev, &a->decision);
	}
	outcome = rl_limiter_finish(&w, out_words);
	return any ? outcome : RL_WRITE_NOTHING;
}

/* Begins the state in which each limit counts less, by its cost, with the ban as it is. */
static void begin_less(rl_evaluation *ev, rl_state_writer *w, uint64_t *out)
{
	if (ev->q->costs != NULL) {
		rl_limiter_set_costs(ev, 0);
	}
	rl_state_writer_init(w, ev, out);
	rl_state_writer_keep_ban(w);
	w->used = (uint32_t) rl_take_count(w->used, ev->q->cost);
}

rl_outcome rl_limiter_credit(rl_evaluation *ev, uint64_t *out, size_t *out_words)
{
	rl_state_writer w;
	unsigned i;
	bool any = false;

	begin_less(ev, &w, out);
	for (i = 0; i < ev->q->n_limits; i++) {
		if (rl_limiter_skips(ev, i)) {
			rl_state_writer_keep_limit(&w, i);
		} else if (ev->ctx[i].limit_state != NULL) {
			ev->ctx[i].limit_state = rl_state_writer_put_limit(&w, i, ev->ops[i]->credit(&ev->ctx[i], out + w.at),
				rl_limit_state_tag(ev->ctx[i].limit_state));
			any = true;
		}
	}
	return any ? rl_limiter_finish(&w, out_words) : RL_WRITE_NOTHING;
}

rl_outcome rl_limiter_cancel(rl_evaluation *ev, uint64_t *out, size_t *out_words, bool *found)
{
	rl_state_writer w;
	unsigned i;

	*found = false;
	begin_less(ev, &w, out);
	for (i = 0; i < ev->q->n_limits; i++) {
		size_t words = 0;

		if (rl_limiter_skips(ev, i)) {
			rl_state_writer_keep_limit(&w, i);
			continue;
		}
		if (ev->ctx[i].limit_state != NULL && ev->ops[i]->cancel != NULL) {
			words = ev->ops[i]->cancel(&ev->ctx[i], out + w.at);
		}
		if (words == 0) {
			return RL_WRITE_NOTHING;
		}
		rl_state_writer_put_limit(&w, i, words, rl_limit_state_tag(ev->ctx[i].limit_state));
	}
	*found = true;
	return rl_limiter_finish(&w, out_words);
}
