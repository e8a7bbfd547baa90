/* What the web server says about the request that is being served. An application's changes to $_SERVER do not count. */
#ifndef PHP_RATELIMIT_REQUEST_H
#define PHP_RATELIMIT_REQUEST_H

#include "php.h"

/* A variable as $_SERVER had it when the request came in, a new reference; NULL when there is none, or no request (the
 * command line, whose $_SERVER is its environment). */
zend_string *php_ratelimit_request_variable(const char *name, size_t length);

/* Returns a new string: the path of a URI in its canonical form. docs/http.md has what is one path: spellings that a
 * client may vary, and that a web server or a router may take for the same. */
zend_string *php_ratelimit_canonical_path(const zend_string *uri);

/* Returns a new string: the canonical path of the request that PHP serves, where "/page.php/more" is "/page.php". NULL
 * when there is no request. */
zend_string *php_ratelimit_request_path(void);

#endif
