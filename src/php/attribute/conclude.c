#include "conclude.h"

#include "../limiter/limiter_object.h"
#include "../request/request.h"
#include "../result/result.h"
#include "attribute_cache.h"
static void write_policies(php_ratelimit_policy *policies, const rl_question *q)
{
	for (unsigned i = 0; i < q->n_limits; i++) {
		const rl_limit *limit = &q->limits[i];

		policies[i] = (php_ratelimit_policy){.limit = limit->limit,
			.window_us = limit->algorithm == RL_CONCURRENT ? 0 : limit->period_us};
	}
}

static void keep_last(php_ratelimit_request *request, const rl_question *q, const rl_decision *d)
{
	rl_decision_copy(&request->last.decision, d);
	request->last.granted = d->accepted;
	request->last.n = q->n_limits;
	write_policies(request->last.policies, q);
}

void php_ratelimit_enforced_result(zval *result, const php_ratelimit_enforced *enforced, const rl_decision *d,
	const zval *user)
{
	php_ratelimit_policy policies[RL_LIMITS_MAX] = {{0}};

	write_policies(policies, &enforced->question);
	php_ratelimit_result_of_limits(result, d, d->accepted, policies, enforced->question.n_limits);
	if (!d->accepted) {
		php_ratelimit_result_set_refused(result, enforced->name, user);
	}
}

/* Writes the limits of a limiter, if their strings live as long as the request. */
static bool write_named_policies(php_ratelimit_policy *policies, const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		policies[i] = php_ratelimit_limiter_policy(limiter, i);
		if (UNEXPECTED(!php_ratelimit_policy_is_permanent(&policies[i]))) {
			return false;
		}
	}
	return true;
}

/* Lets an answer be that of Request::lastResult(): as its limits, or as the Result. Returns the Result before it, which the caller
 * releases last: a WeakMap may have an object with a destructor for it, which may end the request. Or NULL. */
static zend_object *keep_last_of(php_ratelimit_request *request, php_ratelimit_limiter *limiter, const rl_answer *a,
	const zval *refusal)
{
	php_ratelimit_last *last = &request->last;
	zend_object *before;
	zval result;

	if (EXPECTED(a->decision.accepted) && EXPECTED(a->shadow == 0)
		&& EXPECTED(write_named_policies(last->policies, limiter))) {
		rl_decision_copy(&last->decision, &a->decision);
		last->granted = a->granted;
		last->n = limiter->question.n_limits;
		return NULL;
	}
	if (Z_ISUNDEF_P(refusal)) {
		php_ratelimit_limiter_result(&result, limiter, a, NULL);
	} else {
		ZVAL_COPY(&result, refusal);
	}
	before = last->result;
	last->result = Z_OBJ(result);
	last->n = 0;
	return before;
}

/* Calls the listener. Its own calls of limited functions do not change what Request::lastResult() returns behind this one; but it
 * may end the request, or begin another one. */
static void listen_within(php_ratelimit_request *request, php_ratelimit_event *event)
{
	php_ratelimit_last last;
	uint64_t number;

	if (!request) {
		php_ratelimit_listener_call(event);
		return;
	}
	last = request->last;
	number = request->number;
	if (last.result) {
		GC_ADDREF(last.result);
	}
	php_ratelimit_listener_call(event);
	request = php_ratelimit_current_request();
	if (request && request->number == number) {
		zend_object *inner = request->last.result;

		request->last = last;
		last.result = inner;
	}
	if (last.result) {
		OBJ_RELEASE(last.result);
	}
}

/* Calls the listener, and throws the refusal, if there is one: a Result, which is released. */
static ZEND_COLD void conclude_slowly(php_ratelimit_request *request, zval *refusal, php_ratelimit_event *event)
{
	if (event) {
		listen_within(request, event);
	}
	if (!Z_ISUNDEF_P(refusal) && !EG(exception)) {
		php_ratelimit_throw_limit_exceeded(Z_OBJ_P(refusal));
	}
	zval_ptr_dtor(refusal);
}

void php_ratelimit_conclude(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_decision *d, const zval *user, php_ratelimit_event *event)
{
	zval refusal;

	if (EXPECTED(request)) {
		keep_last(request, &enforced->question, d);
	}
	if (UNEXPECTED(!d->accepted) || UNEXPECTED(event)) {
		ZVAL_UNDEF(&refusal);
		/* It reads what is cached of the function first: the listener may call another function that takes its place. */
		if (!d->accepted) {
			php_ratelimit_enforced_result(&refusal, enforced, d, user);
		}
		conclude_slowly(request, &refusal, event);
	}
}

void php_ratelimit_conclude_by(php_ratelimit_limiter *limiter, php_ratelimit_request *request, const rl_answer *a,
	const zval *id, php_ratelimit_event *event)
{
	zend_object *before = NULL;
	zval refusal;

	ZVAL_UNDEF(&refusal);
	if (UNEXPECTED(!a->decision.accepted)) {
		php_ratelimit_limiter_result(&refusal, limiter, a, id);
	}
	if (EXPECTED(request)) {
		before = keep_last_of(request, limiter, a, &refusal);
	}
	if (UNEXPECTED(!a->decision.accepted) || UNEXPECTED(event)) {
		conclude_slowly(request, &refusal, event);
	}
	if (UNEXPECTED(before)) {
		OBJ_RELEASE(before);
	}
}

static bool has_name(const php_ratelimit_limiter *limiter, const char *name, size_t length)
{
	return ZSTR_LEN(limiter->name) == length && memcmp(ZSTR_VAL(limiter->name), name, length) == 0;
}

php_ratelimit_limiter *php_ratelimit_enforced_limiter(php_ratelimit_enforced *enforced, const char *name, size_t length)
{
	php_ratelimit_limiter *limiter = enforced->limiter;

	if (UNEXPECTED(!limiter || !has_name(limiter, name, length))) {
		if (limiter) {
			php_ratelimit_limiter_release(limiter);
		}
		limiter = enforced->limiter = php_ratelimit_limiter_new(name, length, &enforced->question);
		php_ratelimit_monitor_share(&limiter->monitor, &enforced->monitor, enforced->name);
	}
	return php_ratelimit_limiter_copy(limiter);
}
