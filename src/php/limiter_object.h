/* FrequencyLimit\Limiter's state, and the way from it to an answer; the methods are in limiter.c. A function that
 * returns false or NULL has thrown an exception. */
#ifndef PHP_RATELIMIT_LIMITER_OBJECT_H
#define PHP_RATELIMIT_LIMITER_OBJECT_H

#include "php_ratelimit.h"

#include "limit_object.h"

typedef struct {
	zend_string *name; /* NULL until it is constructed */
	bool own_store;
	rl_guard guard;       /* own_store: the way to it, but for on_failure, which is read when a question is asked */
	rl_question question; /* with the limits: a question of this limiter changes only what it is about */
	bool needs_now;       /* a limit has boundaries, or a ban until one */
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* their names and zones; references */
	zend_object std;
} php_ratelimit_limiter;

static inline php_ratelimit_limiter *php_ratelimit_limiter_of(zend_object *object)
{
	return (php_ratelimit_limiter *) ((char *) object - XtOffsetOf(php_ratelimit_limiter, std));
}

/* Takes the limits over: one Limit, or an array of them. */
bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *limits);

/* Is a limit that leases the only one, and without a ban? */
bool php_ratelimit_limiter_check_lease(const php_ratelimit_limiter *limiter);

/* Takes the store behind a DSN for its own. */
bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, const zend_string *dsn);

/* What every question begins with: the limiter of $this, its question with op and cost, and the way to its store. */
php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, zend_long cost, const rl_guard **g);

/* Whose state it is about. argument: as php_ratelimit_identity() names it. */
bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key);

/* Asks the question about one identity, or about many: a has the answers. */
bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a);
bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a);

/* A Result of a decision of its. */
void php_ratelimit_limiter_result(zval *result, const php_ratelimit_limiter *limiter, const rl_decision *d);

#endif
