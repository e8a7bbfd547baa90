/* Implements the methods of Limiter for future moments: reserve() and cancel(). */
#include "../base/arguments.h"
#include "identities.h"
#include "limiter_object.h"
#include "../base/store_config.h"

static bool check_can_book(const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits && !limiter->storeless; i++) {
		if (!php_ratelimit_can_book(&limiter->question.limits[i])) {
			php_ratelimit_invalid(
				"$limits must all be calendar or sliding-log limits for reserve() and cancel(), another algorithm given at position %u",
				i);
			return false;
		}
	}
	return true;
}

/* Implements reserve() and cancel(): they take an identity, a moment and a cost. */
static php_ratelimit_limiter *ask_moment(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_key keys[RL_LIMITS_MAX],
	rl_answer *a)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zval *at;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	int64_t *at_us, now_us;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_ZVAL(at)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	if (!php_ratelimit_parse_moment(&at, 2)) {
		return NULL;
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost, &g);
	if (!limiter || !php_ratelimit_limiter_keys(limiter, &ids, keys) || !check_can_book(limiter)
		|| !php_ratelimit_has_one_label(limiter, op == RL_OP_RESERVE ? "reserve()" : "cancel()")) {
		return NULL;
	}
	at_us = &limiter->question.at_us;
	now_us = php_ratelimit_wall_us(g);
	if (!(op == RL_OP_RESERVE ? php_ratelimit_coming_moment("$at", at, now_us, at_us)
							  : php_ratelimit_moment("$at", at, at_us))) {
		return NULL;
	}
	if (op == RL_OP_RESERVE) {
		*at_us = MAX(*at_us, now_us);
	}
	return php_ratelimit_limiter_ask(limiter, g, keys, a) ? limiter : NULL;
}

ZEND_METHOD(FrequencyLimit_Limiter, reserve)
{
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;
	php_ratelimit_limiter *limiter = ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RESERVE, keys, &a);

	if (limiter) {
		php_ratelimit_limiter_result(return_value, limiter, &a, ZEND_CALL_ARG(execute_data, 1));
		php_ratelimit_limiter_listen(limiter, keys, &a);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, cancel)
{
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;

	if (ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CANCEL, keys, &a)) {
		RETURN_BOOL(a.found);
	}
}
