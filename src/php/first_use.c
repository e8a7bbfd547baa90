#include "first_use.h"

#include "SAPI.h"

#include "config_warnings.h"
#include "php_ratelimit.h"
#include "src/shm/shm.h"

static bool is_class_loaded(const char *name, size_t length)
{
	const zend_class_entry *ce = zend_hash_str_find_ptr(EG(class_table), name, length);

	return ce && !(ce->ce_flags & ZEND_ACC_PRELOADED);
}

/* Returns whether PHPUnit runs in this process, or a tool that is built on it: Pest, Codeception, ParaTest. Its program defines the
 * constant before anything else, also in a process of its own for a test. */
static bool is_test_run(void)
{
	return zend_get_constant_str(ZEND_STRL("PHPUNIT_COMPOSER_INSTALL"))
		|| zend_get_constant_str(ZEND_STRL("__PHPUNIT_PHAR__"))
		|| is_class_loaded(ZEND_STRL("phpunit\\framework\\testcase"));
}

/* FPM's master preloads as its own user, before it makes the workers of each pool's. */
static bool is_master(void)
{
	return strcmp(sapi_module.name, "fpm-fcgi") == 0 && !SG(server_context);
}

/* Keeps the warning, and logs it. An application's error handler must not get it: the decision that is next is none of its
 * mistakes. */
static ZEND_COLD void report_private(const char *reason, const char *remedy)
{
	char *text;

	spprintf(&text, 0,
		"ratelimit: counts are of this process and its children alone, not of all PHP processes of the user: %s%s", reason, remedy);
	if (php_ratelimit_config_warning_keep(text)) {
		php_log_err(text);
	}
	efree(text);
}

ZEND_COLD void php_ratelimit_first_use(void)
{
	char message[512];
	bool stays = RATELIMIT_G(testing) || is_test_run() || ZSTR_LEN(RATELIMIT_G(shm_path)) > 0;

	if (rl_shm_is_settled()) {
		return;
	}
	if (is_master()) {
		report_private("opcache.preload uses a limiter", ", which FPM's workers then share with its master");
		stays = true;
	}
	if (!rl_shm_settle(stays ? 0 : (size_t) RATELIMIT_G(shm_size), message, sizeof(message))) {
		report_private(message, "");
	}
}
