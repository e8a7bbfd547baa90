/* A RESP parser for the proxy: the end of a value, and the words of a command. */
#ifndef TESTS_RESP_H
#define TESTS_RESP_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RESP_INCOMPLETE = 0, RESP_MALFORMED = -1 };

/* Returns the number of bytes of the value at p, RESP_INCOMPLETE or RESP_MALFORMED. RESP3's maps have two values per entry. */
static inline long resp_length(const char *p, size_t n)
{
	const char *end = n > 0 ? memchr(p, '\n', n) : NULL;
	long head, count, rest;

	if (end == NULL) {
		return RESP_INCOMPLETE;
	}
	head = end - p + 1;
	count = strtol(p + 1, NULL, 10);
	switch (p[0]) {
		case '+':
		case '-':
		case ':':
		case '_':
		case '#':
		case ',':
		case '(':
			return head;
		case '$':
		case '=':
		case '!':
			if (count < 0) {
				return head;
			}
			return (size_t) head + (size_t) count + 2 <= n ? head + count + 2 : RESP_INCOMPLETE;
		case '*':
		case '~':
		case '>':
		case '%':
			count *= p[0] == '%' ? 2 : 1;
			for (long i = 0; i < count; i++) {
				rest = resp_length(p + head, n - (size_t) head);
				if (rest <= 0) {
					return rest;
				}
				head += rest;
			}
			return head;
		default:
			return RESP_MALFORMED;
	}
}

/* Returns word i of a complete command (an array of bulk strings), or NULL. */
static inline const char *resp_word(const char *p, long length, long i, size_t *word_length)
{
	const char *end = p + length, *line = memchr(p, '\n', (size_t) length);
	long count = strtol(p + 1, NULL, 10);

	if (p[0] != '*' || line == NULL || i >= count) {
		return NULL;
	}
	for (p = line + 1; p < end && p[0] == '$'; i--) {
		long bytes = strtol(p + 1, NULL, 10);

		line = memchr(p, '\n', (size_t) (end - p));
		if (line == NULL || bytes < 0 || line + 1 + bytes > end) {
			return NULL;
		}
		if (i == 0) {
			*word_length = (size_t) bytes;
			return line + 1;
		}
		p = line + 1 + bytes + 2;
	}
	return NULL;
}

#endif
