/* Copies, releases and compares strings that may be missing. */
#ifndef PHP_RATELIMIT_OPTIONAL_STRING_H
#define PHP_RATELIMIT_OPTIONAL_STRING_H

#include "php.h"

/* Returns a reference; NULL of NULL. */
static zend_always_inline zend_string *php_ratelimit_string_copy(zend_string *string)
{
	return string ? zend_string_copy(string) : NULL;
}

static zend_always_inline void php_ratelimit_string_release(zend_string *string)
{
	if (string) {
		zend_string_release(string);
	}
}

/* Returns whether both are missing, or have the same bytes. */
static zend_always_inline bool php_ratelimit_string_equals(const zend_string *a, const zend_string *b)
{
	return a && b ? zend_string_equals(a, b) : a == b;
}

#endif
