/* Fills in the properties of a Limiter when they are read, and compares limiters. */
#ifndef PHP_RATELIMIT_LIMITER_PROPERTIES_H
#define PHP_RATELIMIT_LIMITER_PROPERTIES_H

#include "php.h"

/* Sets the handlers of both. */
void php_ratelimit_limiter_set_handlers(zend_object_handlers *handlers);

#endif
