#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "limit_object.h"
#include "src/shm/segment/clock.h"
#include "../base/calendar.h"

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Limit, __construct)
{
	zend_throw_error(NULL, "A FrequencyLimit\\Limit is made by a factory method, as Limit::fixedWindow()");
}

/* Implements the factory methods that take a number and a time. */
static zend_always_inline void windowed(INTERNAL_FUNCTION_PARAMETERS, rl_algorithm algorithm, int64_t max)
{
	zend_long limit;
	zval *seconds;
	int64_t period_us;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_LONG(limit)
		Z_PARAM_NUMBER(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$limit", limit, 1, max)
		|| !php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &period_us)) {
		RETURN_THROWS();
	}
	php_ratelimit_limit_make(return_value, algorithm, limit)->limit.period_us = period_us;
}

#define FACTORY_PERIOD(NAME, method, max)                                                                              \
 RL_HOT ZEND_METHOD(FrequencyLimit_Limit, method)                                                                      \
 {                                                                                                                     \
  windowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, NAME, max);                                                               \
 }
#define FACTORY_OWN(NAME, method, max)
#define FACTORY(number, NAME, name, word, kind, method, max) FACTORY_##kind(NAME, method, max)

RL_ALGORITHM_ROWS(FACTORY)

/* Returns the time zone of an argument $timezone, a new reference; NULL with an exception thrown. */
static zend_string *zone_of(zend_string *timezone)
{
	zend_string *zone = php_ratelimit_zone_name(timezone);

	if (!zone && !EG(exception)) {
		php_ratelimit_invalid("$timezone must be a time zone that DateTimeZone takes, \"%.64s\" given",
			timezone ? ZSTR_VAL(timezone) : "");
	}
	return zone;
}

/* Returns the period of a week that begins on a day, 1 (Monday) to 7. */
static uint64_t week_from(zend_long day)
{
	return day == 1 ? RL_WEEK : (uint64_t) (RL_WEEK_FROM + day);
}

bool php_ratelimit_is_week(uint64_t period)
{
	return period == RL_WEEK || (period > RL_WEEK_FROM && period < RL_EVERY_MONTHS);
}

ZEND_METHOD(FrequencyLimit_Limit, calendar)
{
	zend_long limit, week_start = 1;
	zend_object *period;
	zend_string *timezone = NULL, *zone;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(2, 4)
		Z_PARAM_LONG(limit)
		Z_PARAM_OBJ_OF_CLASS(period, php_ratelimit_ce_period)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(timezone)
		Z_PARAM_LONG(week_start)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$limit", limit, 1, RL_LIMIT_MAX)
		|| !php_ratelimit_check_range("$weekStart", week_start, 1, 7)) {
		RETURN_THROWS();
	}
	if (week_start != 1 && php_ratelimit_period_of(period) != RL_WEEK) {
		php_ratelimit_invalid("$weekStart must be left out for a period other than Period::Week, " ZEND_LONG_FMT
							  " given",
			week_start);
		RETURN_THROWS();
	}
	zone = zone_of(timezone);
	if (!zone) {
		RETURN_THROWS();
	}
	data = php_ratelimit_limit_make(return_value, RL_CALENDAR_WINDOW, limit);
	data->limit.period = php_ratelimit_period_of(period) == RL_WEEK ? week_from(week_start)
																	: (uint64_t) php_ratelimit_period_of(period);
	data->zone = zone;
}

/* Returns the period of a DateInterval: of years and months, of days, or of hours, minutes and seconds. Returns 0 with an
 * InvalidArgument thrown for one that is not positive, mixes these, or is out of bounds. */
