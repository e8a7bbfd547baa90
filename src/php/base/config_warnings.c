#include "store_config.h"

#include <stdatomic.h>

/* The texts of this process, without gaps. Threads share them: a compare-and-swap takes each place. */
static _Atomic(char *) texts[PHP_RATELIMIT_CONFIG_WARNINGS_MAX];

ZEND_COLD void php_ratelimit_config_warning(const char *format, ...)
{
	va_list arguments;
	zend_string *text;

	va_start(arguments, format);
	text = zend_vstrpprintf(0, format, arguments);
	va_end(arguments);
	php_ratelimit_config_warning_keep(ZSTR_VAL(text));
	zend_error(E_CORE_WARNING, "%s", ZSTR_VAL(text));
	zend_string_release(text);
}

ZEND_COLD bool php_ratelimit_config_warning_keep(const char *text)
{
	char *copy = pestrdup(text, true);

	for (unsigned i = 0; i < PHP_RATELIMIT_CONFIG_WARNINGS_MAX; i++) {
		char *other = NULL;

		if (atomic_compare_exchange_strong(&texts[i], &other, copy)) {
			return true;
		}
		if (strcmp(other, copy) == 0) {
			break;
		}
	}
	pefree(copy, true);
	return false;
}

const char *php_ratelimit_config_warning_at(unsigned i)
{
	return i < PHP_RATELIMIT_CONFIG_WARNINGS_MAX ? atomic_load(&texts[i]) : NULL;
}

void php_ratelimit_config_warnings_free(void)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_CONFIG_WARNINGS_MAX; i++) {
		char *text = atomic_exchange(&texts[i], NULL);

		if (text) {
			pefree(text, true);
		}
	}
}
