/* Declares the check of ratelimit.testing, for what tests alone may do. */
#ifndef PHP_RATELIMIT_TESTING_H
#define PHP_RATELIMIT_TESTING_H

#include "php.h"

/* Checks that ratelimit.testing is on. Returns false with a StoreException thrown, which begins with the refused action. */
bool php_ratelimit_check_testing(const char *refused);

#endif
