/* Declares FrequencyLimit\AccessLimit, the attribute. */
#ifndef PHP_RATELIMIT_ACCESS_LIMIT_H
#define PHP_RATELIMIT_ACCESS_LIMIT_H

#include "php.h"

/* Makes the class an attribute of functions and methods. */
void php_ratelimit_access_limit_startup(zend_class_entry *ce);

#endif
