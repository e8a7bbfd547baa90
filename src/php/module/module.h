/* src/php/module: The module: settings, classes, and the static methods with doHandle().
 *
 * The INI settings. Each handler copies a good value into the globals. It refuses a bad one with a warning that names the
 * setting, the reason and the value that is used instead. */
#ifndef PHP_RATELIMIT_MODULE_H
#define PHP_RATELIMIT_MODULE_H

#include "php.h"

/* Registers the settings, at module start-up. Warns of names in php.ini that are no settings, and of an empty prefix on
 * Redis. */
void php_ratelimit_ini_startup(int type, int module_number);

/* Returns the word of ratelimit.on_failure: "local", "allow", "deny" or "throw". */
const char *php_ratelimit_on_failure_name(void);

/* Returns a sentence without its full stop: the result of calls for which there is no memory, by
 * ratelimit.on_failure. */
const char *php_ratelimit_without_memory(void);

/* ---- Registers the classes of ratelimit.stub.php ---- */

/* Registers all classes, and sets the handlers of their objects, at module start-up. */
void php_ratelimit_classes_startup(void);

/* Registers the global class FrequencyLimit, or leaves its name to the application (ratelimit.global_class=0), and
 * explains the error of an application that declares a class of that name itself. */

/* Gives the class its second name FrequencyLimit\FrequencyLimit, or that name alone. Code that works with either setting uses
 * the second name. */
void php_ratelimit_global_class_startup(zend_class_entry *ce, bool global);

/* ---- Declares the check of ratelimit.testing, for what tests alone may do ---- */

/* Checks that ratelimit.testing is on. Returns false with a StoreException thrown, which begins with the refused action. */
bool php_ratelimit_check_testing(const char *refused);

#endif
