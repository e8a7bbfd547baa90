#include "php_ratelimit.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "module.h"

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Clock, __construct)
{
	zend_throw_error(NULL, "FrequencyLimit\\Clock has static methods only");
}

/* Lets the clock run, and returns the present. Counters end at whole milliseconds. So does the frozen moment: advance(60)
 * then ends a window of 60 seconds. */
static int64_t clock_present_us(void)
{
	int64_t wall_us;

	rl_clock_unfreeze();
	wall_us = rl_clock_wall_us();
	return wall_us - wall_us % RL_US_PER_MS;
}

ZEND_METHOD(FrequencyLimit_Clock, freeze)
{
	zval *at = NULL;
	int64_t wall_us;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER_OR_NULL(at)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_testing("The clock cannot be frozen")) {
		RETURN_THROWS();
	}
	if (at) {
		if (!php_ratelimit_moment("$at", at, &wall_us)) {
			RETURN_THROWS();
		}
	} else {
		wall_us = clock_present_us();
	}
	rl_clock_freeze(wall_us);
}

ZEND_METHOD(FrequencyLimit_Clock, advance)
{
	zval *seconds;
	int64_t us;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_NUMBER(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (!rl_clock_is_frozen()) {
		zend_throw_exception(php_ratelimit_ce_store_exception,
			"The clock is not frozen: call Clock::freeze() before Clock::advance()", 0);
		RETURN_THROWS();
	}
	if (!php_ratelimit_duration("$seconds", seconds, 0, &us)) {
		RETURN_THROWS();
	}
	if (!rl_clock_advance(us)) {
		php_ratelimit_invalid("$seconds must not move the clock more than seventeen years ahead in all");
		RETURN_THROWS();
	}
}

ZEND_METHOD(FrequencyLimit_Clock, travelTo)
{
	zval *at;
	int64_t wall_us, from_us;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(at)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_moment(&at, 1) || !php_ratelimit_check_testing("The clock cannot be moved")
		|| !php_ratelimit_moment("$at", at, &wall_us)) {
		RETURN_THROWS();
	}
	if (!rl_clock_is_frozen()) {
		rl_clock_freeze(clock_present_us());
	}
	from_us = rl_clock_wall_us();
	if (wall_us < from_us) {
		rl_clock_freeze(wall_us);
	} else if (!rl_clock_advance(wall_us - from_us)) {
		php_ratelimit_invalid("$at must not move durations more than seventeen years ahead in all, %" PRId64
							  " seconds given: Clock::freeze() moves calendars alone",
			(wall_us - from_us) / RL_US_PER_SECOND);
		RETURN_THROWS();
	}
}

ZEND_METHOD(FrequencyLimit_Clock, unfreeze)
{
	ZEND_PARSE_PARAMETERS_NONE();
	rl_clock_unfreeze();
}
