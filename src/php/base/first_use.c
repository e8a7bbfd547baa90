#include "store_config.h"

#include "SAPI.h"

#include "php_ratelimit.h"
#include "src/shm/store/shm.h"

bool php_ratelimit_is_class_loaded(const char *name)
{
	const zend_class_entry *ce = zend_hash_str_find_ptr(EG(class_table), name, strlen(name));

	return ce && !(ce->ce_flags & ZEND_ACC_PRELOADED);
}

/* Returns whether PHPUnit runs in this process, or a tool that is built on it: Pest, Codeception, ParaTest. Its program defines the
 * constant before anything else, also in a process of its own for a test. */
static bool is_test_run(void)
{
	return zend_get_constant_str(ZEND_STRL("PHPUNIT_COMPOSER_INSTALL"))
		|| zend_get_constant_str(ZEND_STRL("__PHPUNIT_PHAR__"))
		|| php_ratelimit_is_class_loaded("phpunit\\framework\\testcase");
}

bool php_ratelimit_is_fpm(void)
{
	return strcmp(sapi_module.name, "fpm-fcgi") == 0;
}

/* FPM's master preloads as its own user, before it makes the workers of each pool's. */
static bool is_master(void)
{
	return php_ratelimit_is_fpm() && !SG(server_context);
}

/* Keeps the warning, and logs it. An application's error handler must not get it: it is no mistake of the call that is the first. */
static ZEND_COLD void warn_of_private(const char *reason)
{
	char *line;

	spprintf(&line, 0,
		"ratelimit: the memory of this user's PHP processes cannot be used: %s. Each command and queue worker counts for itself, "
		"and the workers of a server share the counts of its master",
		reason);
	if (php_ratelimit_config_warning_keep(line + strlen("ratelimit: ")) && PG(log_errors)) {
		php_log_err(line);
	}
	efree(line);
}

/* Keeps the warning for stats() and "ratelimit check". The log would get one from each process. */
static ZEND_COLD void warn_of_size(const char *reason)
{
	char *text;

	spprintf(&text, 0,
		"ratelimit.shm_size is " ZEND_LONG_FMT ", but %s until it is removed (docs/operations.md, \"How large\")",
		RATELIMIT_G(shm_size), reason);
	php_ratelimit_config_warning_keep(text);
	efree(text);
}

ZEND_COLD void php_ratelimit_first_use(void)
{
	char message[512];
	bool stays;

	if (rl_shm_is_settled()) {
		return;
	}
	stays = RATELIMIT_G(testing) || is_test_run() || ZSTR_LEN(RATELIMIT_G(shm_path)) > 0;
	if (is_master()) {
		warn_of_private("opcache.preload uses a limiter, before the workers have their users");
		stays = true;
	}
	if (!rl_shm_settle(stays ? 0 : (size_t) RATELIMIT_G(shm_size), message, sizeof(message))) {
		warn_of_private(message);
	} else if (message[0]) {
		warn_of_size(message);
	}
}
