#include "span.h"

#include <string.h>

size_t rl_redis_span_length(rl_redis_span s)
{
	return (size_t) (s.end - s.at);
}

bool rl_redis_span_is(rl_redis_span s, const char *text)
{
	return rl_redis_span_length(s) == strlen(text) && memcmp(s.at, text, strlen(text)) == 0;
}

const char *rl_redis_span_first(rl_redis_span s, const char *any)
{
	for (const char *p = s.at; p < s.end; p++) {
		if (*p && strchr(any, *p)) {
			return p;
		}
	}
	return s.end;
}

const char *rl_redis_span_last(rl_redis_span s, char c)
{
	for (const char *p = s.end; p > s.at; p--) {
		if (p[-1] == c) {
			return p - 1;
		}
	}
	return NULL;
}

rl_redis_span rl_redis_span_take(rl_redis_span *s, const char *any)
{
	rl_redis_span taken = {s->at, rl_redis_span_first(*s, any)};

	s->at = taken.end < s->end ? taken.end + 1 : s->end;
	return taken;
}

bool rl_redis_span_number(rl_redis_span s, long max, long *number)
{
	*number = 0;
	if (s.at == s.end) {
		return false;
	}
	for (const char *p = s.at; p < s.end; p++) {
		if (*p < '0' || *p > '9' || *number > (max - (*p - '0')) / 10) {
			return false;
		}
		*number = *number * 10 + (*p - '0');
	}
	return true;
}

static int span_hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	if (c >= 'a' && c <= 'f') {
		return c - 'a' + 10;
	}
	if (c >= 'A' && c <= 'F') {
		return c - 'A' + 10;
	}
	return -1;
}

bool rl_redis_span_decode(rl_redis_span s, char **out, size_t *len)
{
	char *to = *out;

	for (const char *p = s.at; p < s.end; p++) {
		if (*p != '%') {
			*to++ = *p;
			continue;
		}
		int high = s.end - p > 2 ? span_hex_digit(p[1]) : -1;
		int low = s.end - p > 2 ? span_hex_digit(p[2]) : -1;
		if (high < 0 || low < 0) {
			return false;
		}
		*to++ = (char) (high * 16 + low);
		p += 2;
	}
	*len = (size_t) (to - *out);
	*to++ = '\0';
	*out = to;
	return true;
}
