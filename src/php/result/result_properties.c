/* Makes the properties of a Result when they are read: most calls read accepted alone, which each Result has. */
#include "php_ratelimit.h"

#include "../base/class_entries.h"
#include "result.h"

static void set_seconds_of(zval *property, int64_t us)
{
	ZVAL_DOUBLE(property, (double) us / 1e6);
}

/* Makes the list of all limits, each with what it has left where that is known. */
static void make_limits(zend_object *object, zval *limits)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);
	unsigned n = php_ratelimit_result_n_limits(result);

	if (n == 0) {
		ZVAL_EMPTY_ARRAY(limits);
		return;
	}
	array_init_size(limits, n);
	for (unsigned i = 0; i < n; i++) {
		const php_ratelimit_policy *policy = php_ratelimit_result_policy(result, i);
		php_ratelimit_left left = {0};
		bool is_known = php_ratelimit_result_left(result, i, &left);
		zval limit, value;

		array_init_size(&limit, 6);
		ZVAL_NULL(&value);
		if (policy->name) {
			ZVAL_STR_COPY(&value, policy->name);
		}
		add_assoc_zval(&limit, "name", &value);
		add_assoc_long(&limit, "limit", (zend_long) policy->limit);
		ZVAL_NULL(&value);
		if (is_known) {
			ZVAL_LONG(&value, (zend_long) left.remaining);
		}
		add_assoc_zval(&limit, "remaining", &value);
		if (is_known) {
			set_seconds_of(&value, left.reset_after_us);
		}
		add_assoc_zval(&limit, "resetAfter", &value);
		add_assoc_string(&limit, "unit", php_ratelimit_policy_unit(policy));
		set_seconds_of(&value, policy->window_us);
		add_assoc_zval(&limit, "window", &value);
		add_next_index_zval(limits, &limit);
	}
	php_ratelimit_result_owns_property(object);
}

/* Makes one property, unless there is one. */
static void make_property(zend_object *object, unsigned n)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);
	zval *p = OBJ_PROP_NUM(object, n);
	bool never = result->decision.retry_after_us == RL_NEVER;

	if (!Z_ISUNDEF_P(p) || !result->decision.exists) {
		return;
	}
	ZVAL_NULL(p);
	switch (n) {
		case PHP_RATELIMIT_RESULT_REASON:
			ZVAL_OBJ_COPY(p, php_ratelimit_reason_case(result->decision.reason));
			break;
		case PHP_RATELIMIT_RESULT_LIMIT:
			ZVAL_LONG(p, (zend_long) result->policy.limit);
			break;
		case PHP_RATELIMIT_RESULT_REMAINING:
			ZVAL_LONG(p, (zend_long) result->decision.remaining);
			break;
		case PHP_RATELIMIT_RESULT_RETRY_AFTER:
			if (!never) {
				set_seconds_of(p, result->decision.accepted ? 0 : result->decision.retry_after_us);
			}
			break;
		case PHP_RATELIMIT_RESULT_RESET_AFTER:
			set_seconds_of(p, result->decision.reset_after_us);
			break;
		case PHP_RATELIMIT_RESULT_NEXT_AFTER:
			if (!never) {
				set_seconds_of(p, result->decision.retry_after_us);
			}
			break;
		case PHP_RATELIMIT_RESULT_NAME:
			/* The reference is the property's own: code can write a readonly property by a detour. */
			if (result->policy.name) {
				ZVAL_STR_COPY(p, result->policy.name);
			}
			break;
		case PHP_RATELIMIT_RESULT_STORE:
			ZVAL_INTERNED_STR(p, php_ratelimit_source_name(result->decision.source));
			break;
		case PHP_RATELIMIT_RESULT_GRANTED:
			ZVAL_LONG(p, (zend_long) result->granted);
			break;
		case PHP_RATELIMIT_RESULT_WAIT:
			set_seconds_of(p, result->more ? result->more->wait_us : 0);
			break;
		case PHP_RATELIMIT_RESULT_LEVEL:
			ZVAL_LONG(p, result->decision.level);
			break;
		case PHP_RATELIMIT_RESULT_LIMITS:
			make_limits(object, p);
			break;
		default: /* a Result without a shadow */
			break;
	}
}

