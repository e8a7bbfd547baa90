#include "command.h"

#include <stdlib.h>

#include "decimal.h"

/* A batch may need a large buffer once; a cleared buffer keeps no more than this. */
#define KEPT_MAX ((size_t) 64 * 1024)

void rl_redis_buffer_clear(rl_redis_buffer *b)
{
	if (b->capacity > KEPT_MAX) {
		rl_redis_buffer_free(b);
	}
	b->len = 0;
	b->failed = false;
}

void rl_redis_buffer_free(rl_redis_buffer *b)
{
	free(b->data);
	memset(b, 0, sizeof *b);
}

void rl_redis_wipe(void *bytes, size_t len)
{
	volatile char *byte = bytes;

	for (size_t i = 0; byte && i < len; i++) {
		byte[i] = 0;
	}
}

void rl_redis_buffer_wipe(rl_redis_buffer *b)
{
	rl_redis_wipe(b->data, b->len);
	rl_redis_buffer_free(b);
}

/* Grows the buffer for len bytes more. */
static bool buffer_grow(rl_redis_buffer *b, size_t len)
{
	size_t capacity = b->capacity ? b->capacity : 1024;

	while (!b->failed && capacity - b->len < len) {
		b->failed = capacity > SIZE_MAX / 2;
		capacity *= 2;
	}
	char *data = b->failed ? NULL : realloc(b->data, capacity);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->capacity = capacity;
	return true;
}

/* Returns where len bytes can be written, or NULL when there is no memory. */
static inline char *buffer_room(rl_redis_buffer *b, size_t len)
{
	if (b->failed || (b->capacity - b->len < len && !buffer_grow(b, len))) {
		return NULL;
	}
	return b->data + b->len;
}

static inline void buffer_set_end(rl_redis_buffer *b, const char *end)
{
	b->len = (size_t) (end - b->data);
}

/* The most bytes of a type, a number and the end of a line. */
#define HEADER_MAX (1 + RL_REDIS_DECIMAL_MAX + 2)

static inline char *buffer_end_line(char *at)
{
	memcpy(at, "\r\n", 2);
	return at + 2;
}

static inline char *buffer_line(char *at, char type, size_t n)
{
	*at++ = type;
	if (n < 100) { /* the usual case */
		if (n >= 10) {
			*at++ = (char) ('0' + n / 10);
		}
		*at++ = (char) ('0' + n % 10);
		return buffer_end_line(at);
	}
	return buffer_end_line(rl_redis_decimal_unsigned(at, n));
}

void rl_redis_buffer_command(rl_redis_buffer *b, size_t n)
{
	char *at = buffer_room(b, HEADER_MAX);

	if (at) {
		buffer_set_end(b, buffer_line(at, '*', n));
	}
}

void rl_redis_buffer_bytes(rl_redis_buffer *b, const char *bytes, size_t len)
{
	char *at = buffer_room(b, HEADER_MAX + len + 2);

	if (!at) {
		return;
	}
	at = buffer_line(at, '$', len);
	if (len > 0) {
		memcpy(at, bytes, len);
	}
	buffer_set_end(b, buffer_end_line(at + len));
}

void rl_redis_buffer_raw(rl_redis_buffer *b, const char *bytes, size_t len)
{
	char *at = buffer_room(b, len);

	if (at) {
		memcpy(at, bytes, len);
		buffer_set_end(b, at + len);
	}
}

void rl_redis_buffer_int(rl_redis_buffer *b, int64_t number)
{
	char text[RL_REDIS_DECIMAL_MAX];

	rl_redis_buffer_bytes(b, text, (size_t) (rl_redis_decimal_signed(text, number) - text));
}
