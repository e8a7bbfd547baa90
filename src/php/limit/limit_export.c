#include "limit_object.h"

#include "ext/date/php_date.h"
#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/calendar.h"
#include "../base/class_entries.h"
#include "src/core/limit/limit_words.h"
#include "src/shm/segment/clock.h"
#include "../base/optional_string.h"

/* ---- Text ---- */

/* Returns a new string, or NULL of an empty text. */
static zend_string *string_of_text(const char *text)
{
	return text[0] ? zend_string_init(text, strlen(text), false) : NULL;
}

bool php_ratelimit_limit_from_text(const rl_limit_text *text, php_ratelimit_limit *data, char *reason, size_t size)
{
	const rl_limit *limit = &text->limit;
	zend_string *name;

	if (limit->algorithm == RL_TOKEN_BUCKET
		&& php_ratelimit_fills_too_slowly(limit->limit, limit->period_us, limit->rate)) {
		snprintf(reason, size, "a bucket must fill within %" PRId64 " seconds", RL_SECONDS_MAX);
		return false;
	}
	if (limit->ban == RL_BAN_UNTIL && limit->ban_us > rl_clock_wall_us() + RL_PERIOD_MAX_US) {
		snprintf(reason, size, "a ban must end within ten years from now, @%" PRId64 " given",
			limit->ban_us / RL_US_PER_SECOND);
		return false;
	}
	*data = (php_ratelimit_limit){.limit = *limit,
		.anchor = text->anchor,
		.ban_period = text->ban_period,
		.leased = text->leased,
		.shadow = text->shadow};
	if (text->is_none) {
		data->limit = (rl_limit){.algorithm = PHP_RATELIMIT_NONE, .limit = RL_LIMIT_MAX};
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW || text->ban_period) {
		name = string_of_text(text->zone);
		data->zone = php_ratelimit_zone_name(name);
		php_ratelimit_string_release(name);
		if (!data->zone) {
			snprintf(reason, size, "\"%s\" must be a time zone that DateTimeZone takes", text->zone);
			return false;
		}
	}
	if (limit->ban == RL_BAN_STEPS) {
		php_ratelimit_limit_set_steps(data, &text->steps);
	}
	data->unit = string_of_text(text->unit);
	data->by = string_of_text(text->by);
	data->name = string_of_text(text->name);
	return true;
}

/* The string has been checked to fit: DateTimeZone's names are shorter. */
static void text_of_string(char *text, size_t size, const zend_string *string)
{
	if (string) {
		snprintf(text, size, "%s", ZSTR_VAL(string));
	}
}

zend_string *php_ratelimit_limit_to_text(const php_ratelimit_limit *data)
{
	rl_limit_text text = {.limit = data->limit,
		.is_none = data->limit.algorithm == PHP_RATELIMIT_NONE,
		.anchor = data->anchor,
		.ban_period = data->ban_period,
		.leased = data->leased,
		.shadow = data->shadow};
	char written[RL_LIMIT_TEXT_MAX];
	size_t length;

	text_of_string(text.name, sizeof(text.name), data->name);
	text_of_string(text.unit, sizeof(text.unit), data->unit);
	text_of_string(text.by, sizeof(text.by), data->by);
	text_of_string(text.zone, sizeof(text.zone), data->zone);
	length = rl_limit_text_write(&text, written);
	return zend_string_init(written, length, false);
}

bool php_ratelimit_limit_equals(const php_ratelimit_limit *a, const php_ratelimit_limit *b)
{
	zend_string *first = php_ratelimit_limit_to_text(a), *second = php_ratelimit_limit_to_text(b);
	bool equal = zend_string_equals(first, second);

	zend_string_release(first);
	zend_string_release(second);
	return equal;
}

/* Reads a text and completes it; throws an InvalidArgument that has the text and the reason. */
static bool limit_parse(const zend_string *text, php_ratelimit_limit *data)
{
	rl_limit_text limit;
	char reason[256];

	if (rl_limit_text_read(ZSTR_VAL(text), ZSTR_LEN(text), &limit, reason, sizeof(reason))
		&& php_ratelimit_limit_from_text(&limit, data, reason, sizeof(reason))) {
		return true;
	}
	if (!EG(exception)) {
		php_ratelimit_invalid("\"%.128s\" is not a limit: %s", ZSTR_VAL(text), reason);
	}
	return false;
}

ZEND_METHOD(FrequencyLimit_Limit, parse)
{
	zend_string *text;
	php_ratelimit_limit data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(text)
	ZEND_PARSE_PARAMETERS_END();

	if (!limit_parse(text, &data)) {
		RETURN_THROWS();
	}
	RETURN_OBJ(php_ratelimit_limit_new(&data));
}

