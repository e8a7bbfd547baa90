/* The INI settings' handlers: each takes a good value into the globals, and refuses a bad one with a warning that says
 * why; the setting then keeps its old value. */
#ifndef PHP_RATELIMIT_INI_H
#define PHP_RATELIMIT_INI_H

#include "php.h"
#include "php_ini.h"

ZEND_INI_MH(php_ratelimit_on_store);
ZEND_INI_MH(php_ratelimit_on_prefix);
ZEND_INI_MH(php_ratelimit_on_shm_size);
ZEND_INI_MH(php_ratelimit_on_shm_path);
ZEND_INI_MH(php_ratelimit_on_connect_timeout);
ZEND_INI_MH(php_ratelimit_on_timeout);
ZEND_INI_MH(php_ratelimit_on_spin);
ZEND_INI_MH(php_ratelimit_on_retry_delay);
ZEND_INI_MH(php_ratelimit_on_deny_cache);
ZEND_INI_MH(php_ratelimit_on_on_failure);
ZEND_INI_MH(php_ratelimit_on_testing);
ZEND_INI_MH(php_ratelimit_on_attributes);
ZEND_INI_MH(php_ratelimit_on_ipv6_prefix);
ZEND_INI_MH(php_ratelimit_on_trusted_proxies);

/* Shows a DSN without its password. */
ZEND_INI_DISP(php_ratelimit_display_store);

const char *php_ratelimit_on_failure_name(void);

/* What comes, by the default of ratelimit.on_failure, of a decision that there is no memory for: "is refused", "passes" … */
const char *php_ratelimit_without_memory(void);

#endif
