/* Whole numbers as the scripts pack them: struct's I1 to I8, little-endian, one after the other. */
#ifndef RL_REDIS_PACKED_H
#define RL_REDIS_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* Writes the n lowest bytes of a number; returns what is behind them. */
static inline char *rl_redis_pack(char *to, uint64_t number, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*to++ = (char) (number >> 8 * i & 0xff);
	}
	return to;
}

/* Reads n bytes, and moves on behind them. */
static inline uint64_t rl_redis_unpack(const char **from, size_t n)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++) {
		number |= (uint64_t) (unsigned char) (*from)[i] << 8 * i;
	}
	*from += n;
	return number;
}

#endif
