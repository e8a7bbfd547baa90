/* Detects whether a process on the command line serves requests, although it has not called Request::begin(). */
#ifndef PHP_RATELIMIT_SERVER_PROCESS_H
#define PHP_RATELIMIT_SERVER_PROCESS_H

#include "php.h"

/* Checks the request that the application has put into $_SERVER: a second one that differs from the first makes the
 * process a server. Every call that would use the resolver or the client's address runs it. It is cheap until code
 * writes $_SERVER. */
void php_ratelimit_look_at_server_variables(void);

/* Checks for the class of a known HTTP server, and for a coroutine of Swoole. It is too slow for every call: only identifyBy() and
 * the first call of a limited function run it. */
void php_ratelimit_look_for_server(void);

#endif
