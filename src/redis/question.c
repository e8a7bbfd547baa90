#include "question.h"

#include <stdio.h>
#include <string.h>

#include "../compiler.h"

void rl_redis_decision_read(rl_decision *d, const rl_redis_answer *answer, uint64_t limit)
{
	d->reason = (rl_reason) answer->outcome;
	d->source = RL_FROM_REDIS;
	d->accepted = d->reason == RL_ACCEPTED;
	d->limit_index = (uint8_t) answer->limit_index;
	d->n_left = answer->n_left;
	memcpy(d->left, answer->left, answer->n_left * sizeof *d->left);
	d->level = answer->n_left > 0 ? (uint16_t) answer->left[answer->limit_index].level : 0;
	d->limit = limit;
	d->remaining = (uint64_t) answer->remaining > limit ? limit : (uint64_t) answer->remaining;
	d->retry_after_us = answer->retry_us < 0 ? RL_NEVER : answer->retry_us;
	d->reset_after_us = answer->reset_us;
}

/* An op that is sent with a permit's parts, though it is not a permit's own. */
#define OP_WITH_PARTS 64

/* An op whose head is followed by debts. */
#define OP_WITH_DEBTS 128

/* The unit of the mark in a limit's word, beside its algorithm. */
#define MARKS 8

/* The unit of the index of a limit's key, beside its kind of ban. */
#define KEYS_FROM 4

/* The place of the limits' algorithms in a question. */
#define ALGORITHMS_AT (RL_REDIS_NONCE_BYTES + 2)

/* The unit of a batch's longest life, beside its permits. */
#define LEASE_VALID (1 << 24)

_Static_assert(RL_ALGORITHMS < MARKS && RL_MARK_BITS == 13, "a limit's word has two bytes, the set of algorithms one");
_Static_assert(RL_BAN_STEPS < KEYS_FROM, "a kind of ban is below the index of a key");

/* Lua's whole numbers are exact below. No place is that large. */
#define PLACE_MAX ((UINT64_C(1) << 53) - 1)

static bool question_has_permit(const rl_question *q)
{
	return q->op >= RL_OP_ACQUIRE || q->leave > 0 || q->at_least > 0;
}

static void pack_permit(rl_redis_wire *p, const rl_question *q)
{
	bool brings = q->op == RL_OP_SETTLE || q->op == RL_OP_RELEASE || q->op == RL_OP_RENEW;

	rl_redis_wire_put(p, q->leave, RL_REDIS_NUMBER_BYTES);
	rl_redis_wire_put(p, q->at_least, RL_REDIS_NUMBER_BYTES);
	rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(q->max_wait_us, RL_PERIOD_MAX_US), 7);
	rl_redis_wire_put(p, q->tag & RL_TAG_MASK, 6);
	rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(q->renew_us, RL_PERIOD_MAX_US), 7);
	rl_redis_wire_put(p, brings ? q->n_limits : 0, 1);
	for (unsigned i = 0; brings && i < q->n_limits; i++) {
		const rl_held *held = &q->held[i];
		uint64_t place = (uint64_t) held->place;

		rl_redis_wire_put(p, held->tag & RL_TAG_MASK, 6);
		rl_redis_wire_put(p, place > PLACE_MAX ? PLACE_MAX : place, 7);
		rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(held->moved_us, RL_REDIS_WALL_MAX_US), 7);
		rl_redis_wire_put(p, held->cost > RL_LIMIT_MAX ? (uint64_t) RL_LIMIT_MAX : held->cost, RL_REDIS_NUMBER_BYTES);
	}
}

static void pack_debts(rl_redis_wire *p, const rl_question *q)
{
	rl_redis_wire_put(p, q->n_limits, 1);
	for (unsigned i = 0; i < q->n_limits; i++) {
		rl_redis_wire_put(p, q->debts[i].n, RL_REDIS_NUMBER_BYTES);
		rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(q->debts[i].age_us, RL_PERIOD_MAX_US), 7);
	}
}

static void pack_steps(rl_redis_wire *p, const rl_ban_steps *steps)
{
	rl_redis_wire_put(p, steps->n, 1);
	for (uint32_t i = 0; i < steps->n; i++) {
		rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(steps->us[i], RL_PERIOD_MAX_US), 7);
	}
}

static uint64_t packed_ban_us(const rl_limit *limit)
{
	return (uint64_t) (limit->ban == RL_BAN_STEPS ? rl_redis_clamp(limit->steps->forget_us, RL_PERIOD_MAX_US)
												  : rl_redis_clamp(limit->ban_us, RL_REDIS_WALL_MAX_US));
}

/* Returns the most permits to lease and the longest life of the batch, as one number. */
static int64_t lease_terms(const rl_question *q)
{
	return (int64_t) q->lease + rl_redis_clamp(q->at_us, RL_US_PER_SECOND) * LEASE_VALID;
}

