/* Begins an object without reading its class, which costs the first one of a request some cache lines. */
#ifndef PHP_RATELIMIT_OBJECT_BEGIN_H
#define PHP_RATELIMIT_OBJECT_BEGIN_H

#include "php.h"

/* Initializes an object as zend_object_std_init() does, which reads the class for __get() and its like: ours have none. The object
 * refers to none that refers to others, so that the collector of cycles ignores it. */
static zend_always_inline void php_ratelimit_object_begin(zend_object *object, zend_class_entry *ce,
	const zend_object_handlers *handlers)
{
#if PHP_VERSION_ID < 80400
	GC_SET_REFCOUNT(object, 1);
	GC_TYPE_INFO(object) = GC_OBJECT | GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT;
	object->ce = ce;
	object->properties = NULL;
	zend_objects_store_put(object);
#else
	zend_object_std_init(object, ce);
	GC_ADD_FLAGS(object, GC_NOT_COLLECTABLE);
#endif
	object->handlers = handlers;
}

/* Marks properties as uninitialized. Each is one store of a register: the compiler would read a pair of constants from memory. */
static zend_always_inline void php_ratelimit_object_clear(zend_object *object, unsigned properties)
{
	uint64_t uninitialized = (uint64_t) IS_PROP_UNINIT << 32 | IS_UNDEF;

	__asm__("" : "+r"(uninitialized)); /* stays in a register */

	for (unsigned i = 0; i < properties; i++) {
		memcpy(&object->properties_table[i].u1, &uninitialized, sizeof(uninitialized));
	}
}

#endif
