/* Declares the state of a FrequencyLimit\Limiter, and the functions for its questions. Its methods are in
 * limiter_class.c. A function that returns false or NULL has thrown an exception. */
#ifndef PHP_RATELIMIT_LIMITER_OBJECT_H
#define PHP_RATELIMIT_LIMITER_OBJECT_H

#include "php_ratelimit.h"

#include "limit_object.h"

typedef struct {
	zend_string *name; /* NULL until the constructor has run */
	bool own_store;
	rl_guard guard;       /* with own_store; each question sets the fields that depend on settings again */
	rl_question question; /* with the limits, which stay; each question sets the other fields */
	bool needs_now;       /* a limit has boundaries of a clock, or a ban until one */
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* their names and zones; references */
	zend_object std;
} php_ratelimit_limiter;

static inline php_ratelimit_limiter *php_ratelimit_limiter_of(zend_object *object)
{
	return (php_ratelimit_limiter *) ((char *) object - XtOffsetOf(php_ratelimit_limiter, std));
}

/* Copies the limits: one Limit, or an array of 1 to 8. A string key is the name of its limit. All names differ. */
bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *limits);

/* Checks that a leased limit is the only one and has no ban. */
bool php_ratelimit_limiter_check_lease(const php_ratelimit_limiter *limiter);

/* Gives the limiter the store of a DSN. */
bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, const zend_string *dsn);

/* Begins a question: returns the limiter of $this, sets the question's op and cost, and *g to the guard of its store. */
php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, zend_long cost, const rl_guard **g);

/* Fills in the key of an identity. argument: its name in messages. */
bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key);

/* Ask the question about one identity, or about n; a receives the answers. */
bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a);
bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a);

/* Makes the Result of a decision of this limiter. */
void php_ratelimit_limiter_result(zval *result, const php_ratelimit_limiter *limiter, const rl_decision *d);

#endif
