/* Reports, at a request's end, a #[AccessLimit], #[ConcurrencyLimit] or #[RateLimit] whose name resolves to another class: without "use
 * FrequencyLimit\AccessLimit;" it limits nothing. It reports no class of the application that exists, or that its autoloader finds.
 * `ratelimit check` finds them before. */
#ifndef PHP_RATELIMIT_UNRESOLVED_ATTRIBUTE_H
#define PHP_RATELIMIT_UNRESOLVED_ATTRIBUTE_H

#include "php.h"

#include "access_rule.h"

typedef struct {
	zend_string *file;
	zend_string *name; /* of the class that the attribute means */
	uint32_t line;
	php_ratelimit_attribute attribute; /* of ours that it was perhaps meant as */
} php_ratelimit_unresolved_attribute;

/* The state of a thread, from RINIT to RSHUTDOWN: the attributes to check, one at most of each class and compiled file. */
typedef struct php_ratelimit_unresolved {
	php_ratelimit_unresolved_attribute *pending;
	uint32_t n;
} php_ratelimit_unresolved;

/* Checks the attributes, at RSHUTDOWN. It may run user code. */
void php_ratelimit_unresolved_end(void);

/* Keeps an attribute of the file that PHP compiles, because the compiler cannot load a class. Takes the reference to the name. */
void php_ratelimit_unresolved_add(php_ratelimit_attribute attribute, zend_string *name, uint32_t line);

#endif
