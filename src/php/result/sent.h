/* Declares the decisions that Result::send() has sent in a request, so that later ones add to them. */
#ifndef PHP_RATELIMIT_SENT_H
#define PHP_RATELIMIT_SENT_H

#include "php.h"

typedef struct {
	HashTable *policies; /* parts of RateLimit-Policy, by the name of the limit; NULL: nothing has been sent */
	HashTable *states;   /* parts of RateLimit */
	zend_string *line;   /* the line of RateLimit-Policy, as it was sent */
	int64_t retry_after_s;
	bool problem; /* problem details have been sent */
} php_ratelimit_sent;

#endif
