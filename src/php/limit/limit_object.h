/* src/php/limit: The class Limit.
 *
 * Declares FrequencyLimit\Limit for Limiter. A Limit never changes: its with-methods return changed copies. */
#ifndef PHP_RATELIMIT_LIMIT_OBJECT_H
#define PHP_RATELIMIT_LIMIT_OBJECT_H

#include "php.h"

#include "../base/lazy_properties.h"
#include "src/compiler.h"
#include "src/core/limit/limit.h"
#include "src/core/limit/limit_text.h"

/* The algorithm of Limit::none(), which the core does not have. */
#define PHP_RATELIMIT_NONE ((rl_algorithm) 255)

/* The number of the declared properties. */
#define PHP_RATELIMIT_LIMIT_PROPERTIES 13

/* A Limit. Each question fills in the boundaries of a calendar window, and of a ban until a clock's boundary. */
typedef struct {
	rl_limit limit;      /* algorithm 0: the object was made without a factory method, as PDO does */
	zend_string *name;   /* or NULL */
	zend_string *by;     /* the label of its identity, or NULL */
	zend_string *unit;   /* of its permits, for headers, or NULL */
	zend_string *zone;   /* time zone of the window and of the ban's boundary; NULL when there is neither */
	int64_t anchor;      /* of an interval, as php_ratelimit_calendar_windows() takes it */
	zend_string *steps;  /* the rl_ban_steps to which the limit points; or NULL */
	uint64_t ban_period; /* the ban lasts until this period's next boundary; 0: it has no such boundary */
	int64_t window_us;   /* of a limiter's limit: the length of its window for the headers, but of a calendar window */
	bool leased;
	bool shadow; /* judged and counted, and decides nothing */
} php_ratelimit_limit;

typedef struct {
	php_ratelimit_limit data;
	zend_object std;
} php_ratelimit_limit_object;

/* Returns the data of a Limit, which is cleared if no factory method has made it. Then it may get its data, once. */
static zend_always_inline php_ratelimit_limit *php_ratelimit_limit_data(zend_object *object)
{
	return &((php_ratelimit_limit_object *) ((char *) object - offsetof(php_ratelimit_limit_object, std)))->data;
}

static inline bool php_ratelimit_limit_is_empty(zend_object *object)
{
	return !php_ratelimit_limit_data(object)->limit.algorithm;
}

/* Returns the data of a Limit; NULL with an Error thrown, if no factory method has made it. */
php_ratelimit_limit *php_ratelimit_limit_of(zend_object *object);

/* Makes the Limit that a factory method returns, with its algorithm and its number. */
php_ratelimit_limit *php_ratelimit_limit_make(zval *return_value, rl_algorithm algorithm, zend_long limit);

/* Makes the copy of $this that a with-method changes and returns. Returns NULL with an Error thrown, if $this is empty. */
php_ratelimit_limit *php_ratelimit_limit_copy(zval *return_value, zval *this);

/* Adds a reference to each string of a limit, or drops it. Most limits have no string. */
void php_ratelimit_limit_change_references(const php_ratelimit_limit *data, bool add);

static zend_always_inline bool php_ratelimit_limit_has_strings(const php_ratelimit_limit *data)
{
	return ((uintptr_t) data->name | (uintptr_t) data->by | (uintptr_t) data->unit | (uintptr_t) data->zone
			   | (uintptr_t) data->steps)
		!= 0;
}

static zend_always_inline void php_ratelimit_limit_addref(const php_ratelimit_limit *data)
{
	if (php_ratelimit_limit_has_strings(data)) {
		php_ratelimit_limit_change_references(data, true);
	}
}

static zend_always_inline void php_ratelimit_limit_delref(const php_ratelimit_limit *data)
{
	if (php_ratelimit_limit_has_strings(data)) {
		php_ratelimit_limit_change_references(data, false);
	}
}

/* Gives the limit a copy of the times of bans that escalate. Requires that it has none. */
void php_ratelimit_limit_set_steps(php_ratelimit_limit *data, const rl_ban_steps *steps);

/* Returns whether a period is a week, from Monday or from another day. */
bool php_ratelimit_is_week(uint64_t period);

/* Runs at module start-up. set: sets the handlers of the properties, php_ratelimit_limit_set_handlers(). */
void php_ratelimit_limit_startup(void (*set)(php_ratelimit_lazy_handlers *handlers));

/* Returns a new Limit; takes over the references in data. */
zend_object *php_ratelimit_limit_new(const php_ratelimit_limit *data);

/* Returns the length of the window for the headers. That of a bucket is the time in which it fills. A concurrent limit has
 * none. */
int64_t php_ratelimit_limit_window_us(const rl_limit *limit);

/* Returns whether a bucket of this size takes more than ten years to fill. */
bool php_ratelimit_fills_too_slowly(int64_t burst, int64_t period_us, int64_t rate);

/* Checks the name of a limit: 1 to 64 bytes of printable ASCII. argument: its name in messages. Returns false with an
 * InvalidArgument thrown. */
bool php_ratelimit_limit_check_name(const char *argument, const zend_string *name);

/* Converts a Limit to and from text, properties and exported arrays. The grammar is in
 * src/core/limit/limit_text.h. */

/* Completes a limit that was read from a text: checks the rest of its bounds, and resolves its time zone, PHP's default
 * one if it names none. Returns false with the reason, in so many bytes. The caller owns the references in data. */
bool php_ratelimit_limit_from_text(const rl_limit_text *text, php_ratelimit_limit *data, char *reason, size_t size);

/* Returns the text of a limit, a new string. */
zend_string *php_ratelimit_limit_to_text(const php_ratelimit_limit *data);

/* Returns whether two limits have the same text. */
bool php_ratelimit_limit_equals(const php_ratelimit_limit *a, const php_ratelimit_limit *b);

/* Sets the handlers that compare, export and fill in the properties. */
void php_ratelimit_limit_set_handlers(php_ratelimit_lazy_handlers *handlers);

#endif
