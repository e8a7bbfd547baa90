#include "request.h"

#include "SAPI.h"
#include "zend_exceptions.h"
#include "zend_fibers.h"
#include "zend_observer.h"

#include "php_ratelimit.h"
#include "../base/optional_string.h"

/* FrankenPHP's handler of sapi_activate(), which ours replaced; NULL: none. One for the process. */
static int (*previous_activate)(void);
static bool hooks_activate;

/* The number of states from which a sweep removes ended coroutines, each time that the states have doubled. */
#define SWEEP_MIN 64

/* Frees what a state has. Its memory may be freed meanwhile: destructors, also those behind a WeakMap's entry for a Result, may call us. */
static void request_release(php_ratelimit_request *old)
{
	php_ratelimit_string_release(old->address);
	php_ratelimit_string_release(old->forwarded_for);
	php_ratelimit_string_release(old->path);
	php_ratelimit_served_clear(&old->served);
	if (old->last.result) {
		OBJ_RELEASE(old->last.result);
	}
	zval_ptr_dtor(&old->resolver.closure);
}

static void clear(php_ratelimit_request *request)
{
	php_ratelimit_request old = *request;

	memset(request, 0, sizeof(*request));
	request->number = ++RATELIMIT_G(requests)->numbers;
	request_release(&old);
}

/* Replaces a state. It releases the old one last, because a destructor may call us. */
static void replace(php_ratelimit_request *request, const php_ratelimit_request *with)
{
	php_ratelimit_request old = *request;

	*request = *with;
	request_release(&old);
}

static void remove_begun(HashTable *begun, zend_ulong key)
{
	php_ratelimit_request *request = zend_hash_index_find_ptr(begun, key);

	if (request) {
		zend_hash_index_del(begun, key);
		clear(request);
		efree(request);
	}
}

/* ---- Where a request runs: a fiber, or a coroutine of Swoole ---- */

static bool call_coroutine(zend_function *function, zend_long argument, zval *result)
{
	zval parameter;

	ZVAL_LONG(&parameter, argument);
	ZVAL_UNDEF(result);
	zend_call_known_function(function, NULL, function->common.scope, result,
		function == RATELIMIT_G(requests)->coroutine_id ? 0 : 1, &parameter, NULL);
	return !EG(exception);
}

static void find_coroutines(php_ratelimit_requests *requests)
{
	static const char *const classes[] = {"swoole\\coroutine", "openswoole\\coroutine"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes) && !requests->coroutine_id; i++) {
		zend_class_entry *ce = zend_hash_str_find_ptr(EG(class_table), classes[i], strlen(classes[i]));

		if (ce) {
			requests->coroutine_id = zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("getcid"));
			requests->coroutine_exists = zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("exists"));
		}
	}
}

/* Returns the number of the running coroutine of Swoole; 0: none. */
static zend_long running_coroutine(void)
{
	zend_function *coroutine_id = RATELIMIT_G(requests)->coroutine_id;
	zval id;

	return coroutine_id && call_coroutine(coroutine_id, 0, &id) && Z_TYPE(id) == IS_LONG && Z_LVAL(id) > 0 ? Z_LVAL(id)
																										   : 0;
}

/* A coroutine of Swoole is no fiber of PHP's. Its number is odd here, which an address never is. */
zend_ulong php_ratelimit_running_context(void)
{
	const zend_fiber_context *context = EG(current_fiber_context);
	zend_long coroutine = context == EG(main_fiber_context) ? running_coroutine() : 0;

	return coroutine ? (zend_ulong) coroutine << 1 | 1 : (zend_ulong) (uintptr_t) context;
}

bool php_ratelimit_is_in_coroutine(void)
{
	find_coroutines(RATELIMIT_G(requests));
	return running_coroutine() != 0;
}

static bool has_ended(zend_ulong key)
{
	zval exists;

	return (key & 1) && call_coroutine(RATELIMIT_G(requests)->coroutine_exists, (zend_long) (key >> 1), &exists)
		&& Z_TYPE(exists) == IS_FALSE;
}

/* The engine announces the end of a fiber; Swoole does not announce the end of a coroutine. */
static void remove_ended_coroutines(php_ratelimit_requests *requests)
{
	zend_ulong *ended, key;
	uint32_t n = 0;

	if (!requests->coroutine_exists || zend_hash_num_elements(requests->begun) < requests->sweep_at) {
		return;
	}
	ended = safe_emalloc(zend_hash_num_elements(requests->begun), sizeof(*ended), 0);
	ZEND_HASH_FOREACH_NUM_KEY(requests->begun, key)
	{
		if (has_ended(key)) {
			ended[n++] = key;
		}
	}
	ZEND_HASH_FOREACH_END();
	requests->sweep_at = 2 * (zend_hash_num_elements(requests->begun) - n) + SWEEP_MIN;
	/* The removal follows the loop, because a destructor may begin a request. */
	while (n > 0) {
		remove_begun(requests->begun, ended[--n]);
	}
	efree(ended);
}

/* Prints an exception as a warning. No error handler gets it: one that throws could not be heard either. */
static void report_exception(zend_object *exception)
{
	zval handler;

	ZVAL_COPY_VALUE(&handler, &EG(user_error_handler));
	ZVAL_UNDEF(&EG(user_error_handler));
	zend_exception_error(exception, E_WARNING);
	ZVAL_COPY_VALUE(&EG(user_error_handler), &handler);
}

