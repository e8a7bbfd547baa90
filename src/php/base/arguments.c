#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "arguments.h"
#include "calendar.h"
#include "class_entries.h"
#include "store_config.h"
#include "optional_string.h"

#include <math.h>

#define MOMENT_MAX_S INT64_C(253402300799) /* the year 9999's last second: any later one is a mistake */

/* The keys of $expire, interned, so that their hashes are known. */
static zend_string *str_type, *str_ttl;

void php_ratelimit_arguments_startup(void)
{
	str_type = zend_string_init_interned(ZEND_STRL("type"), true);
	str_ttl = zend_string_init_interned(ZEND_STRL("ttl"), true);
}

ZEND_COLD void php_ratelimit_invalid(const char *format, ...)
{
	va_list arguments;
	zend_string *message;

	va_start(arguments, format);
	message = zend_vstrpprintf(0, format, arguments);
	va_end(arguments);
	zend_throw_exception_ex(php_ratelimit_ce_invalid_argument, 0, "非法参数: %s", ZSTR_VAL(message));
	zend_string_release(message);
}

ZEND_COLD void php_ratelimit_out_of_range(const char *argument, zend_long value, int64_t min, int64_t max)
{
	php_ratelimit_invalid("%s must be between %" PRId64 " and %" PRId64 ", " ZEND_LONG_FMT " given", argument, min, max,
		value);
}

ZEND_COLD void php_ratelimit_bytes_out_of_range(const char *argument, const zend_string *value, size_t max)
{
	php_ratelimit_invalid("%s must be between 1 and %zu bytes long, %zu given", argument, max, ZSTR_LEN(value));
}

bool php_ratelimit_parse_user(zval *arg, bool strict, zend_long *number)
{
	if (Z_TYPE_P(arg) == IS_LONG) {
		*number = Z_LVAL_P(arg);
		return true;
	}
	return !strict && Z_TYPE_P(arg) == IS_STRING
		&& is_numeric_string(Z_STRVAL_P(arg), Z_STRLEN_P(arg), number, NULL, false) == IS_LONG;
}

/* Returns whether a string is the decimal text of an int, in *number: '42' and '-7' are. '042', '+7', '-0' and numbers that
 * an int64_t cannot hold are strings as any other. */
static bool written_int(const char *s, size_t length, int64_t *number)
{
	bool negative = *s == '-';
	uint64_t value = 0, most = negative ? (uint64_t) INT64_MAX + 1 : (uint64_t) INT64_MAX;

	s += negative;
	length -= negative;
	if (length == 0 || length > 19 || (*s == '0' && (length > 1 || negative))) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (s[i] < '0' || s[i] > '9') {
			return false;
		}
		value = value * 10 + (uint64_t) (s[i] - '0'); /* 19 digits fit an uint64_t */
	}
	if (value > most) {
		return false;
	}
	*number = negative ? (int64_t) (0 - value) : (int64_t) value;
	return true;
}

bool php_ratelimit_identity(const char *argument, zend_string *string, zend_long number, rl_key *key)
{
	key->int_id = number;
	key->is_int = !string || (ZSTR_LEN(string) > 0 && written_int(ZSTR_VAL(string), ZSTR_LEN(string), &key->int_id));
	key->id = NULL;
	key->id_len = 0;
	if (key->is_int) {
		return true;
	}
	key->id = ZSTR_VAL(string);
	key->id_len = ZSTR_LEN(string);
	return php_ratelimit_check_bytes(argument, string, RL_NAME_MAX);
}

/* Returns the message for an int or a float that is out of bounds. The number is written as PHP writes it: 0, -0.5, NAN. */
static ZEND_COLD zend_string *number_out_of_range(const char *argument, const char *min, int64_t max, const char *unit,
	const zval *number)
{
	smart_str given = {0};
	zend_string *message;

	if (Z_TYPE_P(number) == IS_DOUBLE) {
		/* zval_get_string() warns of NAN since PHP 8.5. */
		smart_str_append_double(&given, Z_DVAL_P(number), (int) EG(precision), false);
	} else {
		smart_str_append_long(&given, Z_LVAL_P(number));
	}
	smart_str_0(&given);
	message = strpprintf(0, "%s must be between %s and %" PRId64 "%s, %s given", argument, min, max, unit,
		ZSTR_VAL(given.s));
	smart_str_free(&given);
	return message;
}

