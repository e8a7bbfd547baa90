/* Packs a question and unpacks an answer of the scripts: a sequence of whole numbers of 1 to 8 bytes, little-endian. */
#ifndef RL_REDIS_WIRE_FORMAT_H
#define RL_REDIS_WIRE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The nonce is the first number of both. */
#define RL_REDIS_NONCE_BYTES 6

/* The version of a limiter's question. A script refuses another one. */
#define RL_REDIS_VERSION 1

/* A limit's number, a rate or a cost: at most 10^12. */
#define RL_REDIS_NUMBER_BYTES 5

/* A question's parts: its head, what a permit's question has before the limits, what a permit holds of one limit, a debt of one, one
 * calendar window, the times of its bans that escalate. */
#define RL_REDIS_HEAD_BYTES   18
#define RL_REDIS_PERMIT_BYTES 31
#define RL_REDIS_HELD_BYTES   25
#define RL_REDIS_DEBT_BYTES   12
#define RL_REDIS_LIMIT_BYTES  53
#define RL_REDIS_STEPS_BYTES  (1 + 7 * 16)

/* Has room for a question about eight calendar windows, with a permit's parts and bans that escalate, and for the rest of the last
 * number's eight bytes. */
typedef struct {
	size_t len;
	char bytes[RL_REDIS_NONCE_BYTES + RL_REDIS_HEAD_BYTES + RL_REDIS_PERMIT_BYTES + 1
		+ 8 * (RL_REDIS_DEBT_BYTES + RL_REDIS_HELD_BYTES + RL_REDIS_LIMIT_BYTES + RL_REDIS_STEPS_BYTES)
		+ sizeof(uint64_t)];
} rl_redis_wire;

/* Empties the buffer and reserves the nonce's bytes. */
static inline void rl_redis_wire_begin(rl_redis_wire *p)
{
	p->len = RL_REDIS_NONCE_BYTES;
}

/* Writes the n lowest bytes of a number; n is a constant. */
static inline void rl_redis_wire_put_at(char *to, uint64_t number, size_t n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(to, &number, n);
#else
	for (size_t i = 0; i < n; i++) {
		to[i] = (char) (number >> 8 * i & 0xff);
	}
#endif
}

/* Appends the n lowest bytes of a number: all eight, the rest of which the next number overwrites. */
static inline void rl_redis_wire_put(rl_redis_wire *p, uint64_t number, size_t n)
{
	rl_redis_wire_put_at(p->bytes + p->len, number, sizeof number);
	p->len += n;
}

/* Reads n bytes and advances behind them. */
static inline uint64_t rl_redis_wire_get(const char **from, size_t n)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++) {
		number |= (uint64_t) (unsigned char) (*from)[i] << 8 * i;
	}
	*from += n;
	return number;
}

#endif