/* Drops the state of a fiber that is dropped before its end. The engine then forgets an exception of a destructor, but not the jump to
 * its handling, and so would end the script without a word. */
static void remove_of_dropped_fiber(HashTable *begun, zend_ulong key)
{
	zend_execute_data *frame = EG(current_execute_data);
	const zend_op *opline = frame->opline, *opline_before = EG(opline_before_exception);
	zend_object *exception;

	remove_begun(begun, key);
	exception = EG(exception);
	if (exception && !zend_is_unwind_exit(exception)) {
		EG(exception) = NULL;
		EG(opline_before_exception) = opline_before;
		frame->opline = opline;
		report_exception(exception);
	}
}

static void fiber_ended(zend_fiber_context *context)
{
	HashTable *begun = RATELIMIT_G(requests)->begun;
	zend_ulong key = (zend_ulong) (uintptr_t) context;

	if (EXPECTED(!begun)) {
		return;
	}
	if (context->kind == zend_ce_fiber && (zend_fiber_from_context(context)->flags & ZEND_FIBER_FLAG_DESTROYED)
		&& EG(current_execute_data) && !EG(exception)) {
		remove_of_dropped_fiber(begun, key);
	} else {
		remove_begun(begun, key);
	}
}

/* ---- FrankenPHP's workers: one RINIT for many requests, and sapi_activate() at the begin of each ---- */

static int activate(void)
{
	if (RATELIMIT_G(requests)->is_active) {
		clear(&RATELIMIT_G(requests)->own);
	}
	return previous_activate ? previous_activate() : SUCCESS;
}

void php_ratelimit_requests_startup(void)
{
	zend_observer_fiber_destroy_register(fiber_ended);
	if (strcmp(sapi_module.name, "frankenphp") == 0) {
		previous_activate = sapi_module.activate;
		sapi_module.activate = activate;
		hooks_activate = true;
	}
}

void php_ratelimit_requests_shutdown(void)
{
	if (hooks_activate && sapi_module.activate == activate) {
		sapi_module.activate = previous_activate;
	}
	hooks_activate = false;
}

/* ---- Begin and end ---- */

void php_ratelimit_requests_clear(void)
{
	php_ratelimit_requests *requests = RATELIMIT_G(requests);
	HashTable *begun = requests->begun;
	php_ratelimit_request *request;

	requests->is_active = false;
	requests->begun = NULL;
	clear(&requests->own);
	if (begun) {
		ZEND_HASH_FOREACH_PTR(begun, request) {
			clear(request);
			efree(request);
		}
		ZEND_HASH_FOREACH_END();
		zend_hash_destroy(begun);
		FREE_HASHTABLE(begun);
	}
}

void php_ratelimit_become_server(void)
{
	RATELIMIT_G(requests)->is_server = true;
	clear(&RATELIMIT_G(requests)->own);
}

/* Returns the state of the running fiber. Makes one if there is none. */
static php_ratelimit_request *make_begun_request(void)
{
	php_ratelimit_requests *requests = RATELIMIT_G(requests);
	php_ratelimit_request *request;
	zend_ulong key;

	if (!requests->begun) {
		ALLOC_HASHTABLE(requests->begun);
		zend_hash_init(requests->begun, 8, NULL, NULL, false);
		requests->sweep_at = SWEEP_MIN;
	}
	find_coroutines(requests);
	remove_ended_coroutines(requests);
	key = php_ratelimit_running_context();
	request = zend_hash_index_find_ptr(requests->begun, key);
	if (!request) {
		request = ecalloc(1, sizeof(*request));
		zend_hash_index_add_new_ptr(requests->begun, key, request);
	}
	return request;
}

void php_ratelimit_request_begin(zend_string *address, zend_string *path, zend_string *forwarded_for)
{
	php_ratelimit_request fresh = {.number = ++RATELIMIT_G(requests)->numbers}, *request = &RATELIMIT_G(requests)->own;

	/* Where PHP serves the request itself, all fibers work for it. */
	if (!SG(request_info).request_method) {
		php_ratelimit_become_server();
		request = make_begun_request();
	}
	fresh.address = php_ratelimit_string_copy(address);
	fresh.forwarded_for = php_ratelimit_string_copy(forwarded_for);
	fresh.path = php_ratelimit_string_copy(path);
	replace(request, &fresh);
}

void php_ratelimit_request_end(void)
{
	php_ratelimit_requests *requests = RATELIMIT_G(requests);

	if (!requests->is_server) {
		clear(&requests->own);
	} else if (requests->begun) {
		remove_begun(requests->begun, php_ratelimit_running_context());
	}
}

php_ratelimit_request *php_ratelimit_begun_request(void)
{
	HashTable *begun = RATELIMIT_G(requests)->begun;

	return begun ? zend_hash_index_find_ptr(begun, php_ratelimit_running_context()) : NULL;
}

ZEND_COLD void php_ratelimit_warn_no_request(void)
{
	if (RATELIMIT_G(warned_no_request)) {
		return;
	}
	RATELIMIT_G(warned_no_request) = true;
	php_error_docref(NULL, E_WARNING,
		"this process serves requests, and this call belongs to none of them: it has no user, and its client is "
		"\"nobody\". Call FrequencyLimit\\Request::begin() at the begin of each request");
}
