/* Makes a request's first decision wait less for memory: what it reads and runs has left the caches since the last request. */
#ifndef PHP_RATELIMIT_FIRST_DECISION_H
#define PHP_RATELIMIT_FIRST_DECISION_H

#include "php.h"

#include "src/compiler.h"

/* The methods of Limiter that are found without a search in the class. */
typedef enum {
	PHP_RATELIMIT_ALLOW,
	PHP_RATELIMIT_CONSUME,
	PHP_RATELIMIT_METHODS, /* their number */
} php_ratelimit_method;

/* Those methods, as this thread has found them. Zeroed at first. */
typedef struct {
	const zend_string *names[PHP_RATELIMIT_METHODS]; /* of the class's table; NULL: not found yet */
	zend_function *functions[PHP_RATELIMIT_METHODS];
	bool expects; /* a decision of this request is expected: what it needs is in the caches, or on its way */
} php_ratelimit_methods;

/* Finds a method by the address of its name in lower case, which is one string in the whole process: the handler of Limiter. PHP's
 * search in the class touches more cache lines, once in each request. */
RL_FIRST_PAGE(04)
zend_function *php_ratelimit_limiter_get_method(zend_object **object, zend_string *method, const zval *key);

/* Fetches into the caches what each decision of a limiter reads, and what allow() runs. A call of it pays where other work comes
 * before the decision. */
RL_FIRST_PAGE(01) void php_ratelimit_expect_decision(void);

/* Does so, and for the code that constructs a limiter with one limit. */
RL_FIRST_PAGE(14) void php_ratelimit_expect_construction(void);

#endif
