
#include "../base/class_entries.h"
#include "../limit/limit_object.h"
#include "limiter_object.h"
#include "../base/store_config.h"
#include "../base/optional_string.h"

static void add_limits(zval *property, const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits && !limiter->storeless; i++) {
		php_ratelimit_limit limit = limiter->limits[i];

		php_ratelimit_limit_addref(&limit);
		add_next_index_object(property, php_ratelimit_limit_new(&limit));
	}
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		php_ratelimit_limit none = {.limit = {.algorithm = PHP_RATELIMIT_NONE, .limit = RL_LIMIT_MAX}};

		none.name = php_ratelimit_string_copy(limiter->nones[i].name);
		none.by = php_ratelimit_string_copy(limiter->nones[i].by);
		add_next_index_object(property, php_ratelimit_limit_new(&none));
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
	/* PHP reallocates a string with one reference by its own allocator. */
	ZVAL_STR(&p[PHP_RATELIMIT_LIMITER_NAME],
		limiter->is_kept ? zend_string_dup(limiter->name, false) : zend_string_copy(limiter->name));
	array_init_size(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter->question.n_limits);
	add_limits(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter);
	if (limiter->shadow) {
		add_limits(&p[PHP_RATELIMIT_LIMITER_LIMITS], limiter->shadow);
	}
	if (limiter->store) { /* var_dump() shows the property */
		ZVAL_STR(&p[PHP_RATELIMIT_LIMITER_STORE], php_ratelimit_masked_dsn(limiter->store));
	}
}

static bool same_limits(const php_ratelimit_limiter *a, const php_ratelimit_limiter *b)
{
	bool same = a->question.n_limits == b->question.n_limits && a->n_nones == b->n_nones
		&& a->storeless == b->storeless;

	for (unsigned i = 0; same && i < a->n_nones; i++) {
		same = php_ratelimit_string_equals(a->nones[i].name, b->nones[i].name)
			&& php_ratelimit_string_equals(a->nones[i].by, b->nones[i].by);
	}
	for (unsigned i = 0; same && i < a->question.n_limits && !a->storeless; i++) {
		same = php_ratelimit_limit_equals(&a->limits[i], &b->limits[i]);
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
			&& php_ratelimit_string_equals(a->store, b->store) && same_limits(a, b) && !a->shadow == !b->shadow
			&& (!a->shadow || same_limits(a->shadow, b->shadow))
		? 0
		: ZEND_UNCOMPARABLE;
}

void php_ratelimit_limiter_set_handlers(php_ratelimit_lazy_handlers *handlers)
{
	php_ratelimit_lazy_handlers_init(handlers, limiter_need_properties);
	handlers->of_object.compare = limiter_compare;
}
