/* What the call in front of an attributed body does: decide, and throw when the answer is no. */
#ifndef PHP_RATELIMIT_ENFORCE_H
#define PHP_RATELIMIT_ENFORCE_H

#include "php.h"

#include "result.h"

#define PHP_RATELIMIT_ENFORCED_ROOM 64 /* a power of two: functions whose limits a thread has at hand */

typedef struct _php_ratelimit_enforced php_ratelimit_enforced;

/* A thread's, for the length of a request. */
typedef struct {
	php_ratelimit_enforced *functions[PHP_RATELIMIT_ENFORCED_ROOM]; /* by a hash of what they are, or NULL */
	unsigned asking;                                                /* calls of resolvers that have not returned */
} php_ratelimit_enforcer;

/* Decides a call of the user function that this frame runs, by its attributes; a function without them passes. Throws
 * LimitExceeded or LoginRequired when it may not go on, and what else goes wrong. */
void php_ratelimit_enforce(const zend_execute_data *frame);

/* Makes a Result of the latest decision of this request; false when there has been none. */
bool php_ratelimit_enforce_last(zval *result);

/* Forgets what a request has left that called functions when it had been cleared: a session handler's do. It is freed. */
void php_ratelimit_enforcer_begin_request(php_ratelimit_enforcer *enforcer);

/* At the end of a request. */
void php_ratelimit_enforcer_clear(php_ratelimit_enforcer *enforcer);

#endif
