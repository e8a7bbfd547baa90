/* Implements Limit::ban(). */
#include "php_ratelimit.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "limit_object.h"
#include "src/shm/segment/clock.h"
#include "../base/calendar.h"

/* The ban that the arguments have. */
typedef struct {
	rl_ban_kind kind;
	int64_t us;
	uint64_t period; /* until its next boundary; 0: none */
	rl_ban_steps steps;
} ban_argument;

#define SECONDS_TEXT 32

/* Writes seconds for a message, whatever the locale. Returns the text. */
static const char *in_seconds(double seconds, char text[SECONDS_TEXT])
{
	return php_gcvt(seconds, 10, '.', 'E', text);
}

/* A moment in the past is no mistake: it starts no ban. */
static bool read_moment(zval *end, ban_argument *ban)
{
	int64_t latest_us = rl_clock_wall_us() + RL_PERIOD_MAX_US;

	ban->kind = RL_BAN_UNTIL;
	if (!php_ratelimit_moment("$end", end, &ban->us)) {
		return false;
	}
	if (ban->us > latest_us) {
		php_ratelimit_invalid("$end must be at most %" PRId64 ", ten years from now, %" PRId64 " given",
			latest_us / RL_US_PER_SECOND, ban->us / RL_US_PER_SECOND);
		return false;
	}
	return true;
}

/* Reads the times of bans that escalate. */
static bool read_steps(HashTable *seconds, rl_ban_steps *steps)
{
	zval *element;
	char argument[32], before[SECONDS_TEXT], given[SECONDS_TEXT];

	if (zend_hash_num_elements(seconds) < 1 || zend_hash_num_elements(seconds) > RL_BAN_STEPS_MAX) {
		php_ratelimit_invalid("$end must have 1 to %d times, %" PRIu32 " given", RL_BAN_STEPS_MAX,
			zend_hash_num_elements(seconds));
		return false;
	}
	ZEND_HASH_FOREACH_VAL(seconds, element) {
		int64_t *us = &steps->us[steps->n];

		ZVAL_DEREF(element);
		snprintf(argument, sizeof(argument), "$end (position %" PRIu32 ")", steps->n);
		if (Z_TYPE_P(element) != IS_LONG && Z_TYPE_P(element) != IS_DOUBLE) {
			php_ratelimit_invalid("%s must be an int or a float, %s given", argument, zend_zval_type_name(element));
			return false;
		}
		if (!php_ratelimit_duration(argument, element, RL_PERIOD_MIN_US, us)) {
			return false;
		}
		if (steps->n > 0 && *us < us[-1]) {
			php_ratelimit_invalid("%s must be at least the time before it, %s, %s given", argument,
				in_seconds((double) us[-1] / 1e6, before), in_seconds((double) *us / 1e6, given));
			return false;
		}
		steps->n++;
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static bool limit_bans_list(HashTable *seconds, zval *forget, ban_argument *ban)
{
	rl_ban_steps *steps = &ban->steps;
	char longest[SECONDS_TEXT], given[SECONDS_TEXT];

	ban->kind = RL_BAN_STEPS;
	if (!read_steps(seconds, steps)) {
		return false;
	}
	if (!forget) {
		php_ratelimit_invalid("$forget must be given with a list of times, null given");
		return false;
	}
	if (!php_ratelimit_duration("$forget", forget, RL_PERIOD_MIN_US, &steps->forget_us)) {
		return false;
	}
	if (steps->forget_us < steps->us[steps->n - 1]) {
		php_ratelimit_invalid("$forget must be at least the longest time in $end, %s, %s given",
			in_seconds((double) steps->us[steps->n - 1] / 1e6, longest),
			in_seconds((double) steps->forget_us / 1e6, given));
		return false;
	}
	return true;
}

static bool limit_bans_read(zval *end, zval *forget, ban_argument *ban)
{
	char given[SECONDS_TEXT];

	if (Z_TYPE_P(end) == IS_ARRAY) {
		return limit_bans_list(Z_ARRVAL_P(end), forget, ban);
	}
	if (forget) {
		php_ratelimit_invalid("$forget must be left out without a list of times, %s given",
			in_seconds(zval_get_double(forget), given));
		return false;
	}
	if (Z_TYPE_P(end) != IS_OBJECT) {
		return php_ratelimit_ban_end("$end", end, 0, &ban->kind, &ban->us);
	}
	if (Z_OBJCE_P(end) == php_ratelimit_ce_period) {
		ban->kind = RL_BAN_UNTIL;
		ban->period = php_ratelimit_period_of(Z_OBJ_P(end));
		return true;
	}
	return read_moment(end, ban);
}

/* A concurrent limit has no ban: its refusal depends on how long others hold their places. */
static bool check_can_ban(const php_ratelimit_limit *data, zval *end)
{
	zend_string *shown;

	if (data->limit.algorithm != RL_CONCURRENT) {
		return true;
	}
	shown = Z_TYPE_P(end) == IS_OBJECT ? zend_string_copy(Z_OBJCE_P(end)->name)
		: Z_TYPE_P(end) == IS_ARRAY    ? zend_string_init("array", 5, false)
									   : zval_get_string(end);
	php_ratelimit_invalid("$end must not be set on a concurrent limit, which has no ban: %s given", ZSTR_VAL(shown));
	zend_string_release(shown);
	return false;
}

/* Sets the ban, in place of any other. */
static void limit_bans_set(php_ratelimit_limit *data, const ban_argument *ban)
{
	data->limit.ban = ban->kind;
	data->limit.ban_us = ban->us;
	data->ban_period = ban->period == RL_WEEK && php_ratelimit_is_week(data->limit.period) ? data->limit.period
																						   : ban->period;
	data->limit.steps = NULL;
	if (data->steps) {
		zend_string_release(data->steps);
		data->steps = NULL;
	}
	if (ban->kind == RL_BAN_STEPS) {
		php_ratelimit_limit_set_steps(data, &ban->steps);
	}
	if (ban->period && !data->zone) {
		data->zone = php_ratelimit_zone_name(NULL);
	}
}

ZEND_METHOD(FrequencyLimit_Limit, ban)
{
	zval *end, *forget = NULL;
	const php_ratelimit_limit *limit;
	ban_argument ban = {0};

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ZVAL(end)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER_OR_NULL(forget)
	ZEND_PARSE_PARAMETERS_END();

	if (Z_TYPE_P(end) != IS_ARRAY
		&& !php_ratelimit_parse_ban_end(&end, 1, "FrequencyLimit\\Period|DateTimeInterface|array|int|float")) {
		RETURN_THROWS();
	}
	if (!limit_bans_read(end, forget, &ban)) {
		RETURN_THROWS();
	}
	limit = php_ratelimit_limit_of(Z_OBJ_P(ZEND_THIS));
	if (!limit || !check_can_ban(limit, end)) {
		RETURN_THROWS();
	}
	limit_bans_set(php_ratelimit_limit_copy(return_value, ZEND_THIS), &ban);
}
