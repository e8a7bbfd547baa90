/* Declares the permits of a thread's request, which end with it. */
#ifndef PHP_RATELIMIT_PERMIT_LIST_H
#define PHP_RATELIMIT_PERMIT_LIST_H

#include <stdint.h>

typedef struct php_ratelimit_permit php_ratelimit_permit;

typedef struct {
	php_ratelimit_permit *first; /* the latest permit that has not ended; NULL: none */
	uint64_t number;             /* of the latest permit, 48 bits; 0: none */
	unsigned generation;         /* the process that counts the numbers, by its forks */
} php_ratelimit_permits;

/* Empties the list at the begin of a request. It frees nothing: the memory of an earlier request is freed already. */
void php_ratelimit_permits_begin_request(php_ratelimit_permits *permits);

/* Ends all permits of the list at the end of a request: also after exit, a fatal error or a timeout, and where their objects
 * are in a cycle. */
void php_ratelimit_permits_end_request(php_ratelimit_permits *permits);

#endif
