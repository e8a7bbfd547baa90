#include "limiter_checks.h"

#include "../base/arguments.h"

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
