#include "dsn_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rl_redis_dsn_refuse(rl_error *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->message, sizeof e->message, format, args);
	va_end(args);
	return false;
}

bool rl_redis_dsn_text(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e)
{
	text->text = *storage;
	if (!rl_redis_span_decode(s, storage, &text->len)) {
		return rl_redis_dsn_refuse(e,
			"a %% in the %s is not followed by two hexadecimal digits (write a plain %% as %%25)", what);
	}
	return true;
}

bool rl_redis_dsn_word(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e)
{
	if (!rl_redis_dsn_text(s, text, storage, what, e)) {
		return false;
	}
	if (text->len == 0) {
		return rl_redis_dsn_refuse(e, "the %s is missing", what);
	}
	if (strlen(text->text) != text->len) {
		return rl_redis_dsn_refuse(e, "the %s contains a NUL byte", what);
	}
	return true;
}
