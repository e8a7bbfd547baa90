/* src/php/permit: The class Permit: what is held until it is given back.
 *
 * Declares the state of a FrequencyLimit\Permit, and how it is acquired, changed and ended. Its methods are in
 * permit_class.c. */
#ifndef PHP_RATELIMIT_PERMIT_OBJECT_H
#define PHP_RATELIMIT_PERMIT_OBJECT_H

#include "php_ratelimit.h"

#include "../limiter/limiter_object.h"

typedef struct php_ratelimit_permit php_ratelimit_permit;

struct php_ratelimit_permit {
	php_ratelimit_permit *next,
		**at;                       /* in the thread's list while the permit is live; at: the pointer to this permit */
	bool live;                      /* admitted, and not ended */
	unsigned generation;            /* the process that acquired it */
	php_ratelimit_limiter *limiter; /* a reference; NULL: the object was made without acquire(), as PDO does */
	rl_key key;                     /* borrows the name of the limiter, and the identity from id */
	rl_key *keys;                   /* with several labels, a key for each; else the key above */
	zend_string **ids;              /* of the keys, as id; NULL: there is one key */
	zend_string *id;                /* a reference; NULL: the identity was an int */
	uint64_t store_id[2];           /* of the store that has what the permit holds */
	int64_t turn_us;  /* by this machine's monotonic clock; PHP_RATELIMIT_TURN_HAS_COME: no need to wait */
	rl_answer answer; /* of the store, for $result */
	rl_held *held;    /* a part for each limit; of one limit: held_one */
	rl_held held_one;
	zend_object *shadow; /* the permit of the shadow limits, a reference; or NULL */
	zend_object std;     /* with $result, which the first read makes */
};

#define PHP_RATELIMIT_TURN_HAS_COME INT64_MIN

static inline php_ratelimit_permit *php_ratelimit_permit_of(zend_object *object)
{
	return (php_ratelimit_permit *) ((char *) object - offsetof(php_ratelimit_permit, std));
}

/* Acquires a permit by the limiter's question, which has all but max_wait_us, and puts it into return_value. id: the
 * identity, if it was a string. With several labels, keys has one for each, and their
 * strings are copied. Throws an exception, or returns a permit, which may be a refused one. */
void php_ratelimit_permit_acquire(zval *return_value, php_ratelimit_limiter *limiter, const rl_guard *g,
	const rl_key *keys, zend_string *id, int64_t max_wait_us);

/* Puts the permit of a Result that no limiter has decided into return_value: a test double, which asks no store. */
void php_ratelimit_permit_double(zval *return_value, zend_object *result);

/* Returns the permit of $this; NULL: it has ended, was refused, or is the parent process'. */
php_ratelimit_permit *php_ratelimit_permit_live(zval *this);

/* Adds an admitted permit to those of the request, which end with it. permit_change.c. */
void php_ratelimit_permit_open(php_ratelimit_permit *permit);

/* Ends a permit in this process. The store still has its parts and places. */
void php_ratelimit_permit_close(php_ratelimit_permit *permit);

/* The result of php_ratelimit_permit_change(). */
typedef enum {
	PHP_RATELIMIT_CHANGED,  /* the answer is the store's; of a permit that holds nothing, the permit's own */
	PHP_RATELIMIT_NO_STORE, /* the limiter has another store now: nothing is held there */
	PHP_RATELIMIT_THROWN,
} php_ratelimit_change;

/* Asks to settle, release or renew. cost: the true one; costs: that of each limit, or NULL. renew_us: the time from now;
 * 0: each limit's own. permit_change.c. */
php_ratelimit_change php_ratelimit_permit_change(php_ratelimit_permit *permit, rl_op op, uint64_t cost,
	const uint64_t *costs, int64_t renew_us, rl_answer *a);

/* Gives back what a permit holds whose end no method has asked for: cancels a turn that has not come, and frees its places.
 * It throws nothing: a place whose end the store does not get ends by its seconds. */
void php_ratelimit_permit_give_back(php_ratelimit_permit *permit);

/* Ends all permits at the end of a request: also after exit, a fatal error or a timeout, and where their objects are in a cycle. */
void php_ratelimit_permits_end_request(void);

/* Sets the handlers of the objects, at module start-up. */
void php_ratelimit_permit_startup(void);

/* ---- Waits: for a moment, and for a place of a concurrent limit that comes free ---- */

/* Sleeps until a moment of the monotonic clock; moves a frozen clock on. Returns false if a signal came first. */
bool php_ratelimit_sleep_until(int64_t mono_us);

/* Asks the limiter's question once; with a concurrent limit, again until a place comes free or max_wait_us are over. A signal
 * ends the wait with the refusal. Returns false with an exception thrown. */
bool php_ratelimit_permit_ask_within(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	int64_t max_wait_us, rl_answer *a);

#endif
