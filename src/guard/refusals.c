#include "refusals.h"

static int64_t now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_true_us());
}

rl_refusable rl_refusable_plain(const uint64_t store_id[2], const rl_key *key, const rl_plain_question *q, bool peek)
{
	return (rl_refusable) {
		.may_answer = true,
		.may_keep = !peek,
		.place = rl_memo_place_of(key, rl_refusal_plain_mark(store_id, q), true),
	};
}

static rl_memo_mark fold_limit(rl_memo_mark m, const rl_limit *limit)
{
	m = rl_memo_fold(m, (uint64_t) limit->algorithm | (uint64_t) limit->ban << 8 | (uint64_t) limit->limit << 32,
		(uint64_t) limit->ban_us);
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		m = rl_memo_fold(m, (uint64_t) limit->period, (uint64_t) limit->boundary[0]);
		return rl_memo_fold(m, (uint64_t) limit->boundary[1], (uint64_t) limit->boundary[2]);
	}
	return rl_memo_fold(m, (uint64_t) limit->period_us,
		limit->algorithm == RL_TOKEN_BUCKET ? (uint64_t) limit->rate : 0);
}

rl_refusable rl_refusable_question(const uint64_t store_id[2], const rl_key *key, const rl_question *q)
{
	rl_refusable r = {.may_answer = (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK) && q->cost == 1};
	rl_memo_mark m = {store_id[0], store_id[1]};

	if (!r.may_answer) {
		return r;
	}
	r.may_keep = q->op == RL_OP_CONSUME;
	for (uint8_t i = 0; i < q->n_limits; i++) {
		m = fold_limit(m, &q->limits[i]);
	}
	r.place = rl_memo_place_of(key, m, true);
	return r;
}

bool rl_refusal_recall(const rl_refusable *r, int64_t bound_us, rl_decision *d)
{
	rl_memo_refusal memo;
	int64_t now;

	if (!r->may_answer || !rl_memo_recall(r->place, &memo)) {
		return false;
	}
	now = now_us();
	if (!rl_memo_stands(&memo, now, bound_us) || (memo.reason != RL_LIMITED && memo.reason != RL_BANNED)) {
		return false;
	}
	d->reason = (rl_reason) memo.reason;
	d->source = RL_FROM_CACHE;
	d->accepted = false;
	d->limit_index = (uint8_t) memo.limit_index;
	d->remaining = 0; /* where 1 is refused, nothing is left */
	d->retry_after_us = memo.retry_us - now;
	d->reset_after_us = memo.reset_us - now;
	return true;
}

void rl_refusal_keep(const rl_refusable *r, int64_t bound_us, int64_t began_us, const rl_decision *d)
{
	rl_memo_refusal memo;
	int64_t now;

	if (!r->may_keep || d->accepted || d->retry_after_us > RL_PERIOD_MAX_US * 4
			|| (d->reason != RL_LIMITED && d->reason != RL_BANNED)) {
		return;
	}
	now = now_us();
	memo = (rl_memo_refusal) {
		.at_us = began_us,
		.retry_us = now + d->retry_after_us,
		.reset_us = now + d->reset_after_us,
		.reason = d->reason,
		.limit_index = d->limit_index,
	};
	/* The moment lies between two that we know: before the question went, and after the answer came. What is told is told
	 * by the later one, so that the call passes then; it is remembered by the earlier one, so that nobody is refused who
	 * would pass. */
	memo.end_us = began_us + (d->retry_after_us < bound_us ? d->retry_after_us : bound_us);
	if (memo.end_us > now) {
		rl_memo_keep(r->place, &memo);
	}
}
