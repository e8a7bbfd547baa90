#include "lease.h"

/* The margin by which a batch ends before its window, whose end Redis has given. It has three parts. One is a
 * millisecond, because Redis may keep time in milliseconds. One is the distance by which this machine's own clocks may
 * come apart. One is a thousandth of the time left, because the clocks of two machines run at different rates: the
 * kernel corrects a clock by half of that at most. */
#define MARGIN_US    (RL_US_PER_MS + RL_LEASE_APART_MAX_US)
#define MARGIN_SHARE 1024

#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))

/* Distinguishes the key of a batch from that of a refusal. */
#define LEASE UINT64_C(0x6c65617365)

rl_lease_place rl_lease_place_for(const uint64_t store_id[2], const rl_key *key, const rl_question *q, uint64_t epoch)
{
	const rl_limit *limit = &q->limits[0];
	rl_deny_key m = {store_id[0], store_id[1]};

	/* The boundaries are not part of the key: the batch's end distinguishes the windows. */
	m = rl_deny_mix(m, LEASE ^ limit->period, (uint64_t) limit->algorithm);
	m = rl_deny_mix(m, limit->limit, (uint64_t) limit->period_us);
	return rl_lease_place_of(key, m, epoch);
}

static void lease_decide(const rl_question *q, const rl_lease_entry *seen, rl_answer *a)
{
	a->decision = (rl_decision){
		.reason = RL_ACCEPTED,
		.source = RL_FROM_LEASE,
		.accepted = true,
		.limit = q->limits[0].limit,
		.remaining = seen->left > q->limits[0].limit ? q->limits[0].limit : seen->left,
		.reset_after_us = seen->left_us,
	};
	a->granted = q->cost;
	a->wait_us = 0;
}

/* Names the place of a batch. The place of the identity's next generation has another home. */
static uint64_t lease_tag(rl_lease_place p)
{
	return p.place.fp ^ p.place.home * UINT64_C(0x9e3779b97f4a7c15);
}

/* Fills in an acquire's part of a batch that ends at end_us. */
static void lease_hold(rl_lease_place p, const rl_question *q, int64_t end_us)
{
	if (q->op == RL_OP_ACQUIRE) {
		*q->held = (rl_held){.tag = lease_tag(p), .place = end_us, .moved_us = (int64_t) p.epoch, .cost = q->cost};
	}
}

bool rl_lease_take(rl_lease_place p, const rl_question *q, rl_answer *a)
{
	rl_lease_entry seen;

	/* A peek with a cost of 0 at an empty batch asks Redis, which may have more. */
	if (q->cost > RL_COUNTER_MAX || !rl_lease_entry_take(p, (uint32_t) q->cost, q->op == RL_OP_PEEK, &seen)
		|| (q->cost == 0 && seen.left == 0)) {
		return false;
	}
	lease_decide(q, &seen, a);
	lease_hold(p, q, seen.end_us);
	return true;
}

rl_question rl_lease_question(const rl_question *q)
{
	rl_question lease = *q;

	lease.op = RL_OP_LEASE;
	return lease;
}

void rl_lease_keep(rl_lease_place p, int64_t began_us, const rl_question *q, rl_answer *a)
{
	rl_decision *d = &a->decision;
	int64_t left_us = d->reset_after_us;
	int64_t end_us = began_us + left_us - MARGIN_US - left_us / MARGIN_SHARE;

	if (d->accepted) {
		lease_hold(p, q, end_us);
	}
	if (a->leased == 0) {
		return;
	}
	/* Redis has counted the whole batch; on this machine its permits are still free. */
	d->remaining = a->leased > d->limit - d->remaining ? d->limit : d->remaining + a->leased;
	rl_lease_entry_put(p, a->leased, end_us);
}

bool rl_lease_settle(const uint64_t store_id[2], const rl_key *key, const rl_question *q, rl_answer *a)
{
	const rl_held *held = q->held;
	rl_lease_place p = rl_lease_place_for(store_id, key, q, (uint64_t) held->moved_us);
	rl_lease_now now = rl_lease_now_read();
	rl_lease_entry seen = {0};

	/* A reset, a ban or a step of a clock gives the batches of the identity another place. */
	if (lease_tag(p) != held->tag || now.epoch != p.epoch || held->place <= now.now_us) {
		return false;
	}
	if (q->cost > held->cost) {
		if (q->cost - held->cost > RL_COUNTER_MAX
			|| !rl_lease_entry_take(p, (uint32_t) (q->cost - held->cost), false, &seen)) {
			return false;
		}
	} else {
		if (q->cost < held->cost) {
			rl_lease_entry_put(p, (uint32_t) MIN_OF(held->cost - q->cost, RL_COUNTER_MAX), held->place);
		}
		if (!rl_lease_entry_take(p, 0, true, &seen)) {
			seen = (rl_lease_entry){.left_us = held->place - now.now_us};
		}
	}
	lease_decide(q, &seen, a);
	return true;
}
