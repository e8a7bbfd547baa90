#include "debt.h"

#include <stdio.h>
#include <string.h>

/* Distinguish the keys of a debt and of its mark from those of a batch and of a refusal. */
#define DEBT UINT64_C(0x64656274)
#define MARK UINT64_C(0x6d61726b)

static rl_deny_key debt_key(const rl_guard *g)
{
	uint64_t id[2];

	rl_guard_store_id(g, id);
	return (rl_deny_key){id[0], id[1]};
}

static rl_position debt_position(const rl_guard *g, const rl_key *keys, const rl_question *q, unsigned i)
{
	const rl_limit *limit = &q->limits[i];
	bool bucket = limit->algorithm == RL_TOKEN_BUCKET;
	rl_deny_key m = debt_key(g);

	m = rl_deny_mix(m, DEBT ^ limit->period, (uint64_t) limit->algorithm | (uint64_t) limit->mark << 8);
	m = rl_deny_mix(m, bucket ? limit->limit : 0, (uint64_t) limit->period_us);
	m = rl_deny_mix(m, bucket ? limit->rate : 0, DEBT);
	return rl_debt_position(&keys[q->n_keys > 1 ? limit->identity : 0], m);
}

/* A counter has one debt, whatever the window of the call is: so a reset, which has none, finds it. */
static rl_position debt_counter_position(const rl_guard *g, const rl_key *key)
{
	return rl_debt_position(key, rl_deny_mix(debt_key(g), DEBT, DEBT));
}

static rl_position mark_position(const rl_guard *g, const rl_key *key)
{
	return rl_debt_position(key, rl_deny_mix(debt_key(g), MARK, MARK));
}

/* Returns the time after which a limit has forgotten what it counts now. */
static int64_t debt_period_us(const rl_limit *limit)
{
	unsigned __int128 fill_us;

	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		return limit->boundary[1] - limit->boundary[0];
	}
	if (limit->algorithm != RL_TOKEN_BUCKET) {
		return limit->period_us;
	}
	fill_us = (unsigned __int128) limit->limit * (uint64_t) limit->period_us / limit->rate;
	return fill_us < (uint64_t) RL_PERIOD_MAX_US ? (int64_t) fill_us : RL_PERIOD_MAX_US;
}

/* Returns the age of what was admitted in a window of this length that has so much left: the time since its begin. */
static int64_t debt_age_us(int64_t period_us, int64_t left_us)
{
	return period_us > left_us ? period_us - left_us : 0;
}

/* A calendar's window is told by a moment in the middle of what has passed of it: there it is also by a clock that differs. */
static rl_debt debts_take_one(rl_position p, const rl_limit *limit)
{
	rl_debt debt = {0};

	debt.n = rl_debt_take(p, &debt.left_us);
	debt.age_us = debt_age_us(debt_period_us(limit), debt.left_us);
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		debt.age_us /= 2;
	}
	return debt;
}

/* Returns whether limit i of a question may owe. */
static bool debt_is_of(const rl_question *q, unsigned i)
{
	return q->limits[i].algorithm != RL_CONCURRENT && !(q->costs != NULL && q->costs[i] == 0);
}

/* Adds n permits that the fallback has admitted: a window forgets them at its end, another limit in its time, and neither owes more than it
 * counts. Returns how many there is no room for. */
static uint64_t debt_add(rl_position p, uint64_t n, const rl_limit *limit, const rl_left *left)
{
	bool window = limit->algorithm == RL_FIXED_WINDOW || limit->algorithm == RL_CALENDAR_WINDOW;
	uint64_t used = left->remaining < limit->limit ? limit->limit - left->remaining : 0;

	return rl_debt_add(p, n, window ? left->reset_after_us : debt_period_us(limit), used > n ? used : n);
}

