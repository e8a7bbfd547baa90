#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_modules.h"
#include "zend_exceptions.h"

#include "calendar.h"

#define MINUTE INT64_C(60)
#define HOUR   INT64_C(3600)
#define DAY    INT64_C(86400)

/* The distance between two samples of a zone's offsets. Bisection finds a change between two samples. Two changes
 * between them that cancel out stay unseen; no zone has ever had such a pair. */
#define LOOK (6 * HOUR)

/* No change moves a zone's clock by as much: some skipped a day. */
#define JUMP_MAX (27 * HOUR)

/* Windows of at least this length are searched at their ends alone: what changes in between moves no end. */
#define LONG_WINDOW (28 * DAY)
#define NEAR_END    (2 * DAY)

/* ---- The time zone: its offset at a moment ---- */

/* The moment is a DateTime in UTC. In the zone itself, setTimestamp() moves some moments of the repeated hour by an
 * hour. */
typedef struct {
	zval timezone;
	zval date;
	zend_function *offset;
	zend_function *set;
} zone_t;

void php_ratelimit_call_date(zend_function *method, zend_object *object, zval *result, zval *argument)
{
	zend_execute_data *call = zend_vm_stack_push_call_frame(ZEND_CALL_TOP_FUNCTION | ZEND_CALL_HAS_THIS, method,
		argument != NULL, object);

	if (argument) {
		ZVAL_COPY(ZEND_CALL_ARG(call, 1), argument);
	}
	call->prev_execute_data = EG(current_execute_data);
	EG(current_execute_data) = call;
	ZVAL_NULL(result);
	method->internal_function.handler(call, result);
	EG(current_execute_data) = call->prev_execute_data;
	zend_vm_stack_free_args(call);
	zend_vm_stack_free_call_frame(call);
	if (UNEXPECTED(EG(exception))) {
		zval_ptr_dtor(result);
		ZVAL_UNDEF(result);
		if (EG(current_execute_data) && EG(current_execute_data)->func
			&& ZEND_USER_CODE(EG(current_execute_data)->func->common.type)) {
			zend_throw_exception_internal(NULL);
		}
	}
}

static void construct(zval *object, zend_class_entry *ce, zval *argument)
{
	zval nothing;

	object_init_ex(object, ce);
	php_ratelimit_call_date(ce->constructor, Z_OBJ_P(object), &nothing, argument);
}

static bool zone_open(zone_t *zone, zend_string *name)
{
	zend_class_entry *zone_ce = php_date_get_timezone_ce(), *date_ce = php_date_get_date_ce();
	zval argument;

	ZVAL_UNDEF(&zone->date);
	ZVAL_STR(&argument, name);
	construct(&zone->timezone, zone_ce, &argument);
	if (!EG(exception)) {
		ZVAL_STR(&argument, zend_string_init("@0", 2, false));
		construct(&zone->date, date_ce, &argument);
		zval_ptr_dtor(&argument);
	}
	zone->offset = zend_hash_str_find_ptr(&zone_ce->function_table, ZEND_STRL("getoffset"));
	zone->set = zend_hash_str_find_ptr(&date_ce->function_table, ZEND_STRL("settimestamp"));
	return !EG(exception);
}

static void zone_close(zone_t *zone)
{
	zval_ptr_dtor(&zone->timezone);
	zval_ptr_dtor(&zone->date);
}

/* Returns the seconds east of UTC at t. */
static int64_t zone_offset(zone_t *zone, int64_t t)
{
	zval argument, result;

	ZVAL_LONG(&argument, (zend_long) t);
	php_ratelimit_call_date(zone->set, Z_OBJ(zone->date), &result, &argument);
	zval_ptr_dtor(&result);
	php_ratelimit_call_date(zone->offset, Z_OBJ(zone->timezone), &result, &zone->date);
	return Z_TYPE(result) == IS_LONG ? Z_LVAL(result) : 0;
}

