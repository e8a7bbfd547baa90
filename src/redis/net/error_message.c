#include "error_message.h"

#include <stdarg.h>
#include <stdio.h>

void rl_redis_text_clean(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char) *c < ' ' || (unsigned char) *c >= 0x7f) {
			*c = '?';
		}
	}
}

void rl_redis_error_set(rl_error *e, const char *label, const char *format, ...)
{
	va_list args;
	int n = snprintf(e->message, sizeof e->message, "Redis at %.210s: ", label);
	size_t at = n < 0 ? 0 : (size_t) n;

	e->question_only = e->unexecuted = false;
	if (at < sizeof e->message) {
		va_start(args, format);
		vsnprintf(e->message + at, sizeof e->message - at, format, args);
		va_end(args);
		/* A reply may quote an identity ("unknown command ..., with args beginning with"), and messages go to logs. */
		rl_redis_text_clean(e->message + at);
	}
}