bool php_ratelimit_to_duration(const zval *seconds, int64_t min_us, int64_t *us)
{
	if (Z_TYPE_P(seconds) == IS_LONG && Z_LVAL_P(seconds) >= (min_us > 0) && Z_LVAL_P(seconds) <= RL_SECONDS_MAX) {
		*us = (int64_t) Z_LVAL_P(seconds) * RL_US_PER_SECOND;
		return true;
	}
	if (Z_TYPE_P(seconds) == IS_DOUBLE && Z_DVAL_P(seconds) >= (double) min_us / 1e6
		&& Z_DVAL_P(seconds) <= (double) RL_SECONDS_MAX) {
		*us = (int64_t) llround(Z_DVAL_P(seconds) * 1e6);
		return true;
	}
	return false;
}

ZEND_COLD zend_string *php_ratelimit_no_duration(const char *argument, const zval *seconds, int64_t min_us)
{
	return number_out_of_range(argument, min_us > 0 ? "0.001" : "0", RL_SECONDS_MAX, " seconds", seconds);
}

/* Throws a message, and releases it. */
static ZEND_COLD void invalid(zend_string *message)
{
	php_ratelimit_invalid("%s", ZSTR_VAL(message));
	zend_string_release(message);
}

bool php_ratelimit_duration(const char *argument, zval *seconds, int64_t min_us, int64_t *us)
{
	if (EXPECTED(php_ratelimit_to_duration(seconds, min_us, us))) {
		return true;
	}
	invalid(php_ratelimit_no_duration(argument, seconds, min_us));
	return false;
}

/* Returns the unix time of a DateTimeInterface in microseconds; -1 when it is out of bounds or an exception was thrown. */
static int64_t date_us(zend_object *date)
{
	zend_string *text = php_ratelimit_format_date(date, "U u");
	int64_t us = -1;

	if (text) {
		char *rest;
		long long seconds = strtoll(ZSTR_VAL(text), &rest, 10);

		us = seconds < 0 || seconds > MOMENT_MAX_S ? -1 : (int64_t) seconds * RL_US_PER_SECOND + strtol(rest, NULL, 10);
		zend_string_release(text);
	}
	return us;
}

bool php_ratelimit_moment(const char *argument, zval *moment, int64_t *wall_us)
{
	if (Z_TYPE_P(moment) == IS_OBJECT) {
		*wall_us = date_us(Z_OBJ_P(moment));
		if (UNEXPECTED(*wall_us < 0 && !EG(exception))) {
			php_ratelimit_invalid("%s must be in the years 1970 to 9999", argument);
		}
		return *wall_us >= 0;
	}
	if (Z_TYPE_P(moment) == IS_LONG && Z_LVAL_P(moment) >= 0 && Z_LVAL_P(moment) <= MOMENT_MAX_S) {
		*wall_us = (int64_t) Z_LVAL_P(moment) * RL_US_PER_SECOND;
		return true;
	}
	if (Z_TYPE_P(moment) == IS_DOUBLE && Z_DVAL_P(moment) >= 0 && Z_DVAL_P(moment) <= (double) MOMENT_MAX_S) {
		*wall_us = (int64_t) llround(Z_DVAL_P(moment) * 1e6);
		return true;
	}
	invalid(number_out_of_range(argument, "0", MOMENT_MAX_S, "", moment));
	return false;
}

/* Returns a moment as messages show it. */
static zend_string *moment_string(int64_t wall_us)
{
	return strpprintf(0, "%" PRId64 ".%06" PRId64, wall_us / RL_US_PER_SECOND, wall_us % RL_US_PER_SECOND);
}

