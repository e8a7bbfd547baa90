#include "php_ratelimit.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "src/shm/clock.h"
#include "src/shm/shm.h"

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Clock, __construct)
{
	zend_throw_error(NULL, "FrequencyLimit\\Clock has static methods only");
}

ZEND_METHOD(FrequencyLimit_Clock, freeze)
{
	zval *at = NULL;
	int64_t wall_us;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER_OR_NULL(at)
	ZEND_PARSE_PARAMETERS_END();

	if (!RATELIMIT_G(testing)) {
		zend_throw_exception(php_ratelimit_ce_store_exception,
			"The clock cannot be frozen, because ratelimit.testing is off: set ratelimit.testing=1 in php.ini or by php -d",
			0);
		RETURN_THROWS();
	}
	if (at) {
		if (!php_ratelimit_moment("$at", at, &wall_us)) {
			RETURN_THROWS();
		}
	} else {
		rl_clock_unfreeze();
		/* Counters end at whole milliseconds. So does the frozen moment: advance(60) then ends a window of 60 seconds. */
		wall_us = rl_clock_wall_us();
		wall_us -= wall_us % RL_US_PER_MS;
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

ZEND_METHOD(FrequencyLimit_Clock, unfreeze)
{
	ZEND_PARSE_PARAMETERS_NONE();
	rl_clock_unfreeze();
}
