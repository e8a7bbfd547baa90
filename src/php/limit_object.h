/* Declares FrequencyLimit\Limit for Limiter. A Limit never changes: its with-methods return changed copies. */
#ifndef PHP_RATELIMIT_LIMIT_OBJECT_H
#define PHP_RATELIMIT_LIMIT_OBJECT_H

#include "php.h"

#include "src/core/limit.h"

/* A Limit. Each question fills in the boundaries of a calendar window, and of a ban until a clock's boundary. */
typedef struct {
	rl_limit limit;       /* algorithm 0: the object was made without a factory method, as PDO does */
	zend_string *name;    /* or NULL */
	zend_string *by;      /* the label of its identity, or NULL */
	zend_string *zone;    /* time zone of the window and of the ban's boundary; NULL when there is neither */
	rl_period ban_period; /* the ban lasts until this period's next boundary; 0: it has no such boundary */
} php_ratelimit_limit;

/* Returns the data of a Limit; NULL with an Error thrown, if no factory method has made it. */
php_ratelimit_limit *php_ratelimit_limit_of(zend_object *object);

/* Checks the name of a limit: 1 to 64 bytes of printable ASCII. argument: its name in messages. Returns false with an
 * InvalidArgument thrown. */
bool php_ratelimit_limit_check_name(const char *argument, const zend_string *name);

#endif
