/* Converts a Limiter to properties and exported arrays, and back. */
#ifndef PHP_RATELIMIT_LIMITER_EXPORT_H
#define PHP_RATELIMIT_LIMITER_EXPORT_H

#include "php.h"

/* Sets the handlers that compare, export and fill in the properties. */
void php_ratelimit_limiter_set_handlers(zend_object_handlers *handlers);

#endif
