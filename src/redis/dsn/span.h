/* Pieces of a DSN that is being read. */
#ifndef RL_REDIS_SPAN_H
#define RL_REDIS_SPAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *at;
	const char *end;
} rl_redis_span;

size_t rl_redis_span_length(rl_redis_span s);
bool rl_redis_span_is(rl_redis_span s, const char *text);

/* Where the first of some characters stands, or the end. */
const char *rl_redis_span_first(rl_redis_span s, const char *any);

/* Where the last one stands, or NULL. */
const char *rl_redis_span_last(rl_redis_span s, char c);

/* Takes what stands before the first of some characters off the front, and that character, too. */
rl_redis_span rl_redis_span_take(rl_redis_span *s, const char *any);

/* Decimal digits, up to max. */
bool rl_redis_span_number(rl_redis_span s, long max, long *number);

/* Percent-decodes to out, terminates it there, and moves out behind it; never longer than s with its terminator. False
 * where a % is not followed by two hexadecimal digits. */
bool rl_redis_span_decode(rl_redis_span s, char **out, size_t *len);

#endif
