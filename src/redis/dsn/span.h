/* Declares spans: parts of a text that is being parsed. */
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

/* Returns the first of some characters, or the end. */
const char *rl_redis_span_first(rl_redis_span s, const char *any);

/* Returns the last c, or NULL. */
const char *rl_redis_span_last(rl_redis_span s, char c);

/* Removes the part before the first of some characters, and that character, from the front. Returns the part. */
rl_redis_span rl_redis_span_take(rl_redis_span *s, const char *any);

/* Reads decimal digits, up to max. */
bool rl_redis_span_number(rl_redis_span s, long max, long *number);

/* Percent-decodes s to out with a terminator, and moves out behind it; that is never longer than s and a terminator. Returns
 * false if a % is not followed by two hexadecimal digits. */
bool rl_redis_span_decode(rl_redis_span s, char **out, size_t *len);

#endif
