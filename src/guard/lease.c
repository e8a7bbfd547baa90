#include "lease.h"

#include <string.h>

/* The margin by which a batch ends before its window, whose end Redis has given. It has three parts. One is a
 * millisecond, because Redis may keep time in milliseconds. One is the distance by which this machine's own clocks may
 * come apart. One is a thousandth of the time left, because the clocks of two machines run at different rates: the
 * kernel corrects a clock by half of that at most. */
#define MARGIN_US    (RL_US_PER_MS + RL_LEASE_APART_MAX_US)
#define MARGIN_SHARE 1024

#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))

/* Distinguishes the key of a batch from that of a refusal. */
#define LEASE UINT64_C(0x6c65617365)

/* The shortest life of a batch: it must be long beside the margins above. */
#define LIFE_MIN_US (20 * RL_US_PER_MS)

/* The shortest period of a sliding window with leases: a batch ends with its sub-window, a thirtieth. */
#define SLIDING_MIN_US (3 * RL_US_PER_SECOND)

/* A batch of a bucket counts at the end of its life. Until then, what is refilled is withheld: at most this part. */
#define BUCKET_SHARE 16

/* Returns the life of a bucket's batch. */
static int64_t lease_bucket_us(const rl_limit *limit)
{
	unsigned __int128 fill_us = (unsigned __int128) limit->limit * (uint64_t) limit->period_us / limit->rate;

	return fill_us / BUCKET_SHARE < (uint64_t) RL_LEASE_US ? (int64_t) (fill_us / BUCKET_SHARE) : RL_LEASE_US;
}

/* Adds a limit to the key of a batch. The boundaries are not part of it: the batch's end distinguishes the windows. */
static rl_deny_key lease_key_add(rl_deny_key m, const rl_limit *limit)
{
	m = rl_deny_mix(m, LEASE ^ limit->period, (uint64_t) limit->algorithm);
	m = rl_deny_mix(m, limit->limit, (uint64_t) limit->period_us);
	return limit->algorithm == RL_TOKEN_BUCKET ? rl_deny_mix(m, limit->rate, LEASE) : m;
}

/* Returns whether permits of the limit can be given exactly, beside those of other limits (several) or alone. */
static bool lease_is_exact(const rl_limit *limit, bool several)
{
	if (limit->limit < RL_LEASE_MIN) {
		return false;
	}
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
		case RL_CALENDAR_WINDOW:
			return true;
		case RL_SLIDING_WINDOW:
			return !several && limit->period_us >= SLIDING_MIN_US;
		case RL_TOKEN_BUCKET:
			return !several && limit->limit <= RL_COUNTER_MAX && limit->rate <= RL_COUNTER_MAX
				&& lease_bucket_us(limit) >= LIFE_MIN_US;
		default:
			return false;
	}
}

bool rl_lease_is_possible(const rl_question *q)
{
	if ((q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK) || q->n_keys > 1 || q->costs != NULL || q->leave > 0
		|| q->at_least > 0) {
		return false;
	}
	for (const rl_limit *limit = q->limits; limit < q->limits + q->n_limits; limit++) {
		if (!lease_is_exact(limit, q->n_limits > 1)) {
			return false;
		}
	}
	return true;
}

int64_t rl_lease_life_us(const rl_question *q)
{
	return q->limits[0].algorithm == RL_TOKEN_BUCKET ? lease_bucket_us(&q->limits[0]) : RL_LEASE_US;
}

rl_lease_position rl_lease_position_for(const uint64_t store_id[2], const rl_key *key, const rl_question *q,
	uint64_t epoch)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	for (uint8_t i = 0; i < q->n_limits; i++) {
		m = lease_key_add(m, &q->limits[i]);
	}
	return rl_lease_position_of(key, m, epoch);
}

rl_lease_position rl_lease_position_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	uint64_t epoch)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	return rl_lease_position_of(key, rl_deny_mix(m, LEASE, q->seconds | (uint64_t) q->limit << 32), epoch);
}

static void lease_answer(uint64_t limit, const rl_lease_entry *seen, rl_decision *d)
{
	memset(d, 0, offsetof(rl_decision, left));
	d->reason = RL_ACCEPTED;
	d->source = RL_FROM_LEASE;
	d->accepted = true;
	d->limit = limit;
	d->remaining = seen->left > limit ? limit : seen->left;
	d->reset_after_us = seen->left_us;
}

static void lease_decide(const rl_question *q, const rl_lease_entry *seen, rl_answer *a)
{
	lease_answer(q->limits[0].limit, seen, &a->decision);
	a->granted = q->cost;
	a->wait_us = 0;
}

bool rl_lease_take(rl_lease_position p, const rl_question *q, rl_answer *a)
{
	rl_lease_entry seen;

	/* A peek with a cost of 0 at an empty batch asks Redis, which may have more. */
	if (q->cost > RL_COUNTER_MAX || !rl_lease_entry_take(p, (uint32_t) q->cost, q->op == RL_OP_PEEK, &seen)
		|| (q->cost == 0 && seen.left == 0)) {
		return false;
	}
	lease_decide(q, &seen, a);
	return true;
}

bool rl_lease_take_counter(rl_lease_position p, const rl_counter_question *q, bool peek, rl_decision *d)
{
	rl_lease_entry seen;

	if (!rl_lease_entry_take(p, 1, peek, &seen)) {
		return false;
	}
	lease_answer(q->limit, &seen, d);
	return true;
}

rl_question rl_lease_question(const rl_question *q, uint32_t wanted)
{
	rl_question lease = *q;

	lease.op = RL_OP_LEASE;
	lease.lease = wanted;
	lease.at_us = rl_lease_life_us(q);
	return lease;
}

/* Returns the end of a batch. left_us: of the time in which Redis has counted it. */
static int64_t lease_end_us(int64_t began_us, int64_t valid_us, int64_t left_us)
{
	left_us = MIN_OF(left_us, valid_us);
	return began_us + left_us - MARGIN_US - left_us / MARGIN_SHARE;
}

/* Returns the time left of a window, or of a sliding window's newest sub-window, in which the call was counted. */
static int64_t lease_left_us(const rl_question *q, const rl_decision *d)
{
	return q->limits[0].algorithm == RL_SLIDING_WINDOW ? d->reset_after_us - q->limits[0].period_us : d->reset_after_us;
}

/* Keeps a batch. Redis has counted the whole of it; on this machine its permits are still free. */
static void lease_put(rl_lease_position p, uint32_t leased, int64_t end_us, rl_decision *d)
{
	d->remaining = leased > d->limit - d->remaining ? d->limit : d->remaining + leased;
	rl_lease_entry_put(p, leased, end_us);
}

void rl_lease_keep(rl_lease_position p, int64_t began_us, const rl_question *q, rl_answer *a)
{
	if (a->leased > 0) {
		lease_put(p, a->leased, lease_end_us(began_us, rl_lease_life_us(q), lease_left_us(q, &a->decision)),
			&a->decision);
	}
}

void rl_lease_keep_counter(rl_lease_position p, int64_t began_us, uint32_t leased, rl_decision *d)
{
	if (leased > 0) {
		lease_put(p, leased, lease_end_us(began_us, RL_LEASE_US, d->reset_after_us), d);
	}
}
