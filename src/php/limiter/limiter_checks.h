/* Checks whether a limiter can do what a method asks of it. A function that returns false has thrown an InvalidArgument. */
#ifndef PHP_RATELIMIT_LIMITER_CHECKS_H
#define PHP_RATELIMIT_LIMITER_CHECKS_H

#include "limiter_object.h"

/* Checks that no limit is a concurrent one, whose places only acquire() takes. method: for the message. */
bool php_ratelimit_has_no_places(const php_ratelimit_limiter *limiter, const char *method);

/* Checks that the limits share one identity. given: an argument or a method that needs it. */
bool php_ratelimit_has_one_label(const php_ratelimit_limiter *limiter, const char *given);

/* Sets the question's share to leave, and the part of the cost that is enough. */
bool php_ratelimit_set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null);

static zend_always_inline bool php_ratelimit_set_share(php_ratelimit_limiter *limiter, zend_long leave,
	zend_long at_least, bool at_least_is_null)
{
	return EXPECTED(leave == 0 && at_least_is_null)
		|| php_ratelimit_set_given_share(limiter, leave, at_least, at_least_is_null);
}

#endif
