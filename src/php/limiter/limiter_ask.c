/* Answers the questions of a Limiter: by its lists, its limits and its shadow limits, and counts the answers. */
#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "identities.h"
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
		asked = php_ratelimit_limiter_ask_limits(limiter, g, key, a);
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

/* Asks about identities of which none is listed. */
static bool ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n, rl_answer *a)
{
	if (UNEXPECTED(!php_ratelimit_limiter_ask_limits_many(limiter, g, keys, n, a))) {
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

/* ---- Checks ---- */

bool php_ratelimit_has_no_places(const php_ratelimit_limiter *limiter, const char *method)
{
	unsigned i = 0;

	if (UNEXPECTED(limiter->shadow) && !php_ratelimit_has_no_places(limiter->shadow, method)) {
		return false;
	}
	if (EXPECTED(!limiter->has_concurrent)) {
		return true;
	}
	while (limiter->question.limits[i].algorithm != RL_CONCURRENT) {
		i++;
	}
	php_ratelimit_invalid(
		"$limits must have no concurrent limit for %s(), one given at position %u: acquire() takes its places", method,
		i);
	return false;
}

bool php_ratelimit_has_one_label(const php_ratelimit_limiter *limiter, const char *given)
{
	if (EXPECTED(limiter->n_labels <= 1)) {
		return true;
	}
	php_ratelimit_invalid("$limits must share one identity for %s, by('%s') and by('%s') given", given,
		ZSTR_VAL(limiter->labels[0]), ZSTR_VAL(limiter->labels[1]));
	return false;
}

/* Checks that all limits have the same cost: of several costs there is no part. */
static bool has_one_cost(const php_ratelimit_limiter *limiter)
{
	if (EXPECTED(!limiter->question.costs)) {
		return true;
	}
	php_ratelimit_invalid(
		"$atLeast must be null with a cost for each limit, an array of costs and another value given");
	return false;
}

/* Sets the question's share to leave, and the part of the cost that is enough. Shadow limits judge all of the cost, and no more. */
bool php_ratelimit_set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null)
{
	rl_question *q = &limiter->question;

	if (!php_ratelimit_check_range("$leave", leave, 0, RL_LIMIT_MAX)
		|| (!at_least_is_null && !q->costs && !php_ratelimit_check_range("$atLeast", at_least, 1, (int64_t) q->cost))) {
		return false;
	}
	if (!at_least_is_null && (!php_ratelimit_has_one_label(limiter, "$atLeast") || !has_one_cost(limiter))) {
		return false;
	}
	if (limiter->is_shadow) {
		return true;
	}
	q->leave = (uint64_t) leave;
	q->at_least = at_least_is_null || (uint64_t) at_least == q->cost ? 0 : (uint64_t) at_least;
	return true;
}
