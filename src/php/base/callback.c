#include "callback.h"

#include "zend_closures.h"

bool php_ratelimit_callback_init(php_ratelimit_callback *callback, zend_fcall_info *given,
	const zend_fcall_info_cache *cache)
{
	zend_function *from_callable;

	ZVAL_UNDEF(&callback->closure);
	if (!ZEND_FCI_INITIALIZED(*given)) {
		return true;
	}
	/* Of a Closure the parser knows already how it is called. */
	if (EXPECTED(Z_TYPE(given->function_name) == IS_OBJECT && Z_OBJCE(given->function_name) == zend_ce_closure
			&& cache->function_handler)) {
		ZVAL_COPY(&callback->closure, &given->function_name);
		callback->cache = *cache;
		return true;
	}
	from_callable = zend_hash_str_find_ptr(&zend_ce_closure->function_table, ZEND_STRL("fromcallable"));
	zend_call_known_function(from_callable, NULL, zend_ce_closure, &callback->closure, 1, &given->function_name, NULL);
	if (EG(exception) || zend_fcall_info_init(&callback->closure, 0, given, &callback->cache, NULL, NULL) == FAILURE) {
		zval_ptr_dtor(&callback->closure);
		return false;
	}
	return true;
}

void php_ratelimit_callback_set(php_ratelimit_callback *callback, const php_ratelimit_callback *with)
{
	zval old;

	ZVAL_COPY_VALUE(&old, &callback->closure);
	*callback = *with;
	zval_ptr_dtor(&old);
}

void php_ratelimit_callback_call(const php_ratelimit_callback *callback, zval *returned, zval *arguments, uint32_t n)
{
	php_ratelimit_callback held = *callback;
	zend_fcall_info call = {.size = sizeof(call), .retval = returned, .params = arguments, .param_count = n};

	Z_ADDREF(held.closure);
	ZVAL_COPY_VALUE(&call.function_name, &held.closure);
	zend_call_function(&call, &held.cache);
	zval_ptr_dtor(&held.closure);
}
