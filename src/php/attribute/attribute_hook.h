/* Inserts a call of AccessLimit::enforce() before the body of each function that has #[AccessLimit], of
 * ConcurrencyLimit::enforce() where it has #[ConcurrencyLimit], or of RateLimit::enforce() where it or its class has #[RateLimit]. PHP
 * compiles any other function as without the extension. */
#ifndef PHP_RATELIMIT_ATTRIBUTE_HOOK_H
#define PHP_RATELIMIT_ATTRIBUTE_HOOK_H

#include "php.h"

/* The declarations that have their call, by file, first and last line. They belong to several files, because a handler
 * of the compiler's warnings may include a file during the compilation of another. */
typedef struct php_ratelimit_enforced_lines {
	struct {
		zend_ulong file; /* hash of its name */
		uint32_t begin;
		uint32_t end;
	} * lines;
	size_t used;
	size_t room;
} php_ratelimit_enforced_lines;

/* Installs and removes the hook: at module start-up, when ratelimit.attributes is on, and at module shut-down. */
void php_ratelimit_attribute_hook_startup(void);
void php_ratelimit_attribute_hook_shutdown(void);

/* Returns whether the hook is installed. */
bool php_ratelimit_attribute_hook_is_on(void);

/* Returns whether a class with the attribute limits a method: a public one that it declares itself, and none that PHP calls. */
static inline bool php_ratelimit_is_limited_name(const zend_string *name)
{
	return strncmp(ZSTR_VAL(name), "__", 2) != 0 || zend_string_equals_literal_ci(name, "__invoke");
}

static inline bool php_ratelimit_is_limited_member(const zend_op_array *method)
{
	bool is_closure = (method->fn_flags & (ZEND_ACC_CLOSURE | ZEND_ACC_FAKE_CLOSURE)) == ZEND_ACC_CLOSURE;

	return !is_closure && (method->fn_flags & (ZEND_ACC_PUBLIC | ZEND_ACC_TRAIT_CLONE)) == ZEND_ACC_PUBLIC
		&& php_ratelimit_is_limited_name(method->function_name);
}

/* Returns whether the declaration in these lines of the file being compiled has its call. */
bool php_ratelimit_is_enforced(uint32_t begin, uint32_t end);

/* Frees the memory, at the end of a thread. */
void php_ratelimit_enforced_lines_free(php_ratelimit_enforced_lines *lines);

#endif
