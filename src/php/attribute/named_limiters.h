/* Decides calls of functions with #[RateLimit]: by the limiters that it names, together with the function's own limits. One limiter is
 * asked as Limiter::consume() or acquire() asks it. Several are one question about the key of each. */
#ifndef PHP_RATELIMIT_NAMED_LIMITERS_H
#define PHP_RATELIMIT_NAMED_LIMITERS_H

#include "access_rule.h"
#include "../limiter/limiter_object.h"
#include "../request/request.h"
#include "attribute_cache.h"
#include "enforce.h"

/* One limiter of a function, with its keys and costs. */
typedef struct {
	php_ratelimit_named_rule rule;  /* references; without a name: the function's own limits */
	php_ratelimit_limiter *limiter; /* a reference; NULL: not looked up yet */
	uint32_t parameters
		[RL_LIMITS_MAX]; /* of each key: the number of the parameter that has its identity; 0: the request's */
	bool costs_given;
	uint64_t cost, costs[RL_LIMITS_MAX]; /* all limits' cost, or with costs_given that of each */
	/* Among those that are decided together. */
	bool is_apart; /* it is not one of them: it refuses no call, because all of its limits are shadows, or none() */
	unsigned first_limit, first_key;
} named_part;

struct php_ratelimit_named_limiters {
	uint64_t version; /* of the names; 0: they were not looked up yet */
	bool needs_identity;
	unsigned n;
	/* All limits and keys of several limiters, a reference. NULL: there is one, or all are apart; then the first decides. */
	php_ratelimit_limiter *together;
	named_part parts[RL_LIMITS_MAX]; /* the function's own limits first, if it has any */
};

static inline unsigned named_part_n_keys(const php_ratelimit_limiter *limiter)
{
	return MAX(limiter->n_labels, 1);
}

static inline bool named_part_is_own(const named_part *part)
{
	return part->rule.name == NULL;
}

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