static uint64_t interval_of(zend_object *object)
{
	const timelib_rel_time *i = php_interval_obj_from_obj(object)->diff;
	const int64_t most = RL_SECONDS_MAX + 1; /* so that no sum overflows */
	int64_t months, days, seconds;

	if (!i) {
		zend_throw_error(NULL, "The DateInterval is empty: its constructor has not been called");
		return 0;
	}
	if (i->y < 0 || i->m < 0 || i->d < 0 || i->h < 0 || i->i < 0 || i->s < 0 || i->us != 0 || i->invert
		|| i->have_weekday_relative || i->have_special_relative || i->first_last_day_of) {
		php_ratelimit_invalid(
			"$interval must be positive, of whole seconds, and without a day such as \"next monday\", another one given");
		return 0;
	}
	months = (int64_t) MIN(i->y, most) * 12 + (int64_t) MIN(i->m, most);
	days = (int64_t) MIN(i->d, most);
	seconds = (int64_t) MIN(i->h, most) * 3600 + (int64_t) MIN(i->i, most) * 60 + (int64_t) MIN(i->s, most);
	if ((months > 0) + (days > 0) + (seconds > 0) > 1) {
		php_ratelimit_invalid("$interval must be of years and months, or of weeks and days, or of hours, minutes and "
							  "seconds, %" PRId64 " months, %" PRId64 " days and %" PRId64 " seconds given",
			months, days, seconds);
		return 0;
	}
	if (months > 120 || days > RL_SECONDS_MAX / 86400 || seconds > RL_SECONDS_MAX
		|| (months == 0 && days == 0 && seconds < 60)) {
		php_ratelimit_invalid("$interval must be between a minute and ten years (120 months, %" PRId64
							  " days), %" PRId64 " %s given",
			RL_SECONDS_MAX / 86400,
			months > 0     ? months
				: days > 0 ? days
						   : seconds,
			months > 0     ? "months"
				: days > 0 ? "days"
						   : "seconds");
		return 0;
	}
	return months > 0 ? RL_EVERY_MONTHS | (uint64_t) months << RL_PERIOD_UNITS_AT
		: days > 0    ? RL_EVERY_DAYS | (uint64_t) days << RL_PERIOD_UNITS_AT
					  : RL_EVERY_SECONDS | (uint64_t) seconds << RL_PERIOD_UNITS_AT;
}

/* Returns the name of a date's own time zone as php_ratelimit_zone_name() has it, a new reference. */
static zend_string *zone_of_date(zend_object *date)
{
	zend_string *name = php_ratelimit_format_date(date, "e"), *zone = NULL;

	if (name) {
		zone = zone_of(name);
		zend_string_release(name);
	}
	return zone;
}

ZEND_METHOD(FrequencyLimit_Limit, every)
{
	zend_long limit;
	zval *interval, *anchor;
	zend_string *timezone = NULL, *zone;
	uint64_t period;
	int64_t anchor_us;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(3, 4)
		Z_PARAM_LONG(limit)
		Z_PARAM_OBJECT_OF_CLASS(interval, php_date_get_interval_ce())
		Z_PARAM_OBJECT_OF_CLASS(anchor, php_date_get_interface_ce())
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(timezone)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$limit", limit, 1, RL_LIMIT_MAX)) {
		RETURN_THROWS();
	}
	period = interval_of(Z_OBJ_P(interval));
	if (!period || !php_ratelimit_moment("$anchor", anchor, &anchor_us)) {
		RETURN_THROWS();
	}
	zone = timezone ? zone_of(timezone) : zone_of_date(Z_OBJ_P(anchor));
	if (!zone) {
		RETURN_THROWS();
	}
	data = php_ratelimit_limit_make(return_value, RL_CALENDAR_WINDOW, limit);
	data->limit.period = period;
	data->zone = zone;
	data->anchor = php_ratelimit_calendar_anchor(zone, period, anchor_us / RL_US_PER_SECOND);
}

ZEND_METHOD(FrequencyLimit_Limit, none)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_limit_make(return_value, PHP_RATELIMIT_NONE, RL_LIMIT_MAX);
}

/* burst * period_us > RL_PERIOD_MAX_US * rate: the products have up to 89 bits. */
bool php_ratelimit_fills_too_slowly(int64_t burst, int64_t period_us, int64_t rate)
{
	return (unsigned __int128) burst * (unsigned __int128) period_us
		> (unsigned __int128) RL_PERIOD_MAX_US * (unsigned __int128) rate;
}

