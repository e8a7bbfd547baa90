/* Decides calls of functions with #[RateLimit]: by the limiters that it names, together with the function's own limits. One limiter is
 * asked as Limiter::consume() or acquire() asks it. Several are one question about the key of each. */
#ifndef PHP_RATELIMIT_NAMED_LIMITERS_H
#define PHP_RATELIMIT_NAMED_LIMITERS_H

#include "access_rule.h"
#include "../request/request.h"
#include "attribute_cache.h"
#include "enforce.h"

/* Keeps the limiters that a rule names, for the length of a request. They are looked up at the first call. */
php_ratelimit_named_limiters *php_ratelimit_named_limiters_new(const php_ratelimit_access_rule *rule);
void php_ratelimit_named_limiters_free(php_ratelimit_named_limiters *named);

/* Returns whether a limiter counts the request's user or client. */
bool php_ratelimit_named_limiters_need_identity(const php_ratelimit_enforced *enforced);

/* Brings the limiters up to date, before each call. own: the key of the function's own limits, with the identity of the request. Returns
 * false with an exception thrown. */
bool php_ratelimit_named_limiters_look(php_ratelimit_enforced *enforced, const zend_op_array *function,
	const rl_key *own);

/* Decides a call, as php_ratelimit_enforce(). */
void php_ratelimit_named_limiters_decide(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_key *own, const php_ratelimit_call *call);

#endif
