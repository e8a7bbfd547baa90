#include "limiter_export.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "limit_export.h"
#include "limiter_object.h"
#include "store_config.h"

/* ---- var_export() and serialize() ---- */

static void add_texts(zval *texts, const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		add_next_index_str(texts, php_ratelimit_limit_to_text(&limiter->limits[i]));
	}
}

/* Returns the array that var_export() and serialize() write: the name, the texts of the limits, the store; of a limiter of the
 * file its name alone. */
static HashTable *limiter_to_array(const php_ratelimit_limiter *limiter)
{
	HashTable *array = zend_new_array(3);
	zval name, limits, store;

	ZVAL_STR_COPY(&name, limiter->name);
	if (limiter->named) {
		zend_hash_str_add_new(array, ZEND_STRL("named"), &name);
		return array;
	}
	array_init_size(&limits, limiter->question.n_limits);
	add_texts(&limits, limiter);
	if (limiter->shadow) {
		add_texts(&limits, limiter->shadow);
	}
	ZVAL_NULL(&store);
	if (limiter->store) {
		ZVAL_STR_COPY(&store, limiter->store);
	}
	zend_hash_str_add_new(array, ZEND_STRL("name"), &name);
	zend_hash_str_add_new(array, ZEND_STRL("limits"), &limits);
	zend_hash_str_add_new(array, ZEND_STRL("store"), &store);
	return array;
}

/* Makes the Limits of an exported array of texts. */
static bool limits_of_texts(const zval *texts, zval *limits)
{
	zval *text;

	array_init(limits);
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(texts), text) {
		php_ratelimit_limit data;

		ZVAL_DEREF(text);
		if (Z_TYPE_P(text) != IS_STRING) {
			php_ratelimit_invalid("the array of a FrequencyLimit\\Limiter must have texts under 'limits', %s given",
				zend_zval_type_name(text));
			return false;
		}
		if (!php_ratelimit_limit_parse(Z_STR_P(text), &data)) {
			return false;
		}
		add_next_index_object(limits, php_ratelimit_limit_new(&data));
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

/* Returns the limiter of the file that an exported array names. */
static php_ratelimit_limiter *limiter_from_named(HashTable *array)
{
	zend_string *name = php_ratelimit_exported_text(array, "named", "Limiter");
	php_ratelimit_named *named = name ? php_ratelimit_named_find(name) : NULL;

	if (name && !named) {
		php_ratelimit_limiter_not_named(name);
	}
	return named ? php_ratelimit_limiter_of_named(named) : NULL;
}

static bool limiter_from_array(zend_object *object, HashTable *array)
{
	zend_string *name = php_ratelimit_exported_text(array, "name", "Limiter");
	zval *texts = zend_hash_str_find_deref(array, ZEND_STRL("limits"));
	zval *store = zend_hash_str_find_deref(array, ZEND_STRL("store"));
	zval limits;
	bool made;

	if (!name) {
		return false;
	}
	if (!texts || Z_TYPE_P(texts) != IS_ARRAY
		|| (store && Z_TYPE_P(store) != IS_NULL && Z_TYPE_P(store) != IS_STRING)) {
		php_ratelimit_invalid(
			"the array of a FrequencyLimit\\Limiter must have texts under 'limits', and a string or null "
			"under 'store'");
		return false;
	}
	made = limits_of_texts(texts, &limits)
		&& php_ratelimit_limiter_init(object, name, &limits,
			store && Z_TYPE_P(store) == IS_STRING ? Z_STR_P(store) : NULL);
	zval_ptr_dtor(&limits);
	return made;
}

ZEND_METHOD(FrequencyLimit_Limiter, __set_state)
{
	HashTable *array;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(array)
	ZEND_PARSE_PARAMETERS_END();

	if (zend_hash_str_exists(array, ZEND_STRL("named"))) {
		php_ratelimit_limiter *limiter = limiter_from_named(array);

		if (!limiter) {
			RETURN_THROWS();
		}
		php_ratelimit_limiter_to_object(return_value, limiter);
		return;
	}
	object_init_ex(return_value, php_ratelimit_ce_limiter);
	if (!limiter_from_array(Z_OBJ_P(return_value), array)) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
		RETURN_THROWS();
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, __serialize)
{
	const php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_NONE();
	if (!limiter->name) {
		zend_throw_error(NULL, "The FrequencyLimit\\Limiter is empty: its constructor has not been called");
		RETURN_THROWS();
	}
	RETURN_ARR(limiter_to_array(limiter));
}

ZEND_METHOD(FrequencyLimit_Limiter, __unserialize)
{
	HashTable *array;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(array)
	ZEND_PARSE_PARAMETERS_END();

	if (zend_hash_str_exists(array, ZEND_STRL("named"))) {
		php_ratelimit_limiter *limiter = limiter_from_named(array);

		if (!limiter || !php_ratelimit_limiter_set(Z_OBJ_P(ZEND_THIS), limiter)) {
			RETURN_THROWS();
		}
		return;
	}
	if (!limiter_from_array(Z_OBJ_P(ZEND_THIS), array)) {
		RETURN_THROWS();
	}
}

/* ---- Properties ---- */

static void add_limits(zval *property, const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		php_ratelimit_limit limit = limiter->limits[i];

		if (limit.name) {
			zend_string_addref(limit.name);
		}
		if (limit.zone) {
			zend_string_addref(limit.zone);
		}
		if (limit.by) {
			zend_string_addref(limit.by);
		}
		if (limit.steps) {
			zend_string_addref(limit.steps);
		}
		add_next_index_object(property, php_ratelimit_limit_new(&limit));
	}
}

