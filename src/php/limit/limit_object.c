#include "limit_object.h"

#include "../base/class_entries.h"
#include "../base/optional_string.h"

static php_ratelimit_lazy_handlers handlers;

php_ratelimit_limit *php_ratelimit_limit_of(zend_object *object)
{
	php_ratelimit_limit *data = php_ratelimit_limit_data(object);

	if (EXPECTED(data->limit.algorithm)) {
		return data;
	}
	zend_throw_error(NULL, "The FrequencyLimit\\Limit is empty: make it by a factory method, as Limit::fixedWindow()");
	return NULL;
}

/* Makes an object with cleared data. Its properties are made when they are read (limit_export.c). */
static zend_always_inline zend_object *limit_object_make(zend_class_entry *ce)
{
	php_ratelimit_limit_object *made = emalloc(sizeof(*made) + (PHP_RATELIMIT_LIMIT_PROPERTIES - 1) * sizeof(zval));

	memset(&made->data, 0, sizeof(made->data));
	zend_object_std_init(&made->std, ce);
	object_properties_init(&made->std, ce);
	GC_ADD_FLAGS(&made->std, GC_NOT_COLLECTABLE);
	made->std.handlers = &handlers.of_object;
	return &made->std;
}

static RL_HOT zend_object *limit_create(zend_class_entry *ce)
{
	return limit_object_make(ce);
}

void php_ratelimit_limit_change_references(const php_ratelimit_limit *data, bool add)
{
	zend_string *strings[] = {data->name, data->by, data->unit, data->zone, data->steps};

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		if (add) {
			(void) php_ratelimit_string_copy(strings[i]);
		} else {
			php_ratelimit_string_release(strings[i]);
		}
	}
}

/* The copy gets properties of its own when one of them is read. */
static zend_object *copy(zend_object *old)
{
	zend_object *new = limit_object_make(old->ce);
	php_ratelimit_limit *data = php_ratelimit_limit_data(new);

	*data = *php_ratelimit_limit_data(old);
	php_ratelimit_limit_addref(data);
	return new;
}

static RL_HOT void limit_release(zend_object *object)
{
	php_ratelimit_limit_delref(php_ratelimit_limit_data(object));
	if (UNEXPECTED(object->properties || (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED)
			|| !Z_ISUNDEF(object->properties_table[0]))) {
		zend_object_std_dtor(object);
	}
}

void php_ratelimit_limit_startup(void (*set)(php_ratelimit_lazy_handlers *handlers))
{
	set(&handlers);
	handlers.of_object.offset = offsetof(php_ratelimit_limit_object, std);
	handlers.of_object.free_obj = limit_release;
	handlers.of_object.clone_obj = copy;
	php_ratelimit_ce_limit->create_object = limit_create;
}

zend_object *php_ratelimit_limit_new(const php_ratelimit_limit *data)
{
	zend_object *object = limit_create(php_ratelimit_ce_limit);

	*php_ratelimit_limit_data(object) = *data;
	return object;
}

php_ratelimit_limit *php_ratelimit_limit_make(zval *return_value, rl_algorithm algorithm, zend_long limit)
{
	php_ratelimit_limit *data;

	ZVAL_OBJ(return_value, limit_object_make(php_ratelimit_ce_limit));
	data = php_ratelimit_limit_data(Z_OBJ_P(return_value));
	data->limit.algorithm = algorithm;
	data->limit.limit = (uint64_t) limit;
	return data;
}

php_ratelimit_limit *php_ratelimit_limit_copy(zval *return_value, zval *this)
{
	if (!php_ratelimit_limit_of(Z_OBJ_P(this))) {
		return NULL;
	}
	RETVAL_OBJ(copy(Z_OBJ_P(this)));
	return php_ratelimit_limit_data(Z_OBJ_P(return_value));
}

void php_ratelimit_limit_set_steps(php_ratelimit_limit *data, const rl_ban_steps *steps)
{
	data->steps = zend_string_init((const char *) steps, sizeof(*steps), false);
	data->limit.steps = (const rl_ban_steps *) (const void *) ZSTR_VAL(data->steps);
}

int64_t php_ratelimit_limit_window_us(const rl_limit *limit)
{
	switch (limit->algorithm) {
		case RL_CALENDAR_WINDOW:
			return limit->boundary[1] - limit->boundary[0];
		case RL_TOKEN_BUCKET:
			return MAX((int64_t) ((double) limit->period_us / limit->rate * limit->limit), 1);
		case RL_CONCURRENT:
			return 0;
		default:
			return limit->period_us;
	}
}
