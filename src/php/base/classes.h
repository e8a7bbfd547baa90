/* Declares the class entries of ratelimit.stub.php. Each class is implemented in the file of its name. */
#ifndef PHP_RATELIMIT_CLASSES_H
#define PHP_RATELIMIT_CLASSES_H

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

/* Lists an object's values for the collector of cycles, once each, as a handler get_gc. It makes no property. */
HashTable *php_ratelimit_object_gc(zend_object *object, zval **table, int *n);

/* Registers all classes, at module start-up. */
void php_ratelimit_classes_startup(void);

/* Set the object handlers of one class each; called by php_ratelimit_classes_startup(). */
void php_ratelimit_limit_startup(void);
void php_ratelimit_limiter_startup(void);
void php_ratelimit_permit_startup(void);
void php_ratelimit_result_startup(void);

#endif
