/* Lets an object make its properties when they are first used: one without readers pays nothing for them. */
#ifndef PHP_RATELIMIT_LAZY_PROPERTIES_H
#define PHP_RATELIMIT_LAZY_PROPERTIES_H

#include "php.h"

/* The handlers of a class whose objects do so. */
typedef struct {
	zend_object_handlers of_object; /* first: an object has this address */
	void (*make)(zend_object *object);
} php_ratelimit_lazy_handlers;

/* Sets the standard handlers, and those of properties and of the collector of cycles. make: makes the properties that the object
 * has not; each handler of properties calls it first. */
void php_ratelimit_lazy_handlers_init(php_ratelimit_lazy_handlers *handlers, void (*make)(zend_object *object));

#endif
