/* FrequencyLimit\Limit, as Limiter needs it. Its with-methods copy: no Limit changes once PHP has seen it. */
#ifndef PHP_RATELIMIT_LIMIT_OBJECT_H
#define PHP_RATELIMIT_LIMIT_OBJECT_H

#include "php.h"

#include "src/core/limit.h"

/* A calendar window's boundaries and a ban until a clock's boundary are left open: they depend on when is asked. */
typedef struct {
	rl_limit limit;
	zend_string *name;    /* or NULL */
	zend_string *zone;    /* of the window and of the ban's boundary, or NULL when there is neither */
	rl_period ban_period; /* the ban lasts until this period's next boundary; 0: it does not */
} php_ratelimit_limit;

php_ratelimit_limit *php_ratelimit_limit_of(zend_object *object);

#endif
