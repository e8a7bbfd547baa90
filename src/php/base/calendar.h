/* Computes begin and end of calendar windows in a time zone. The cache keeps a result until its window ends. */
#ifndef PHP_RATELIMIT_CALENDAR_H
#define PHP_RATELIMIT_CALENDAR_H

#include "php.h"

#include "src/core/limit/limit.h"
#include "time_zone.h"

#define PHP_RATELIMIT_CALENDAR_ROOM 16

/* [begin, end) and [end, next_end): a window and the one after it, in seconds since 1970. */
typedef struct {
	int64_t begin;
	int64_t end;
	int64_t next_end;
} php_ratelimit_windows;

/* A thread's cache, in memory that outlives the request. */
typedef struct php_ratelimit_calendar {
	uint32_t next; /* the entry that the next result replaces: the oldest */
	struct {
		char zone[PHP_RATELIMIT_ZONE_BYTES]; /* "": an unused entry */
		uint64_t period;
		int64_t anchor;
		php_ratelimit_windows windows;
	} entries[PHP_RATELIMIT_CALENDAR_ROOM];
} php_ratelimit_calendar;

/*
 * Finds the window of a period (as rl_limit has it) in a zone (in php_ratelimit_zone_name()'s spelling) that contains a
 * wall-clock moment. It is the longest interval around the moment whose instants agree in the following.
 *   minute, hour:        Local date and time down to it, and offset from UTC. So the hour that repeats when the clocks go
 *                        back is two windows.
 *   day, week, ... year: The day, week, month, quarter or year of the local date, of any number of hours.
 *
 * Of an interval, window n begins when the zone's clock first shows the anchor's date and time, moved by n intervals, or a
 * later time. The anchor is that date and time in seconds, as if the zone were UTC; of an interval of seconds it is the
 * instant. A month without the anchor's day has its last day in place of it.
 *
 * Returns false, with an exception thrown, when PHP's date classes throw.
 */
bool php_ratelimit_calendar_windows(zend_string *zone, uint64_t period, int64_t anchor, int64_t wall_us,
	php_ratelimit_windows *windows);

/* Does the same for whatever moment the thread has found a window for last, without a look at a clock. Returns false if there is no
 * such window. */
bool php_ratelimit_calendar_latest(const zend_string *zone, uint64_t period, int64_t anchor,
	php_ratelimit_windows *windows);

/* Returns the anchor of an interval that begins at an instant, in seconds. Throws as the function above. */
int64_t php_ratelimit_calendar_anchor(zend_string *zone, uint64_t period, int64_t instant);

#endif