void rl_debts_add(const rl_guard *g, const rl_key *keys, const rl_question *q, const rl_answer *a)
{
	uint64_t lost = 0, owed = 0;

	if (!a->decision.accepted || rl_shm_store() == NULL) {
		return;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (debt_is_of(q, i)) {
			uint64_t n = q->costs != NULL ? q->costs[i] : a->granted;
			rl_left left;
			/* A booking counts in a window that may not have come. */
			bool booked = q->op == RL_OP_RESERVE || a->wait_us > 0;

			if (!rl_decision_left(&a->decision, i, &left)) {
				left = (rl_left){.reset_after_us = debt_period_us(&q->limits[i])};
			}
			lost += booked ? n : debt_add(debt_position(g, keys, q, i), n, &q->limits[i], &left);
			owed += n;
		}
	}
	rl_stat_add_many(RL_STAT_OWED, owed);
	rl_stat_add_many(RL_STAT_OWED_LOST, lost);
}

void rl_debts_add_counter(const rl_guard *g, const rl_key *key, const rl_counter_question *q, const rl_decision *d)
{
	if (rl_shm_store() != NULL) {
		rl_stat_add_many(RL_STAT_OWED, 1);
		rl_stat_add_many(RL_STAT_OWED_LOST, rl_debt_add(debt_counter_position(g, key), 1, d->reset_after_us, q->limit));
	}
}

/* Returns whether a request may carry debts. */
static bool debts_may_go(const rl_breaker_call *call)
{
	return RL_UNLIKELY(rl_debts_exist(call->began_us)) && !call->probe;
}

/* Another policy than "local" has no counts to decide by: then Redis is asked, without them. */
static RL_COLD rl_status debts_are_away(const rl_guard *g, rl_error *e)
{
	if (g->policy.on_failure != RL_ON_FAILURE_LOCAL) {
		return RL_OK;
	}
	snprintf(e->message, sizeof e->message, "another request tells Redis what this machine has admitted");
	e->unexecuted = true;
	e->question_only = false;
	return RL_UNAVAILABLE;
}

static void marks_end(const rl_debts *debts, const rl_guard *g, const rl_key *keys, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		if (debts->marks[k] != 0) {
			rl_debt_unmark(mark_position(g, &keys[k]), debts->marks[k]);
		}
	}
}

/* Marks the keys with debts. A debt that another request has taken is not seen here, and its mark is: it was set before. Returns false if a
 * key is marked already, or there are no debts. */
static bool marks_begin(rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q, bool *away)
{
	unsigned n = rl_question_keys(q);
	bool any = false;

	memset(debts->marks, 0, sizeof debts->marks);
	*away = false;
	for (unsigned k = 0; k < n && !*away; k++) {
		bool owes = false;

		for (unsigned i = 0; i < q->n_limits; i++) {
			bool of_key = n == 1 || q->limits[i].identity == k;

			owes = owes || (of_key && debt_is_of(q, i) && rl_debt_look(debt_position(g, keys, q, i)) > 0);
		}
		if (owes) {
			debts->marks[k] = rl_debt_mark(mark_position(g, &keys[k]), g->ask_timeout_us);
		}
		*away = owes ? debts->marks[k] == 0 : rl_debt_is_marked(mark_position(g, &keys[k]));
		any = any || owes;
	}
	if (*away) {
		marks_end(debts, g, keys, n);
	}
	return any && !*away;
}

rl_status rl_debts_take(rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q,
	const rl_breaker_call *call, rl_error *e)
{
	bool away;

	debts->any = false;
	if (RL_LIKELY(!debts_may_go(call)) || (q->op != RL_OP_CONSUME && q->op != RL_OP_ACQUIRE)) {
		return RL_OK;
	}
	if (!marks_begin(debts, g, keys, q, &away)) {
		return away ? debts_are_away(g, e) : RL_OK;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		debts->of[i] = debt_is_of(q, i) ? debts_take_one(debt_position(g, keys, q, i), &q->limits[i]) : (rl_debt){0};
		debts->any = debts->any || debts->of[i].n > 0;
	}
	if (!debts->any) { /* they have ended meanwhile */
		marks_end(debts, g, keys, rl_question_keys(q));
		return RL_OK;
	}
	debts->question = *q;
	debts->question.owes = true;
	debts->question.debts = debts->of;
	return RL_OK;
}

