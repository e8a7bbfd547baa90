/* Keeps the path and the client of the request that PHP serves, as long as PHP's own $_SERVER is the same array. request.h and
 * client_address.h define both. */
#ifndef PHP_RATELIMIT_SERVED_REQUEST_H
#define PHP_RATELIMIT_SERVED_REQUEST_H

#include "php.h"

#include "php_globals.h"

#define PHP_RATELIMIT_CLIENT_BYTES 60 /* "ip:" and an address of client_address.h */

/* An array's address is the array as long as it has a reference. An application's write to $_SERVER makes another array of it, which
 * PHP does not take for its own. */
typedef struct {
	HashTable *server; /* the array; NULL: PHP had not built it */
	uint64_t version;  /* of what was kept with this array; 0: none was asked for */
	bool has_path;
	zend_string *path;     /* or NULL */
	uint8_t client_length; /* 0: the client is not known yet */
	char client[PHP_RATELIMIT_CLIENT_BYTES];
} php_ratelimit_served_request;

/* Runs at the end of a request. */
void php_ratelimit_served_clear(php_ratelimit_served_request *served);

/* Returns PHP's own $_SERVER, borrowed; NULL: it is not built. */
static zend_always_inline HashTable *php_ratelimit_server_array(void)
{
	const zval *server = &PG(http_globals)[TRACK_VARS_SERVER];

	return EXPECTED(Z_TYPE_P(server) == IS_ARRAY) ? Z_ARR_P(server) : NULL;
}

/* Returns a number that no other state of this thread has had in this request of PHP. It changes with the path and the client. */
uint64_t php_ratelimit_served_version(php_ratelimit_served_request *served);

/* Returns whether this is the version, without a look at anything but the array. */
static zend_always_inline bool php_ratelimit_served_is(const php_ratelimit_served_request *served, uint64_t version)
{
	return served->version == version && served->server == php_ratelimit_server_array();
}

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
