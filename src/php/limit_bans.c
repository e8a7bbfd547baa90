#include "php_ratelimit.h"

#include "ext/date/php_date.h"

#include "arguments.h"
#include "classes.h"
#include "limit_object.h"
#include "src/shm/clock.h"

/* Makes the copy that ban(), banUntil() or bans() changes. A concurrent limit has no ban: its refusal depends on how long others hold
 * their places. given: the argument, for the message. */
static php_ratelimit_limit *make_banning_copy(zval *return_value, zval *this, const char *argument, const zval *given)
{
	php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(this));

	if (data && data->limit.algorithm == RL_CONCURRENT) {
		zend_string *shown = Z_TYPE_P(given) == IS_OBJECT ? zend_string_copy(Z_OBJCE_P(given)->name)
			: Z_TYPE_P(given) == IS_ARRAY                 ? zend_string_init("array", 5, false)
														  : zval_get_string((zval *) given);

		php_ratelimit_invalid("%s must not be set on a concurrent limit, which has no ban: %s given", argument,
			ZSTR_VAL(shown));
		zend_string_release(shown);
		return NULL;
	}
	return data ? php_ratelimit_limit_copy(return_value, this) : NULL;
}

/* Sets the ban, in place of any other. */
static void set_ban(php_ratelimit_limit *data, rl_ban_kind kind, int64_t ban_us, uint64_t period)
{
	data->limit.ban = kind;
	data->limit.ban_us = ban_us;
	data->ban_period = period;
	data->limit.steps = NULL;
	if (data->steps) {
		zend_string_release(data->steps);
		data->steps = NULL;
	}
}

ZEND_METHOD(FrequencyLimit_Limit, ban)
{
	zval *seconds;
	int64_t ban_us;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_NUMBER(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &ban_us)) {
		RETURN_THROWS();
	}
	data = make_banning_copy(return_value, ZEND_THIS, "$seconds", seconds);
	if (!data) {
		RETURN_THROWS();
	}
	set_ban(data, RL_BAN_FOR, ban_us, 0);
}

ZEND_METHOD(FrequencyLimit_Limit, banUntil)
{
	zval *end;
	int64_t ban_us = 0;
	uint64_t period = 0;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (Z_TYPE_P(end) == IS_OBJECT && Z_OBJCE_P(end) == php_ratelimit_ce_period) {
		period = php_ratelimit_period_of(Z_OBJ_P(end));
	} else if (Z_TYPE_P(end) == IS_OBJECT && instanceof_function(Z_OBJCE_P(end), php_date_get_interface_ce())) {
		int64_t latest_us = rl_clock_wall_us() + RL_PERIOD_MAX_US;

		if (!php_ratelimit_moment("$end", end, &ban_us)) {
			RETURN_THROWS();
		}
		if (ban_us > latest_us) {
			php_ratelimit_invalid("$end must be at most %" PRId64 ", ten years from now, %" PRId64 " given",
				latest_us / RL_US_PER_SECOND, ban_us / RL_US_PER_SECOND);
			RETURN_THROWS();
		}
	} else {
		zend_argument_type_error(1, "must be of type FrequencyLimit\\Period|DateTimeInterface, %s given",
			zend_zval_type_name(end));
		RETURN_THROWS();
	}
	data = make_banning_copy(return_value, ZEND_THIS, "$end", end);
	if (!data) {
		RETURN_THROWS();
	}
	set_ban(data, RL_BAN_UNTIL, ban_us,
		period == RL_WEEK && php_ratelimit_is_week(data->limit.period) ? data->limit.period : period);
	if (period && !data->zone) {
		data->zone = php_ratelimit_zone_name(NULL);
	}
}

/* Reads the times of bans that escalate. */
static bool read_steps(HashTable *seconds, rl_ban_steps *steps)
{
	zval *element;
	char argument[32];

	if (zend_hash_num_elements(seconds) < 1 || zend_hash_num_elements(seconds) > RL_BAN_STEPS_MAX) {
		php_ratelimit_invalid("$seconds must be between 1 and %d times, %" PRIu32 " given", RL_BAN_STEPS_MAX,
			zend_hash_num_elements(seconds));
		return false;
	}
	steps->n = 0;
	ZEND_HASH_FOREACH_VAL(seconds, element) {
		int64_t *us = &steps->us[steps->n];

		ZVAL_DEREF(element);
		snprintf(argument, sizeof(argument), "$seconds (position %" PRIu32 ")", steps->n);
		if (Z_TYPE_P(element) != IS_LONG && Z_TYPE_P(element) != IS_DOUBLE) {
			php_ratelimit_invalid("%s must be an int or a float, %s given", argument, zend_zval_type_name(element));
			return false;
		}
		if (!php_ratelimit_duration(argument, element, RL_PERIOD_MIN_US, us)) {
			return false;
		}
		if (steps->n > 0 && *us < us[-1]) {
			php_ratelimit_invalid("%s must be at least the time before it, %.10G, %.10G given", argument,
				(double) us[-1] / 1e6, (double) *us / 1e6);
			return false;
		}
		steps->n++;
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

ZEND_METHOD(FrequencyLimit_Limit, bans)
{
	HashTable *seconds;
	zval *forget;
	rl_ban_steps steps = {0};
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ARRAY_HT(seconds)
		Z_PARAM_NUMBER(forget)
	ZEND_PARSE_PARAMETERS_END();

	if (!read_steps(seconds, &steps)
		|| !php_ratelimit_duration("$forget", forget, RL_PERIOD_MIN_US, &steps.forget_us)) {
		RETURN_THROWS();
	}
	if (steps.forget_us < steps.us[steps.n - 1]) {
		php_ratelimit_invalid("$forget must be at least the longest time in $seconds, %.10G, %.10G given",
			(double) steps.us[steps.n - 1] / 1e6, (double) steps.forget_us / 1e6);
		RETURN_THROWS();
	}
	data = make_banning_copy(return_value, ZEND_THIS, "$seconds", ZEND_CALL_ARG(execute_data, 1));
	if (!data) {
		RETURN_THROWS();
	}
	set_ban(data, RL_BAN_NONE, 0, 0);
	data->limit.ban = RL_BAN_STEPS;
	php_ratelimit_limit_set_steps(data, &steps);
}
