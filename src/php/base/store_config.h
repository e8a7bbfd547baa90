/* Makes a guard from the settings, and an exception from a failed question: every method that asks a store uses both. */
#ifndef PHP_RATELIMIT_STORE_CONFIG_H
#define PHP_RATELIMIT_STORE_CONFIG_H

#include "php_ratelimit.h"
#include "src/guard/guard.h"
#include "php.h"

/* Applies the settings as they are now. */
void php_ratelimit_apply_config(void);

/* Returns the guard of the store that ratelimit.store names. */
static zend_always_inline const rl_guard *php_ratelimit_guard(void)
{
	if (UNEXPECTED(!RATELIMIT_G(config_applied))) {
		php_ratelimit_apply_config();
	}
	return RATELIMIT_G(guard);
}

/* Returns the guard of the store behind a DSN. Its store is NULL if there is none, with the reason in e. Then
 * e->message is empty if the missing store is the embedded one. */
rl_guard php_ratelimit_guard_to(const zend_string *dsn, rl_error *e);

/* Returns whether the DSN is "shm:". */
bool php_ratelimit_is_embedded_dsn(const zend_string *dsn);

#define PHP_RATELIMIT_REASON_BYTES (sizeof(((rl_error *) NULL)->message) + 64)

/* Checks the DSN of a store. Returns false with the reason, which continues the name of what has the DSN. */
bool php_ratelimit_check_dsn(const zend_string *dsn, char reason[PHP_RATELIMIT_REASON_BYTES]);

/* Returns a DSN with its password masked, a new string. */
zend_string *php_ratelimit_masked_dsn(const zend_string *dsn);

/* Lets a refusal pass, if that is what all limits are for. Returns whether it was one. */
static zend_always_inline bool php_ratelimit_pass(rl_decision *d, bool enforced)
{
	if (EXPECTED(d->accepted || enforced)) {
		return false;
	}
	d->accepted = true;
	d->retry_after_us = 0;
	if (d->reason != RL_STORE_UNAVAILABLE) {
		d->reason = RL_ACCEPTED;
	}
	return true;
}

/* Returns the wall clock of a guard's store, as far as it is known without a request to the store. */
int64_t php_ratelimit_wall_us(const rl_guard *g);

/* Returns false, with a StoreException thrown, if a test has frozen the clock and the guard's store has a clock of its
 * own. */
bool php_ratelimit_clock_agrees(const rl_guard *g);

/* Throws the StoreException of a failed question about a key. */
ZEND_COLD void php_ratelimit_throw_store(rl_status status, const rl_key *key, const rl_error *e);

/* Returns whether this process is php-fpm. */
bool php_ratelimit_is_fpm(void);

/* The first use of the segment in a process: before it, the process may still choose which one it uses. */

/* The value of ratelimit.shm_path for memory of this process and its children alone. PHP reads "none" in an INI file as "". */
#define PHP_RATELIMIT_PRIVATE "private"

/* Chooses the segment of this process, at the first call: that of its user, unless a setting or a test run has one of its own.
 * Warns if the user's cannot be had. */
ZEND_COLD void php_ratelimit_first_use(void);

/* Returns whether a class is loaded, whose name is in lower case. One that opcache has preloaded was perhaps not used: it is not. */
bool php_ratelimit_is_class_loaded(const char *name);

/* Keeps the configuration mistakes of this process: refused settings, an unusable segment file. stats(),
 * phpinfo(), ratelimit.php and bin/ratelimit show these texts for as long as the process lives. */

#define PHP_RATELIMIT_CONFIG_WARNINGS_MAX 16

/* Raises an E_CORE_WARNING and keeps its text. For module start-up. */
ZEND_COLD void php_ratelimit_config_warning(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);

/* Keeps a text. Returns false if the text is known already, or if there are PHP_RATELIMIT_CONFIG_WARNINGS_MAX texts.
 * Every thread may call it. */
ZEND_COLD bool php_ratelimit_config_warning_keep(const char *text);

/* Returns the kept text of that number, counted from 0; NULL when there are no more. */
const char *php_ratelimit_config_warning_at(unsigned i);

/* Frees all texts, at module shutdown. */
void php_ratelimit_config_warnings_free(void);

#endif
