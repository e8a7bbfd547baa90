#include "limiter_internal.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../result/result.h"
#include "../base/store_config.h"
#include "src/shm/store/limiter_fast.h"
#include "../base/optional_string.h"

static php_ratelimit_lazy_handlers handlers;

/* The memory of an object. It needs less, but each request has memory for this size already (result.h): the first piece of another
 * size costs as much as all else that named() does. */
#define OBJECT_BYTES 320
_Static_assert(OBJECT_BYTES
		>= sizeof(php_ratelimit_limiter_object) + (PHP_RATELIMIT_LIMITER_PROPERTIES - 1) * sizeof(zval),
	"the properties have room");

/* The limiter of an object without one. */
static php_ratelimit_limiter nothing;

/* ---- Limiters ---- */

/* The lines that a decision reads of a kept limiter are in one page. Memory of this size that is not malloc'ed begins a cache line, too:
 * PHP's next size is a multiple of one. */
static php_ratelimit_limiter *limiter_memory(bool is_kept)
{
	void *memory;

	if (!is_kept) {
		return emalloc(sizeof(php_ratelimit_limiter));
	}
	if (posix_memalign(&memory, 512, sizeof(php_ratelimit_limiter)) != 0) {
		zend_error_noreturn(E_ERROR, "Out of memory");
	}
	return memory;
}

php_ratelimit_limiter *php_ratelimit_limiter_make(bool is_kept)
{
	php_ratelimit_limiter *limiter = limiter_memory(is_kept);

	memset(limiter, 0, offsetof(php_ratelimit_limiter, question.limits));
	limiter->references = 1;
	limiter->is_kept = is_kept;
	return limiter;
}

/* ---- Sections of the file ---- */

static void free_list(php_ratelimit_list *list)
{
	php_ratelimit_networks_free(&list->networks);
	for (size_t i = 0; i < list->n_ids; i++) {
		zend_string_release(list->ids[i]);
	}
	free(list->ids);
	free(list->ranges);
}

void php_ratelimit_named_release(php_ratelimit_named *named)
{
	if (--named->references > 0) {
		return;
	}
	free_list(&named->exempt);
	free_list(&named->refuse);
	free(named);
}

/* ---- Release ---- */

static void limiter_free(php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		php_ratelimit_limit_delref(&limiter->limits[i]);
	}
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		zend_string_release(limiter->label_names[i]);
	}
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		php_ratelimit_string_release(limiter->nones[i].name);
		php_ratelimit_string_release(limiter->nones[i].by);
	}
	php_ratelimit_string_release(limiter->store);
	if (limiter->shadow) {
		php_ratelimit_limiter_release(limiter->shadow);
	}
	if (limiter->named) {
		php_ratelimit_named_release(limiter->named);
	}
	if (limiter->policies) {
		php_ratelimit_policies_release(limiter->policies);
	}
	php_ratelimit_string_release(limiter->name);
	pefree(limiter, limiter->is_kept);
}

void php_ratelimit_limiter_release(php_ratelimit_limiter *limiter)
{
	if (--limiter->references == 0) {
		limiter_free(limiter);
	}
}

/* ---- Objects ---- */

/* The properties are made when they are read (limiter_properties.c). They refer to no object that refers to others, so that the
 * object is never part of a cycle. */
static zend_always_inline zend_object *limiter_object_make(zend_class_entry *ce, php_ratelimit_limiter *limiter)
{
	php_ratelimit_limiter_object *made = emalloc(OBJECT_BYTES);

	made->limiter = limiter;
	zend_object_std_init(&made->std, ce);
	object_properties_init(&made->std, ce);
	GC_ADD_FLAGS(&made->std, GC_NOT_COLLECTABLE);
	made->std.handlers = &handlers.of_object;
	return &made->std;
}

static RL_HOT zend_object *limiter_create(zend_class_entry *ce)
{
	return limiter_object_make(ce, &nothing);
}