static void make_properties(zend_object *object)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_RESULT_PROPERTIES; i++) {
		make_property(object, i);
	}
}

/* Of accepted. */
static zend_property_info *accepted_info;

/* Reads accepted at a place that has read no Result yet: most code reads it first, and a request's first read is cheaper without
 * a search for the name. The place keeps the property, as after zend_std_read_property(). Returns NULL for another property. */
static zend_always_inline zval *read_accepted(zend_object *object, const zend_string *name, void **cache_slot)
{
	zval *property = OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_ACCEPTED);

	if (!zend_string_equals_literal(name, "accepted") || Z_ISUNDEF_P(property)) {
		return NULL;
	}
	if (cache_slot) {
		CACHE_POLYMORPHIC_PTR_EX(cache_slot, object->ce, (void *) (uintptr_t) accepted_info->offset);
		CACHE_PTR_EX(cache_slot + 2, accepted_info);
	}
	return property;
}

static zend_never_inline void make_named(zend_object *object, zend_string *name)
{
	const zend_property_info *info = zend_hash_find_ptr(&object->ce->properties_info, name);

	if (info) {
		make_property(object, OBJ_PROP_TO_NUM(info->offset));
	}
}

static zend_always_inline bool is_known_place(const zend_object *object, void **cache_slot)
{
	return EXPECTED(cache_slot && CACHED_PTR_EX(cache_slot) == object->ce);
}

/* Makes the property at a place that has read a Result before, so that it costs no more than one. Returns NULL if the place reads
 * no property of the class. */
static zend_always_inline zval *make_known(zend_object *object, void **cache_slot)
{
	uintptr_t offset = (uintptr_t) CACHED_PTR_EX(cache_slot + 1);

	if (UNEXPECTED(!IS_VALID_PROPERTY_OFFSET(offset))) {
		return NULL;
	}
	make_property(object, OBJ_PROP_TO_NUM(offset));
	return OBJ_PROP(object, offset);
}

static zval *result_read_property(zend_object *object, zend_string *name, int type, void **cache_slot, zval *rv)
{
	zval *property = NULL;

	if (is_known_place(object, cache_slot)) {
		property = make_known(object, cache_slot);
	} else if (type == BP_VAR_R && (property = read_accepted(object, name, cache_slot)) != NULL) {
		return property;
	} else {
		make_named(object, name);
	}
	if (EXPECTED(property && type == BP_VAR_R && !Z_ISUNDEF_P(property))) {
		return property;
	}
	return zend_std_read_property(object, name, type, cache_slot, rv);
}

static int result_has_property(zend_object *object, zend_string *name, int check_empty, void **cache_slot)
{
	if (is_known_place(object, cache_slot)) {
		make_known(object, cache_slot);
	} else {
		make_named(object, name);
	}
	return zend_std_has_property(object, name, check_empty, cache_slot);
}

static int result_compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	if (Z_OBJCE_P(a) == Z_OBJCE_P(b)) {
		make_properties(Z_OBJ_P(a));
		make_properties(Z_OBJ_P(b));
	}
	return zend_std_compare_objects(a, b);
}

/* As a bool, a Result has the value of accepted: false as well if no decision made it. */
static zend_result result_cast(zend_object *object, zval *value, int type)
{
	if (type != _IS_BOOL) {
		return zend_std_cast_object_tostring(object, value, type);
	}
	ZVAL_BOOL(value, Z_TYPE_P(OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_ACCEPTED)) == IS_TRUE);
	php_ratelimit_warn_of_bool("Result", "->accepted");
	return SUCCESS;
}

void php_ratelimit_result_set_handlers(php_ratelimit_lazy_handlers *handlers)
{
	php_ratelimit_lazy_handlers_init(handlers, make_properties);
	accepted_info = zend_hash_str_find_ptr(&php_ratelimit_ce_result->properties_info, ZEND_STRL("accepted"));
	handlers->of_object.cast_object = result_cast;
	handlers->of_object.compare = result_compare;
	handlers->of_object.read_property = result_read_property;
	handlers->of_object.has_property = result_has_property;
}
