/* From the settings to a store, and from a question to its answer: what every method that asks goes through. */
#ifndef PHP_RATELIMIT_STORE_CONFIG_H
#define PHP_RATELIMIT_STORE_CONFIG_H

#include "php_ratelimit.h"

/* Works out again what the settings lead to. */
void php_ratelimit_apply_config(void);

/* The way to the store that ratelimit.store names. */
static zend_always_inline const rl_guard *php_ratelimit_guard(void)
{
	if (UNEXPECTED(!RATELIMIT_G(config_applied))) {
		php_ratelimit_apply_config();
	}
	return &RATELIMIT_G(guard);
}

/* The way to the store behind a DSN: its store is NULL, with the reason in e, when that is none, or when it names the
 * embedded store and there is none (then e->message is empty). */
rl_guard php_ratelimit_guard_to(const zend_string *dsn, rl_error *e);

/* What a guard takes from the settings as they are when a question is asked. */
void php_ratelimit_guard_set(rl_guard *g);

/* "shm:"? */
bool php_ratelimit_is_embedded_dsn(const zend_string *dsn);

/* This moment, by the clock of the store behind a guard, as far as it is known without asking. */
int64_t php_ratelimit_wall_us(const rl_guard *g);

/* False, with a StoreException thrown, while a test has stopped the clock that this guard's store does not go by. */
bool php_ratelimit_clock_agrees(const rl_guard *g);

/* Throws the StoreException for a question that went wrong. */
ZEND_COLD void php_ratelimit_throw_store(rl_status status, const rl_key *key, const rl_error *e);

#endif