ZEND_METHOD(FrequencyLimit_Limit, tokenBucket)
{
	zend_long rate, burst = 0;
	zval *seconds;
	bool burst_is_null = true;
	int64_t period_us;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_LONG(rate)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(burst, burst_is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (burst_is_null) {
		burst = rate;
	}
	if (!php_ratelimit_check_range("$rate", rate, 1, RL_LIMIT_MAX)
		|| !php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &period_us)
		|| !php_ratelimit_check_range("$burst", burst, 1, RL_LIMIT_MAX)) {
		RETURN_THROWS();
	}
	if (php_ratelimit_fills_too_slowly(burst, period_us, rate)) {
		php_ratelimit_invalid("$burst must fill within %" PRId64 " seconds, " ZEND_LONG_FMT
							  " given, which at $rate " ZEND_LONG_FMT " takes longer",
			RL_SECONDS_MAX, burst, rate);
		RETURN_THROWS();
	}
	data = php_ratelimit_limit_make(return_value, RL_TOKEN_BUCKET, burst);
	data->limit.rate = (uint64_t) rate;
	data->limit.period_us = period_us;
}

bool php_ratelimit_limit_check_name(const char *argument, const zend_string *name)
{
	size_t at;

	if (!php_ratelimit_check_bytes(argument, name, RL_LIMIT_NAME_MAX)) {
		return false;
	}
	at = php_ratelimit_printable(ZSTR_VAL(name), ZSTR_LEN(name));
	if (at < ZSTR_LEN(name)) {
		php_ratelimit_invalid("%s must be printable ASCII, byte 0x%02x given at %zu", argument,
			(unsigned char) ZSTR_VAL(name)[at], at);
	}
	return at == ZSTR_LEN(name);
}

/* A client takes the concurrency for a rate, where its unit is another one. */
static bool check_has_unit(const php_ratelimit_limit *data, const zend_string *unit)
{
	if (data->limit.algorithm == RL_CONCURRENT) {
		php_ratelimit_invalid(
			"$unit must not be set on a concurrent limit, which has the unit concurrent-requests, \"%.64s\" given",
			ZSTR_VAL(unit));
		return false;
	}
	return true;
}

/* Implements the with-methods of a word. argument: its name in messages. at: the place of the word in the data. */
static void with_word(INTERNAL_FUNCTION_PARAMETERS, const char *argument, size_t at)
{
	zend_string *word, **own;
	const php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(word)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_limit_check_name(argument, word)) {
		RETURN_THROWS();
	}
	data = php_ratelimit_limit_of(Z_OBJ_P(ZEND_THIS));
	if (!data || (at == offsetof(php_ratelimit_limit, unit) && !check_has_unit(data, word))) {
		RETURN_THROWS();
	}
	own = (zend_string **) ((char *) php_ratelimit_limit_copy(return_value, ZEND_THIS) + at);
	if (*own) {
		zend_string_release(*own);
	}
	*own = zend_string_copy(word);
}

ZEND_METHOD(FrequencyLimit_Limit, named)
{
	with_word(INTERNAL_FUNCTION_PARAM_PASSTHRU, "$name", offsetof(php_ratelimit_limit, name));
}

ZEND_METHOD(FrequencyLimit_Limit, by)
{
	with_word(INTERNAL_FUNCTION_PARAM_PASSTHRU, "$identity", offsetof(php_ratelimit_limit, by));
}

ZEND_METHOD(FrequencyLimit_Limit, unit)
{
	with_word(INTERNAL_FUNCTION_PARAM_PASSTHRU, "$unit", offsetof(php_ratelimit_limit, unit));
}

/* Implements the with-methods of a flag. at: its place in the data. */
static void with_flag(INTERNAL_FUNCTION_PARAMETERS, size_t at)
{
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_NONE();
	data = php_ratelimit_limit_copy(return_value, ZEND_THIS);
	if (!data) {
		RETURN_THROWS();
	}
	*(bool *) ((char *) data + at) = true;
}

ZEND_METHOD(FrequencyLimit_Limit, shadow)
{
	with_flag(INTERNAL_FUNCTION_PARAM_PASSTHRU, offsetof(php_ratelimit_limit, shadow));
}

ZEND_METHOD(FrequencyLimit_Limit, leased)
{
	with_flag(INTERNAL_FUNCTION_PARAM_PASSTHRU, offsetof(php_ratelimit_limit, leased));
}
