#include "php_ratelimit.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "src/shm/clock.h"
#include "src/shm/shm.h"

ZEND_METHOD(FrequencyLimit_Clock, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
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
			"The clock can be frozen only in tests: set ratelimit.testing=1 in php.ini or with -d", 0);
		RETURN_THROWS();
	}
	if (at) {
		if (!php_ratelimit_moment("$at", at, &wall_us)) {
			RETURN_THROWS();
		}
	} else {
		rl_clock_unfreeze();
		/* At a whole millisecond, as the ends of plain counters are: advance(60) then ends a window of 60 seconds. */
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
		zend_throw_exception(php_ratelimit_ce_store_exception, "Only a frozen clock can be moved: call freeze() first",
			0);
		RETURN_THROWS();
	}
	if (!php_ratelimit_duration("$seconds", seconds, 0, &us)) {
		RETURN_THROWS();
	}
	if (!rl_clock_advance(us)) {
		php_ratelimit_invalid("$seconds must not lead further ahead than seventeen years in all");
		RETURN_THROWS();
	}
}

ZEND_METHOD(FrequencyLimit_Clock, unfreeze)
{
	ZEND_PARSE_PARAMETERS_NONE();
	rl_clock_unfreeze();
}
