#include "permit_object.h"

#include "zend_exceptions.h"

#include "../base/class_entries.h"
#include "../result/result.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/limiter_fast.h"
#include "../base/store_config.h"
#include "../base/lazy_properties.h"
#include "../base/numbers.h"
#include "../base/optional_string.h"

static php_ratelimit_lazy_handlers handlers;

php_ratelimit_permit *php_ratelimit_permit_live(zval *this)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(Z_OBJ_P(this));

	return permit->live && permit->generation == php_ratelimit_generation() ? permit : NULL;
}

/* Ends a permit of which no method has done so. */
static void permit_end(php_ratelimit_permit *permit)
{
	php_ratelimit_permit_close(permit);
	if (permit->generation == php_ratelimit_generation()) {
		php_ratelimit_permit_give_back(permit);
	}
}

void php_ratelimit_permits_end_request(void)
{
	while (RATELIMIT_G(permits)) {
		permit_end(RATELIMIT_G(permits));
	}
}

/* ---- Acquire ---- */

/* Copies the keys of several labels, and their identities. */
static void permit_copy_keys(php_ratelimit_permit *permit, const rl_key *keys)
{
	unsigned n = permit->limiter->n_labels;

	permit->keys = safe_emalloc(n, sizeof(*permit->keys), 0);
	permit->ids = safe_emalloc(n, sizeof(*permit->ids), 0);
	memcpy(permit->keys, keys, n * sizeof(*keys));
	for (unsigned i = 0; i < n; i++) {
		permit->ids[i] = keys[i].is_int ? NULL : zend_string_init(keys[i].id, keys[i].id_len, false);
		permit->keys[i].id = permit->ids[i] ? ZSTR_VAL(permit->ids[i]) : NULL;
	}
}

static void permit_free_keys(php_ratelimit_permit *permit)
{
	for (unsigned i = 0; i < permit->limiter->n_labels; i++) {
		php_ratelimit_string_release(permit->ids[i]);
	}
	efree(permit->ids);
	efree(permit->keys);
}

/* Makes a permit of one limit, but for what it holds. The class is final: emalloc() is faster with a constant size. Nothing that a
 * permit refers to refers to it, so it is never part of a cycle. */
static zend_always_inline php_ratelimit_permit *permit_make(php_ratelimit_limiter *limiter, const rl_key *key,
	zend_string *id)
{
	php_ratelimit_permit *permit = emalloc(sizeof(*permit));

	zend_object_std_init(&permit->std, php_ratelimit_ce_permit);
	permit->std.handlers = &handlers.of_object;
	GC_ADD_FLAGS(&permit->std, GC_NOT_COLLECTABLE);
	ZVAL_UNDEF(OBJ_PROP_NUM(&permit->std, 0));
	Z_PROP_FLAG_P(OBJ_PROP_NUM(&permit->std, 0)) = IS_PROP_UNINIT;
	permit->live = false;
	permit->limiter = php_ratelimit_limiter_copy(limiter);
	permit->key = *key;
	permit->keys = &permit->key;
	permit->ids = NULL;
	permit->id = php_ratelimit_string_copy(id);
	permit->held = &permit->held_one;
	permit->shadow = NULL;
	return permit;
}

static php_ratelimit_permit *permit_new(php_ratelimit_limiter *limiter, const rl_key *key, zend_string *id)
{
	php_ratelimit_permit *permit = permit_make(limiter, key, id);
	unsigned n = limiter->question.n_limits;

	if (UNEXPECTED(limiter->n_labels > 1)) {
		permit_copy_keys(permit, key);
	}
	if (UNEXPECTED(n > 1)) {
		permit->held = safe_emalloc(n, sizeof(*permit->held), 0);
	}
	memset(permit->held, 0, n * sizeof(*permit->held));
	return permit;
}

static void permit_make_result(php_ratelimit_permit *permit)
{
	zval *property = OBJ_PROP_NUM(&permit->std, 0), result, id;

	php_ratelimit_id_of_key(&id, &permit->key);
	php_ratelimit_limiter_result(&result, permit->limiter, &permit->answer, permit->ids ? NULL : &id);
	ZVAL_COPY_VALUE_PROP(property, &result);
	Z_PROP_FLAG_P(property) = 0;
}

/* Acquires a permit of the shadow limits. */
static zend_never_inline void permit_acquire_shadow(php_ratelimit_permit *permit)
{
	php_ratelimit_limiter *shadow = permit->limiter->shadow;
	rl_key key = permit->key;
	const rl_guard *g = php_ratelimit_limiter_begin_shadow(shadow, &permit->limiter->question, &key);
	zval acquired;

	ZVAL_UNDEF(&acquired);
	php_ratelimit_permit_acquire(&acquired, shadow, g, &key, permit->id, 0);
	if (Z_TYPE(acquired) == IS_OBJECT) {
		permit->shadow = Z_OBJ(acquired);
		permit->answer.shadow = php_ratelimit_permit_of(permit->shadow)->answer.shadow;
	} else {
		zend_clear_exception();
	}
}

