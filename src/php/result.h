/* FrequencyLimit\Result: a decision as PHP sees it. */
#ifndef PHP_RATELIMIT_RESULT_H
#define PHP_RATELIMIT_RESULT_H

#include "php.h"

#include "src/core/decision.h"

/* What the headers tell of one limit. */
typedef struct {
	zend_string *name; /* or NULL; borrowed */
	uint32_t limit;
	int64_t window_us; /* how long its window is */
} php_ratelimit_policy;

/* To be called when a request begins: an enum's cases are objects of one request. */
void php_ratelimit_result_begin_request(void);

/* Makes a Result of a decision. name: the deciding limit's, or NULL. window_us: how long that limit's window is. */
void php_ratelimit_result_init(zval *result, const rl_decision *d, zend_string *name, int64_t window_us);

/* Adds all n of them, where several limits were decided together. */
void php_ratelimit_result_add_policies(zval *result, const php_ratelimit_policy *policies, unsigned n);

/* Adds to a refused Result, for messages, what was called too often: a limiter, an action or a function. Takes a reference. */
ZEND_COLD void php_ratelimit_result_set_subject(zval *result, zend_string *subject);

/* Adds to a refused Result, for messages, the identity that called, if it is an int. A string may be a secret (a token, a
 * session), which does not belong into a log: it is passed over. */
ZEND_COLD void php_ratelimit_result_set_caller(zval *result, const zval *id);

/* Returns a new string: why a Result was refused, in a sentence for developers. */
ZEND_COLD zend_string *php_ratelimit_refusal_message(zend_object *result);

/* Returns the Result of a LimitExceeded, borrowed. */
zend_object *php_ratelimit_result_of_exception(zend_object *exception);

/* Answers the running web request, whose headers are not sent yet: with a refused Result, as Result::send() does; or with
 * a status of 401, if result is NULL. body: with problem details. */
void php_ratelimit_send_refusal(zend_object *result, bool body);

/* Throws the LimitExceeded of a refused Result. */
ZEND_COLD void php_ratelimit_throw_limit_exceeded(zend_object *result);

/* ---- Between result.c and result_http.c ---- */

/* What the deciding limit is called on the wire; to be released. */
zend_string *php_ratelimit_result_wire_name(zend_object *result);

/* The declared properties, in the order of the stub: they are filled in by number, which readonly lets us do. */
enum {
	PHP_RATELIMIT_RESULT_ACCEPTED,
	PHP_RATELIMIT_RESULT_REASON,
	PHP_RATELIMIT_RESULT_LIMIT,
	PHP_RATELIMIT_RESULT_REMAINING,
	PHP_RATELIMIT_RESULT_RETRY_AFTER,
	PHP_RATELIMIT_RESULT_RESET_AFTER,
	PHP_RATELIMIT_RESULT_NAME,
	PHP_RATELIMIT_RESULT_STORE,
};

/* Headers are made of whole numbers, of what was decided and not of the floats that PHP is told; and they tell of all
 * limits. */
typedef struct {
	rl_reason reason;
	bool accepted;
	uint8_t deciding;   /* an index into the policies */
	uint8_t n_policies; /* 0: there is only the deciding one */
	uint32_t remaining;
	int64_t retry_after_us;
	int64_t reset_after_us;
	php_ratelimit_policy policy;    /* the deciding one */
	php_ratelimit_policy *policies; /* all of them, with references to their names */
	zend_string *subject;           /* of a refusal: the limiter, action or function; or NULL */
	zend_long caller;               /* of a refusal: the identity, if has_caller */
	bool has_caller;
	zend_object std;
} php_ratelimit_result;

static inline php_ratelimit_result *php_ratelimit_result_of(zend_object *object)
{
	return (php_ratelimit_result *) ((char *) object - XtOffsetOf(php_ratelimit_result, std));
}

/* Whole seconds, rounded up. */
static inline int64_t php_ratelimit_ceil_seconds(int64_t us)
{
	return us / RL_US_PER_SECOND + (us % RL_US_PER_SECOND > 0);
}

#endif
