/* Waits: for a moment, and for a place of a concurrent limit that comes free. */
#ifndef PHP_RATELIMIT_PERMIT_WAIT_H
#define PHP_RATELIMIT_PERMIT_WAIT_H

#include "php_ratelimit.h"

#include "../limiter/limiter_object.h"

/* Sleeps until a moment of the monotonic clock; moves a frozen clock on. Returns false if a signal came first. */
bool php_ratelimit_sleep_until(int64_t mono_us);

/* Asks the limiter's question once; with a concurrent limit, again until a place comes free or max_wait_us are over. A signal
 * ends the wait with the refusal. Returns false with an exception thrown. */
bool php_ratelimit_permit_ask_within(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	int64_t max_wait_us, rl_answer *a);

#endif
