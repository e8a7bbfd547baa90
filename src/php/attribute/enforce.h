/* src/php/attribute: The attributes: read, compiled into calls, enforced.
 *
 * Decides calls of functions with #[AccessLimit], #[ConcurrencyLimit] and #[RateLimit], and throws on a refusal. */
#ifndef PHP_RATELIMIT_ENFORCE_H
#define PHP_RATELIMIT_ENFORCE_H

#include "php.h"

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

#endif
