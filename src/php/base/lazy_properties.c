#include "lazy_properties.h"

static void make(zend_object *object)
{
	((const php_ratelimit_lazy_handlers *) object->handlers)->make(object);
}

static zval *read_property(zend_object *object, zend_string *name, int type, void **cache_slot, zval *rv)
{
	make(object);
	return zend_std_read_property(object, name, type, cache_slot, rv);
}

static zval *write_property(zend_object *object, zend_string *name, zval *value, void **cache_slot)
{
	make(object);
	return zend_std_write_property(object, name, value, cache_slot);
}

static zval *get_property_ptr_ptr(zend_object *object, zend_string *name, int type, void **cache_slot)
{
	make(object);
	return zend_std_get_property_ptr_ptr(object, name, type, cache_slot);
}

static int has_property(zend_object *object, zend_string *name, int check_empty, void **cache_slot)
{
	make(object);
	return zend_std_has_property(object, name, check_empty, cache_slot);
}

static void unset_property(zend_object *object, zend_string *name, void **cache_slot)
{
	make(object);
	zend_std_unset_property(object, name, cache_slot);
}

static HashTable *get_properties(zend_object *object)
{
	make(object);
	return zend_std_get_properties(object);
}

/* A table of properties refers to each slot: with the slots beside it, the collector would count every value twice. */
static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
	*table = object->properties ? NULL : object->properties_table;
	*n = object->properties ? 0 : object->ce->default_properties_count;
	return object->properties;
}

void php_ratelimit_lazy_handlers_init(php_ratelimit_lazy_handlers *handlers,
	void (*make_properties)(zend_object *object))
{
	zend_object_handlers *h = &handlers->of_object;

	memcpy(h, &std_object_handlers, sizeof(*h));
	h->read_property = read_property;
	h->write_property = write_property;
	h->get_property_ptr_ptr = get_property_ptr_ptr;
	h->has_property = has_property;
	h->unset_property = unset_property;
	h->get_properties = get_properties;
	h->get_gc = get_gc;
	handlers->make = make_properties;
}
