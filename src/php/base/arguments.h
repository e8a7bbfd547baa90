/* src/php/base: The needs of all methods: settings, arguments, time zones, the guard of a store.
 *
 * Checks the arguments of the API. A bad value is an InvalidArgument that names the argument, the value and the bound.
 * Functions get the names of arguments as in PHP code: "$time". */
#ifndef PHP_RATELIMIT_ARGUMENTS_H
#define PHP_RATELIMIT_ARGUMENTS_H

#include "php.h"

#include "src/compiler.h"
#include "src/guard/guard.h"

void php_ratelimit_arguments_startup(void);

/* ---- Parameters ---- */

/* Parses an identity: an int or a string, in *number or *string (the other one stays as it is). Converts nothing, not
 * even without strict_types. PHP would make identity 0 of null, and 1 of true and of 1.5, and so one count of many
 * users. */
static zend_always_inline bool php_ratelimit_parse_identity(zval *arg, zend_string **string, zend_long *number)
{
	if (EXPECTED(Z_TYPE_P(arg) == IS_LONG)) {
		*string = NULL;
		*number = Z_LVAL_P(arg);
		return true;
	}
	*string = Z_TYPE_P(arg) == IS_STRING ? Z_STR_P(arg) : NULL;
	return *string != NULL;
}

/* Declares a parameter of type int|string that is an identity, for ZEND_PARSE_PARAMETERS. */
#define PHP_RATELIMIT_PARAM_IDENTITY(string, number)                                                                   \
 Z_PARAM_PROLOGUE(0, 0);                                                                                               \
 if (UNEXPECTED(!php_ratelimit_parse_identity(_arg, &(string), &(number)))) {                                          \
  _expected_type = Z_EXPECTED_STRING_OR_LONG;                                                                          \
  _error_code = ZPP_ERROR_WRONG_ARG;                                                                                   \
  break;                                                                                                               \
 }

/* Parses doHandle()'s $userId: an int or, without strict_types, the string of an int ("7"). */
bool php_ratelimit_parse_user(zval *arg, bool strict, zend_long *number);

/* Declares a parameter of type int that is an identity, for ZEND_PARSE_PARAMETERS. */
#define PHP_RATELIMIT_PARAM_USER(number)                                                                               \
 Z_PARAM_PROLOGUE(0, 0);                                                                                               \
 if (UNEXPECTED(!php_ratelimit_parse_user(_arg, ZEND_ARG_USES_STRICT_TYPES(), &(number)))) {                           \
  _expected_type = Z_EXPECTED_LONG;                                                                                    \
  _error_code = ZPP_ERROR_WRONG_ARG;                                                                                   \
  break;                                                                                                               \
 }

/* ---- Values: each function returns false with an InvalidArgument thrown ---- */

/* Throws an InvalidArgument: 非法参数 and the message. */
ZEND_COLD void php_ratelimit_invalid(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);

/* Throw the InvalidArgument of the two checks below. */
ZEND_COLD void php_ratelimit_out_of_range(const char *argument, zend_long value, int64_t min, int64_t max);
ZEND_COLD void php_ratelimit_bytes_out_of_range(const char *argument, const zend_string *value, size_t max);

/* Checks that a number is min to max. */
static zend_always_inline bool php_ratelimit_check_range(const char *argument, zend_long value, int64_t min,
	int64_t max)
{
	if (EXPECTED(value >= min && value <= max)) {
		return true;
	}
	php_ratelimit_out_of_range(argument, value, min, max);
	return false;
}

/* Checks that a string has 1 to max bytes. */
static zend_always_inline bool php_ratelimit_check_bytes(const char *argument, const zend_string *value, size_t max)
{
	if (EXPECTED(ZSTR_LEN(value) - 1 < max)) {
		return true;
	}
	php_ratelimit_bytes_out_of_range(argument, value, max);
	return false;
}

/* Returns the place of the first byte that is not printable ASCII; length: there is none. */
static inline size_t php_ratelimit_printable(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] >= 0x20 && text[at] <= 0x7e) {
		at++;
	}
	return at;
}

/* Fills in a key's identity: an int, or a string of 1 to 255 bytes. The decimal digits of an int are that int. */
bool php_ratelimit_identity(const char *argument, zend_string *string, zend_long number, rl_key *key);

/* Reads a duration in seconds, int or float, of min_us to ten years. */
bool php_ratelimit_duration(const char *argument, zval *seconds, int64_t min_us, int64_t *us);

/* Does the same without an exception. php_ratelimit_no_duration() returns the message for it as a new string. */
bool php_ratelimit_to_duration(const zval *seconds, int64_t min_us, int64_t *us);
ZEND_COLD zend_string *php_ratelimit_no_duration(const char *argument, const zval *seconds, int64_t min_us);

/* Reads a moment in the years 1970 to 9999: a unix time, int or float, or a DateTimeInterface. */
bool php_ratelimit_moment(const char *argument, zval *moment, int64_t *wall_us);

/* Reads a moment between now_us and ten years later. A moment that is past by less than a second is no error, because time()
 * always returns such a one. It stays as it is: a store whose clock is a little behind must not see it in the future. */
bool php_ratelimit_coming_moment(const char *argument, zval *moment, int64_t now_us, int64_t *wall_us);

/* Reads the end of a ban: a number is a duration, a DateTimeInterface a moment as above, a Period the end of the clock's period
 * in PHP's default time zone. Sets *us to the duration or the moment. */
bool php_ratelimit_ban_end(const char *argument, zval *end, int64_t now_us, rl_ban_kind *kind, int64_t *us);

/* Reads doHandle's $expire, which is not empty. g: the guard whose store has the clock. */
bool php_ratelimit_expire(HashTable *expire, const rl_guard *g, rl_counter_question *q);

/* Parse a parameter of type int|float|DateTimeInterface, and of these or Period, by PHP's rules. Throw a TypeError, which has
 * the types. */
bool php_ratelimit_parse_moment(zval **moment, uint32_t argument_number);
bool php_ratelimit_parse_ban_end(zval **end, uint32_t argument_number, const char *types);

/* The types of a ban's end, where it may not be a list of times. */
#define PHP_RATELIMIT_BAN_END "FrequencyLimit\\Period|DateTimeInterface|int|float"

/* Returns the core's number of a case of Period, and the case of a number from RL_MINUTE to RL_YEAR. */
rl_period php_ratelimit_period_of(zend_object *period);
zend_object *php_ratelimit_period_case(rl_period period);

#endif
