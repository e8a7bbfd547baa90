/* Reads the file of ratelimit.limiters, and keeps what it has for this thread. docs/settings.md has the format. */
#ifndef PHP_RATELIMIT_LIMITERS_FILE_H
#define PHP_RATELIMIT_LIMITERS_FILE_H

#include "../request/client_address.h"
#include "../limit/limit_object.h"
#include "src/compiler.h"
#include "src/guard/guard_types.h"
#include "src/shm/segment/clock.h"

typedef struct php_ratelimit_limiter php_ratelimit_limiter;

/* Lets a structure of the globals begin a cache line. With threads PHP allocates the globals, without that alignment. */
#ifdef ZTS
# define PHP_RATELIMIT_LINE
#else
# define PHP_RATELIMIT_LINE _Alignas(64)
#endif

/* Identities of the file: texts, which are its own, whole numbers in ranges, and addresses in networks. */
typedef struct {
	php_ratelimit_networks networks;
	zend_string **ids;
	size_t n_ids;
	zend_long (*ranges)[2]; /* the first and the last number */
	size_t n_ranges;
} php_ratelimit_list;

/* A limiter of the file. It has a reference for the file and for each Limiter that was made of it. */
typedef struct {
	uint32_t references;
	uint8_t n_limits;
	bool has_policy;
	rl_failure_policy policy;       /* with has_policy */
	php_ratelimit_limiter *limiter; /* what all requests share of it, a reference of the file's; or NULL */
	zend_string
		*default_zone; /* PHP's default time zone for which that limiter was made; NULL: it has limits of none */
	zend_string *name;
	zend_string *store; /* a DSN; NULL: ratelimit.store */
	php_ratelimit_list exempt, refuse;
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* a limit without the time zone that it needs: PHP's default one */
} php_ratelimit_named;

#define PHP_RATELIMIT_LATEST_NAME_MAX 40

/* The limiter that named() returned last, with its name, so that a request's first decision finds it in one cache line. */
typedef struct {
	PHP_RATELIMIT_LINE int64_t look_at_ms; /* the next look at its file is due */
	php_ratelimit_limiter *limiter; /* borrowed from its file, without limits of the default time zone; NULL: none */
	size_t length;
	char name[PHP_RATELIMIT_LATEST_NAME_MAX];
} php_ratelimit_latest;

/* The files of a thread, by path. Strings of limiters are permanent: a Result may have them when the file has changed. */
typedef struct php_ratelimit_limiters {
	php_ratelimit_latest latest;
	HashTable files;
	HashTable strings;
	void *current;      /* the file of ratelimit.limiters; NULL: that setting has changed */
	HashTable *defined; /* name => php_ratelimit_limiter *, of Limiter::define() in this request; NULL: none */
	uint64_t version;   /* of what names mean: of the file, of the setting, of define() */
} php_ratelimit_limiters;

void php_ratelimit_limiters_init(php_ratelimit_limiters *limiters);
void php_ratelimit_limiters_free(php_ratelimit_limiters *limiters);

/* Reads the file of ratelimit.limiters, for the workers that this process makes: one that is made while the file has a mistake has
 * the limiters of this moment. PHP runs no code yet, so the worker parses the text. */
void php_ratelimit_limiters_startup(void);

/* Returns the limiter of that name as the file has it now, borrowed; looks at the file at most every 300 ms. NULL: the file
 * has none. Then php_ratelimit_limiters_problem() may have the reason. */
php_ratelimit_named *php_ratelimit_named_find(zend_string *name);

/* Notes the limiter that named() returns for this name of the present file. limiter: what all requests share of it, which
 * depends on the text of the file alone. */
void php_ratelimit_named_note(const php_ratelimit_named *named, php_ratelimit_limiter *limiter);

/* The time between two looks at the file. */
#define PHP_RATELIMIT_LOOK_EVERY_MS 300

/* Looks at the file of the limiter that named() returned last, and forgets that limiter if the file has changed. */
void php_ratelimit_named_look(void);

/* Returns whether a look is due, at the time of the next look. A clock that is behind the last look is a simulated one. */
static zend_always_inline bool php_ratelimit_look_is_due(int64_t look_at_ms)
{
	return (uint64_t) (look_at_ms - rl_clock_coarse_ms() - 1) >= PHP_RATELIMIT_LOOK_EVERY_MS;
}

/* Returns a number that changes when a name may have come to mean another limiter. Looks at the file as php_ratelimit_named_find(). */
static zend_always_inline uint64_t php_ratelimit_named_version(const php_ratelimit_limiters *limiters)
{
	if (UNEXPECTED(php_ratelimit_look_is_due(limiters->latest.look_at_ms))) {
		php_ratelimit_named_look();
	}
	return limiters->version;
}

/* Gives an application's limiter to its name; takes a reference. */
void php_ratelimit_limiter_define(php_ratelimit_limiter *limiter);

/* Drops what the application has defined, and looks at the file, where no decision waits for it. A change is left to the next decision. */
void php_ratelimit_limiters_end_request(void);

/* Calls a function for each limiter of the file as it is now. */
void php_ratelimit_named_each(void (*call)(const php_ratelimit_named *named, void *context), void *context);

/* Returns why the file cannot be used as it is now; NULL: it can, or the setting is empty. */
const char *php_ratelimit_limiters_problem(void);

static inline bool php_ratelimit_has_identities(const php_ratelimit_list *list)
{
	return list->n_ids > 0 || list->n_ranges > 0 || list->networks.n > 0;
}

/* Returns whether a limit needs a time zone. */
static inline bool php_ratelimit_needs_zone(const php_ratelimit_limit *limit)
{
	return limit->limit.algorithm == RL_CALENDAR_WINDOW || limit->ban_period;
}

/* ---- limiters_text.c ---- */

/* Adds the limiters of a text to a table: name => php_ratelimit_named with one reference. The text has a NUL behind it. Returns
 * false with a reason, which begins with the number of its line, if the text has a mistake, the first one; the table then has the
 * limiters without a mistake. */
bool php_ratelimit_limiters_parse(const char *text, size_t length, HashTable *limiters, char *reason, size_t size);

/* Returns the one string of these bytes that this thread keeps. It looks interned, so nothing counts references to it. */
zend_string *php_ratelimit_limiters_string(const char *bytes, size_t length);

#endif
