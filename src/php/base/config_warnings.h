/* Keeps the configuration mistakes of this process: refused settings, an unusable segment file. stats(), phpinfo(),
 * ratelimit.php and bin/ratelimit show these texts for as long as the process lives. */
#ifndef PHP_RATELIMIT_CONFIG_WARNINGS_H
#define PHP_RATELIMIT_CONFIG_WARNINGS_H

#include "php.h"

#define PHP_RATELIMIT_CONFIG_WARNINGS_MAX 16

/* Raises an E_CORE_WARNING and keeps its text. For module start-up. */
ZEND_COLD void php_ratelimit_config_warning(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);

/* Keeps a text. Returns false if the text is known already, or if there are PHP_RATELIMIT_CONFIG_WARNINGS_MAX texts.
 * Every thread may call it. */
ZEND_COLD bool php_ratelimit_config_warning_keep(const char *text);

/* Returns the kept text of that number, counted from 0; NULL when there are no more. */
const char *php_ratelimit_config_warning_at(unsigned i);

/* Frees all texts, at module shutdown. */
void php_ratelimit_config_warnings_free(void);

#endif
