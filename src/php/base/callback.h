/* Keeps a function of the application, and calls it: the resolver of a request, the listener. */
#ifndef PHP_RATELIMIT_CALLBACK_H
#define PHP_RATELIMIT_CALLBACK_H

#include "php.h"

/* Zeroed, it is none. */
typedef struct {
	zval closure;                /* IS_UNDEF: none */
	zend_fcall_info_cache cache; /* how it is called; valid as long as the Closure lives */
} php_ratelimit_callback;

static zend_always_inline bool php_ratelimit_callback_exists(const php_ratelimit_callback *callback)
{
	return !Z_ISUNDEF(callback->closure);
}

/* Makes a callback of a parsed argument, with a reference; none of null. Runs in the method that has the argument: in another
 * scope PHP cannot call a private method. Returns false with an exception thrown. */
bool php_ratelimit_callback_init(php_ratelimit_callback *callback, zend_fcall_info *given,
	const zend_fcall_info_cache *cache);

/* Replaces a callback; takes over the reference. It releases the old one last: a destructor may set another one. */
void php_ratelimit_callback_set(php_ratelimit_callback *callback, const php_ratelimit_callback *with);

/* Calls the function. It holds the Closure meanwhile, because the function may set another one. */
void php_ratelimit_callback_call(const php_ratelimit_callback *callback, zval *returned, zval *arguments, uint32_t n);

#endif
