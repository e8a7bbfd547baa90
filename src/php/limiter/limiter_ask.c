/* Puts the questions of a Limiter to the guard of its store. */
#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "identities.h"
#include "../permit/permit_object.h"
#include "src/guard/multi_key/together.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"

/* Gives the question a cost for each limit. */
static ZEND_COLD bool begin_costs(php_ratelimit_limiter *limiter, const php_ratelimit_cost *cost, zend_long min)
{
	bool costs_given;

	if (!php_ratelimit_limiter_costs(limiter, cost, min, &limiter->question.cost, limiter->costs, &costs_given)) {
		return false;
	}
	limiter->question.costs = costs_given ? limiter->costs : NULL;
	return true;
}

ZEND_COLD void php_ratelimit_limiter_is_missing(void)
{
	zend_throw_error(NULL, "The FrequencyLimit\\Limiter is empty: its constructor has not been called");
}

const rl_guard *php_ratelimit_limiter_begin_as(php_ratelimit_limiter *limiter, rl_op op)
{
	rl_question *q = &limiter->question;
	const rl_guard *g = php_ratelimit_limiter_guard(limiter);

	if (!php_ratelimit_clock_agrees(g)) {
		return NULL;
	}
	q->op = op;
	q->leave = 0;
	q->at_least = 0;
	q->max_wait_us = 0;
	q->held = NULL; /* of an earlier permit */
	return g;
}

php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, const php_ratelimit_cost *cost,
	const rl_guard **g)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ_P(this));

	if (UNEXPECTED(!limiter->name)) {
		php_ratelimit_limiter_is_missing();
		return NULL;
	}
	if (EXPECTED(!cost->array)) {
		if (!php_ratelimit_check_range("$cost", cost->number, op == RL_OP_PEEK ? 0 : 1, RL_LIMIT_MAX)) {
			return NULL;
		}
		limiter->question.cost = (uint64_t) cost->number;
		limiter->question.costs = NULL;
	} else if (!begin_costs(limiter, cost, op == RL_OP_PEEK ? 0 : 1)) {
		return NULL;
	}
	*g = php_ratelimit_limiter_begin_as(limiter, op);
	return EXPECTED(*g) ? limiter : NULL;
}

bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key)
{
	key->space = UNEXPECTED(limiter->is_shadow) ? RL_SPACE_SHADOW : RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	return php_ratelimit_identity(argument, id, id_number, key);
}

/* The boundaries are those of the clock's windows, and the next one that ends a ban. */
bool php_ratelimit_limiter_set_boundaries(const php_ratelimit_limiter *limiter, rl_question *q, int64_t now_us)
{
	int64_t about_us = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL ? q->at_us : now_us;
	php_ratelimit_windows windows;

	for (unsigned i = 0; i < q->n_limits; i++) {
		const php_ratelimit_limit *limit = &limiter->limits[i];

		if (limit->limit.algorithm == RL_CALENDAR_WINDOW) {
			if (!php_ratelimit_calendar_windows(limit->zone, limit->limit.period, limit->anchor, about_us, &windows)) {
				return false;
			}
			php_ratelimit_limit_set_windows(&q->limits[i], &windows);
		}
		if (limit->ban_period) {
			if (!php_ratelimit_calendar_windows(limit->zone, limit->ban_period, 0, now_us, &windows)) {
				return false;
			}
			q->limits[i].ban_us = windows.end * RL_US_PER_SECOND;
		}
	}
	return true;
}

/* Lets the decisions of a limiter without an enforced limit count as those of any other, until rl_stat_counts_as is set back to the
 * result: how they counted before. Nothing in between takes PHP's memory, whose limit would end the request there. */
static zend_always_inline rl_stat_mode begin_counts(const php_ratelimit_limiter *limiter)
{
	rl_stat_mode before = rl_stat_counts_as;

	if (UNEXPECTED(limiter->is_shadow && !limiter->monitor.silent)) {
		rl_stat_counts_as = RL_STAT_PASSED_SHADOWS;
	}
	return before;
}

