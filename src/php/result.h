/* Declares FrequencyLimit\Result, a decision as a PHP object, and FrequencyLimit\LimitExceeded. */
#ifndef PHP_RATELIMIT_RESULT_H
#define PHP_RATELIMIT_RESULT_H

#include "php.h"

#include "src/core/decision.h"

/* One limit, as the headers have it. */
typedef struct {
	zend_string *name; /* or NULL; borrowed */
	uint64_t limit;
	int64_t window_us; /* the length of its window; 0: a concurrent limit */
} php_ratelimit_policy;

/* Resets the cached enum cases, at the begin of a request: they are objects of one request. */
void php_ratelimit_result_begin_request(void);

/* Makes a Result of a decision. granted: the cost that was counted. wait_us: the time until the turn. name: the deciding
 * limit's, or NULL. window_us: the length of that limit's window; 0: it has none. */
void php_ratelimit_result_init(zval *result, const rl_decision *d, uint64_t granted, int64_t wait_us, zend_string *name,
	int64_t window_us);

/* Adds all n policies to the Result of several limits that were decided together. */
void php_ratelimit_result_add_policies(zval *result, const php_ratelimit_policy *policies, unsigned n);

/* Adds a refusal's subject to its Result, for messages: a limiter, an action or a function. Takes a reference. */
ZEND_COLD void php_ratelimit_result_set_subject(zval *result, zend_string *subject);

/* Adds the identity of a refused call to its Result, for messages, if it is an int. Ignores a string, which may be a
 * secret (a token, a session) and must not get into a log. */
ZEND_COLD void php_ratelimit_result_set_caller(zval *result, const zval *id);
ZEND_COLD void php_ratelimit_result_set_int_caller(zval *result, zend_long id);

/* Returns a new string: the reason for a refusal, in a sentence for developers. */
ZEND_COLD zend_string *php_ratelimit_refusal_message(zend_object *result);

/* Returns the Result of a LimitExceeded, borrowed. */
zend_object *php_ratelimit_result_of_exception(zend_object *exception);

/* Answers the running web request, whose headers must not be sent yet. A refused Result makes the same answer as
 * Result::send(); NULL makes a status of 401. body: with problem details. */
void php_ratelimit_send_refusal(zend_object *result, bool body);

/* Throws the LimitExceeded of a refused Result. */
ZEND_COLD void php_ratelimit_throw_limit_exceeded(zend_object *result);

/* ---- Between result.c and result_http.c ---- */

/* Returns the deciding limit's name in headers, a new reference. */
zend_string *php_ratelimit_result_wire_name(zend_object *result);

/* The declared properties, in the order of the stub. The code fills them in by number, which readonly does not
 * prevent. */
enum {
	PHP_RATELIMIT_RESULT_ACCEPTED,
	PHP_RATELIMIT_RESULT_REASON,
	PHP_RATELIMIT_RESULT_LIMIT,
	PHP_RATELIMIT_RESULT_REMAINING,
	PHP_RATELIMIT_RESULT_RETRY_AFTER,
	PHP_RATELIMIT_RESULT_RESET_AFTER,
	PHP_RATELIMIT_RESULT_NAME,
	PHP_RATELIMIT_RESULT_STORE,
	PHP_RATELIMIT_RESULT_GRANTED,
	PHP_RATELIMIT_RESULT_WAIT,
	PHP_RATELIMIT_RESULT_PROPERTIES, /* their number */
};

/* The object of a Result. Headers use these integers, not the floats of the properties, and list all limits. */
typedef struct {
	rl_reason reason;
	bool accepted;
	uint8_t deciding;   /* an index into the policies */
	uint8_t n_policies; /* 0: there is only the deciding one */
	uint64_t remaining;
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

/* Returns whole seconds, rounded up. */
static inline int64_t php_ratelimit_ceil_seconds(int64_t us)
{
	return us / RL_US_PER_SECOND + (us % RL_US_PER_SECOND > 0);
}

#endif
