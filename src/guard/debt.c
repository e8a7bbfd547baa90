#include "debt.h"

#include "failure_policy.h"

/* Distinguishes the key of a debt from those of a batch and of a refusal. */
#define DEBT UINT64_C(0x64656274)

/* Where a limit's debt is, and the time after which the limit has forgotten what it counted. */
typedef struct {
	rl_position position;
	int64_t period_us;
} debt_position;

static rl_deny_key debt_key(const rl_guard *g)
{
	uint64_t id[2];

	rl_guard_store_id(g, id);
	return (rl_deny_key){id[0], id[1]};
}

static debt_position debt_position_of(const rl_guard *g, const rl_key *keys, const rl_question *q, unsigned i)
{
	const rl_limit *limit = &q->limits[i];
	bool calendar = limit->algorithm == RL_CALENDAR_WINDOW, bucket = limit->algorithm == RL_TOKEN_BUCKET;
	unsigned __int128 fill_us = bucket ? (unsigned __int128) limit->limit * (uint64_t) limit->period_us / limit->rate
									   : 0;
	rl_deny_key m = debt_key(g);

	m = rl_deny_mix(m, DEBT ^ limit->period, (uint64_t) limit->algorithm | (uint64_t) limit->mark << 8);
	m = rl_deny_mix(m, bucket ? limit->limit : 0, (uint64_t) limit->period_us);
	m = rl_deny_mix(m, bucket ? limit->rate : 0, DEBT);
	return (debt_position){
		.position = rl_debt_position(&keys[q->n_keys > 1 ? limit->identity : 0], m),
		.period_us = calendar                       ? limit->boundary[2] - limit->boundary[0]
			: !bucket                               ? limit->period_us
			: fill_us < (uint64_t) RL_PERIOD_MAX_US ? (int64_t) fill_us
													: RL_PERIOD_MAX_US,
	};
}

/* A counter has one debt, whatever the window of the call is: so a reset, which has none, finds it. */
static rl_position debt_counter_position(const rl_guard *g, const rl_key *key)
{
	return rl_debt_position(key, rl_deny_mix(debt_key(g), DEBT, DEBT));
}

static debt_position debt_position_counter(const rl_guard *g, const rl_key *key, const rl_counter_question *q)
{
	return (debt_position){
		.position = debt_counter_position(g, key),
		.period_us = q->seconds * RL_US_PER_SECOND,
	};
}

/* Returns whether limit i of a question may owe. */
static bool debt_is_of(const rl_question *q, unsigned i)
{
	return q->limits[i].algorithm != RL_CONCURRENT && !(q->costs != NULL && q->costs[i] == 0);
}

void rl_debts_add(const rl_guard *g, const rl_key *keys, const rl_question *q, const rl_answer *a)
{
	uint64_t lost = 0, owed = 0;

	if (!a->decision.accepted || rl_shm_store() == NULL) {
		return;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (debt_is_of(q, i)) {
			debt_position p = debt_position_of(g, keys, q, i);
			uint64_t n = q->costs != NULL ? q->costs[i] : a->granted;
			/* A booking counts in a window that may not have come. */
			bool booked = q->op == RL_OP_RESERVE || a->wait_us > 0;
			uint64_t beyond = booked ? n : rl_debt_add(p.position, n, p.period_us);

			lost += beyond;
			owed += n;
		}
	}
	rl_stat_add_many(RL_STAT_OWED, owed);
	rl_stat_add_many(RL_STAT_OWED_LOST, lost);
}

void rl_debts_add_counter(const rl_guard *g, const rl_key *key, const rl_counter_question *q)
{
	debt_position p;

	if (rl_shm_store() != NULL) {
		p = debt_position_counter(g, key, q);
		rl_stat_add_many(RL_STAT_OWED, 1);
		rl_stat_add_many(RL_STAT_OWED_LOST, rl_debt_add(p.position, 1, p.period_us));
	}
}

bool rl_debts_take(rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q, int64_t now_us)
{
	bool any = false;

	if (RL_LIKELY(!rl_debts_exist(now_us)) || (q->op != RL_OP_CONSUME && q->op != RL_OP_ACQUIRE)) {
		return false;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		debts->of[i] = (rl_debt){0};
		if (debt_is_of(q, i)) {
			debt_position p = debt_position_of(g, keys, q, i);

			debts->of[i].n = rl_debt_take(p.position, p.period_us, &debts->of[i].age_us);
			any = any || debts->of[i].n > 0;
		}
	}
	if (!any) {
		return false;
	}
	debts->question = *q;
	debts->question.owes = true;
	debts->question.debts = debts->of;
	return true;
}

