#include "deny_cache.h"

#include "../shm/store/shm.h"

rl_deny_query rl_deny_query_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	bool peek)
{
	return (rl_deny_query){
		.may_answer = true,
		.may_keep = !peek,
		.n_limits = 1,
		.position = rl_deny_position_of(key, rl_deny_counter_key(store_id, q), true),
	};
}

/* Mixes in all parameters of a limit: without one of them, two limits would share a refusal. */
static rl_deny_key deny_key_add(rl_deny_key m, const rl_limit *limit)
{
	m = rl_deny_mix(m, (uint64_t) limit->algorithm | (uint64_t) limit->ban << 8 | (uint64_t) limit->mark << 16,
		(uint64_t) limit->ban_us);
	m = rl_deny_mix(m, limit->limit, limit->algorithm == RL_TOKEN_BUCKET ? limit->rate : 0);
	for (uint32_t i = 0; limit->ban == RL_BAN_STEPS && i < limit->steps->n; i++) {
		m = rl_deny_mix(m, (uint64_t) limit->steps->us[i], (uint64_t) limit->steps->forget_us);
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		m = rl_deny_mix(m, limit->period, (uint64_t) limit->boundary[0]);
		return rl_deny_mix(m, (uint64_t) limit->boundary[1], (uint64_t) limit->boundary[2]);
	}
	return rl_deny_mix(m, (uint64_t) limit->period_us, 0);
}

rl_deny_query rl_deny_query_limiter(const uint64_t store_id[2], const rl_key *key, const rl_question *q)
{
	rl_deny_query r = {
		.may_answer = (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_ACQUIRE) && q->cost == 1
			&& q->costs == NULL && q->leave == 0 && q->max_wait_us == 0,
	};
	rl_deny_key m = {store_id[0], store_id[1]};

	if (!r.may_answer) {
		return r;
	}
	r.may_keep = q->op != RL_OP_PEEK;
	r.n_limits = q->n_limits;
	for (uint8_t i = 0; i < q->n_limits; i++) {
		r.concurrent |= (uint8_t) ((q->limits[i].algorithm == RL_CONCURRENT) << i);
		m = deny_key_add(m, &q->limits[i]);
	}
	r.position = rl_deny_position_of(key, m, true);
	return r;
}

/* Returns whether a refusal may end earlier than its retryAfter, because a place of a concurrent limit comes free. */
static bool deny_waits_for_place(const rl_deny_query *r, const rl_decision *d)
{
	return r->concurrent != 0 && ((r->concurrent >> d->limit_index & 1) != 0 || d->retry_after_us > d->reset_after_us);
}

bool rl_deny_cache_lookup(const rl_deny_query *r, int64_t bound_us, rl_decision *d)
{
	rl_deny_entry entry;
	int64_t now;

	if (!r->may_answer || !rl_deny_lookup(r->position, &entry)) {
		return false;
	}
	now = rl_shm_now_us();
	if (!rl_deny_is_valid(&entry, now, bound_us) || (entry.reason != RL_LIMITED && entry.reason != RL_BANNED)
		|| entry.limit_index >= r->n_limits) {
		return false;
	}
	d->reason = (rl_reason) entry.reason;
	d->source = RL_FROM_CACHE;
	d->accepted = false;
	d->limit_index = (uint8_t) entry.limit_index;
	d->n_left = 0;
	d->level = entry.level;
	d->remaining = 0; /* a refusal of cost 1 leaves no permit */
	d->retry_after_us = entry.retry_us - now;
	d->reset_after_us = entry.reset_us - now;
	return true;
}

void rl_deny_cache_store(const rl_deny_query *r, int64_t bound_us, int64_t began_us, const rl_decision *d)
{
	rl_deny_entry entry;
	int64_t now;

	if (!r->may_keep || d->accepted || d->retry_after_us > RL_PERIOD_MAX_US * 4
		|| (d->reason != RL_LIMITED && d->reason != RL_BANNED) || deny_waits_for_place(r, d)) {
		return;
	}
	now = rl_shm_now_us();
	entry = (rl_deny_entry){
		.at_us = began_us,
		.retry_us = now + d->retry_after_us,
		.reset_us = now + d->reset_after_us,
		.reason = d->reason,
		.limit_index = d->limit_index,
		.level = d->level,
	};
	/* Redis decided between two known moments, before the question and after the answer. retryAfter counts from the
	 * later one, so that the call passes then. The entry ends by the earlier one, so that it refuses no call that would
	 * pass. */
	entry.end_us = began_us + (d->retry_after_us < bound_us ? d->retry_after_us : bound_us);
	if (entry.end_us > now) {
		rl_deny_store(r->position, &entry);
	}
}