/* Returns the first moment in (from, to] whose offset differs from that at from; to + 1 when there is none. */
static int64_t zone_change_after(zone_t *zone, int64_t from, int64_t to)
{
	int64_t offset = zone_offset(zone, from);

	for (int64_t same = from; same < to;) {
		int64_t other = MIN(same + LOOK, to);

		if (zone_offset(zone, other) == offset) {
			same = other;
			continue;
		}
		while (other - same > 1) {
			int64_t middle = same + (other - same) / 2;

			if (zone_offset(zone, middle) == offset) {
				same = middle;
			} else {
				other = middle;
			}
		}
		return other;
	}
	return to + 1;
}

/* Returns the earliest moment in [from, to] since which the offset is the same as at to. */
static int64_t zone_same_since(zone_t *zone, int64_t from, int64_t to)
{
	int64_t offset = zone_offset(zone, to);

	for (int64_t same = to; same > from;) {
		int64_t other = MAX(same - LOOK, from);

		if (zone_offset(zone, other) == offset) {
			same = other;
			continue;
		}
		while (same - other > 1) {
			int64_t middle = other + (same - other) / 2;

			if (zone_offset(zone, middle) == offset) {
				same = middle;
			} else {
				other = middle;
			}
		}
		return same;
	}
	return from;
}

/* Returns the first instant at which the zone's clock shows this local time or a later one. */
static int64_t zone_first_at(zone_t *zone, int64_t local)
{
	/* Up to here the clock has shown earlier times only. */
	for (int64_t t = local - zone_offset(zone, local) - JUMP_MAX;;) {
		int64_t at = local - zone_offset(zone, t), change = zone_change_after(zone, t, at);

		if (change > at) {
			return at;
		}
		if (change + zone_offset(zone, change) >= local) {
			return change;
		}
		t = change;
	}
}

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

static int64_t window_end(zone_t *zone, uint64_t period, int64_t t)
{
	for (;;) {
		int64_t offset = zone_offset(zone, t), begin, end, change;

		civil_window(period, t + offset, &begin, &end);
		if (end - begin >= LONG_WINDOW && end - offset - t > 2 * NEAR_END) {
			t = end - offset - NEAR_END;
			continue;
		}
		change = zone_change_after(zone, t, end - offset);
		if (change > end - offset) {
			return end - offset;
		}
		/* The offset changes during the window, or exactly at its end: at midnight, back to 23:00. */
		if (!same_window(period, t, offset, change, zone_offset(zone, change))) {
			return change;
		}
		t = change;
	}
}

static int64_t window_begin(zone_t *zone, uint64_t period, int64_t t)
{
	for (;;) {
		int64_t offset = zone_offset(zone, t), begin, end, since;

		civil_window(period, t + offset, &begin, &end);
		if (end - begin >= LONG_WINDOW && t - begin + offset > 2 * NEAR_END) {
			t = begin - offset + NEAR_END;
			continue;
		}
		since = zone_same_since(zone, begin - offset - 1, t);
		if (since < begin - offset) {
			return begin - offset;
		}
		if (!same_window(period, t, offset, since - 1, zone_offset(zone, since - 1))) {
			return since;
		}
		t = since - 1;
	}
}

static void find_interval(zone_t *zone, uint64_t period, int64_t anchor, int64_t now, php_ratelimit_windows *windows)
{
	int64_t units = interval_units(period), n;

	if (interval_unit(period) == RL_EVERY_SECONDS) {
		windows->begin = anchor + floor_to(now - anchor, units);
		windows->end = windows->begin + units;
		windows->next_end = windows->end + units;
		return;
	}
	n = interval_index(period, anchor, now + zone_offset(zone, now));
	while ((windows->begin = zone_first_at(zone, interval_begin(period, anchor, n))) > now) {
		n--;
	}
	while ((windows->end = zone_first_at(zone, interval_begin(period, anchor, n + 1))) <= now) {
		windows->begin = windows->end;
		n++;
	}
	/* A zone that skips a whole day has a window without an instant. */
	do {
		n++;
		windows->next_end = zone_first_at(zone, interval_begin(period, anchor, n + 1));
	} while (windows->next_end <= windows->end);
}

