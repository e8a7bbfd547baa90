/* Makes the compiler put a call of AccessLimit::enforce() in front of every body whose function has #[AccessLimit]. A
 * function without it is compiled as ever. */
#ifndef PHP_RATELIMIT_ATTRIBUTE_HOOK_H
#define PHP_RATELIMIT_ATTRIBUTE_HOOK_H

#include "php.h"

/* The declarations that got their call, by their file and the lines they begin and end with. Of several files, because while
 * one is compiled, a handler of the compiler's warnings may include another. */
typedef struct {
	struct {
		zend_ulong file; /* hash of its name */
		uint32_t begin;
		uint32_t end;
	} * lines;
	size_t used;
	size_t room;
} php_ratelimit_enforced_lines;

/* At module start-up, when ratelimit.attributes is on; and at its shut-down. */
void php_ratelimit_attribute_hook_startup(void);
void php_ratelimit_attribute_hook_shutdown(void);

/* Between the two. */
bool php_ratelimit_attribute_hook_is_on(void);

/* Has the declaration in these lines of the file being compiled got its call? */
bool php_ratelimit_is_enforced(uint32_t begin, uint32_t end);

void php_ratelimit_enforced_lines_begin_request(php_ratelimit_enforced_lines *lines);

/* At the end of a thread. */
void php_ratelimit_enforced_lines_free(php_ratelimit_enforced_lines *lines);

#endif
