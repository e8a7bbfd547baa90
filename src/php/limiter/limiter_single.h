/* Declares the fast path of a Limiter with ordinary limits on the embedded store. Each function returns false, and has
 * changed nothing, where the general way must decide. */
#ifndef PHP_RATELIMIT_LIMITER_SINGLE_H
#define PHP_RATELIMIT_LIMITER_SINGLE_H

#include "limiter_object.h"

/* Decides the call of consume() in this frame, and makes its Result. */
RL_HOT bool php_ratelimit_single_consume(const zend_execute_data *execute_data, zval *return_value);

/* Answers a limiter's question, a consume whose costs are set. */
bool php_ratelimit_single_ask(php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a);

ZEND_METHOD(FrequencyLimit_Limit, fixedWindow);
ZEND_METHOD(FrequencyLimit_Limiter, __construct);
ZEND_METHOD(FrequencyLimit_Limiter, allow);
ZEND_METHOD(FrequencyLimit_Limiter, consume);

/* Implements allow() for any call. In limiter_class.c. */
void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS);

/* Decides the call of allow() in this frame. */
bool php_ratelimit_single_allow(const zend_execute_data *execute_data, bool *allowed);

#endif
