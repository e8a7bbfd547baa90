/* Computes begin and end of calendar windows in a time zone. The time zones are PHP's own, read through its date
 * classes. The cache keeps a result until its window ends. */
#ifndef PHP_RATELIMIT_CALENDAR_H
#define PHP_RATELIMIT_CALENDAR_H

#include "php.h"

#include "src/core/limit.h"

#define PHP_RATELIMIT_ZONE_BYTES    48 /* the longest name that is cached; the longest zone has 32 bytes */
#define PHP_RATELIMIT_CALENDAR_ROOM 16

/* [begin, end) and [end, next_end): a window and the one after it, in seconds since 1970. */
typedef struct {
	int64_t begin;
	int64_t end;
	int64_t next_end;
} php_ratelimit_windows;

/* A thread's cache, in memory that outlives the request. */
typedef struct {
	uint32_t next; /* the entry that the next result replaces: the oldest */
	struct {
		char zone[PHP_RATELIMIT_ZONE_BYTES]; /* "": an unused entry */
		rl_period period;
		php_ratelimit_windows windows;
	} entries[PHP_RATELIMIT_CALENDAR_ROOM];
} php_ratelimit_calendar;

/* Returns a new reference to a time zone's name in PHP's spelling ("europe/berlin" is "Europe/Berlin"). A NULL name
 * means the default time zone. Returns NULL if there is no such zone, and throws no exception. */
zend_string *php_ratelimit_zone_name(zend_string *name);

/*
 * Finds the window of a period in a zone (in php_ratelimit_zone_name()'s spelling) that contains a wall-clock moment. It is
 * the longest interval around the moment whose instants agree in the following.
 *   minute, hour:     Local date and time down to it, and offset from UTC. So the hour that repeats when the clocks go
 *                     back is two windows.
 *   day, week, month: The day, week (from Monday) or month of the local date, of any number of hours.
 *
 * Returns false, with an exception thrown, when PHP's date classes throw.
 */
bool php_ratelimit_calendar_windows(zend_string *zone, rl_period period, int64_t wall_us,
	php_ratelimit_windows *windows);

#endif