static RL_HOT void limiter_object_free(zend_object *object)
{
	php_ratelimit_limiter_object *made = php_ratelimit_limiter_object_of(object);
	php_ratelimit_limiter *limiter = made->limiter;

	if (UNEXPECTED(object->properties || (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED)
			|| !Z_ISUNDEF(object->properties_table[0]))) {
		zend_object_std_dtor(object);
	}
	if (EXPECTED(limiter != &nothing)) {
		made->limiter = &nothing;
		php_ratelimit_limiter_release(limiter);
	}
}

void php_ratelimit_limiter_to_object(zval *object, php_ratelimit_limiter *limiter)
{
	ZVAL_OBJ(object, limiter_object_make(php_ratelimit_ce_limiter, limiter));
}

/* ---- Limiters that code in C makes ---- */

php_ratelimit_limiter *php_ratelimit_limiter_new(const char *name, size_t length, const rl_question *q)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make(false);

	limiter->name = zend_string_init(name, length, false);
	memcpy(&limiter->question, q, offsetof(rl_question, limits) + q->n_limits * sizeof(*q->limits));
	for (unsigned i = 0; i < q->n_limits; i++) {
		limiter->limits[i] = (php_ratelimit_limit){
			.limit = q->limits[i],
			.window_us = php_ratelimit_limit_window_us(&q->limits[i]),
		};
		limiter->has_concurrent |= q->limits[i].algorithm == RL_CONCURRENT;
	}
	return limiter;
}

void php_ratelimit_limiter_make_storeless(php_ratelimit_limiter *limiter, int64_t limit, int64_t window_us,
	zend_string *name)
{
	limiter->limits[0] = (php_ratelimit_limit){.name = php_ratelimit_string_copy(name), .window_us = window_us};
	limiter->question.n_limits = 1;
	limiter->question.limits[0] = (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = limit, .period_us = window_us};
	limiter->guard = (rl_guard){.store = rl_shm_store()};
	limiter->own_store = true;
	limiter->storeless = true;
	limiter->needs_now = true;
}

php_ratelimit_limiter *php_ratelimit_limiter_storeless(int64_t limit, int64_t window_us, zend_string *name)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make(false);

	limiter->name = zend_string_init(ZEND_STRL("Permit::of()"), false);
	php_ratelimit_limiter_make_storeless(limiter, limit, window_us, name);
	return limiter;
}

/* ---- Questions ---- */

void php_ratelimit_limiter_hash_name(php_ratelimit_limiter *limiter)
{
	limiter->needs_hash = false;
	rl_name_hash_make(RL_SPACE_LIMITER, ZSTR_VAL(limiter->name), ZSTR_LEN(limiter->name), &limiter->name_hash);
	limiter->has_word = limiter->name_hash.shape != 0 && limiter->question.n_limits == 1
		&& rl_limiter_has_words(&limiter->question.limits[0]);
}

bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key)
{
	key->space = UNEXPECTED(limiter->is_shadow) ? RL_SPACE_SHADOW : RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	return php_ratelimit_identity(argument, id, id_number, key);
}

const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter)
{
	const rl_guard *general = php_ratelimit_guard(); /* applies changed settings, which hold for all stores */
	bool has_policy = limiter->named && limiter->named->has_policy;

	if (UNEXPECTED(limiter->needs_hash)) {
		php_ratelimit_limiter_hash_name(limiter);
	}
	if (EXPECTED(!limiter->own_store && !has_policy)) {
		return general;
	}
	if (!limiter->own_store) {
		limiter->guard = *general;
	}
	limiter->guard.policy = has_policy ? limiter->named->policy : general->policy;
	return &limiter->guard;
}

void php_ratelimit_limiter_startup(void (*set)(php_ratelimit_lazy_handlers *handlers))
{
	set(&handlers);
	handlers.of_object.offset = offsetof(php_ratelimit_limiter_object, std);
	handlers.of_object.free_obj = limiter_object_free;
	handlers.of_object.clone_obj = NULL;
	php_ratelimit_ce_limiter->create_object = limiter_create;
}
