#include "php_ratelimit.h"

#include "zend_exceptions.h"

#include "calendar.h"

#define MINUTE INT64_C(60)
#define HOUR   INT64_C(3600)
#define DAY    INT64_C(86400)

/* Windows of at least this length are searched at their ends alone: what changes in between moves no end. */
#define LONG_WINDOW (28 * DAY)
#define NEAR_END    (2 * DAY)

/* ---- The civil calendar, in local seconds: no zones here ---- */

static int64_t floor_to(int64_t t, int64_t unit)
{
	int64_t rest = t % unit;

	return t - (rest < 0 ? rest + unit : rest);
}

/* Returns the days from 1970-01-01 to the first of a month (0 to 11, or beyond) of the proleptic Gregorian calendar. Years are
 * counted from March, so that the leap day is the last one. */
static int64_t days_to_month(int64_t year, int64_t month)
{
	int64_t march_month, era_year;

	year += floor_to(month, 12) / 12;
	month -= floor_to(month, 12);
	march_month = (month + 10) % 12;
	era_year = year - (month < 2);
	return era_year * 365 + floor_to(era_year, 4) / 4 - floor_to(era_year, 100) / 100 + floor_to(era_year, 400) / 400
		+ (march_month * 153 + 2) / 5 - 719468;
}

/* Returns the months since the year 0 to the month of a day. */
static int64_t month_of_day(int64_t day)
{
	/* An estimate from the mean month (30.436875 days), at most one off, and then the exact month. */
	int64_t month = floor_to((day + 719528) * 10000, 304369) / 304369;

	while (days_to_month(0, month) > day) {
		month--;
	}
	while (days_to_month(0, month + 1) <= day) {
		month++;
	}
	return month;
}

/* Computes the local interval of so many months (a month, a quarter or a year) around a local second. */
static void civil_months(int64_t months, int64_t local, int64_t *begin, int64_t *end)
{
	int64_t month = floor_to(month_of_day(floor_to(local, DAY) / DAY), months);

	*begin = days_to_month(0, month) * DAY;
	*end = days_to_month(0, month + months) * DAY;
}

/* Computes the local interval [begin, end) of a period around a local second. */
static void civil_window(uint64_t period, int64_t local, int64_t *begin, int64_t *end)
{
	int64_t first_day;

	switch (period) {
		case RL_MINUTE:
			*begin = floor_to(local, MINUTE);
			*end = *begin + MINUTE;
			break;
		case RL_HOUR:
			*begin = floor_to(local, HOUR);
			*end = *begin + HOUR;
			break;
		case RL_DAY:
			*begin = floor_to(local, DAY);
			*end = *begin + DAY;
			break;
		case RL_MONTH:
			civil_months(1, local, begin, end);
			break;
		case RL_QUARTER:
			civil_months(3, local, begin, end);
			break;
		case RL_YEAR:
			civil_months(12, local, begin, end);
			break;
		case RL_WEEK:
		default: /* 1970-01-01 was a Thursday: the Monday after it is day 4 */
			first_day = 4 + (period == RL_WEEK ? 0 : (int64_t) period - RL_WEEK_FROM - 1);
			*begin = floor_to(local - first_day * DAY, 7 * DAY) + first_day * DAY;
			*end = *begin + 7 * DAY;
			break;
	}
}

static int64_t interval_units(uint64_t period)
{
	return (int64_t) (period >> RL_PERIOD_UNITS_AT);
}

static uint64_t interval_unit(uint64_t period)
{
	return period & ((1 << RL_PERIOD_UNITS_AT) - 1);
}

/* Returns the local second at which window n of an interval of months or days begins. */
static int64_t interval_begin(uint64_t period, int64_t anchor, int64_t n)
{
	int64_t day = floor_to(anchor, DAY) / DAY, month, day_of_month, begin, length;

	if (interval_unit(period) == RL_EVERY_DAYS) {
		return anchor + n * interval_units(period) * DAY;
	}
	month = month_of_day(day);
	day_of_month = day - days_to_month(0, month);
	month += n * interval_units(period);
	begin = days_to_month(0, month);
	length = days_to_month(0, month + 1) - begin;
	return (begin + MIN(day_of_month, length - 1)) * DAY + anchor - day * DAY;
}

/* Returns the number of the window of an interval of months or days that contains a local second, at most one off. */
static int64_t interval_index(uint64_t period, int64_t anchor, int64_t local)
{
	int64_t units = interval_units(period);

	if (interval_unit(period) == RL_EVERY_DAYS) {
		return floor_to(local - anchor, units * DAY) / (units * DAY);
	}
	return floor_to(month_of_day(floor_to(local, DAY) / DAY) - month_of_day(floor_to(anchor, DAY) / DAY), units)
		/ units;
}

/* ---- Both together ---- */

/* Returns whether the instants a and b, at those offsets, are in the same window, provided that all instants between
 * them are. */
static bool same_window(uint64_t period, int64_t a, int64_t a_offset, int64_t b, int64_t b_offset)
{
	int64_t a_begin, b_begin, end;

	if (period <= RL_HOUR && a_offset != b_offset) {
		return false;
	}
	civil_window(period, a + a_offset, &a_begin, &end);
	civil_window(period, b + b_offset, &b_begin, &end);
	return a_begin == b_begin;
}

