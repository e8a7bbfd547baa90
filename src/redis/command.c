#include "command.h"

#include <stdlib.h>
#include <string.h>

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

static void raw(rl_redis_buffer *b, const char *bytes, size_t len)
{
	if (b->failed || len == 0) {
		return;
	}
	if (b->capacity - b->len < len) {
		size_t capacity = b->capacity ? b->capacity : 1024;
		while (capacity - b->len < len) {
			if (capacity > SIZE_MAX / 2) {
				b->failed = true;
				return;
			}
			capacity *= 2;
		}
		char *data = realloc(b->data, capacity);
		if (!data) {
			b->failed = true;
			return;
		}
		b->data = data;
		b->capacity = capacity;
	}
	memcpy(b->data + b->len, bytes, len);
	b->len += len;
}

/* The digits of a number at the end of text; returns where they begin. printf() would take longer than Redis. */
static char *digits(char *end, uint64_t n)
{
	do {
		*--end = (char) ('0' + n % 10);
		n /= 10;
	} while (n > 0);
	return end;
}

/* A type, a number and the end of a line. */
static void header(rl_redis_buffer *b, char type, size_t n)
{
	char text[32], *end = text + sizeof text;
	char *begin = digits(end - 2, n);

	*--begin = type;
	memcpy(end - 2, "\r\n", 2);
	raw(b, begin, (size_t) (end - begin));
}

void rl_redis_buffer_command(rl_redis_buffer *b, size_t n)
{
	header(b, '*', n);
}

void rl_redis_buffer_bytes(rl_redis_buffer *b, const char *bytes, size_t len)
{
	header(b, '$', len);
	raw(b, bytes, len);
	raw(b, "\r\n", 2);
}

void rl_redis_buffer_text(rl_redis_buffer *b, const char *text)
{
	rl_redis_buffer_bytes(b, text, strlen(text));
}

void rl_redis_buffer_int(rl_redis_buffer *b, int64_t number)
{
	char text[32], *end = text + sizeof text;
	char *begin = digits(end, number < 0 ? 0 - (uint64_t) number : (uint64_t) number);

	if (number < 0) {
		*--begin = '-';
	}
	rl_redis_buffer_bytes(b, begin, (size_t) (end - begin));
}
