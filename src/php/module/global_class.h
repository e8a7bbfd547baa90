/* Registers the global class FrequencyLimit, or leaves its name to the application (ratelimit.global_class=0), and explains
 * the error of an application that declares a class of that name itself. */
#ifndef PHP_RATELIMIT_GLOBAL_CLASS_H
#define PHP_RATELIMIT_GLOBAL_CLASS_H

#include "php.h"

/* Gives the class its second name FrequencyLimit\FrequencyLimit, or that name alone. Code that works with either setting uses
 * the second name. */
void php_ratelimit_global_class_startup(zend_class_entry *ce, bool global);

#endif
