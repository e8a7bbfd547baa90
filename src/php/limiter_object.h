/* Declares the state of a FrequencyLimit\Limiter, and the functions for its questions. Its methods are in
 * limiter_class.c. A function that returns false or NULL has thrown an exception. */
#ifndef PHP_RATELIMIT_LIMITER_OBJECT_H
#define PHP_RATELIMIT_LIMITER_OBJECT_H

#include "php_ratelimit.h"

#include "limit_object.h"

/* The number of times that a question computes new boundaries, because the store's clock has passed the old ones. */
#define PHP_RATELIMIT_STALE_MAX 3

typedef struct {
	zend_string *name; /* NULL until the constructor has run */
	bool own_store;
	rl_guard guard;       /* with own_store; each question sets the fields that depend on settings again */
	rl_question question; /* with the limits, which stay; each question sets the other fields */
	bool needs_now;       /* a limit has boundaries of a clock, or a ban until one */
	bool has_concurrent;  /* a limit is a concurrent one */
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* their names, labels and zones; references */
	uint8_t n_labels;                          /* 0: the limits share one identity */
	zend_string *labels[RL_LIMITS_MAX];        /* borrowed from the limits */
	zend_string *label_names[RL_LIMITS_MAX];   /* the names of their keys; references */
	uint64_t costs[RL_LIMITS_MAX];             /* of the question, with a cost for each limit */
	zend_object std;
} php_ratelimit_limiter;

static inline php_ratelimit_limiter *php_ratelimit_limiter_of(zend_object *object)
{
	return (php_ratelimit_limiter *) ((char *) object - XtOffsetOf(php_ratelimit_limiter, std));
}

/* Makes the limiter of a question with limits that have neither names nor zones, for the general store. Returns a reference. */
php_ratelimit_limiter *php_ratelimit_limiter_new(const char *name, size_t length, const rl_question *q);

/* Copies the limits: one Limit, or an array of 1 to 8. A string key is the name of its limit. All names differ. */
bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *limits);

/* Checks that a leased limit is the only one and has no ban. */
bool php_ratelimit_limiter_check_lease(const php_ratelimit_limiter *limiter);

/* Gives the limiter the store of a DSN. */
bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, const zend_string *dsn);

/* Returns the guard of the limiter's store, by the settings as they are now. */
const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter);

/* Begins a question: returns the limiter of $this, sets the question's op and cost, and *g to the guard of its store. The
 * question has no share to leave, no part that is enough, and no time to wait. */
typedef struct php_ratelimit_cost php_ratelimit_cost;
php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, const php_ratelimit_cost *cost,
	const rl_guard **g);

/* Fills in the key of an identity. argument: its name in messages. */
bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key);

/* Ask the question about one identity, or about n; a receives the answers. key: with labels, the first of a key for each. */
bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a);
bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a);

/* Sets the boundaries in q, a question about this limiter's limits, by the clock of the store. Only a limiter with needs_now
 * requires it. */
bool php_ratelimit_limiter_set_boundaries(const php_ratelimit_limiter *limiter, rl_question *q, int64_t now_us);

/* Makes the Result of an answer about this limiter. */
void php_ratelimit_limiter_result(zval *result, const php_ratelimit_limiter *limiter, const rl_answer *a);

#endif
