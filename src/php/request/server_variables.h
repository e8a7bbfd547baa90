/* Reads the request that PHP serves, as the web server has passed it. An application's changes to $_SERVER have no
 * effect. */
#ifndef PHP_RATELIMIT_SERVER_VARIABLES_H
#define PHP_RATELIMIT_SERVER_VARIABLES_H

#include "php.h"

#include "src/compiler.h"

/* The sources of php-fpm's variables, as a thread has found them. Zeroed at first. */
typedef struct php_ratelimit_sources {
	bool are_known;
	const zend_auto_global *server; /* whether $_SERVER is built; NULL: not in php-fpm */
	const zend_ini_entry *filter;   /* filter.default of ext/filter, or NULL */
} php_ratelimit_sources;

/* Returns a new reference: a variable of $_SERVER as it was at the begin of the request. Returns NULL if it is not set,
 * or if PHP serves no request (the command line, whose $_SERVER is its environment). */
zend_string *php_ratelimit_request_variable(const char *name, size_t length);

/* Returns a new reference: the path of a URI in its canonical form. It unites the spellings that a client may vary, and
 * that a web server or a router may treat as one path. docs/http.md lists them. */
zend_string *php_ratelimit_canonical_path(zend_string *uri);

/* Returns a new reference: the canonical path of the request that PHP serves, where "/page.php/more" is "/page.php". NULL
 * when there is no request. */
zend_string *php_ratelimit_request_path(void);

#endif
