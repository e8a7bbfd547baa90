/* Numbers in digits, written where they belong: printf() takes longer for one than Redis for a command. */
#ifndef RL_REDIS_DECIMAL_H
#define RL_REDIS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Digits of the largest number. */
#define RL_REDIS_DECIMAL_MAX 20

static inline size_t rl_redis_decimal_len(uint64_t n)
{
	size_t len = 1;

	for (; n >= 10000; n /= 10000) {
		len += 4;
	}
	return len + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Its len digits, which nothing terminates; returns where they end. */
static inline char *rl_redis_decimal_write(char *out, uint64_t n, size_t len)
{
	for (char *at = out + len; at > out; n /= 10) {
		*--at = (char) ('0' + n % 10);
	}
	return out + len;
}

#endif
