/* Concludes a decided call of a function: keeps the decision for Request::lastResult(), calls the listener, and throws a refusal. It is
 * the last act of a call. */
#ifndef PHP_RATELIMIT_CONCLUDE_H
#define PHP_RATELIMIT_CONCLUDE_H

#include "../observe/listener.h"
#include "../request/request.h"
#include "attribute_cache.h"

/* Makes the Result of a decision about the function's own limits, with all of them. user: null, or what the resolver has returned. */
void php_ratelimit_enforced_result(zval *result, const php_ratelimit_enforced *enforced, const rl_decision *d,
	const zval *user);

/* A decision about the function's own limits. user: null, or what the resolver has returned. event: NULL: no listener is called. */
void php_ratelimit_conclude(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_decision *d, const zval *user, php_ratelimit_event *event);

/* The answer of a limiter, which lives longer. id: the identity, for messages. */
void php_ratelimit_conclude_by(php_ratelimit_limiter *limiter, php_ratelimit_request *request, const rl_answer *a,
	const zval *id, php_ratelimit_event *event);

#endif