static void find_windows(zone_t *zone, uint64_t period, int64_t anchor, int64_t now, php_ratelimit_windows *windows)
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
	zone_t zone;

	if (interval_unit(period) != RL_EVERY_SECONDS) {
		if (zone_open(&zone, name)) {
			instant += zone_offset(&zone, instant);
		}
		zone_close(&zone);
	}
	return instant;
}

/* Returns a zone's name as the worker has cached it, a new string; NULL: it has not. */
static zend_string *cached_zone_name(const char *given, size_t length)
{
	const php_ratelimit_calendar *calendar = RATELIMIT_G(calendar);

	for (uint32_t i = 0; i < PHP_RATELIMIT_ZONES_ROOM; i++) {
		if (calendar->zones[i].given[0] && strcmp(calendar->zones[i].given, given) == 0 && strlen(given) == length) {
			return zend_string_init(calendar->zones[i].name, strlen(calendar->zones[i].name), false);
		}
	}
	return NULL;
}

static void cache_zone_name(const char *given, size_t length, const zend_string *name)
{
	php_ratelimit_calendar *calendar = RATELIMIT_G(calendar);

	if (length < PHP_RATELIMIT_ZONE_BYTES && ZSTR_LEN(name) < PHP_RATELIMIT_ZONE_BYTES) {
		memcpy(calendar->zones[calendar->next_zone].given, given, length + 1);
		memcpy(calendar->zones[calendar->next_zone].name, ZSTR_VAL(name), ZSTR_LEN(name) + 1);
		calendar->next_zone = (calendar->next_zone + 1) % PHP_RATELIMIT_ZONES_ROOM;
	}
}

/* Returns a zone's name by PHP's date classes. */
static zend_string *find_zone_name(zend_string *given)
{
	zval timezone, argument, result;
	zend_class_entry *ce = php_date_get_timezone_ce();

	ZVAL_STR(&argument, given);
	ZVAL_UNDEF(&result);
	construct(&timezone, ce, &argument);
	if (EG(exception)) {
		zend_clear_exception();
	} else {
		php_ratelimit_call_date(zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("getname")), Z_OBJ(timezone),
			&result, NULL);
	}
	zval_ptr_dtor(&timezone);
	return Z_TYPE(result) == IS_STRING ? Z_STR(result) : NULL;
}

/* The module that has the default time zone. */
static const zend_module_entry *date_module;

void php_ratelimit_calendar_startup(void)
{
	date_module = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("date"));
}

const char *php_ratelimit_default_zone(void)
{
#ifdef ZTS
	const zend_date_globals *date = TSRMG_BULK(*date_module->globals_id_ptr, zend_date_globals *);
#else
	const zend_date_globals *date = date_module->globals_ptr;
#endif
	if (date->timezone && date->timezone[0]) {
		return date->timezone;
	}
	return date->default_timezone && date->default_timezone[0] ? date->default_timezone : "UTC";
}

/* Returns the default zone's name by PHP's date extension, which reads the zone's file once in a request. */
static zend_string *find_default_zone_name(void)
{
	timelib_tzinfo *info = get_timezone_info();

	return info ? zend_string_init(info->name, strlen(info->name), false) : NULL;
}

zend_string *php_ratelimit_zone_name(zend_string *given)
{
	const char *text = given ? ZSTR_VAL(given) : php_ratelimit_default_zone();
	size_t length = given ? ZSTR_LEN(given) : strlen(text);
	zend_string *name = cached_zone_name(text, length);

	if (!name) {
		name = given ? find_zone_name(given) : find_default_zone_name();
		if (name) {
			cache_zone_name(text, length, name);
		}
	}
	return name;
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
	zone_t zone;

	if (EXPECTED(cached_windows(name, period, anchor, &now, windows))) {
		return true;
	}
	if (zone_open(&zone, name)) {
		find_windows(&zone, period, anchor, now, windows);
	}
	zone_close(&zone);
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
