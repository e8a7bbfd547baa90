/* Declares what the files of the Limiter object share. */
#ifndef PHP_RATELIMIT_LIMITER_INTERNAL_H
#define PHP_RATELIMIT_LIMITER_INTERNAL_H

#include "limiter_object.h"
#include "src/shm/monitor/ban_list.h"
#include "../base/calendar.h"

/* ---- limiter_object.c ---- */

/* Returns a new, empty limiter, a reference. is_kept: for more than this request. */
php_ratelimit_limiter *php_ratelimit_limiter_make(bool is_kept);

/* Returns a reference to a kept limiter, for an object. */
static zend_always_inline php_ratelimit_limiter *php_ratelimit_limiter_use(php_ratelimit_limiter *limiter)
{
	/* The next decision completes the name among the counts, if it was damaged. */
	if (UNEXPECTED(++limiter->uses % PHP_RATELIMIT_METER_USES == 0)) {
		php_ratelimit_monitor_forget(&limiter->monitor);
	}
	return php_ratelimit_limiter_copy(limiter);
}

/* Makes a limiter without limits admit every call. It has one limit for its Results, of this name or NULL, and the embedded
 * store, whose clock may be frozen. */
void php_ratelimit_limiter_make_storeless(php_ratelimit_limiter *limiter, int64_t limit, int64_t window_us,
	zend_string *name);

/* ---- limiter_limits.c ---- */

/* Adds a limit of this name, or NULL, to a limiter, or to its shadow limits. */
void php_ratelimit_limiter_add(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name);

/* Adds the limits: one Limit, or an array of 1 to 8. */
bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *one_or_more);

/* Gives the limiter the store of a DSN. */
bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, zend_string *dsn);

/* Completes a limiter that has its limits: names it and its shadow, and gives it the labels of its limits. One with shadow
 * limits alone is itself the shadow. */
bool php_ratelimit_limiter_finish(php_ratelimit_limiter *limiter, zend_string *name, zend_string *store);

/* ---- limiter_usual.c ---- */

/* Answers a limiter's question on the fast path: a consume whose costs are set. Returns false, and has changed nothing, where the general
 * way must decide. */
bool php_ratelimit_usual_ask(php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a);

/* ---- limiter_named.c ---- */

static zend_always_inline bool php_ratelimit_limiter_has_lists(const php_ratelimit_limiter *limiter)
{
	return limiter->named
		&& (php_ratelimit_has_identities(&limiter->named->exempt)
			|| php_ratelimit_has_identities(&limiter->named->refuse));
}

/* Returns whether the store may be the wrong one to ask about an identity. */
static zend_always_inline bool php_ratelimit_limiter_is_listed(const php_ratelimit_limiter *limiter)
{
	return php_ratelimit_limiter_has_lists(limiter) || UNEXPECTED(rl_ban_list_has_networks());
}

/* Answers without the store about an identity that the file exempts, for which nothing counts and everything passes, or that the file
 * or the ban of a network refuses. Returns false if the store decides. */
bool php_ratelimit_limiter_answer_listed(php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a);

/* ---- limiter_question.c ---- */

/* Ask the limits, and nothing else, about one identity or about n. Returns whether there are answers; if not, an exception was
 * thrown. */
bool php_ratelimit_limiter_ask_limits(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a);
bool php_ratelimit_limiter_ask_limits_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys,
	uint32_t n, rl_answer *a);

/* Finishes a question: asks again while its boundaries are over. Returns whether there is an answer; if not, an exception was
 * thrown. */
bool php_ratelimit_limiter_finish_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a, rl_status status, rl_error *e);

/* ---- limiter_shadow.c ---- */

/* Puts a question to the limits and to the shadow limits at once, if both are on one Redis server. Returns false, and has asked
 * nothing, if they are not. *asked: whether the limits have an answer; if not, an exception was thrown. */
bool php_ratelimit_limiter_ask_with_shadow(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a, bool *asked);

/* Ask the shadow limits the limiter's question. A failure of their store, or of their question, is no failure of the call. */
void php_ratelimit_limiter_judge_shadow(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a);
void php_ratelimit_limiter_judge_shadow_many(const php_ratelimit_limiter *limiter, const rl_key *keys, uint32_t n,
	rl_answer *a);

/* Lets a refused decision pass, if no limit of the limiter is enforced. */
void php_ratelimit_limiter_pass_shadow(const php_ratelimit_limiter *limiter, rl_answer *a);

/* ---- limiter_limits.c, limiter_ask.c ---- */

/* Sets the boundaries of a calendar window's limit. */
static inline void php_ratelimit_limit_set_windows(rl_limit *limit, const php_ratelimit_windows *windows)
{
	limit->boundary[0] = windows->begin * RL_US_PER_SECOND;
	limit->boundary[1] = windows->end * RL_US_PER_SECOND;
	limit->boundary[2] = windows->next_end * RL_US_PER_SECOND;
}

/* ---- limiter_result.c ---- */

/* Adds all limits to the new Result of several. */
void php_ratelimit_limiter_add_policies(zval *result, php_ratelimit_limiter *limiter);

/* ---- limiter_class.c ---- */

/* Implement consume() and allow() for any call. */
void php_ratelimit_limiter_consume(INTERNAL_FUNCTION_PARAMETERS);
void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS);

#endif
