/* Caches the limits of the functions that a request calls, with what each one's latest call has found out. */
#ifndef PHP_RATELIMIT_ATTRIBUTE_CACHE_H
#define PHP_RATELIMIT_ATTRIBUTE_CACHE_H

#include "php.h"

#include "../limiter/limiter_object.h"
#include "php_ratelimit.h"
#include "src/shm/table/position.h"

typedef struct php_ratelimit_named_limiters php_ratelimit_named_limiters;

/* A version of a request's path and client that none has: there is no place. */
#define PHP_RATELIMIT_NO_VERSION UINT64_MAX

#define PHP_RATELIMIT_ENFORCED_ROOM 64 /* the number of functions whose limits a thread caches: a power of two */

typedef struct _php_ratelimit_enforced php_ratelimit_enforced;

/* The state of a thread, for the length of a request. */
typedef struct php_ratelimit_enforcer {
	php_ratelimit_enforced *functions[PHP_RATELIMIT_ENFORCED_ROOM]; /* by a hash of their keys, or NULL */
	unsigned asking;                                                /* calls of resolvers that have not returned */
	php_ratelimit_enforced *spare; /* memory for the next one; or NULL. It outlives the request */
} php_ratelimit_enforcer;

/* The place of the latest call's count: of one fixed window on the embedded store. */
typedef struct {
	uint64_t version; /* of the path and the client that the place belongs to */
	bool is_user;     /* it counts a user, and no client */
	zend_long user;   /* an int */
	rl_position position;
} php_ratelimit_kept_place;

/* A cached function. The function itself is no place for it, because opcache shares it between processes. Its run-time
 * cache is none either: each object of a closure may have its own. */
struct _php_ratelimit_enforced {
	/* The key. The reference to the attributes prevents the reuse of their address. */
	HashTable *attributes; /* or NULL: those of its class limit it */
	zend_class_entry *scope;
	const char *function; /* the address of its name, one more with the attributes of its class */
	bool need_login;
	bool by_path; /* the request's path belongs to the name */
	/* With a ConcurrencyLimit, limiter is that of the latest call's count, which permits refer to; NULL: none yet. The path of
	 * the request belongs to its name. */
	bool has_concurrent;
	php_ratelimit_kept_place kept;
	php_ratelimit_monitor monitor;
	zend_string *name;  /* the action, the name of its one limiter, or the function's */
	zend_string *count; /* the name of the latest call's count; NULL: there was none */
	zend_string *path;  /* the path that it was made of, or NULL; a reference */
	php_ratelimit_limiter *limiter;
	php_ratelimit_named_limiters *named; /* with a RateLimit; or NULL */
	uint64_t names; /* the version of the names, where its one limiter decides as one window of its own would; or 0 */
	php_ratelimit_policy policy; /* of that window; its strings are interned */
	rl_question question;        /* complete but for what a permit holds; without limits of its own, nothing */
};

static zend_always_inline php_ratelimit_enforced **php_ratelimit_enforced_place(const zend_op_array *op_array)
{
	uintptr_t hash = (uintptr_t) op_array->attributes >> 4 ^ (uintptr_t) op_array->scope >> 5
		^ (uintptr_t) op_array->function_name >> 3;

	return &RATELIMIT_G(enforcer)->functions[(hash ^ hash >> 6 ^ hash >> 12) % PHP_RATELIMIT_ENFORCED_ROOM];
}

static zend_always_inline bool php_ratelimit_enforced_is(const php_ratelimit_enforced *enforced,
	const zend_op_array *op_array, bool of_class)
{
	return EXPECTED(enforced && enforced->attributes == op_array->attributes && enforced->scope == op_array->scope
		&& enforced->function == (const char *) op_array->function_name + of_class);
}

/* Returns a function's limits, valid until user code runs; NULL: they are not in the cache. of_class: with those of its class. */
static zend_always_inline php_ratelimit_enforced *php_ratelimit_enforced_cached(const zend_op_array *op_array,
	bool of_class)
{
	php_ratelimit_enforced *enforced = *php_ratelimit_enforced_place(op_array);

	return php_ratelimit_enforced_is(enforced, op_array, of_class) ? enforced : NULL;
}

/* Does so, and reads the limits that are not in the cache. Returns NULL if the function has none, or with an exception thrown. */
php_ratelimit_enforced *php_ratelimit_enforced_of(const zend_op_array *op_array, bool of_class);

/* Returns the limiter of a function's own limits by this name, a new reference. The function keeps the latest one. */
php_ratelimit_limiter *php_ratelimit_enforced_limiter(php_ratelimit_enforced *enforced, const char *name,
	size_t length);

/* Resets the state. Code after the last clear() (a session handler) may have left functions, of which all memory of that request is
 * freed already. */
void php_ratelimit_enforcer_begin_request(void);

/* Forgets the places of the latest calls' counts: a setting that a client's address depends on has changed. */
void php_ratelimit_enforcer_forget_places(void);

/* Frees the cached functions. */
void php_ratelimit_enforcer_forget(void);

/* Does the same, and forgets the calls of resolvers, at the end of a request. */
void php_ratelimit_enforcer_clear(void);

#endif