bool php_ratelimit_limiter_finish_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a, rl_status status, rl_error *e)
{
	rl_stat_mode before;

	for (unsigned i = 0; UNEXPECTED(status == RL_STALE_BOUNDARIES) && i < PHP_RATELIMIT_STALE_MAX; i++) {
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, e->now_us)) {
			return false;
		}
		before = begin_counts(limiter);
		status = rl_guard_retry(g, key, &limiter->question, a, e);
		rl_stat_counts_as = before;
	}
	if (EXPECTED(status == RL_OK)) {
		return true;
	}
	if (status == RL_STALE_BOUNDARIES) {
		snprintf(e->message, sizeof(e->message), "the store's clock changed during the call; try again");
	}
	php_ratelimit_throw_store(status, key, e);
	return false;
}

/* Answers without a store: the call passes, and nothing is kept. */
static ZEND_COLD void answer_storeless(const rl_question *q, rl_answer *a)
{
	memset(a, 0, sizeof(*a));
	a->decision.reason = RL_ACCEPTED;
	a->decision.accepted = true;
	a->decision.limit = q->limits[0].limit;
	a->decision.remaining = q->limits[0].limit;
	a->granted = q->cost;
}

/* Does what a question needs beside its store: shadow limits and ratelimit.enforce=0. is_asked: the shadow limits were asked with
 * the others. */
static zend_never_inline void ask_shadow(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a,
	bool is_asked)
{
	if (limiter->shadow && !is_asked) {
		php_ratelimit_limiter_judge_shadow(limiter, key, a);
	}
	php_ratelimit_limiter_pass_shadow(limiter, a);
}

/* Asks about limits with identities of their own. A consume takes the parts of their states as a permit, so that those of earlier
 * ones go back by its number if a later one refuses. */
static zend_never_inline bool ask_together(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys,
	rl_answer *a)
{
	rl_question *q = &limiter->question;
	rl_held held[RL_LIMITS_MAX];
	rl_error e;
	bool done;

	if (q->op != RL_OP_CONSUME) {
		return php_ratelimit_limiter_finish_ask(limiter, g, keys, a, rl_together_ask(g, keys, q, a, &e), &e);
	}
	q->op = RL_OP_ACQUIRE;
	q->tag = php_ratelimit_permit_number();
	q->owner = 0;
	q->held = held;
	done = php_ratelimit_limiter_finish_ask(limiter, g, keys, a, rl_together_ask(g, keys, q, a, &e), &e);
	q->op = RL_OP_CONSUME;
	q->held = NULL;
	return done;
}

static zend_always_inline bool ask_limits(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a)
{
	rl_stat_mode before;
	rl_error e;
	rl_status status;

	if (limiter->needs_now) {
		if (limiter->storeless) {
			answer_storeless(&limiter->question, a);
			return true;
		}
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
			return false;
		}
	}
	if (UNEXPECTED(limiter->n_labels > 1)) {
		return ask_together(limiter, g, key, a);
	}
	before = begin_counts(limiter);
	status = rl_guard_ask(g, key, &limiter->question, a, &e);
	rl_stat_counts_as = before;
	return EXPECTED(status == RL_OK) || php_ratelimit_limiter_finish_ask(limiter, g, key, a, status, &e);
}

bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a)
{
	bool has_shadow, asked;

	if (UNEXPECTED(php_ratelimit_limiter_is_listed(limiter)) && php_ratelimit_limiter_answer_listed(limiter, key, a)) {
		if (a->decision.source == RL_FROM_REFUSE && limiter->question.op != RL_OP_ACQUIRE) {
			php_ratelimit_monitor_answer(limiter, key, a);
		}
		return true;
	}
	has_shadow = UNEXPECTED(limiter->shadow) && php_ratelimit_limiter_ask_with_shadow(limiter, g, key, a, &asked);
	if (EXPECTED(!has_shadow)) {
		asked = ask_limits(limiter, g, key, a);
		a->shadow = 0;
	}
	if (UNEXPECTED(!asked)) {
		php_ratelimit_monitor_failure(limiter, key);
		return false;
	}
	a->passed = false;
	if (UNEXPECTED(limiter->shadow || limiter->is_shadow || RATELIMIT_G(each_decision))) {
		ask_shadow(limiter, key, a, has_shadow);
	} else if (EXPECTED(php_ratelimit_monitor_passed(&limiter->monitor, limiter->question.op, &a->decision))) {
		return true;
	}
	if (EXPECTED(limiter->question.op != RL_OP_ACQUIRE)) {
		php_ratelimit_monitor_answer(limiter, key, a);
	}
	return true;
}

static bool ask_limits_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	const rl_question **questions;
	rl_status *statuses;
	rl_stat_mode before;
	rl_error e;
	uint32_t i = 0;

	if (limiter->storeless) {
		for (; i < n; i++) {
			answer_storeless(&limiter->question, &a[i]);
		}
		return true;
	}
	if (limiter->needs_now
		&& !php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
		return false;
	}
	statuses = safe_emalloc(n, sizeof(*statuses), 0);
	questions = safe_emalloc(n, sizeof(*questions), 0);
	for (uint32_t j = 0; j < n; j++) {
		questions[j] = &limiter->question;
	}
	before = begin_counts(limiter);
	rl_guard_ask_many(g, keys, n, questions, a, statuses, &e);
	rl_stat_counts_as = before;
	efree(questions);
	/* An identity has no answer if the clock passed a boundary. It gets a question of its own. */
	while (i < n && php_ratelimit_limiter_finish_ask(limiter, g, &keys[i], &a[i], statuses[i], &e)) {
		i++;
	}
	efree(statuses);
	return i == n;
}

/* Asks about identities of which none is listed. */
static bool ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n, rl_answer *a)
{
	if (UNEXPECTED(!ask_limits_many(limiter, g, keys, n, a))) {
		php_ratelimit_monitor_failure(limiter, &keys[0]);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		a[i].shadow = 0;
		a[i].passed = false;
	}
	if (UNEXPECTED(limiter->shadow)) {
		php_ratelimit_limiter_judge_shadow_many(limiter, keys, n, a);
	}
	for (uint32_t i = 0; i < n; i++) {
		php_ratelimit_limiter_pass_shadow(limiter, &a[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		php_ratelimit_monitor_answer(limiter, &keys[i], &a[i]);
	}
	return true;
}

/* Asks about the identities that are not listed, in one question, and answers for the others. */
static bool ask_many_but_listed(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	rl_key *asked = safe_emalloc(n, sizeof(*asked), 0);
	rl_answer *answers = safe_emalloc(n, sizeof(*answers), 0);
	uint32_t *places = safe_emalloc(n, sizeof(*places), 0), n_asked = 0;
	bool done;

	for (uint32_t i = 0; i < n; i++) {
		if (!php_ratelimit_limiter_answer_listed(limiter, &keys[i], &a[i])) {
			asked[n_asked] = keys[i];
			places[n_asked++] = i;
		} else if (a[i].decision.source == RL_FROM_REFUSE) {
			php_ratelimit_monitor_answer(limiter, &keys[i], &a[i]);
		}
	}
	done = n_asked == 0 || ask_many(limiter, g, asked, n_asked, answers);
	for (uint32_t i = 0; done && i < n_asked; i++) {
		a[places[i]] = answers[i];
	}
	efree(places);
	efree(answers);
	efree(asked);
	return done;
}

bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	return UNEXPECTED(php_ratelimit_limiter_is_listed(limiter)) ? ask_many_but_listed(limiter, g, keys, n, a)
																: ask_many(limiter, g, keys, n, a);
}
