/* Declares the module entry, the version and the globals: the one header that ratelimit.c and src/php share. */
#ifndef PHP_RATELIMIT_H
#define PHP_RATELIMIT_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"

#include "src/guard/guard_types.h"
#include "src/php/attribute/attribute_hook.h"
#include "src/php/base/calendar.h"
#include "src/php/request/client_address.h"
#include "src/php/attribute/enforce.h"
#include "src/php/limiter/limiter_kept.h"
#include "src/php/limiter/limiters_file.h"
#include "src/php/observe/listener.h"
#include "src/php/observe/monitor.h"
#include "src/php/base/permit_list.h"
#include "src/php/request/request.h"
#include "src/php/request/request_state.h"
#include "src/php/result/sent.h"
#include "src/php/attribute/uncaught.h"
#include "src/php/attribute/unresolved_attribute.h"
#include "src/redis/redis.h"

#define PHP_RATELIMIT_VERSION "0.1.0"

extern zend_module_entry ratelimit_module_entry;
#define phpext_ratelimit_ptr &ratelimit_module_entry

ZEND_BEGIN_MODULE_GLOBALS(ratelimit)
	/* The parsed INI settings: no decision looks a name up. The INI entries own the strings. */
	zend_string *store_dsn; /* "shm:" or a Redis DSN */
	zend_string *prefix;
	zend_string *shm_path;
	zend_string *limiters_path;
	zend_long shm_size;
	rl_on_failure on_failure;
	bool testing;
	bool global_class; /* the class FrequencyLimit has its global name */
	bool enforce;
	bool top; /* refused and banned callers are kept by name and identity */
	bool attributes;
	zend_long ipv6_prefix;
	php_ratelimit_networks trusted_proxies;
	/* A result of the settings: php_ratelimit_apply_config() sets it again after a setting has changed. */
	bool config_applied;
	bool each_decision;  /* a passed one needs more than a count: limits are not enforced, or there is a listener */
	bool embedded;       /* ratelimit.store is "shm:", there is a segment, and no decision needs more: the fast paths */
	bool fast_path_aes;  /* and its hash is AES: the inline one */
	bool has_deny_cache; /* ratelimit.store names a Redis whose refusals are cached: doHandle may use the cache first */
	rl_guard guard;      /* of the store that ratelimit.store names */
	/* The thread's own. */
	rl_redis_pool *redis;
	php_ratelimit_calendar calendar;
	php_ratelimit_kept_limiters kept_limiters;
	php_ratelimit_limiters limiters;
	php_ratelimit_enforcer enforcer;
	php_ratelimit_enforced *spare_enforced; /* memory for the next one; or NULL */
	php_ratelimit_requests requests;
	php_ratelimit_sources sources;
	php_ratelimit_permits permits;
	php_ratelimit_uncaught uncaught;
	php_ratelimit_sent sent;
	php_ratelimit_refused refused;
	php_ratelimit_known_meters known_meters;
	php_ratelimit_listener listener;
	php_ratelimit_unresolved unresolved;
	/* Marks of the process, or thread: one warning is enough. */
	bool warned_no_request; /* a call belonged to no request */
	bool warned_uncaught;   /* an uncaught exception came after the headers */
	php_ratelimit_enforced_lines enforced_lines;
	HashTable *misuse_lines; /* of this request: the lines that have warned of a misuse; NULL: none */
	zend_object
		*reasons[RL_STORE_UNAVAILABLE + 1]; /* Reason's cases that this request has looked up; the class owns them */
ZEND_END_MODULE_GLOBALS(ratelimit)

/* All symbols that are compiled here are hidden: with this attribute in the declaration the compiler addresses them
 * directly. */
#pragma GCC visibility push(hidden)
ZEND_EXTERN_MODULE_GLOBALS(ratelimit)
#pragma GCC visibility pop
#define RATELIMIT_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(ratelimit, v)

#if defined(ZTS) && defined(COMPILE_DL_RATELIMIT)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Returns the state of the request that the running code belongs to; NULL if it belongs to none. The result is valid
 * until user code runs. */
static zend_always_inline php_ratelimit_request *php_ratelimit_current_request(void)
{
	php_ratelimit_requests *requests = &RATELIMIT_G(requests);

	return EXPECTED(!requests->is_server) ? &requests->own : php_ratelimit_begun_request();
}

#endif
