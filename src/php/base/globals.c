/* Defines the variables of the module: its globals, and the entries of its classes. */
#include "php_ratelimit.h"

#include "class_entries.h"

ZEND_DECLARE_MODULE_GLOBALS(ratelimit)

zend_class_entry *php_ratelimit_ce_access_limit;
zend_class_entry *php_ratelimit_ce_concurrency_limit;
zend_class_entry *php_ratelimit_ce_limit;
zend_class_entry *php_ratelimit_ce_limiter;
zend_class_entry *php_ratelimit_ce_limiter_interface;
zend_class_entry *php_ratelimit_ce_period;
zend_class_entry *php_ratelimit_ce_permit;
zend_class_entry *php_ratelimit_ce_rate_limit;
zend_class_entry *php_ratelimit_ce_reason;
zend_class_entry *php_ratelimit_ce_result;
zend_class_entry *php_ratelimit_ce_limit_exceeded;
zend_class_entry *php_ratelimit_ce_login_required;
zend_class_entry *php_ratelimit_ce_invalid_argument;
zend_class_entry *php_ratelimit_ce_store_exception;

void php_ratelimit_config_changed(void)
{
	RATELIMIT_G(config_applied) = false;
	RATELIMIT_G(embedded) = false;
	RATELIMIT_G(fast_path_aes) = false;
	RATELIMIT_G(has_deny_cache) = false;
}
