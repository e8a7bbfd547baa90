/* What users pass, checked: each function throws an InvalidArgument that names the argument, its value and the bound,
 * and returns false, when it does not like what it sees. Names of arguments come as they are written: "$time". */
#ifndef PHP_RATELIMIT_ARGUMENTS_H
#define PHP_RATELIMIT_ARGUMENTS_H

#include "php.h"

#include "src/guard/guard.h"

void php_ratelimit_arguments_startup(void);

/* Throws 非法参数: and the message. */
ZEND_COLD void php_ratelimit_invalid(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);

ZEND_COLD void php_ratelimit_out_of_range(const char *argument, zend_long value, int64_t min, int64_t max);
ZEND_COLD void php_ratelimit_bytes_out_of_range(const char *argument, const zend_string *value, size_t max);

static zend_always_inline bool php_ratelimit_check_range(const char *argument, zend_long value, int64_t min,
	int64_t max)
{
	if (EXPECTED(value >= min && value <= max)) {
		return true;
	}
	php_ratelimit_out_of_range(argument, value, min, max);
	return false;
}

/* 1 to max bytes. */
static zend_always_inline bool php_ratelimit_check_bytes(const char *argument, const zend_string *value, size_t max)
{
	if (EXPECTED(ZSTR_LEN(value) - 1 < max)) {
		return true;
	}
	php_ratelimit_bytes_out_of_range(argument, value, max);
	return false;
}

/* An identity: an int, or a string of 1 to 255 bytes, which is the int when it is how that int is written. */
bool php_ratelimit_identity(const char *argument, zend_string *string, zend_long number, rl_key *key);

/* A duration, int or float, of 0.001 seconds to ten years; or of min_us to ten years. */
bool php_ratelimit_duration(const char *argument, zval *seconds, int64_t min_us, int64_t *us);

/* The same without an exception; and what is wrong with one that is none, as a new string. */
bool php_ratelimit_to_duration(const zval *seconds, int64_t min_us, int64_t *us);
ZEND_COLD zend_string *php_ratelimit_no_duration(const char *argument, const zval *seconds, int64_t min_us);

/* A moment in the years 1970 to 9999: a unix time, int or float, or a DateTimeInterface. */
bool php_ratelimit_moment(const char *argument, zval *moment, int64_t *wall_us);

/* That, from now_us to ten years later. What is past by less than a second is taken for now: time() is, always. */
bool php_ratelimit_coming_moment(const char *argument, zval *moment, int64_t now_us, int64_t *wall_us);

/* doHandle's $expire, which is not empty. g: by whose clock it is judged. */
bool php_ratelimit_expire(HashTable *expire, const rl_guard *g, rl_counter_question *q);

/* Takes int|float|DateTimeInterface, as a parameter's parser would. */
bool php_ratelimit_parse_moment(zval **moment, uint32_t argument_number);

#endif
