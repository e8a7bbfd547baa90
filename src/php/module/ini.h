/* src/php/module: The module: settings, classes, and the static methods with doHandle().
 *
 * The INI settings. Each handler copies a good value into the globals. It refuses a bad one with a warning that names the
 * setting, the reason and the value that is used instead. */
#ifndef PHP_RATELIMIT_INI_H
#define PHP_RATELIMIT_INI_H

#include "php.h"

/* Registers the settings, at module start-up. Warns of names in php.ini that are no settings, and of an empty prefix on
 * Redis. */
void php_ratelimit_ini_startup(int type, int module_number);

/* Returns the word of ratelimit.on_failure: "local", "allow", "deny" or "throw". */
const char *php_ratelimit_on_failure_name(void);

/* Returns a sentence without its full stop: the result of calls for which there is no memory, by
 * ratelimit.on_failure. */
const char *php_ratelimit_without_memory(void);

#endif
