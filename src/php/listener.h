/* Calls the application's listener after decisions. */
#ifndef PHP_RATELIMIT_LISTENER_H
#define PHP_RATELIMIT_LISTENER_H

#include "php.h"

#include "src/store.h"

/* The listener of a request. */
typedef struct {
	zval callable; /* undefined: none */
	zend_fcall_info_cache cache;
	uint8_t reasons; /* bit n: it is called for the reason n */
	bool is_running; /* what it decides itself does not call it */
} php_ratelimit_listener;

/* Returns whether there is a listener for decisions with this reason. */
bool php_ratelimit_has_listener(rl_reason reason);

/* Calls the listener with the name and the identity of a key, and a Result, which it takes over. */
void php_ratelimit_listener_call(const rl_key *key, zval *result);

void php_ratelimit_listener_init(void);
void php_ratelimit_listener_clear(void);

#endif
