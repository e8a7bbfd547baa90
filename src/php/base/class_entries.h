/* Declares the class entries of ratelimit.stub.php. src/php/module registers the classes. */
#ifndef PHP_RATELIMIT_CLASS_ENTRIES_H
#define PHP_RATELIMIT_CLASS_ENTRIES_H

#include "php.h"

extern zend_class_entry *php_ratelimit_ce_access_limit;
extern zend_class_entry *php_ratelimit_ce_concurrency_limit;
extern zend_class_entry *php_ratelimit_ce_limit;
extern zend_class_entry *php_ratelimit_ce_limiter;
extern zend_class_entry *php_ratelimit_ce_limiter_interface;
extern zend_class_entry *php_ratelimit_ce_period;
extern zend_class_entry *php_ratelimit_ce_permit;
extern zend_class_entry *php_ratelimit_ce_rate_limit;
extern zend_class_entry *php_ratelimit_ce_reason;
extern zend_class_entry *php_ratelimit_ce_result;
extern zend_class_entry *php_ratelimit_ce_limit_exceeded;
extern zend_class_entry *php_ratelimit_ce_login_required;
extern zend_class_entry *php_ratelimit_ce_invalid_argument;
extern zend_class_entry *php_ratelimit_ce_store_exception;

#endif
