/* Declares the fast path of a Limiter with ordinary limits on the embedded store. Each function returns false, and has
 * changed nothing, where the general way must decide. */
#ifndef PHP_RATELIMIT_LIMITER_SINGLE_H
#define PHP_RATELIMIT_LIMITER_SINGLE_H

#include "limiter_object.h"

/* Decides the call of consume() in this frame, and makes its Result. */
bool php_ratelimit_single_consume(const zend_execute_data *execute_data, zval *return_value);

ZEND_METHOD(FrequencyLimit_Limit, fixedWindow);
ZEND_METHOD(FrequencyLimit_Limiter, __construct);
ZEND_METHOD(FrequencyLimit_Limiter, allow);
ZEND_METHOD(FrequencyLimit_Limiter, consume);

/* Implements allow() for any call. In limiter_class.c. */
void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS);

/* Decides the call of allow() in this frame. */
bool php_ratelimit_single_allow(const zend_execute_data *execute_data, bool *allowed);

/* Acquires a permit of a limiter with is_single_place and php_ratelimit_limiter_is_fast(). id: as the key has it, or NULL. */
bool php_ratelimit_single_take(php_ratelimit_limiter *limiter, const rl_key *key, zend_string *id, uint64_t cost,
	zval *return_value);

/* Decides the call of acquire() in this frame, and makes its Permit. */
bool php_ratelimit_single_acquire(const zend_execute_data *execute_data, zval *return_value);

#endif
