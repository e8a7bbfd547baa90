#include "dsn.h"

#include <string.h>

#include "dsn_options.h"

typedef struct {
	char *at;
	char *end; /* the last place for the terminator */
} label_sink;

static void label_put(label_sink *out, rl_redis_span s)
{
	for (const char *p = s.at; p < s.end && out->at < out->end; p++) {
		/* No control byte may reach a message or a terminal. */
		*out->at++ = (unsigned char) *p < 0x20 || *p == 0x7f ? '?' : *p;
	}
}

static void label_put_text(label_sink *out, const char *text)
{
	label_put(out, (rl_redis_span){text, text + strlen(text)});
}

/* Returns the scheme, if the text begins with one: a :// further back may belong to a password. */
static rl_redis_span label_scheme(rl_redis_span text)
{
	const char *p = text.at;

	while (p < text.end && ((*p >= 'a' && *p <= 'z') || *p == '+')) {
		p++;
	}
	return (rl_redis_span){text.at, text.end - p >= 3 && memcmp(p, "://", 3) == 0 ? p + 3 : text.at};
}

/* Writes the options up to the first that may be a password: the text behind an unencoded password may belong to it. */
static void label_put_options(label_sink *out, rl_redis_span options, bool of_store)
{
	const char *separator = "?";

	while (options.at < options.end) {
		rl_redis_span option = rl_redis_span_take(&options, "&"), value = option;
		rl_redis_option_kind kind = rl_redis_dsn_option_kind(rl_redis_span_take(&value, "="));

		if (kind == RL_REDIS_OPTION_OF_STORE && !of_store) {
			continue;
		}
		label_put_text(out, separator);
		if (kind == RL_REDIS_OPTION_SECRET) {
			label_put_text(out, "***");
			return;
		}
		label_put(out, option);
		separator = "&";
	}
}

static void label_write(const char *dsn, size_t dsn_len, char *out, size_t out_size, bool of_store)
{
	if (out_size == 0) {
		return;
	}
	label_sink to = {out, out + out_size - 1};
	rl_redis_span text = {dsn, dsn + dsn_len};
	rl_redis_span scheme = label_scheme(text);
	rl_redis_span rest = {scheme.end, text.end};
	/* An invalid DSN is masked as well: everything up to the last @ may be the password. Only a socket's path is never
	 * one. */
	bool is_path = rl_redis_span_is(scheme, "unix://") && rest.at < rest.end && *rest.at == '/';
	const char *at = is_path ? NULL : rl_redis_span_last(rest, '@');

	label_put(&to, scheme);
	if (at && rl_redis_span_first((rl_redis_span){rest.at, at}, "/?#") < at) {
		/* A misplaced @: any part may belong to a password. */
		label_put_text(&to, "***");
		rest.at = rest.end;
	} else if (at) {
		rl_redis_span user = {rest.at, at};
		user.end = rl_redis_span_first(user, ":");
		if (user.end < at) {
			label_put(&to, user);
		}
		label_put_text(&to, user.end < at ? ":***@" : "***@");
		rest.at = at + 1;
	}
	rl_redis_span place = {rest.at, rl_redis_span_first(rest, "?")};
	label_put(&to, place);
	rest.at = place.end < rest.end ? place.end + 1 : rest.end;
	label_put_options(&to, rest, of_store);
	*to.at = '\0';
}

void rl_redis_dsn_mask(const char *dsn, size_t dsn_len, char *out, size_t out_size)
{
	label_write(dsn, dsn_len, out, out_size, true);
}

void rl_redis_dsn_label(const char *dsn, size_t dsn_len, char *out, size_t out_size)
{
	label_write(dsn, dsn_len, out, out_size, false);
}
