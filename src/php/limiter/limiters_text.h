/* Parses the text of the file of named limiters. docs/operations.md has the format. */
#ifndef PHP_RATELIMIT_LIMITERS_TEXT_H
#define PHP_RATELIMIT_LIMITERS_TEXT_H

#include "limiters_file.h"

/* Adds the limiters of a text to a table: name => php_ratelimit_named with one reference. The text has a NUL behind it. Returns
 * false with a reason, which begins with the number of its line, if the text has a mistake; the table then has the limiters before
 * it. */
bool php_ratelimit_limiters_parse(const char *text, size_t length, HashTable *limiters, char *reason, size_t size);

/* Returns the one string of these bytes that this thread keeps. It looks interned, so nothing counts references to it. */
zend_string *php_ratelimit_limiters_string(const char *bytes, size_t length);

#endif
