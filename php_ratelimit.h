/* Declares the module entry, the version and the globals: the one header that ratelimit.c and src/php share. */
#ifndef PHP_RATELIMIT_H
#define PHP_RATELIMIT_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"

#define PHP_RATELIMIT_VERSION "0.1.0"

extern zend_module_entry ratelimit_module_entry;
#define phpext_ratelimit_ptr &ratelimit_module_entry

/* The thread's settings, what follows from them, and a pointer to what each module keeps: only that module looks behind it. */
ZEND_BEGIN_MODULE_GLOBALS(ratelimit)
	/* The parsed INI settings: no decision looks a name up. The INI entries own the strings. */
	zend_string *store_dsn; /* "shm:" or a Redis DSN */
	zend_string *prefix;
	zend_string *shm_path;
	zend_string *limiters_path;
	zend_long shm_size;
	struct rl_failure_policy *failure_policy;
	bool testing;
	bool global_class; /* the class FrequencyLimit has its global name */
	bool enforce;
	bool top; /* refused and banned callers are kept by name and identity */
	bool attributes;
	zend_long ipv6_prefix;
	/* A result of the settings: php_ratelimit_apply_config() sets it again after a setting has changed. */
	bool config_applied;
	bool has_listener;
	bool each_decision;  /* a passed one needs more than a count: limits are not enforced, or there is a listener */
	bool embedded;       /* ratelimit.store is "shm:", there is a segment, and no decision needs more: the fast paths */
	bool fast_path_aes;  /* and its hash is AES: the inline one */
	bool has_deny_cache; /* ratelimit.store names a Redis whose refusals are cached: doHandle may use the cache first */
	/* Marks of the process, or thread: one warning is enough. */
	bool warned_no_request; /* a call belonged to no request */
	bool warned_uncaught;   /* an uncaught exception came after the headers */
	zend_string *
		refused_action; /* whose calls doHandle()'s fast path refused last: a reference, so that no other string gets its address */
	/* The memory of the modules: of the thread, or of its request. ratelimit.c has it in one piece. */
	struct php_ratelimit_memory *memory;
	struct rl_guard *guard; /* of the store that ratelimit.store names */
	struct rl_redis_pool *redis;
	struct php_ratelimit_calendar *calendar;
	struct php_ratelimit_zone_names *zone_names;
	struct php_ratelimit_numbers *numbers;
	struct php_ratelimit_networks *trusted_proxies;
	struct php_ratelimit_sources *sources;
	struct php_ratelimit_requests *requests;
	struct php_ratelimit_sent *sent;
	struct php_ratelimit_refused *refused;
	struct php_ratelimit_known_meter *known_meters;
	struct php_ratelimit_listener *listener;
	struct php_ratelimit_kept_limiters *kept_limiters;
	struct php_ratelimit_limiters *limiters;
	struct php_ratelimit_permit *permits; /* the latest permit that has not ended; NULL: none */
	struct php_ratelimit_enforcer *enforcer;
	struct php_ratelimit_uncaught *uncaught;
	struct php_ratelimit_unresolved *unresolved;
	struct php_ratelimit_enforced_lines *enforced_lines;
	HashTable *misuse_lines; /* of this request: the lines that have warned of a misuse; NULL: none */
	zend_object **reasons;   /* Reason's cases that this request has looked up; the class owns them */
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

/* Makes the next decision apply the settings again. */
void php_ratelimit_config_changed(void);

#endif
