/* Compares short texts. */
#ifndef PHP_RATELIMIT_SAME_BYTES_H
#define PHP_RATELIMIT_SAME_BYTES_H

#include "php.h"

/* Returns whether two texts have the same bytes. A call of memcmp() would touch more code. */
static zend_always_inline bool php_ratelimit_same_bytes(const char *a, const char *b, size_t length)
{
	uint64_t of_a, of_b;
	uint32_t half_a, half_b;
	bool same;

	if (length >= sizeof(of_a)) {
		for (size_t i = 0; i < length - sizeof(of_a); i += sizeof(of_a)) {
			memcpy(&of_a, a + i, sizeof(of_a));
			memcpy(&of_b, b + i, sizeof(of_b));
			if (of_a != of_b) {
				return false;
			}
		}
		memcpy(&of_a, a + length - sizeof(of_a), sizeof(of_a));
		memcpy(&of_b, b + length - sizeof(of_b), sizeof(of_b));
		return of_a == of_b;
	}
	if (length >= sizeof(half_a)) {
		memcpy(&half_a, a, sizeof(half_a));
		memcpy(&half_b, b, sizeof(half_b));
		same = half_a == half_b;
		memcpy(&half_a, a + length - sizeof(half_a), sizeof(half_a));
		memcpy(&half_b, b + length - sizeof(half_b), sizeof(half_b));
		return same && half_a == half_b;
	}
	return length == 0 || (a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1]);
}

#endif
