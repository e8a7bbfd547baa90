/* Makes the Results of a Limiter's answers. */
#include "limiter_internal.h"

#include "../limit/limit_object.h"
#include "../result/result.h"

/* Makes the policies. Those of calendar windows differ from window to window; the others are kept for the next Results. */
static zend_never_inline void make_policies(zval *result, php_ratelimit_limiter *limiter)
{
	php_ratelimit_policy policies[RL_LIMITS_MAX];
	unsigned n = limiter->question.n_limits;
	bool changes = false;

	for (unsigned i = 0; i < n; i++) {
		policies[i] = php_ratelimit_limiter_policy(limiter, i);
		changes = changes || limiter->question.limits[i].algorithm == RL_CALENDAR_WINDOW;
	}
	if (changes) {
		php_ratelimit_result_add_policies(result, policies, n);
		return;
	}
	limiter->policies = php_ratelimit_policies_new(policies, n, limiter->is_kept);
	php_ratelimit_result_share_policies(result, limiter->policies);
}

void php_ratelimit_limiter_add_policies(zval *result, php_ratelimit_limiter *limiter)
{
	if (EXPECTED(limiter->policies)) {
		php_ratelimit_result_share_policies(result, limiter->policies);
	} else {
		make_policies(result, limiter);
	}
}

void php_ratelimit_limiter_result(zval *result, php_ratelimit_limiter *limiter, const rl_answer *a, const zval *id)
{
	const rl_decision *d = &a->decision;
	php_ratelimit_policy policy = php_ratelimit_limiter_policy(limiter, d->limit_index);

	php_ratelimit_result_init(result, d, a->granted, a->wait_us, &policy);
	if (UNEXPECTED(limiter->is_shadow)) {
		php_ratelimit_result_hide(result);
	}
	if (UNEXPECTED(limiter->question.n_limits > 1)) {
		php_ratelimit_limiter_add_policies(result, limiter);
	}
	if (UNEXPECTED(!d->accepted)) {
		php_ratelimit_result_set_refused(result, limiter->name, id);
	}
	if (UNEXPECTED(a->shadow)) {
		const php_ratelimit_limit *limit =
			&(limiter->shadow && !a->passed ? limiter->shadow : limiter)->limits[a->shadow - 1];

		php_ratelimit_result_set_shadow(result,
			limit->name ? zend_string_copy(limit->name) : php_ratelimit_limit_to_text(limit));
	}
}

bool php_ratelimit_limiter_event(php_ratelimit_event *event, php_ratelimit_limiter *limiter, const rl_key *keys,
	const rl_answer *a)
{
	rl_key key;
	zval result, id;

	if (EXPECTED(!php_ratelimit_has_listener(a->decision.reason)) || a->decision.source == RL_FROM_EXEMPT) {
		return false;
	}
	key = keys[limiter->question.limits[a->decision.limit_index].identity];
	key.name = ZSTR_VAL(limiter->name); /* with labels the key has a name of its own */
	key.name_len = ZSTR_LEN(limiter->name);
	php_ratelimit_id_of_key(&id, &key);
	php_ratelimit_limiter_result(&result, limiter, a, &id);
	php_ratelimit_event_init(event, a->decision.reason, &key, &result);
	return true;
}
