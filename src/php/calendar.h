/* Begin and end of calendar windows in a time zone. The time zones are PHP's own, read through its date classes; a result is
 * cached until its window ends. */
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
	uint32_t next; /* the entry that is written next: the oldest */
	struct {
		char zone[PHP_RATELIMIT_ZONE_BYTES]; /* "": an unused entry */
		rl_period period;
		php_ratelimit_windows windows;
	} entries[PHP_RATELIMIT_CALENDAR_ROOM];
} php_ratelimit_calendar;

/* Returns a new reference: a time zone's name in PHP's spelling ("europe/berlin" is "Europe/Berlin"), or the default time zone's
 * when name is NULL. NULL when there is no such zone; no exception is thrown. */
zend_string *php_ratelimit_zone_name(zend_string *name);

/*
 * Finds the window of a period in a zone (in php_ratelimit_zone_name()'s spelling) that contains a wall-clock moment. It is
 * the longest interval around the moment whose instants all have the same
 *   minute, hour:     local date and time down to it, and offset from UTC: when the clocks go back, the hour that comes
 *                     twice is two windows;
 *   day, week, month: local date's day, week (from Monday) or month, however many hours that lasts.
 *
 * False, with an exception thrown, when PHP's date classes throw.
 */
bool php_ratelimit_calendar_windows(zend_string *zone, rl_period period, int64_t wall_us,
	php_ratelimit_windows *windows);

#endif
