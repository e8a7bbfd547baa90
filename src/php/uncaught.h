/* Answers a web request whose LimitExceeded or LoginRequired no code has caught: with 429 or 401 in place of PHP's fatal
 * error, which is a 500 and several lines in the log for each refused request. */
#ifndef PHP_RATELIMIT_UNCAUGHT_H
#define PHP_RATELIMIT_UNCAUGHT_H

#include "php.h"

/* A thread's, from RINIT to RSHUTDOWN: the exception of ours that was last written as a string. */
typedef struct {
	zend_string *text;   /* what __toString() returned; NULL: none */
	zend_object *result; /* of a LimitExceeded: its Result; NULL: it is a LoginRequired */
} php_ratelimit_uncaught;

/* At module start-up and shut-down. */
void php_ratelimit_uncaught_startup(void);
void php_ratelimit_uncaught_shutdown(void);

/* At RINIT and RSHUTDOWN. The former frees nothing: what code after the last RSHUTDOWN has left is freed already. */
void php_ratelimit_uncaught_init(void);
void php_ratelimit_uncaught_clear(void);

#endif