void rl_redis_question_pack(rl_redis_wire *p, const rl_question *q)
{
	bool permit = question_has_permit(q);
	unsigned algorithms = 0;
	int64_t at_us = q->owes    ? 0
		: q->op == RL_OP_LEASE ? lease_terms(q)
		: q->op == RL_OP_PEEK  ? q->as_is
							   : rl_redis_clamp(q->at_us, RL_REDIS_WALL_MAX_US);

	rl_redis_wire_begin(p);
	rl_redis_wire_put(p, RL_REDIS_VERSION, 1);
	rl_redis_wire_put(p, q->op + (permit && q->op < RL_OP_ACQUIRE ? OP_WITH_PARTS : 0) + (q->owes ? OP_WITH_DEBTS : 0),
		1);
	rl_redis_wire_put(p, 0, 1); /* the algorithms */
	rl_redis_wire_put(p, (uint64_t) at_us, 7);
	rl_redis_wire_put(p, q->ban, 1);
	rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(q->ban_us, RL_REDIS_WALL_MAX_US), 7);
	if (RL_UNLIKELY(q->owes)) {
		pack_debts(p, q);
	}
	if (permit) {
		pack_permit(p, q);
	}
	for (const rl_limit *limit = q->limits; limit < q->limits + q->n_limits; limit++) {
		bool calendar = limit->algorithm == RL_CALENDAR_WINDOW;

		rl_redis_wire_put(p, limit->algorithm + (uint64_t) MARKS * limit->mark, 2);
		rl_redis_wire_put(p, limit->limit, RL_REDIS_NUMBER_BYTES);
		rl_redis_wire_put(p, limit->algorithm == RL_TOKEN_BUCKET ? limit->rate : 0, RL_REDIS_NUMBER_BYTES);
		rl_redis_wire_put(p, q->costs ? q->costs[limit - q->limits] : q->cost, RL_REDIS_NUMBER_BYTES);
		rl_redis_wire_put(p, calendar ? limit->period : (uint64_t) limit->period_us, 7);
		rl_redis_wire_put(p, limit->ban + (uint64_t) KEYS_FROM * limit->identity, 1);
		algorithms |= 1u << (MARKS - 1 - limit->algorithm);
		for (int i = 0; calendar && i < 3; i++) {
			rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(limit->boundary[i], RL_REDIS_WALL_MAX_US), 7);
		}
		if (limit->ban != RL_BAN_NONE) {
			rl_redis_wire_put(p, packed_ban_us(limit), 7);
		}
		if (limit->ban == RL_BAN_STEPS) {
			pack_steps(p, limit->steps);
		}
	}
	rl_redis_wire_put_at(p->bytes + ALGORITHMS_AT, algorithms, 1);
}

_Static_assert(RL_LIMITS_MAX == 8 && RL_BAN_STEPS_MAX == 16, "rl_redis_wire has room for 8 limits and 16 steps");

/* Returns whether an answer about limits has what each has left. */
static bool question_decides(const rl_question *q)
{
	return q->n_limits > 0 && q->op != RL_OP_CANCEL && (q->op < RL_OP_CREDIT || q->op > RL_OP_RESET);
}

rl_redis_shape rl_redis_question_shape(const rl_question *q, size_t n)
{
	return (rl_redis_shape){
		.n_limits = q->n_limits > 0 ? q->n_limits : 1,
		.found_max = q->op == RL_OP_LEASE ? q->lease : 1,
		.decided = question_decides(q) ? q->limits : NULL,
		.n_keys = rl_question_keys(q),
		.permit = question_has_permit(q),
		.granted_max = q->costs ? RL_LIMIT_MAX : (int64_t) q->cost,
		.wait_max_us = q->op == RL_OP_ACQUIRE ? q->max_wait_us : 0,
		.parts = q->op == RL_OP_ACQUIRE,
		.costs = q->costs,
		.held = n == 1 ? q->held : NULL,
	};
}

rl_status rl_redis_answer_read(const rl_question *q, const rl_redis_answer *answer, rl_answer *a, rl_error *e)
{
	if (answer->outcome == RL_REDIS_STALE_BOUNDARIES) {
		snprintf(e->message, sizeof e->message, "the calendar boundaries of the call do not contain Redis' time");
		e->now_us = answer->now_us;
		return RL_STALE_BOUNDARIES;
	}
	a->found = answer->found;
	a->leased = q->op == RL_OP_LEASE && answer->outcome == RL_ACCEPTED ? (uint32_t) answer->found : 0;
	a->wait_us = answer->wait_us;
	rl_redis_decision_read(&a->decision, answer, q->limits[answer->limit_index].limit);
	a->granted = question_has_permit(q) ? (uint64_t) answer->granted
		: !a->decision.accepted         ? 0
		: q->costs                      ? q->costs[a->decision.limit_index]
										: q->cost;
	return RL_OK;
}
