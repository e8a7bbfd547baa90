#include "conclude.h"

#include "../limiter/limiter_object.h"
#include "../request/request_state.h"
#include "../result/result.h"
#include "enforced_function.h"

/* Makes a Result of a decision about these limits. */
static void make_result(zval *result, const rl_decision *d, const php_ratelimit_policy *policies, unsigned n)
{
	php_ratelimit_result_init(result, d, d->accepted, 0, NULL, policies[d->limit_index].window_us);
	if (n > 1) {
		php_ratelimit_result_add_policies(result, policies, n);
	}
}

static void write_policies(php_ratelimit_policy *policies, const rl_question *q)
{
	for (unsigned i = 0; i < q->n_limits; i++) {
		const rl_limit *limit = &q->limits[i];

		policies[i] = (php_ratelimit_policy){NULL, limit->limit,
			limit->algorithm == RL_CONCURRENT ? 0 : limit->period_us};
	}
}

static void keep_last(php_ratelimit_request *request, const rl_question *q, const rl_decision *d)
{
	request->last.answer.decision = *d;
	request->last.n = q->n_limits;
	write_policies(request->last.policies, q);
}

bool php_ratelimit_enforce_last(zval *result)
{
	const php_ratelimit_request *request = php_ratelimit_current_request();

	if (!request || (request->last.n == 0 && !request->last.limiter)) {
		return false;
	}
	if (request->last.n == 0) {
		php_ratelimit_limiter_result(result, request->last.limiter, &request->last.answer);
		return true;
	}
	make_result(result, &request->last.answer.decision, request->last.policies, request->last.n);
	return true;
}

static void make_refusal(zval *result, const php_ratelimit_enforced *enforced, const rl_decision *d, const zval *user)
{
	php_ratelimit_policy policies[RL_LIMITS_MAX] = {{NULL, 0, 0}};

	write_policies(policies, &enforced->question);
	make_result(result, d, policies, enforced->question.n_limits);
	php_ratelimit_result_set_subject(result, enforced->name);
	php_ratelimit_result_set_caller(result, user);
}

/* Lets the decision be that of Request::lastResult(). The limiter may be of this request alone. */
static void keep_last_of(php_ratelimit_request *request, php_ratelimit_limiter *limiter, const rl_answer *a)
{
	php_ratelimit_last *last = &request->last;

	last->answer = *a;
	last->n = 0;
	if (last->limiter != limiter) {
		if (last->limiter) {
			php_ratelimit_limiter_release(last->limiter);
		}
		last->limiter = php_ratelimit_limiter_copy(limiter);
	}
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
	if (last.limiter) {
		php_ratelimit_limiter_copy(last.limiter);
	}
	php_ratelimit_listener_call(event);
	request = php_ratelimit_current_request();
	if (request && request->number == number) {
		php_ratelimit_limiter *inner = request->last.limiter;

		request->last = last;
		last.limiter = inner;
	}
	if (last.limiter) {
		php_ratelimit_limiter_release(last.limiter);
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
			make_refusal(&refusal, enforced, d, user);
		}
		conclude_slowly(request, &refusal, event);
	}
}

void php_ratelimit_conclude_by(php_ratelimit_limiter *limiter, php_ratelimit_request *request, const rl_answer *a,
	const zval *id, php_ratelimit_event *event)
{
	zval refusal;

	if (EXPECTED(request)) {
		keep_last_of(request, limiter, a);
	}
	if (UNEXPECTED(!a->decision.accepted) || UNEXPECTED(event)) {
		ZVAL_UNDEF(&refusal);
		if (!a->decision.accepted) {
			php_ratelimit_limiter_result_for(&refusal, limiter, a, id);
		}
		conclude_slowly(request, &refusal, event);
	}
}