bool php_ratelimit_coming_moment(const char *argument, zval *moment, int64_t now_us, int64_t *wall_us)
{
	zend_string *given, *now;

	if (!php_ratelimit_moment(argument, moment, wall_us)) {
		return false;
	}
	if (EXPECTED(*wall_us > now_us - RL_US_PER_SECOND && *wall_us - now_us <= RL_PERIOD_MAX_US)) {
		return true;
	}
	given = moment_string(*wall_us);
	now = moment_string(now_us);
	php_ratelimit_invalid("%s must be between now (%s) and %" PRId64 " seconds later, %s given", argument,
		ZSTR_VAL(now), RL_SECONDS_MAX, ZSTR_VAL(given));
	zend_string_release(given);
	zend_string_release(now);
	return false;
}

/* Parses a number, or an object of DateTimeInterface or of one class more, which may be NULL. PHP would take null for 0. */
static bool parse_number_or_object(zval **value, uint32_t argument_number, const zend_class_entry *more,
	const char *types)
{
	zval *number;

	ZVAL_DEREF(*value);
	if (Z_TYPE_P(*value) == IS_OBJECT) {
		if (Z_OBJCE_P(*value) == more || instanceof_function(Z_OBJCE_P(*value), php_date_get_interface_ce())) {
			return true;
		}
	} else if (Z_TYPE_P(*value) != IS_NULL && zend_parse_arg_number(*value, &number, false, argument_number)) {
		*value = number;
		return true;
	}
	if (!EG(exception)) {
		zend_argument_type_error(argument_number, "must be of type %s, %s given", types, zend_zval_type_name(*value));
	}
	return false;
}

bool php_ratelimit_parse_moment(zval **moment, uint32_t argument_number)
{
	return parse_number_or_object(moment, argument_number, NULL, "DateTimeInterface|int|float");
}

bool php_ratelimit_parse_ban_end(zval **end, uint32_t argument_number, const char *types)
{
	return parse_number_or_object(end, argument_number, php_ratelimit_ce_period, types);
}

/* Reads the end of the clock's period in PHP's default time zone. */
static bool period_end(zend_object *period, int64_t now_us, int64_t *wall_us)
{
	zend_string *zone = php_ratelimit_zone_name(NULL);
	php_ratelimit_windows windows;
	bool known = zone && php_ratelimit_calendar_windows(zone, php_ratelimit_period_of(period), 0, now_us, &windows);

	php_ratelimit_string_release(zone);
	*wall_us = known ? windows.end * RL_US_PER_SECOND : 0;
	return known;
}

bool php_ratelimit_ban_end(const char *argument, zval *end, int64_t now_us, rl_ban_kind *kind, int64_t *us)
{
	zend_string *message;

	if (Z_TYPE_P(end) == IS_OBJECT) {
		*kind = RL_BAN_UNTIL;
		return Z_OBJCE_P(end) == php_ratelimit_ce_period ? period_end(Z_OBJ_P(end), now_us, us)
														 : php_ratelimit_coming_moment(argument, end, now_us, us);
	}
	*kind = RL_BAN_FOR;
	if (EXPECTED(php_ratelimit_to_duration(end, RL_PERIOD_MIN_US, us))) {
		return true;
	}
	/* Such a number is often a unix time. */
	message = php_ratelimit_no_duration(argument, end, RL_PERIOD_MIN_US);
	php_ratelimit_invalid("%s; a number is a duration, a moment is a DateTimeInterface", ZSTR_VAL(message));
	zend_string_release(message);
	return false;
}

