#include "result.h"

#include "php_ratelimit.h"

void php_ratelimit_misuse_end_request(void)
{
	HashTable **lines = &RATELIMIT_G(misuse_lines);

	if (*lines) {
		zend_array_release(*lines);
		*lines = NULL;
	}
}

/* Returns whether the running line of code has not warned yet, and marks it. */
static bool is_first(void)
{
	HashTable **lines = &RATELIMIT_G(misuse_lines);
	zend_string *file = zend_get_executed_filename_ex();

	if (!*lines) {
		*lines = zend_new_array(8);
	}
	return zend_hash_index_add_empty_element(*lines,
		(file ? zend_string_hash_val(file) : 0) * 31 + zend_get_executed_lineno());
}

ZEND_COLD void php_ratelimit_warn_of_bool(const char *class, const char *accepted)
{
	if (is_first()) {
		zend_error(E_WARNING, "A FrequencyLimit\\%s is used as a bool: write %s, or !== null where it may be null",
			class, accepted);
	}
}

ZEND_COLD bool php_ratelimit_warn_of_lost_permit(void)
{
	if (is_first()) {
		zend_error(E_WARNING,
			"The permit of FrequencyLimit\\Limiter::acquire() is thrown away, so that it holds no place: keep it in a "
			"variable until the work is done");
	}
	return !EG(exception);
}
