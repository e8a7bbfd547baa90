/* Answers a web request whose LimitExceeded or LoginRequired no code has caught: with 429 or 401. PHP's own fatal error
 * is a 500 and several lines in the log for each refused request. */
#ifndef PHP_RATELIMIT_UNCAUGHT_H
#define PHP_RATELIMIT_UNCAUGHT_H

#include "php.h"

/* The state of a thread, from RINIT to RSHUTDOWN: the exception of ours that PHP last converted to a string. */
typedef struct php_ratelimit_uncaught {
	zend_string *text;   /* the text that __toString() returned; NULL: none */
	zend_object *result; /* of a LimitExceeded: its Result; NULL: it is a LoginRequired */
} php_ratelimit_uncaught;

/* Run at module start-up and shut-down. */
void php_ratelimit_uncaught_startup(void);
void php_ratelimit_uncaught_shutdown(void);

/* Runs at RSHUTDOWN. */
void php_ratelimit_uncaught_clear(void);

#endif
