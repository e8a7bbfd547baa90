/* Calls the application's listener after decisions. It may do anything: end the request, begin another one, call the same limiter or
 * other limited functions. So the call of it is the last act of each decision, with copies; nothing is read afterwards that the
 * decision was made of. */
#ifndef PHP_RATELIMIT_LISTENER_H
#define PHP_RATELIMIT_LISTENER_H

#include "php.h"

#include "../base/callback.h"
#include "src/store.h"

/* The listener of a request. */
typedef struct php_ratelimit_listener {
	php_ratelimit_callback callback;
	uint8_t reasons;    /* bit n: it is called for the reason n */
	HashTable *running; /* the fibers in which it runs, by php_ratelimit_running_context(); NULL: in none */
} php_ratelimit_listener;

/* Returns whether there is a listener for decisions with this reason. */
bool php_ratelimit_has_listener(rl_reason reason);

/* The arguments of the listener for a decision: copies of the name and of the identity, and a Result. */
typedef struct {
	rl_reason reason;
	zval arguments[3];
} php_ratelimit_event;

/* Makes the event of a decision about a key. Takes over the Result. */
void php_ratelimit_event_init(php_ratelimit_event *event, rl_reason reason, const rl_key *key, zval *result);

/* Frees an event, and calls the listener with it before, if there still is one for it, and no exception is on its way. */
void php_ratelimit_listener_call(php_ratelimit_event *event);

/* Runs at RSHUTDOWN. */
void php_ratelimit_listener_clear(void);

#endif