ZEND_METHOD(FrequencyLimit_Limit, __toString)
{
	const php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_NONE();
	if (!data) {
		RETURN_THROWS();
	}
	RETURN_STR(php_ratelimit_limit_to_text(data));
}

/* ---- var_export() and serialize() ---- */

/* Reads the text in an exported array; throws as limit_parse(). */
static bool limit_import(HashTable *array, php_ratelimit_limit *data)
{
	const zval *text = zend_hash_str_find_deref(array, ZEND_STRL("text"));

	if (text && Z_TYPE_P(text) == IS_STRING) {
		return limit_parse(Z_STR_P(text), data);
	}
	php_ratelimit_invalid("the array of a FrequencyLimit\\Limit must have a string under 'text', %s given",
		text ? zend_zval_type_name(text) : "nothing");
	return false;
}

/* Returns the array that var_export() and serialize() write: the text. NULL: the object is empty. */
static HashTable *limit_to_array(zend_object *object)
{
	HashTable *array;
	zval text;

	if (php_ratelimit_limit_is_empty(object)) {
		return NULL;
	}
	array = zend_new_array(1);
	ZVAL_STR(&text, php_ratelimit_limit_to_text(php_ratelimit_limit_data(object)));
	zend_hash_str_add_new(array, ZEND_STRL("text"), &text);
	return array;
}

ZEND_METHOD(FrequencyLimit_Limit, __set_state)
{
	HashTable *array;
	php_ratelimit_limit data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(array)
	ZEND_PARSE_PARAMETERS_END();

	if (!limit_import(array, &data)) {
		RETURN_THROWS();
	}
	RETURN_OBJ(php_ratelimit_limit_new(&data));
}

ZEND_METHOD(FrequencyLimit_Limit, __serialize)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!php_ratelimit_limit_of(Z_OBJ_P(ZEND_THIS))) {
		RETURN_THROWS();
	}
	RETURN_ARR(limit_to_array(Z_OBJ_P(ZEND_THIS)));
}

ZEND_METHOD(FrequencyLimit_Limit, __unserialize)
{
	HashTable *array;
	php_ratelimit_limit data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(array)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_limit_is_empty(Z_OBJ_P(ZEND_THIS))) {
		zend_throw_error(NULL, "A FrequencyLimit\\Limit cannot change: unserialize() makes a new one");
		RETURN_THROWS();
	}
	if (!limit_import(array, &data)) {
		RETURN_THROWS();
	}
	*php_ratelimit_limit_data(Z_OBJ_P(ZEND_THIS)) = data;
}

/* ---- Properties ---- */

/* The declared properties, in the order of the stub. */
enum {
	LIMIT_ALGORITHM,
	LIMIT_LIMIT,
	LIMIT_SECONDS,
	LIMIT_PERIOD,
	LIMIT_TIMEZONE,
	LIMIT_RATE,
	LIMIT_BAN,
	LIMIT_FORGET,
	LIMIT_LEASED,
	LIMIT_SHADOW,
	LIMIT_UNIT,
	LIMIT_BY,
	LIMIT_NAME,
	LIMIT_PROPERTIES,
};
_Static_assert(LIMIT_PROPERTIES == PHP_RATELIMIT_LIMIT_PROPERTIES, "an object has room for all of them");

/* Sets a property to a duration in seconds: an int if it is whole, otherwise a float. */
static void set_seconds(zval *property, int64_t us)
{
	if (us % RL_US_PER_SECOND == 0) {
		ZVAL_LONG(property, (zend_long) (us / RL_US_PER_SECOND));
	} else {
		ZVAL_DOUBLE(property, (double) us / 1e6);
	}
}

static void set_string(zval *property, zend_string *string)
{
	if (string) {
		ZVAL_STR_COPY(property, string);
	}
}

/* An interval is no case of Period. */
static void set_period(zval *property, uint64_t period)
{
	if (period > RL_WEEK_FROM && period <= RL_WEEK_FROM + 7) {
		period = RL_WEEK;
	}
	if (period >= RL_MINUTE && period <= RL_YEAR) {
		ZVAL_OBJ_COPY(property, php_ratelimit_period_case((rl_period) period));
	}
}

static void set_steps(zval *p, const rl_ban_steps *steps)
{
	array_init_size(&p[LIMIT_BAN], steps->n);
	for (uint32_t i = 0; i < steps->n; i++) {
		zval seconds;

		set_seconds(&seconds, steps->us[i]);
		zend_hash_next_index_insert(Z_ARRVAL(p[LIMIT_BAN]), &seconds);
	}
	set_seconds(&p[LIMIT_FORGET], steps->forget_us);
}

