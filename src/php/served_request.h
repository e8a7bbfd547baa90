/* Keeps the path and the client of the request that PHP serves, as long as the variables that they are made of stay the same.
 * request.h and client_address.h define both. */
#ifndef PHP_RATELIMIT_SERVED_REQUEST_H
#define PHP_RATELIMIT_SERVED_REQUEST_H

#include "php.h"

#define PHP_RATELIMIT_CLIENT_BYTES 60 /* "ip:" and an address of client_address.h */

/* References to the strings of the variables; NULL: not set, or $_SERVER is not built yet. A string's address is the string as
 * long as it has a reference. */
typedef struct {
	bool has_path;
	zend_string *uri;
	zend_string *script;
	zend_string *path;     /* or NULL */
	uint8_t client_length; /* 0: the client is not known yet */
	char client[PHP_RATELIMIT_CLIENT_BYTES];
	zend_string *remote;
	zend_string *forwarded_for;
} php_ratelimit_served_request;

/* Run at module start-up, and at the end of a request. */
void php_ratelimit_served_startup(void);
void php_ratelimit_served_clear(php_ratelimit_served_request *served);

/* Returns the canonical path of the request, borrowed until the next call; NULL: there is none. */
zend_string *php_ratelimit_served_path(php_ratelimit_served_request *served);

/* Returns "ip:" and the client's address, borrowed until the next call, and its length. */
const char *php_ratelimit_served_client(php_ratelimit_served_request *served, size_t *length);

/* Forgets the client: a setting that it depends on has changed. */
static inline void php_ratelimit_served_forget_client(php_ratelimit_served_request *served)
{
	served->client_length = 0;
}

#endif