/* Reads one member of $expire: an int, or the decimal digits of one. */
static bool expire_int(HashTable *expire, zend_string *key, zend_long *number)
{
	zval *value = zend_hash_find_known_hash(expire, key);
	smart_str shown = {0};

	if (!value) {
		php_ratelimit_invalid("$expire['%s'] is missing: it takes ['type' => 1 or 2, 'ttl' => seconds or unix time]",
			ZSTR_VAL(key));
		return false;
	}
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) == IS_LONG) {
		*number = Z_LVAL_P(value);
		return true;
	}
	if (Z_TYPE_P(value) != IS_STRING) {
		php_ratelimit_invalid("$expire['%s'] must be an int or a numeric string, %s given", ZSTR_VAL(key),
			zend_zval_type_name(value));
		return false;
	}
	if (is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), number, NULL, false) == IS_LONG) {
		return true;
	}
	smart_str_append_escaped_truncated(&shown, Z_STR_P(value), 40);
	smart_str_0(&shown);
	php_ratelimit_invalid("$expire['%s'] must be an int or a numeric string, '%s' given", ZSTR_VAL(key),
		shown.s ? ZSTR_VAL(shown.s) : "");
	smart_str_free(&shown);
	return false;
}

/* Throws for the first key of $expire that is neither 'type' nor 'ttl'. */
static ZEND_COLD void unknown_expire_key(HashTable *expire)
{
	zend_ulong index;
	zend_string *key;
	smart_str shown = {0};

	ZEND_HASH_FOREACH_KEY(expire, index, key) {
		if (!key) {
			smart_str_append_long(&shown, (zend_long) index);
		} else if (!zend_string_equals(key, str_type) && !zend_string_equals(key, str_ttl)) {
			smart_str_appendc(&shown, '\'');
			smart_str_append_escaped_truncated(&shown, key, 40);
			smart_str_appendc(&shown, '\'');
		} else {
			continue;
		}
		break;
	}
	ZEND_HASH_FOREACH_END();
	smart_str_0(&shown);
	php_ratelimit_invalid("$expire takes the keys 'type' and 'ttl', %s given", shown.s ? ZSTR_VAL(shown.s) : "others");
	smart_str_free(&shown);
}

bool php_ratelimit_expire(HashTable *expire, const rl_guard *g, rl_counter_question *q)
{
	zend_long type, ttl;
	int64_t latest;

	if (!expire_int(expire, str_type, &type) || !expire_int(expire, str_ttl, &ttl)) {
		return false;
	}
	if (UNEXPECTED(zend_hash_num_elements(expire) != 2)) {
		unknown_expire_key(expire);
		return false;
	}
	switch (type) {
		case 1:
			q->ban = RL_BAN_FOR;
			q->ban_s = ttl;
			return php_ratelimit_check_range("$expire['ttl']", ttl, 1, RL_SECONDS_MAX);
		case 2:
			/* A moment of the past moves nothing, of any age. */
			q->ban = RL_BAN_UNTIL;
			q->ban_s = MAX(ttl, 0);
			latest = php_ratelimit_wall_us(g) / RL_US_PER_SECOND + RL_SECONDS_MAX;
			if (UNEXPECTED(ttl > latest)) {
				php_ratelimit_invalid("$expire['ttl'] must be at most %" PRId64 " (ten years from now), " ZEND_LONG_FMT
									  " given",
					latest, ttl);
				return false;
			}
			return true;
		default:
			php_ratelimit_invalid(
				"$expire['type'] must be 1 (for ttl seconds) or 2 (until the unix time ttl), " ZEND_LONG_FMT " given",
				type);
			return false;
	}
}

/* The cases of Period, from RL_MINUTE on. */
static const char *const period_names[] = {"Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"};

rl_period php_ratelimit_period_of(zend_object *period)
{
	const zval *name = zend_enum_fetch_case_name(period);
	unsigned i = 0;

	while (i < RL_YEAR - RL_MINUTE && strcmp(Z_STRVAL_P(name), period_names[i]) != 0) {
		i++;
	}
	return (rl_period) (RL_MINUTE + i);
}

zend_object *php_ratelimit_period_case(rl_period period)
{
	return zend_enum_get_case_cstr(php_ratelimit_ce_period, period_names[period - RL_MINUTE]);
}
