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
