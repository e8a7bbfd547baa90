/* Declares FrequencyLimit\AccessLimit, an attribute, and what it has in common with ConcurrencyLimit. */
#ifndef PHP_RATELIMIT_ACCESS_LIMIT_H
#define PHP_RATELIMIT_ACCESS_LIMIT_H

#include "php.h"

#include "access_rule.h"

/* Makes a class an attribute of functions and methods, whose arguments the compiler checks. flags: further ones. */
void php_ratelimit_attribute_startup(zend_class_entry *ce, uint32_t flags);

/* Checks the arguments of a constructor and sets values, by PHP_RATELIMIT_ARG_*; they borrow. Returns false with an
 * InvalidArgument thrown. */
bool php_ratelimit_attribute_check(php_ratelimit_attribute attribute, zval *values, zval *seconds, zend_long number,
	bool need_login, zend_string *action);

#endif