void php_ratelimit_permit_acquire(zval *return_value, php_ratelimit_limiter *limiter, const rl_guard *g,
	const rl_key *key, zend_string *id, int64_t max_wait_us)
{
	rl_question *q = &limiter->question;
	/* The object is first: with what is held, no allocation may fail. */
	php_ratelimit_permit *permit = permit_new(limiter, key, id);

	q->tag = php_ratelimit_permit_number();
	q->owner = limiter->has_concurrent ? rl_shm_owner() : 0;
	q->held = permit->held;
	if (UNEXPECTED(!php_ratelimit_permit_ask_within(limiter, g, key, max_wait_us, &permit->answer))) {
		OBJ_RELEASE(&permit->std);
		RETURN_THROWS();
	}
	RETVAL_OBJ(&permit->std);
	permit->generation = php_ratelimit_generation();
	permit->turn_us = PHP_RATELIMIT_TURN_HAS_COME;
	if (EXPECTED(permit->answer.decision.accepted)) {
		if (UNEXPECTED(permit->answer.wait_us > 0)) {
			permit->turn_us = rl_clock_read_for(false).mono_us + permit->answer.wait_us;
		}
		rl_guard_store_id(g, permit->store_id);
		php_ratelimit_permit_open(permit);
	}
	if (UNEXPECTED(limiter->shadow) && permit->answer.decision.source != RL_FROM_EXEMPT && !permit->answer.passed) {
		permit_acquire_shadow(permit);
	}
	/* The length of a calendar's window is that of this moment. */
	if (limiter->needs_now) {
		permit_make_result(permit);
	}
	if (EXPECTED(permit->answer.decision.source != RL_FROM_EXEMPT)) {
		php_ratelimit_monitor_answer(limiter, permit->keys, &permit->answer);
	}
}

void php_ratelimit_permit_double(zval *return_value, zend_object *result)
{
	int64_t window_us;
	rl_answer a = php_ratelimit_result_answer(result, &window_us);
	rl_key key = {.space = RL_SPACE_LIMITER};
	zend_string *name = php_ratelimit_result_of(result)->policy.name;
	php_ratelimit_permit *permit = permit_new(php_ratelimit_limiter_storeless(a.decision.limit, window_us, name), &key,
		NULL);
	permit->limiter->references--; /* the permit's own reference is the only one */
	permit->answer = a;
	permit->generation = php_ratelimit_generation();
	permit->turn_us = a.wait_us > 0 ? rl_clock_read_for(false).mono_us + a.wait_us : PHP_RATELIMIT_TURN_HAS_COME;
	memset(permit->store_id, 0, sizeof(permit->store_id));
	ZVAL_OBJ_COPY(OBJ_PROP_NUM(&permit->std, 0), result);
	if (a.decision.accepted) {
		php_ratelimit_permit_open(permit);
	}
	RETVAL_OBJ(&permit->std);
}

/* ---- The object ---- */

/* Makes the object of a permit that acquire() has not made: it holds nothing. */
static zend_object *permit_create(zend_class_entry *ce)
{
	php_ratelimit_permit *permit = zend_object_alloc(sizeof(*permit), ce);

	memset(permit, 0, offsetof(php_ratelimit_permit, std));
	zend_object_std_init(&permit->std, ce);
	object_properties_init(&permit->std, ce);
	permit->std.handlers = &handlers.of_object;
	return &permit->std;
}

/* Frees what a permit of one limit, without shadow limits, does not have. */
static void permit_free_parts(php_ratelimit_permit *permit)
{
	if (permit->held && permit->held != &permit->held_one) {
		efree(permit->held);
	}
	if (permit->shadow) {
		OBJ_RELEASE(permit->shadow);
	}
	if (permit->ids) {
		permit_free_keys(permit);
	}
}

static void permit_release(zend_object *object)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(object);

	if (permit->live) {
		permit_end(permit);
	}
	permit_free_parts(permit);
	php_ratelimit_string_release(permit->id);
	if (EXPECTED(permit->limiter)) {
		php_ratelimit_limiter_release(permit->limiter);
	}
	if (UNEXPECTED(object->properties || (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED)
			|| !Z_ISUNDEF_P(OBJ_PROP_NUM(object, 0)))) {
		zend_object_std_dtor(object);
	}
}

/* ---- $result, which its first use makes ---- */

static void need_result(zend_object *object)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(object);

	if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) == IS_UNDEF && permit->limiter) {
		permit_make_result(permit);
	}
}

/* As a bool, a Permit has the value of its result's accepted. */
static zend_result permit_cast(zend_object *object, zval *value, int type)
{
	if (type != _IS_BOOL) {
		return zend_std_cast_object_tostring(object, value, type);
	}
	ZVAL_BOOL(value, php_ratelimit_permit_of(object)->answer.decision.accepted);
	php_ratelimit_warn_of_bool("Permit", "->result->accepted");
	return SUCCESS;
}

void php_ratelimit_permit_startup(void)
{
	php_ratelimit_lazy_handlers_init(&handlers, need_result);
	handlers.of_object.offset = offsetof(php_ratelimit_permit, std);
	handlers.of_object.free_obj = permit_release;
	handlers.of_object.clone_obj = NULL;
	handlers.of_object.cast_object = permit_cast;
	handlers.of_object.compare = zend_objects_not_comparable;
	php_ratelimit_ce_permit->create_object = permit_create;
}