/* A moment is a DateTimeImmutable: as a number it would be a duration. */
static void set_moment(zval *property, int64_t wall_us)
{
	zend_string *seconds = php_format_date(ZEND_STRL("Y-m-d H:i:s"), (time_t) (wall_us / RL_US_PER_SECOND), false);
	char text[64];
	int length = snprintf(text, sizeof(text), "%s.%06" PRId64 " UTC", ZSTR_VAL(seconds), wall_us % RL_US_PER_SECOND);

	php_date_instantiate(php_date_get_immutable_ce(), property);
	php_date_initialize(Z_PHPDATE_P(property), text, (size_t) length, NULL, NULL, 0);
	zend_string_release(seconds);
}

static void set_ban(zval *p, const php_ratelimit_limit *data)
{
	switch (data->limit.ban) {
		case RL_BAN_NONE:
			break;
		case RL_BAN_FOR:
			set_seconds(&p[LIMIT_BAN], data->limit.ban_us);
			break;
		case RL_BAN_UNTIL:
			if (data->ban_period) {
				set_period(&p[LIMIT_BAN], data->ban_period);
			} else {
				set_moment(&p[LIMIT_BAN], data->limit.ban_us);
			}
			break;
		case RL_BAN_STEPS:
			set_steps(p, data->limit.steps);
			break;
	}
}

/* Fills in the properties, unless they are: a limit without readers pays nothing for them. Those of an empty one stay
 * uninitialized. */
static void limit_need_properties(zend_object *object)
{
	const php_ratelimit_limit *data = php_ratelimit_limit_data(object);
	zval *p = object->properties_table;

	if (!Z_ISUNDEF(p[LIMIT_ALGORITHM]) || php_ratelimit_limit_is_empty(object)) {
		return;
	}
	for (unsigned i = 0; i < LIMIT_PROPERTIES; i++) {
		Z_PROP_FLAG_P(&p[i]) = 0;
		ZVAL_NULL(&p[i]);
	}
	if (data->limit.algorithm == PHP_RATELIMIT_NONE) {
		ZVAL_STRING(&p[LIMIT_ALGORITHM], "none");
	} else {
		ZVAL_STRING(&p[LIMIT_ALGORITHM], rl_algorithm_words[data->limit.algorithm]);
	}
	ZVAL_LONG(&p[LIMIT_LIMIT], (zend_long) data->limit.limit);
	if (data->limit.algorithm == RL_CALENDAR_WINDOW) {
		set_period(&p[LIMIT_PERIOD], data->limit.period);
	} else {
		set_seconds(&p[LIMIT_SECONDS], data->limit.period_us);
	}
	if (data->limit.algorithm == RL_TOKEN_BUCKET) {
		ZVAL_LONG(&p[LIMIT_RATE], (zend_long) data->limit.rate);
	}
	set_ban(p, data);
	ZVAL_BOOL(&p[LIMIT_LEASED], data->leased);
	ZVAL_BOOL(&p[LIMIT_SHADOW], data->shadow);
	if (data->limit.algorithm == RL_CALENDAR_WINDOW || data->ban_period) {
		set_string(&p[LIMIT_TIMEZONE], data->zone);
	}
	set_string(&p[LIMIT_UNIT], data->unit);
	set_string(&p[LIMIT_BY], data->by);
	set_string(&p[LIMIT_NAME], data->name);
}

static HashTable *limit_get_properties_for(zend_object *object, zend_prop_purpose purpose)
{
	HashTable *array = purpose == ZEND_PROP_PURPOSE_VAR_EXPORT ? limit_to_array(object) : NULL;

	return array ? array : zend_std_get_properties_for(object, purpose);
}

static int limit_compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return Z_OBJCE_P(a) == Z_OBJCE_P(b) && !php_ratelimit_limit_is_empty(Z_OBJ_P(a))
			&& !php_ratelimit_limit_is_empty(Z_OBJ_P(b))
			&& php_ratelimit_limit_equals(php_ratelimit_limit_data(Z_OBJ_P(a)), php_ratelimit_limit_data(Z_OBJ_P(b)))
		? 0
		: ZEND_UNCOMPARABLE;
}

void php_ratelimit_limit_set_handlers(php_ratelimit_lazy_handlers *handlers)
{
	php_ratelimit_lazy_handlers_init(handlers, limit_need_properties);
	handlers->of_object.compare = limit_compare;
	handlers->of_object.get_properties_for = limit_get_properties_for;
}
