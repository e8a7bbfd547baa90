#include "listener.h"

#include "zend_fibers.h"

#include "../base/class_entries.h"
#include "php_ratelimit.h"
#include "../request/request.h"
#include "../result/result.h"

#define ALL_REASONS ((1u << (RL_STORE_UNAVAILABLE + 1)) - 1)

/* Returns whether the listener runs in this fiber, or in one that waits for the end of this one: what it decides itself does not call
 * it. In a fiber that is suspended it may wait for long, while others decide. */
static bool is_running(const HashTable *running)
{
	zend_fiber_context *context = EG(current_fiber_context);

	if (EXPECTED(!running || zend_hash_num_elements(running) == 0)) {
		return false;
	}
	while (!zend_hash_index_exists(running, (zend_ulong) (uintptr_t) context) && context->kind == zend_ce_fiber) {
		context = zend_fiber_from_context(context)->caller;
	}
	return zend_hash_index_exists(running, (zend_ulong) (uintptr_t) context)
		|| zend_hash_index_exists(running, php_ratelimit_running_context());
}

bool php_ratelimit_has_listener(rl_reason reason)
{
	const php_ratelimit_listener *listener = RATELIMIT_G(listener);

	return php_ratelimit_callback_exists(&listener->callback) && (listener->reasons >> reason & 1) && !EG(exception)
		&& !is_running(listener->running);
}

void php_ratelimit_event_init(php_ratelimit_event *event, rl_reason reason, const rl_key *key, zval *result)
{
	event->reason = reason;
	ZVAL_STRINGL(&event->arguments[0], key->name, key->name_len);
	if (key->is_int) {
		ZVAL_LONG(&event->arguments[1], (zend_long) key->int_id);
	} else {
		ZVAL_STRINGL(&event->arguments[1], key->id, key->id_len);
	}
	ZVAL_COPY_VALUE(&event->arguments[2], result);
}

static void drop_running(php_ratelimit_listener *listener)
{
	if (listener->running) {
		zend_array_release(listener->running);
		listener->running = NULL;
	}
}

/* Runs the application's function. The table ends with the last function that runs: a session's handler may decide behind the end of the
 * request. */
static void call_listener(php_ratelimit_listener *listener, php_ratelimit_event *event)
{
	zend_ulong context = php_ratelimit_running_context();
	zval returned;

	if (!listener->running) {
		listener->running = zend_new_array(8);
	}
	zend_hash_index_add_empty_element(listener->running, context);
	php_ratelimit_callback_call(&listener->callback, &returned, event->arguments, 3);
	if (EXPECTED(listener->running)) { /* the request may have ended while a fiber was suspended in the function */
		zend_hash_index_del(listener->running, context);
		if (zend_hash_num_elements(listener->running) == 0) {
			drop_running(listener);
		}
	}
	zval_ptr_dtor(&returned);
}

void php_ratelimit_listener_call(php_ratelimit_event *event)
{
	if (EXPECTED(php_ratelimit_has_listener(event->reason))) {
		call_listener(RATELIMIT_G(listener), event);
	}
	for (unsigned i = 0; i < 3; i++) {
		zval_ptr_dtor(&event->arguments[i]);
	}
}

static void set_listener(const php_ratelimit_callback *callback)
{
	bool exists = php_ratelimit_callback_exists(callback);

	if (exists || RATELIMIT_G(has_listener)) {
		php_ratelimit_config_changed();
	}
	RATELIMIT_G(has_listener) = exists;
	php_ratelimit_callback_set(&RATELIMIT_G(listener)->callback, callback);
}

void php_ratelimit_listener_clear(void)
{
	set_listener(&(php_ratelimit_callback){.cache = {0}});
	drop_running(RATELIMIT_G(listener));
}

/* Returns the bits of some cases of Reason; 0 with an exception thrown. */
static uint8_t reasons_of(const zval *cases, uint32_t n)
{
	uint8_t reasons = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (Z_TYPE(cases[i]) != IS_OBJECT || Z_OBJCE(cases[i]) != php_ratelimit_ce_reason) {
			zend_argument_type_error(2 + i, "must be of type FrequencyLimit\\Reason, %s given",
				zend_zval_type_name(&cases[i]));
			return 0;
		}
		reasons |= (uint8_t) (1u << php_ratelimit_reason_number(Z_OBJ(cases[i])));
	}
	return n > 0 ? reasons : ALL_REASONS;
}

ZEND_METHOD(FrequencyLimit_Monitor, listen)
{
	php_ratelimit_callback callback;
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	zval *cases = NULL;
	uint32_t n = 0;
	uint8_t reasons;

	ZEND_PARSE_PARAMETERS_START(1, -1)
		Z_PARAM_FUNC_OR_NULL(call, cache)
		Z_PARAM_VARIADIC('*', cases, n)
	ZEND_PARSE_PARAMETERS_END();

	reasons = reasons_of(cases, n);
	if (reasons == 0 || !php_ratelimit_callback_init(&callback, &call, &cache)) {
		RETURN_THROWS();
	}
	RATELIMIT_G(listener)->reasons = reasons;
	set_listener(&callback);
}
