/* Writes decimal numbers in place: printf() takes longer for one number than Redis for a command. */
#ifndef RL_REDIS_DECIMAL_H
#define RL_REDIS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes of a number, its sign included. */
#define RL_REDIS_DECIMAL_MAX 20

static inline size_t rl_redis_decimal_len(uint64_t n)
{
	size_t len = 1;

	for (; n >= 10000; n /= 10000) {
		len += 4;
	}
	return len + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Both return the end of the digits, and write no terminator. */
static inline char *rl_redis_decimal_unsigned(char *out, uint64_t n)
{
	char *end = out + rl_redis_decimal_len(n);

	for (char *at = end; at > out; n /= 10) {
		*--at = (char) ('0' + n % 10);
	}
	return end;
}

static inline char *rl_redis_decimal_signed(char *out, int64_t n)
{
	if (n >= 0) {
		return rl_redis_decimal_unsigned(out, (uint64_t) n);
	}
	*out = '-';
	return rl_redis_decimal_unsigned(out + 1, 0 - (uint64_t) n);
}

#endif
