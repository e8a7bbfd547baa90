/* The first use of the segment in a process: before it, the process may still choose which one it uses. */
#ifndef PHP_RATELIMIT_FIRST_USE_H
#define PHP_RATELIMIT_FIRST_USE_H

#include "php.h"

/* The value of ratelimit.shm_path for memory of this process and its children alone. PHP reads "none" in an INI file as "". */
#define PHP_RATELIMIT_PRIVATE "private"

/* Chooses the segment of this process, at the first call: that of its user, unless a setting or a test run has one of its own.
 * Warns if the user's cannot be had. */
ZEND_COLD void php_ratelimit_first_use(void);

#endif