rl_status rl_debts_take_counter(rl_counter_debt *debt, const rl_guard *g, const rl_key *key,
	const rl_counter_question *q, const rl_breaker_call *call, rl_error *e)
{
	rl_position p, mark;

	*debt = (rl_counter_debt){0};
	if (RL_LIKELY(!debts_may_go(call))) {
		return RL_OK;
	}
	p = debt_counter_position(g, key);
	mark = mark_position(g, key);
	if (rl_debt_look(p) == 0) {
		return rl_debt_is_marked(mark) ? debts_are_away(g, e) : RL_OK;
	}
	debt->mark = rl_debt_mark(mark, g->ask_timeout_us);
	if (debt->mark == 0) {
		return debts_are_away(g, e);
	}
	debt->debt.n = rl_debt_take(p, &debt->debt.left_us);
	debt->debt.age_us = debt_age_us(q->seconds * RL_US_PER_SECOND, debt->debt.left_us);
	return RL_OK;
}

bool rl_debts_owe(const rl_guard *g, const rl_key *keys, const rl_question *q, int64_t now_us,
	uint64_t owed[RL_LIMITS_MAX])
{
	bool owes = false;

	for (unsigned i = 0; RL_UNLIKELY(rl_debts_exist(now_us)) && i < q->n_limits; i++) {
		/* Also of a limit that the call skips: the answer has what it has left. */
		owed[i] = q->limits[i].algorithm != RL_CONCURRENT ? rl_debt_look(debt_position(g, keys, q, i)) : 0;
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
			debts[i] = (rl_debt){.n = debt_is_of(q, i) ? rl_debt_look(debt_position(g, keys, q, i)) : 0};
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

/* Ends one debt. Returns the permits that are told or lost. */
static uint64_t debt_end(rl_debt debt, rl_position p, rl_status status, const rl_error *e)
{
	if (status == RL_OK || (status != RL_STALE_BOUNDARIES && !e->unexecuted)) {
		return debt.n;
	}
	return debt.n > 0 ? rl_debt_add(p, debt.n, debt.left_us, UINT64_MAX) : 0;
}

static void debts_count(rl_status status, uint64_t ended)
{
	rl_stat_add_many(status == RL_OK ? RL_STAT_OWED_TOLD : RL_STAT_OWED_LOST, ended);
}

void rl_debts_end(const rl_debts *debts, const rl_guard *g, const rl_key *keys, const rl_question *q, rl_status status,
	const rl_error *e)
{
	uint64_t ended = 0;

	if (RL_LIKELY(!debts->any)) {
		return;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		ended += debt_end(debts->of[i], debt_position(g, keys, q, i), status, e);
	}
	debts_count(status, ended);
	marks_end(debts, g, keys, rl_question_keys(q));
}

void rl_debts_end_counter(const rl_counter_debt *debt, const rl_guard *g, const rl_key *key, rl_status status,
	const rl_error *e)
{
	if (RL_UNLIKELY(debt->mark != 0)) {
		debts_count(status, debt_end(debt->debt, debt_counter_position(g, key), status, e));
		rl_debt_unmark(mark_position(g, key), debt->mark);
	}
}

void rl_debts_forgive(const rl_guard *g, const rl_key *keys, const rl_question *q)
{
	for (unsigned i = 0; q->op == RL_OP_SETTLE && i < q->n_limits; i++) {
		uint64_t cost = q->costs != NULL ? q->costs[i] : q->cost, held = q->held[i].cost;

		if (q->limits[i].algorithm != RL_CONCURRENT && held > cost && rl_debts_exist(rl_shm_now_us())) {
			rl_debt_forgive(debt_position(g, keys, q, i), held - cost);
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
		rl_debt_forgive(debt_position(g, keys, q, i), UINT64_MAX);
	}
}
