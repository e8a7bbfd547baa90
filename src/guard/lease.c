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

rl_deny_key rl_lease_key(const uint64_t store_id[2], const rl_question *q)
{
	rl_deny_key m = {store_id[0], store_id[1]};

	for (uint8_t i = 0; i < q->n_limits; i++) {
		m = lease_key_add(m, &q->limits[i]);
	}
	return m;
}

rl_deny_key rl_lease_key_counter(const uint64_t store_id[2], const rl_counter_question *q)
{
	return rl_deny_mix((rl_deny_key){store_id[0], store_id[1]}, LEASE, q->seconds | (uint64_t) q->limit << 32);
}

void rl_lease_decide(uint64_t limit, const rl_lease_entry *seen, rl_decision *d)
{
	memset(d, 0, offsetof(rl_decision, left));
	d->reason = RL_ACCEPTED;
	d->source = RL_FROM_LEASE;
	d->accepted = true;
	d->limit = limit;
	d->remaining = seen->left > limit ? limit : seen->left;
	d->reset_after_us = seen->left_us;
}

rl_question rl_lease_question(const rl_question *q, uint32_t wanted)
{
	rl_question lease = *q;

	lease.op = RL_OP_LEASE;
	lease.lease = wanted;
	lease.at_us = rl_lease_life_us(q);
	return lease;
}

int64_t rl_lease_left_us(const rl_question *q, const rl_decision *d)
{
	return q->limits[0].algorithm == RL_SLIDING_WINDOW ? d->reset_after_us - q->limits[0].period_us : d->reset_after_us;
}

void rl_lease_keep(rl_lease_position p, int64_t began_us, uint32_t leased, int64_t life_us, int64_t left_us,
	rl_decision *d)
{
	left_us = MIN_OF(left_us, life_us);
	/* Redis has counted the whole of it; on this machine its permits are still free. */
	d->remaining = leased > d->limit - d->remaining ? d->limit : d->remaining + leased;
	rl_lease_entry_put(p, leased, began_us + left_us - MARGIN_US - left_us / MARGIN_SHARE);
}
