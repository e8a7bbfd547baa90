/* The time zones of PHP: offsets and names, read through its date classes. */
#ifndef PHP_RATELIMIT_TIME_ZONE_H
#define PHP_RATELIMIT_TIME_ZONE_H

#include "php.h"

#define PHP_RATELIMIT_ZONE_BYTES 48 /* the longest name that is cached; the longest zone has 32 bytes */
#define PHP_RATELIMIT_ZONES_ROOM 8

/* A thread's cache of names, in memory that outlives the request. */
typedef struct php_ratelimit_zone_names {
	uint32_t next; /* the entry that the next name replaces: the oldest */
	struct {
		char given[PHP_RATELIMIT_ZONE_BYTES]; /* "": an unused entry */
		char name[PHP_RATELIMIT_ZONE_BYTES];  /* in PHP's spelling */
	} entries[PHP_RATELIMIT_ZONES_ROOM];
} php_ratelimit_zone_names;

/* The moment is a DateTime in UTC. In the zone itself, setTimestamp() moves some moments of the repeated hour by an
 * hour. */
typedef struct {
	zval timezone;
	zval date;
	zend_function *offset;
	zend_function *set;
} php_ratelimit_zone;

/* Opens a zone by its name. Returns false with an exception thrown. It is to be closed in either case. */
bool php_ratelimit_zone_open(php_ratelimit_zone *zone, zend_string *name);
void php_ratelimit_zone_close(php_ratelimit_zone *zone);

/* Returns the seconds east of UTC at t. */
int64_t php_ratelimit_zone_offset(php_ratelimit_zone *zone, int64_t t);

/* Returns the first moment in (from, to] whose offset differs from that at from; to + 1 when there is none. */
int64_t php_ratelimit_zone_change_after(php_ratelimit_zone *zone, int64_t from, int64_t to);

/* Returns the earliest moment in [from, to] since which the offset is the same as at to. */
int64_t php_ratelimit_zone_same_since(php_ratelimit_zone *zone, int64_t from, int64_t to);

/* Returns the first instant at which the zone's clock shows this local time or a later one. */
int64_t php_ratelimit_zone_first_at(php_ratelimit_zone *zone, int64_t local);

/* Calls a method of PHP's own date classes, written in C. zend_call_function() would also run the handlers of pending signals, which
 * may call the limiter whose question is being made. argument: or NULL. */
void php_ratelimit_call_date(zend_function *method, zend_object *object, zval *result, zval *argument);

/* Returns a date in a format, a new string; NULL with an exception thrown. Calls PHP's own format(), which a class of the user's may have
 * overridden. */
zend_string *php_ratelimit_format_date(zend_object *date, const char *format);

/* Run at module start-up. */
void php_ratelimit_zones_startup(void);

/* Returns PHP's default time zone, as the request or php.ini has set it: "europe/berlin", too. Borrowed until the setting
 * changes. */
const char *php_ratelimit_default_zone(void);

/* Returns a new reference to a time zone's name in PHP's spelling ("europe/berlin" is "Europe/Berlin"). NULL
 * means the default time zone. Returns NULL if there is no such zone, and throws no exception. */
zend_string *php_ratelimit_zone_name(zend_string *given);

#endif
