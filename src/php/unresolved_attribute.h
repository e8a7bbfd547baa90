/* Reports a #[AccessLimit] that is another class by its name: without "use FrequencyLimit\AccessLimit;" it limits nothing.
 * A class of the application that exists, or that its autoloader finds, is meant. */
#ifndef PHP_RATELIMIT_UNRESOLVED_ATTRIBUTE_H
#define PHP_RATELIMIT_UNRESOLVED_ATTRIBUTE_H

#include "php.h"

/* A thread's, from RINIT to RSHUTDOWN: the attributes to check, one of each compiled file. */
typedef struct {
	struct {
		zend_string *file;
		zend_string *name; /* of the class that the attribute means */
		uint32_t line;
	} * pending;
	uint32_t n;
} php_ratelimit_unresolved;

/* At module start-up and shut-down. */
void php_ratelimit_unresolved_startup(void);
void php_ratelimit_unresolved_shutdown(void);

/* At RINIT and RSHUTDOWN. The latter checks what is left, and may run user code. The former frees nothing: what code after the last RSHUTDOWN has left is freed already. */
void php_ratelimit_unresolved_init(void);
void php_ratelimit_unresolved_end(void);

/* Notes an attribute of the file that is compiled. The compiler cannot load a class: it is checked when PHP next runs code,
 * has an autoloader and is not using it, or else at the end of the request. Takes the reference to the name. */
void php_ratelimit_unresolved_add(zend_string *name, uint32_t line);

/* To be called for each file that was compiled. */
void php_ratelimit_unresolved_compiled(void);

#endif
