/* What the web server says about the request that is being served. An application's changes to $_SERVER do not count. */
#ifndef PHP_RATELIMIT_REQUEST_H
#define PHP_RATELIMIT_REQUEST_H

#include "php.h"

/* A variable as $_SERVER had it when the request came in, a new reference; NULL when there is none, or no request (the
 * command line, whose $_SERVER is its environment). */
zend_string *php_ratelimit_request_variable(const char *name, size_t length);

/* The request's path, written in one way only, a new string; NULL when there is no request. See docs/http.md for what
 * is one path: whatever a client may write differently and a web server or a router may take for the same is. */
zend_string *php_ratelimit_request_path(void);

#endif
