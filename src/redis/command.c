#include "command.h"

#include <stdlib.h>

#include "decimal.h"

/* A batch may need a lot once; what stays with a connection for good is no more than this. */
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

/* Makes room for so many bytes more. */
static bool grow(rl_redis_buffer *b, size_t len)
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

/* Where so many bytes can be written; NULL when there is no memory. */
static inline char *room(rl_redis_buffer *b, size_t len)
{
	if (b->failed || (b->capacity - b->len < len && !grow(b, len))) {
		return NULL;
	}
	return b->data + b->len;
}

static inline void written(rl_redis_buffer *b, const char *end)
{
	b->len = (size_t) (end - b->data);
}

/* What a number with a type before it and the end of a line behind can take. */
#define HEADER_MAX (1 + RL_REDIS_DECIMAL_MAX + 2)

static inline char *end_line(char *at)
{
	memcpy(at, "\r\n", 2);
	return at + 2;
}

static inline char *line(char *at, char type, size_t n)
{
	*at++ = type;
	if (n < 10) { /* like most */
		*at++ = (char) ('0' + n);
		return end_line(at);
	}
	return end_line(rl_redis_decimal_unsigned(at, n));
}

void rl_redis_buffer_command(rl_redis_buffer *b, size_t n)
{
	char *at = room(b, HEADER_MAX);

	if (at) {
		written(b, line(at, '*', n));
	}
}

void rl_redis_buffer_bytes(rl_redis_buffer *b, const char *bytes, size_t len)
{
	char *at = room(b, HEADER_MAX + len + 2);

	if (!at) {
		return;
	}
	at = line(at, '$', len);
	if (len > 0) {
		memcpy(at, bytes, len);
	}
	written(b, end_line(at + len));
}

void rl_redis_buffer_int(rl_redis_buffer *b, int64_t number)
{
	char text[RL_REDIS_DECIMAL_MAX];

	rl_redis_buffer_bytes(b, text, (size_t) (rl_redis_decimal_signed(text, number) - text));
}
