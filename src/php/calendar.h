/* Where the windows of the clock begin and end in a time zone. The time zones are PHP's own: it is asked through its
 * date classes, and what it says is remembered until the window is over. */
#ifndef PHP_RATELIMIT_CALENDAR_H
#define PHP_RATELIMIT_CALENDAR_H

#include "php.h"

#include "src/core/limit.h"

#define PHP_RATELIMIT_ZONE_BYTES    48 /* the longest name that is remembered: the longest there is has 32 */
#define PHP_RATELIMIT_CALENDAR_ROOM 16

/* [begin, end) and [end, next_end): a window and the one after it, in seconds since 1970. */
typedef struct {
	int64_t begin;
	int64_t end;
	int64_t next_end;
} php_ratelimit_windows;

/* What a thread remembers: plain memory, it outlives the request. */
typedef struct {
	uint32_t next; /* the entry that is written next: the oldest */
	struct {
		char zone[PHP_RATELIMIT_ZONE_BYTES]; /* "": an unused entry */
		rl_period period;
		php_ratelimit_windows windows;
	} entries[PHP_RATELIMIT_CALENDAR_ROOM];
} php_ratelimit_calendar;

/* The name of a time zone as PHP spells it ("europe/berlin" is "Europe/Berlin"), a new reference; of the default time
 * zone when name is NULL. NULL when there is no such zone; no exception is thrown. */
zend_string *php_ratelimit_zone_name(zend_string *name);

/*
 * The window of a period in a zone (as php_ratelimit_zone_name() spells it) that holds the wall-clock moment, which is
 * the longest interval around it whose instants all have the same
 *   minute, hour:     local date and time down to it, and offset from UTC: when the clocks go back, the hour that comes
 *                     twice is two windows;
 *   day, week, month: local date's day, week (from Monday) or month, however many hours that lasts.
 *
 * False, with an exception thrown, when PHP cannot say.
 */
bool php_ratelimit_calendar_windows(zend_string *zone, rl_period period, int64_t wall_us,
	php_ratelimit_windows *windows);

#endif
