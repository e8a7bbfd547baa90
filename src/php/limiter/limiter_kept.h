/* Keeps the limiters that the requests of a thread construct again and again. */
#ifndef PHP_RATELIMIT_LIMITER_KEPT_H
#define PHP_RATELIMIT_LIMITER_KEPT_H

#include "php.h"
#include "src/compiler.h"

typedef struct php_ratelimit_limiter php_ratelimit_limiter;

/* A limiter that the constructor made. */
typedef struct {
	uint64_t tag;                   /* a hash of what it was made of */
	php_ratelimit_limiter *limiter; /* a reference; NULL: made once, or empty */
} php_ratelimit_kept_limiter;

#define PHP_RATELIMIT_KEPT_SETS 16

/* The limiters that a thread's requests construct again and again, in sets by the upper bits of their tags. The
 * first of a set was used last. */
typedef struct php_ratelimit_kept_limiters {
	php_ratelimit_kept_limiter sets[PHP_RATELIMIT_KEPT_SETS][2];
} php_ratelimit_kept_limiters;

void php_ratelimit_kept_limiters_free(php_ratelimit_kept_limiters *kept);

/* Returns what all objects with this name and this one limit share, a reference; NULL: the thread keeps none. The
 * second call with the same name and limit makes and keeps one. */
RL_HOT php_ratelimit_limiter *php_ratelimit_limiter_kept(zend_string *name, zend_object *limit);

#endif
