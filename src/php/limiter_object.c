#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "classes.h"
#include "limiter_export.h"
#include "store_config.h"

static zend_object_handlers handlers;

static zend_object *limiter_create(zend_class_entry *ce)
{
	php_ratelimit_limiter *limiter = zend_object_alloc(sizeof(*limiter), ce);

	memset(limiter, 0, XtOffsetOf(php_ratelimit_limiter, question.limits));
	zend_object_std_init(&limiter->std, ce);
	object_properties_init(&limiter->std, ce);
	limiter->std.handlers = &handlers;
	return &limiter->std;
}

static void limiter_release(zend_object *object)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(object);

	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name) {
			zend_string_release(limiter->limits[i].name);
		}
		if (limiter->limits[i].zone) {
			zend_string_release(limiter->limits[i].zone);
		}
		if (limiter->limits[i].by) {
			zend_string_release(limiter->limits[i].by);
		}
		if (limiter->limits[i].steps) {
			zend_string_release(limiter->limits[i].steps);
		}
	}
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		zend_string_release(limiter->label_names[i]);
	}
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		if (limiter->nones[i].name) {
			zend_string_release(limiter->nones[i].name);
		}
		if (limiter->nones[i].by) {
			zend_string_release(limiter->nones[i].by);
		}
	}
	if (limiter->store) {
		zend_string_release(limiter->store);
	}
	if (limiter->shadow) {
		OBJ_RELEASE(&limiter->shadow->std);
		limiter->shadow = NULL;
	}
	if (limiter->named) {
		php_ratelimit_named_release(limiter->named);
		limiter->named = NULL;
	}
	if (limiter->name) {
		zend_string_release(limiter->name);
		limiter->name = NULL; /* while a request's objects are freed, a permit may outlive it */
	}
	zend_object_std_dtor(object);
}

php_ratelimit_limiter *php_ratelimit_limiter_make(void)
{
	return php_ratelimit_limiter_of(limiter_create(php_ratelimit_ce_limiter));
}

php_ratelimit_limiter *php_ratelimit_limiter_new(const char *name, size_t length, const rl_question *q)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make();

	limiter->name = zend_string_init(name, length, false);
	memcpy(&limiter->question, q, XtOffsetOf(rl_question, limits) + q->n_limits * sizeof(*q->limits));
	for (unsigned i = 0; i < q->n_limits; i++) {
		limiter->limits[i] = (php_ratelimit_limit){.limit = q->limits[i]};
		limiter->has_concurrent |= q->limits[i].algorithm == RL_CONCURRENT;
	}
	return limiter;
}

void php_ratelimit_limiter_make_storeless(php_ratelimit_limiter *limiter, int64_t limit, int64_t window_us,
	zend_string *name)
{
	limiter->limits[0] = (php_ratelimit_limit){.name = name ? zend_string_copy(name) : NULL};
	limiter->question.n_limits = 1;
	limiter->question.limits[0] = (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = limit, .period_us = window_us};
	limiter->guard = (rl_guard){.store = rl_shm_store()};
	limiter->own_store = true;
	limiter->storeless = true;
	limiter->needs_now = true;
}

php_ratelimit_limiter *php_ratelimit_limiter_storeless(int64_t limit, int64_t window_us, zend_string *name)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make();

	limiter->name = zend_string_init(ZEND_STRL("Permit::of()"), false);
	php_ratelimit_limiter_make_storeless(limiter, limit, window_us, name);
	return limiter;
}

bool php_ratelimit_limiter_take_over(php_ratelimit_limiter *limiter, php_ratelimit_limiter *other)
{
	bool is_empty = !limiter->question.n_limits;

	if (is_empty) {
		memcpy(limiter, other, XtOffsetOf(php_ratelimit_limiter, std));
		memset(other, 0, XtOffsetOf(php_ratelimit_limiter, std));
	} else {
		zend_throw_error(NULL, "A FrequencyLimit\\Limiter cannot be constructed twice: make a new one");
	}
	OBJ_RELEASE(&other->std);
	return is_empty;
}

const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter)
{
	const rl_guard *general = php_ratelimit_guard(); /* applies changed settings, which hold for all stores */

	bool has_policy = limiter->named && limiter->named->has_policy;

	if (EXPECTED(!limiter->own_store && !has_policy)) {
		return general;
	}
	if (limiter->own_store) {
		php_ratelimit_guard_set(&limiter->guard);
	} else {
		limiter->guard = *general;
	}
	if (has_policy) {
		limiter->guard.on_failure = limiter->named->on_failure;
	}
	return &limiter->guard;
}

void php_ratelimit_limiter_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(php_ratelimit_limiter, std);
	handlers.free_obj = limiter_release;
	handlers.clone_obj = NULL;
	php_ratelimit_limiter_set_handlers(&handlers);
	php_ratelimit_ce_limiter->create_object = limiter_create;
}