static int64_t window_end(php_ratelimit_zone *zone, uint64_t period, int64_t t)
{
	for (;;) {
		int64_t offset = php_ratelimit_zone_offset(zone, t), begin, end, change;

		civil_window(period, t + offset, &begin, &end);
		if (end - begin >= LONG_WINDOW && end - offset - t > 2 * NEAR_END) {
			t = end - offset - NEAR_END;
			continue;
		}
		change = php_ratelimit_zone_change_after(zone, t, end - offset);
		if (change > end - offset) {
			return end - offset;
		}
		/* The offset changes during the window, or exactly at its end: at midnight, back to 23:00. */
		if (!same_window(period, t, offset, change, php_ratelimit_zone_offset(zone, change))) {
			return change;
		}
		t = change;
	}
}

static int64_t window_begin(php_ratelimit_zone *zone, uint64_t period, int64_t t)
{
	for (;;) {
		int64_t offset = php_ratelimit_zone_offset(zone, t), begin, end, since;

		civil_window(period, t + offset, &begin, &end);
		if (end - begin >= LONG_WINDOW && t - begin + offset > 2 * NEAR_END) {
			t = begin - offset + NEAR_END;
			continue;
		}
		since = php_ratelimit_zone_same_since(zone, begin - offset - 1, t);
		if (since < begin - offset) {
			return begin - offset;
		}
		if (!same_window(period, t, offset, since - 1, php_ratelimit_zone_offset(zone, since - 1))) {
			return since;
		}
		t = since - 1;
	}
}

static void find_interval(php_ratelimit_zone *zone, uint64_t period, int64_t anchor, int64_t now,
	php_ratelimit_windows *windows)
{
	int64_t units = interval_units(period), n;

	if (interval_unit(period) == RL_EVERY_SECONDS) {
		windows->begin = anchor + floor_to(now - anchor, units);
		windows->end = windows->begin + units;
		windows->next_end = windows->end + units;
		return;
	}
	n = interval_index(period, anchor, now + php_ratelimit_zone_offset(zone, now));
	while ((windows->begin = php_ratelimit_zone_first_at(zone, interval_begin(period, anchor, n))) > now) {
		n--;
	}
	while ((windows->end = php_ratelimit_zone_first_at(zone, interval_begin(period, anchor, n + 1))) <= now) {
		windows->begin = windows->end;
		n++;
	}
	/* A zone that skips a whole day has a window without an instant. */
	do {
		n++;
		windows->next_end = php_ratelimit_zone_first_at(zone, interval_begin(period, anchor, n + 1));
	} while (windows->next_end <= windows->end);
}

static void find_windows(php_ratelimit_zone *zone, uint64_t period, int64_t anchor, int64_t now,
	php_ratelimit_windows *windows)
{
	if (interval_units(period) > 0) {
		find_interval(zone, period, anchor, now, windows);
		return;
	}
	windows->begin = window_begin(zone, period, now);
	windows->end = window_end(zone, period, now);
	windows->next_end = window_end(zone, period, windows->end);
}

int64_t php_ratelimit_calendar_anchor(zend_string *name, uint64_t period, int64_t instant)
{
	php_ratelimit_zone zone;

	if (interval_unit(period) != RL_EVERY_SECONDS) {
		if (php_ratelimit_zone_open(&zone, name)) {
			instant += php_ratelimit_zone_offset(&zone, instant);
		}
		php_ratelimit_zone_close(&zone);
	}
	return instant;
}

/* Finds an entry of the cache whose window contains a moment, or of any moment. */
static bool cached_windows(const zend_string *name, uint64_t period, int64_t anchor, const int64_t *now,
	php_ratelimit_windows *windows)
{
	const php_ratelimit_calendar *calendar = RATELIMIT_G(calendar);

	/* The latest entry comes first. */
	for (uint32_t n = 1; n <= PHP_RATELIMIT_CALENDAR_ROOM; n++) {
		uint32_t i = (calendar->next - n) % PHP_RATELIMIT_CALENDAR_ROOM;
		const php_ratelimit_windows *found = &calendar->entries[i].windows;

		if (calendar->entries[i].period == period && calendar->entries[i].anchor == anchor
			&& (!now || (found->begin <= *now && *now < found->end))
			&& strcmp(calendar->entries[i].zone, ZSTR_VAL(name)) == 0) {
			*windows = *found;
			return true;
		}
	}
	return false;
}

bool php_ratelimit_calendar_latest(const zend_string *name, uint64_t period, int64_t anchor,
	php_ratelimit_windows *windows)
{
	return cached_windows(name, period, anchor, NULL, windows);
}

bool php_ratelimit_calendar_windows(zend_string *name, uint64_t period, int64_t anchor, int64_t wall_us,
	php_ratelimit_windows *windows)
{
	php_ratelimit_calendar *calendar = RATELIMIT_G(calendar);
	int64_t now = floor_to(wall_us, RL_US_PER_SECOND) / RL_US_PER_SECOND;
	php_ratelimit_zone zone;

	if (EXPECTED(cached_windows(name, period, anchor, &now, windows))) {
		return true;
	}
	if (php_ratelimit_zone_open(&zone, name)) {
		find_windows(&zone, period, anchor, now, windows);
	}
	php_ratelimit_zone_close(&zone);
	if (EG(exception)) {
		return false;
	}
	if (ZSTR_LEN(name) < PHP_RATELIMIT_ZONE_BYTES) {
		memcpy(calendar->entries[calendar->next].zone, ZSTR_VAL(name), ZSTR_LEN(name) + 1);
		calendar->entries[calendar->next].period = period;
		calendar->entries[calendar->next].anchor = anchor;
		calendar->entries[calendar->next].windows = *windows;
		calendar->next = (calendar->next + 1) % PHP_RATELIMIT_CALENDAR_ROOM;
	}
	return true;
}
