/* Recognises uncaught exceptions of ours. The engine makes a fatal error of an uncaught exception: it calls the
 * exception's __toString(). Then it reports "Uncaught TEXT\n  thrown" through zend_error_cb, which does not get the object.
 * So our exceptions have a __toString() that keeps TEXT, and an error callback recognises it. A handler that the
 * application has set with set_exception_handler() runs before all of that. */
#include "uncaught.h"

#include "SAPI.h"
#include "zend_exceptions.h"

#include "../base/class_entries.h"
#include "php_ratelimit.h"
#include "../result/result.h"
#include "../base/optional_string.h"

#define BEFORE "Uncaught "
#define AFTER  "\n  thrown"

/* The callback that ours replaced. One for the process. */
static void (*previous)(int type, zend_string *file, const uint32_t line, zend_string *message);

static void set(zend_string *text, zend_object *result)
{
	php_ratelimit_uncaught old = *RATELIMIT_G(uncaught);

	*RATELIMIT_G(uncaught) = (php_ratelimit_uncaught){text, result};
	php_ratelimit_string_release(old.text);
	if (old.result) {
		OBJ_RELEASE(old.result);
	}
}

/* Returns the text of Exception::__toString(), and keeps it. result: the exception's, or NULL. */
static void to_string(zval *return_value, zend_object *exception, zend_object *result)
{
	zend_call_known_instance_method_with_0_params(zend_ce_exception->__tostring, exception, return_value);
	if (SG(request_info).request_method && Z_TYPE_P(return_value) == IS_STRING) {
		if (result) {
			GC_ADDREF(result);
		}
		set(zend_string_copy(Z_STR_P(return_value)), result);
	}
}

ZEND_METHOD(FrequencyLimit_LimitExceeded, __toString)
{
	ZEND_PARSE_PARAMETERS_NONE();
	to_string(return_value, Z_OBJ_P(ZEND_THIS), php_ratelimit_result_of_exception(Z_OBJ_P(ZEND_THIS)));
}

ZEND_METHOD(FrequencyLimit_LoginRequired, __toString)
{
	ZEND_PARSE_PARAMETERS_NONE();
	to_string(return_value, Z_OBJ_P(ZEND_THIS), NULL);
}

static bool is_ours(int type, const zend_string *message)
{
	const zend_string *text = RATELIMIT_G(uncaught)->text;
	const size_t before = sizeof(BEFORE) - 1, after = sizeof(AFTER) - 1;

	return (type & E_ERROR) && text && SG(request_info).request_method
		&& ZSTR_LEN(message) == before + ZSTR_LEN(text) + after && memcmp(ZSTR_VAL(message), BEFORE, before) == 0
		&& memcmp(ZSTR_VAL(message) + before, ZSTR_VAL(text), ZSTR_LEN(text)) == 0
		&& memcmp(ZSTR_VAL(message) + before + ZSTR_LEN(text), AFTER, after) == 0;
}

static void answer(int type, zend_string *file, const uint32_t line, zend_string *message)
{
	volatile bool logs = PG(log_errors);

	if (SG(headers_sent)) {
		if (!RATELIMIT_G(warned_uncaught)) {
			RATELIMIT_G(warned_uncaught) = true;
			php_log_err(
				"ratelimit: a FrequencyLimit exception was not caught, and its status could not be sent, because "
				"output had been sent before. This process does not log it again");
		}
		return;
	}
	if (!PG(display_errors) || !(EG(error_reporting) & E_ERROR)) {
		php_output_clean_all();
		php_ratelimit_send_refusal(RATELIMIT_G(uncaught)->result, true);
		return;
	}
	/* A developer gets PHP's output for any uncaught exception, with the right status. */
	php_ratelimit_send_refusal(RATELIMIT_G(uncaught)->result, false);
	PG(log_errors) = false;
	zend_try
	{
		previous(type, file, line, message); /* it writes output, whose callbacks may end the script */
	}
	zend_catch
	{
		PG(log_errors) = logs;
		zend_bailout();
	}
	zend_end_try();
	PG(log_errors) = logs;
}

static void on_error(int type, zend_string *file, const uint32_t line, zend_string *message)
{
	if (EXPECTED(!is_ours(type, message))) {
		previous(type, file, line, message);
		return;
	}
	answer(type, file, line, message);
	if (!(type & E_DONT_BAIL)) {
		zend_bailout();
	}
}

void php_ratelimit_uncaught_startup(void)
{
	previous = zend_error_cb;
	zend_error_cb = on_error;
}

void php_ratelimit_uncaught_shutdown(void)
{
	if (zend_error_cb == on_error) {
		zend_error_cb = previous;
	}
}

void php_ratelimit_uncaught_clear(void)
{
	set(NULL, NULL);
}