/* The password is masked, because var_dump() shows the property. */
static void set_store(zval *property, const zend_string *dsn)
{
	char masked[512];

	if (dsn && php_ratelimit_is_embedded_dsn(dsn)) {
		ZVAL_STRING(property, "shm:");
	} else if (dsn) {
		rl_redis_dsn_mask(ZSTR_VAL(dsn), ZSTR_LEN(dsn), masked, sizeof(masked));
		ZVAL_STRING(property, masked);
	}
}

/* Fills in the properties, unless they are, or the constructor has not run. */
static void limiter_need_properties(zend_object *object)
{
	const php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(object);
	zval *p = object->properties_table;

	if (!Z_ISUNDEF(p[PHP_RATELIMIT_LIMITER_NAME]) || !limiter->name) {
		return;
	}
	for (unsigned i = 0; i < PHP_RATELIMIT_LIMITER_PROPERTIES; i++) {
		Z_PROP_FLAG_P(&p[i]) = 0;
		ZVAL_NULL(&p[i]);
	}
	ZVAL_STR_COPY(&p[PHP_RATELIMIT_LIMITER_NAME], limiter->name);
	array_init_size(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter->question.n_limits);
	add_limits(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter);
	if (limiter->shadow) {
		add_limits(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter->shadow);
	}
	set_store(&p[PHP_RATELIMIT_LIMITER_STORE], limiter->store);
}

static zval *limiter_read_property(zend_object *object, zend_string *name, int type, void **cache_slot, zval *rv)
{
	limiter_need_properties(object);
	return zend_std_read_property(object, name, type, cache_slot, rv);
}

static zval *limiter_write_property(zend_object *object, zend_string *name, zval *value, void **cache_slot)
{
	limiter_need_properties(object);
	return zend_std_write_property(object, name, value, cache_slot);
}

static zval *limiter_get_property_ptr_ptr(zend_object *object, zend_string *name, int type, void **cache_slot)
{
	limiter_need_properties(object);
	return zend_std_get_property_ptr_ptr(object, name, type, cache_slot);
}

static int limiter_has_property(zend_object *object, zend_string *name, int check_empty, void **cache_slot)
{
	limiter_need_properties(object);
	return zend_std_has_property(object, name, check_empty, cache_slot);
}

static void limiter_unset_property(zend_object *object, zend_string *name, void **cache_slot)
{
	limiter_need_properties(object);
	zend_std_unset_property(object, name, cache_slot);
}

static HashTable *limiter_get_properties(zend_object *object)
{
	limiter_need_properties(object);
	return zend_std_get_properties(object);
}

static HashTable *limiter_get_properties_for(zend_object *object, zend_prop_purpose purpose)
{
	const php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(object);

	return purpose == ZEND_PROP_PURPOSE_VAR_EXPORT && limiter->name ? limiter_to_array(limiter)
																	: zend_std_get_properties_for(object, purpose);
}

static bool same_limits(const php_ratelimit_limiter *a, const php_ratelimit_limiter *b)
{
	bool same = a->question.n_limits == b->question.n_limits;

	for (unsigned i = 0; same && i < a->question.n_limits; i++) {
		zend_string *first = php_ratelimit_limit_to_text(&a->limits[i]);
		zend_string *second = php_ratelimit_limit_to_text(&b->limits[i]);

		same = zend_string_equals(first, second);
		zend_string_release(first);
		zend_string_release(second);
	}
	return same;
}

static int limiter_compare(zval *left, zval *right)
{
	const php_ratelimit_limiter *a, *b;

	ZEND_COMPARE_OBJECTS_FALLBACK(left, right);
	if (Z_OBJCE_P(left) != Z_OBJCE_P(right)) {
		return ZEND_UNCOMPARABLE;
	}
	a = php_ratelimit_limiter_of(Z_OBJ_P(left));
	b = php_ratelimit_limiter_of(Z_OBJ_P(right));
	return a->name && b->name && zend_string_equals(a->name, b->name) && !a->named == !b->named
			&& !a->store == !b->store && (!a->store || zend_string_equals(a->store, b->store)) && same_limits(a, b)
			&& !a->shadow == !b->shadow && (!a->shadow || same_limits(a->shadow, b->shadow))
		? 0
		: ZEND_UNCOMPARABLE;
}

void php_ratelimit_limiter_set_handlers(zend_object_handlers *handlers)
{
	handlers->compare = limiter_compare;
	handlers->read_property = limiter_read_property;
	handlers->write_property = limiter_write_property;
	handlers->get_property_ptr_ptr = limiter_get_property_ptr_ptr;
	handlers->has_property = limiter_has_property;
	handlers->unset_property = limiter_unset_property;
	handlers->get_properties = limiter_get_properties;
	handlers->get_properties_for = limiter_get_properties_for;
	handlers->get_gc = php_ratelimit_object_gc;
}