rl_debt rl_debts_take_counter(const rl_guard *g, const rl_key *key, const rl_counter_question *q, int64_t now_us)
{
	rl_debt debt = {0};
	debt_position p;

	if (RL_UNLIKELY(rl_debts_exist(now_us))) {
		p = debt_position_counter(g, key, q);
		debt.n = rl_debt_take(p.position, p.period_us, &debt.age_us);
	}
	return debt;
}

bool rl_debts_owe(const rl_guard *g, const rl_key *keys, const rl_question *q, int64_t now_us,
	uint64_t owed[RL_LIMITS_MAX])
{
	bool owes = false;

	for (unsigned i = 0; RL_UNLIKELY(rl_debts_exist(now_us)) && i < q->n_limits; i++) {
		owed[i] = debt_is_of(q, i) ? rl_debt_look(debt_position_of(g, keys, q, i).position) : 0;
		owes = owes || owed[i] > 0;
	}
	return owes;
}

uint64_t rl_debts_owe_counter(const rl_guard *g, const rl_key *key, int64_t now_us)
{
	return RL_UNLIKELY(rl_debts_exist(now_us)) ? rl_debt_look(debt_counter_position(g, key)) : 0;
}

rl_question rl_debts_share(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_debt debts[RL_LIMITS_MAX])
{
	rl_question shared = *q;

	if (rl_op_is_decision(q->op)) {
		for (unsigned i = 0; i < q->n_limits; i++) {
			debts[i] = (rl_debt){.n = debt_is_of(q, i) ? rl_debt_look(debt_position_of(g, keys, q, i).position) : 0};
		}
		shared.share = g->policy.share;
	}
	if (q->op == RL_OP_CONSUME || q->op == RL_OP_ACQUIRE || q->op == RL_OP_PEEK) {
		shared.owes = true;
		shared.debts = debts;
	}
	return shared;
}

rl_counter_question rl_debts_share_counter(const rl_guard *g, rl_store *fallback, const rl_key *key,
	const rl_counter_question *q)
{
	rl_counter_question shared = *q;
	rl_decision d;
	rl_error ignored;
	uint64_t left = rl_debt_look(debt_counter_position(g, key));

	if (fallback->ops->peek(fallback, key, q, &d, &ignored) == RL_OK && d.accepted) {
		left += d.remaining + 1;
	}
	left = left < q->limit ? left : q->limit;
	if (left > 0) {
		shared.limit = q->limit - (uint32_t) left + (left > g->policy.share ? (uint32_t) (left / g->policy.share) : 1);
		shared.ban = RL_BAN_NONE;
	}
	return shared;
}

/* Ends one debt. Returns whether it is told or lost. */
static bool debt_end(rl_debt debt, debt_position p, rl_status status, const rl_error *e)
{
	if (status == RL_OK || !e->unsent) {
		return true;
	}
	(void) rl_debt_add(p.position, debt.n, p.period_us - debt.age_us);
	return false;
}

void rl_debts_end(const rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q, rl_status status,
	const rl_error *e)
{
	uint64_t ended = 0;

	for (unsigned i = 0; i < q->n_limits; i++) {
		if (debts->of[i].n > 0 && debt_end(debts->of[i], debt_position_of(g, keys, q, i), status, e)) {
			ended += debts->of[i].n;
		}
	}
	rl_stat_add_many(status == RL_OK ? RL_STAT_OWED_TOLD : RL_STAT_OWED_LOST, ended);
}

void rl_debts_end_counter(rl_debt debt, const rl_guard *g, const rl_key *key, const rl_counter_question *q,
	rl_status status, const rl_error *e)
{
	if (RL_UNLIKELY(debt.n > 0) && debt_end(debt, debt_position_counter(g, key, q), status, e)) {
		rl_stat_add_many(status == RL_OK ? RL_STAT_OWED_TOLD : RL_STAT_OWED_LOST, debt.n);
	}
}

void rl_debts_forgive(const rl_guard *g, const rl_key *keys, const rl_question *q)
{
	for (unsigned i = 0; q->op == RL_OP_SETTLE && i < q->n_limits; i++) {
		uint64_t cost = q->costs != NULL ? q->costs[i] : q->cost, held = q->held[i].cost;

		if (q->limits[i].algorithm != RL_CONCURRENT && held > cost && rl_debts_exist(rl_shm_now_us())) {
			rl_debt_forgive(debt_position_of(g, keys, q, i).position, held - cost);
		}
	}
}

void rl_debts_drop_counter(const rl_guard *g, const rl_key *key)
{
	if (rl_debts_exist(rl_shm_now_us())) {
		rl_debt_forgive(debt_counter_position(g, key), UINT64_MAX);
	}
}

void rl_debts_drop(const rl_guard *g, const rl_key *keys, const rl_question *q)
{
	for (unsigned i = 0; i < q->n_limits && rl_debts_exist(rl_shm_now_us()); i++) {
		rl_debt_forgive(debt_position_of(g, keys, q, i).position, UINT64_MAX);
	}
}
