/* Decides calls of functions with #[AccessLimit], #[ConcurrencyLimit] and #[RateLimit], and throws on a refusal. */
#ifndef PHP_RATELIMIT_ENFORCE_H
#define PHP_RATELIMIT_ENFORCE_H

#include "php.h"

#include "../result/result.h"

#define PHP_RATELIMIT_ENFORCED_ROOM 64 /* the number of functions whose limits a thread caches: a power of two */

typedef struct _php_ratelimit_enforced php_ratelimit_enforced;
typedef struct php_ratelimit_limiter php_ratelimit_limiter;

/* The state of a thread, for the length of a request. */
typedef struct {
	php_ratelimit_enforced *functions[PHP_RATELIMIT_ENFORCED_ROOM]; /* by a hash of their keys, or NULL */
	unsigned asking;                                                /* calls of resolvers that have not returned */
	uint64_t versions; /* the latest version of a request's path and client */
} php_ratelimit_enforcer;

/* A call that is decided. */
typedef struct {
	const zend_execute_data *frame;
	const zend_op_array *function;
	bool of_class;
	zval *permit;
} php_ratelimit_call;

/* Decides a call of the user function that this frame runs, by its attributes. A function without them passes. Sets permit to
 * the Permit of a call that takes a concurrent place, which holds it; NULL: the caller wants none, and the place comes
 * free at once. Throws LimitExceeded or LoginRequired on a refusal, and InvalidArgument or StoreException on an error. */
void php_ratelimit_enforce(const zend_execute_data *frame, zval *permit);

/* Does so for a function with a RateLimit. of_class: the attributes of its class take part, unless the call is within another such one
 * on the same object. */
void php_ratelimit_enforce_named(const zend_execute_data *frame, zval *permit, bool of_class);

/* Returns the limiter of a function's own limits by this name, a new reference. The function keeps the latest one. */
php_ratelimit_limiter *php_ratelimit_enforced_limiter(php_ratelimit_enforced *enforced, const char *name,
	size_t length);

/* Makes a Result of the latest decision of this request; false when there has been none. */
bool php_ratelimit_enforce_last(zval *result);

/* Resets the state. Code after the last clear() (a session handler) may have left functions, of which all memory of that request is
 * freed already. */
void php_ratelimit_enforcer_begin_request(php_ratelimit_enforcer *enforcer);

/* Forgets the places of the latest calls' counts: a setting that a client's address depends on has changed. */
void php_ratelimit_enforcer_forget_places(php_ratelimit_enforcer *enforcer);

/* Frees the cached functions. */
void php_ratelimit_enforcer_forget(php_ratelimit_enforcer *enforcer);

/* Does the same, and forgets the calls of resolvers, at the end of a request. */
void php_ratelimit_enforcer_clear(php_ratelimit_enforcer *enforcer);

#endif
