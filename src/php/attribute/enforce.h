/* src/php/attribute: The attributes: read, compiled into calls, enforced.
 *
 * Decides calls of functions with #[AccessLimit] and #[ConcurrencyLimit], and throws on a refusal. */
#ifndef PHP_RATELIMIT_ENFORCE_H
#define PHP_RATELIMIT_ENFORCE_H

#include "php.h"

/* Decides a call of the user function that this frame runs, by its attributes. A function without them passes. Sets permit to
 * the Permit of a function with a ConcurrencyLimit, which holds its place; NULL: the caller wants none, and the place comes
 * free at once. Throws LimitExceeded or LoginRequired on a refusal, and InvalidArgument or StoreException on an error. */
void php_ratelimit_enforce(const zend_execute_data *frame, zval *permit);

#endif
