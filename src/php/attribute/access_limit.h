/* Declares FrequencyLimit\AccessLimit, an attribute, and what the attributes have in common. */
#ifndef PHP_RATELIMIT_ACCESS_LIMIT_H
#define PHP_RATELIMIT_ACCESS_LIMIT_H

#include "php.h"

#include "access_rule.h"

/* Makes a class an attribute of functions and methods, whose arguments the compiler checks. flags: further ones. */
void php_ratelimit_attribute_startup(zend_class_entry *ce, uint32_t flags);

/* Checks the arguments of a constructor, by PHP_RATELIMIT_ARG_*. Returns false with an InvalidArgument thrown. */
bool php_ratelimit_attribute_check(php_ratelimit_attribute attribute, const zval *values);

/* Sets the values of AccessLimit or ConcurrencyLimit, which borrow, and checks them. */
bool php_ratelimit_limit_check(php_ratelimit_attribute attribute, zval *values, zval *seconds, zend_long number,
	bool need_login, zend_string *action);

#endif
