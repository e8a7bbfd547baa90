#include "limiter.h"

#include "evaluation.h"

/* The most words that a limit state gains: a sliding window's counters, once more as notes if it is converted; a bucket's marks. A log
 * gains a head, and its moments grow from 4 bytes to 8. Several limits may begin with one limit state. */
#define LIMIT_STATE_WORDS    64
#define SLIDING_WINDOW_WORDS (LIMIT_STATE_WORDS + 32)

static bool has_notes(const uint64_t *state, size_t words)
{
	size_t at = RL_STATE_HEAD_WORDS;

	while (at + RL_LIMIT_STATE_HEAD_WORDS <= words && rl_limit_state_words(state + at) > 0) {
		if (rl_limit_state_n_notes(state + at) > 0) {
			return true;
		}
		at += rl_limit_state_words(state + at);
	}
	return false;
}

size_t rl_limiter_size_max(const rl_question *q, const uint64_t *state, size_t words)
{
	size_t room = RL_STATE_HEAD_WORDS + 2 * words, logs = 0;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		room += (q->limits[i].algorithm == RL_SLIDING_WINDOW ? SLIDING_WINDOW_WORDS : LIMIT_STATE_WORDS) + 2 * words;
		if (q->limits[i].algorithm == RL_SLIDING_LOG) {
			uint64_t cost = q->op == RL_OP_MIRROR ? q->told->limits[i].used : q->costs != NULL ? q->costs[i] : q->cost;

			room += words + (cost < RL_LOG_LIMIT_MAX ? (size_t) cost : (size_t) RL_LOG_LIMIT_MAX);
			logs++;
		}
	}
	/* A note of two words may become all moments. */
	return room + (logs > 0 && has_notes(state, words) ? logs * RL_LOG_LIMIT_MAX : 0);
}

/* Returns the largest cost that the question may count in this limit. */
static uint64_t cost_at_most(const rl_question *q, unsigned i)
{
	uint64_t cost = q->costs != NULL ? q->costs[i] : q->cost, limit = q->limits[i].limit;

	switch (q->op) {
		case RL_OP_SETTLE:
			return cost;
		case RL_OP_MIRROR:
			return q->told->limits[i].used;
		case RL_OP_CREDIT:
		case RL_OP_CANCEL:
			return 1; /* only an admission makes a state longer */
		default:
			break;
	}
	if (cost > limit) {
		return q->at_least > 0 ? limit : 1; /* a cost above the limit is never admitted */
	}
	return cost;
}

size_t rl_limiter_size(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words)
{
	rl_evaluation ev;
	size_t room = RL_STATE_HEAD_WORDS;
	unsigned i;

	rl_evaluation_init(&ev, q, now, now->mono_us, state, words);
	for (i = 0; i < q->n_limits; i++) {
		rl_limit_ctx *c = &ev.ctx[i];

		c->cost = cost_at_most(q, i);
		c->debt = q->op == RL_OP_SETTLE;
		if (q->op == RL_OP_ACQUIRE) {
			c->at_us += q->max_wait_us;
		}
		room += ev.ops[i]->max_words(c) + (c->limit_state != NULL ? rl_limit_state_words(c->limit_state) : 0);
	}
	return room + words;
}
