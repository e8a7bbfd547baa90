/* Converts a Limit to and from text, properties and exported arrays. The grammar is in src/core/limit/limit_text.h. */
#ifndef PHP_RATELIMIT_LIMIT_EXPORT_H
#define PHP_RATELIMIT_LIMIT_EXPORT_H

#include "limit_object.h"
#include "src/core/limit/limit_text.h"

/* Completes a limit that was read from a text: checks the rest of its bounds, and resolves its time zone, PHP's default
 * one if it names none. Returns false with the reason, in so many bytes. The caller owns the references in data. */
bool php_ratelimit_limit_from_text(const rl_limit_text *text, php_ratelimit_limit *data, char *reason, size_t size);

/* Returns the text of a limit, a new string. */
zend_string *php_ratelimit_limit_to_text(const php_ratelimit_limit *data);

/* Reads a text and completes it; throws an InvalidArgument that has the text and the reason. */
bool php_ratelimit_limit_parse(const zend_string *text, php_ratelimit_limit *data);

/* Sets the handlers that compare, export and fill in the properties. */
void php_ratelimit_limit_set_handlers(zend_object_handlers *handlers);

/* Sets a property to a duration in seconds: an int if it is whole, otherwise a float. */
void php_ratelimit_set_seconds(zval *property, int64_t us);

#endif
