#include "php_ratelimit.h"

#include "zend_exceptions.h"

#include "../base/class_entries.h"
#include "../base/store_config.h"
#include "src/shm/store/shm.h"
#include "module.h"

bool php_ratelimit_check_testing(const char *refused)
{
	if (EXPECTED(RATELIMIT_G(testing))) {
		return true;
	}
	zend_throw_exception_ex(php_ratelimit_ce_store_exception, 0,
		"%s, because ratelimit.testing is off: set ratelimit.testing=1 in php.ini, by php -d, or in phpunit.xml",
		refused);
	return false;
}

ZEND_METHOD(FrequencyLimit, flush)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!php_ratelimit_check_testing("The counts cannot be emptied")) {
		RETURN_THROWS();
	}
	if (!php_ratelimit_is_embedded_dsn(RATELIMIT_G(store_dsn))) {
		zend_throw_exception(php_ratelimit_ce_store_exception,
			"FrequencyLimit::flush() empties this machine's segment, and ratelimit.store names a Redis: "
			"set ratelimit.store=shm: for tests, or give each test run a ratelimit.prefix of its own",
			0);
		RETURN_THROWS();
	}
	php_ratelimit_guard(); /* the first use */
	if (!rl_shm_is_own()) {
		zend_throw_exception(php_ratelimit_ce_store_exception,
			"FrequencyLimit::flush() empties counts of this process alone, and other processes share these: leave "
			"ratelimit.shm_path empty, and set ratelimit.testing=1 before the first use of a limiter",
			0);
		RETURN_THROWS();
	}
	if (!rl_shm_flush()) {
		zend_throw_exception(php_ratelimit_ce_store_exception,
			"FrequencyLimit::flush() has no segment to empty: FrequencyLimit\\Monitor::stats()['warnings'] has the reason",
			0);
		RETURN_THROWS();
	}
}
