#include "dsn_options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../net/tls.h"

/* The most bytes of an option's name, or of its value, in a message. */
#define SHOWN_MAX 40

#define TIMEOUT_MAX_MS     60000
#define RETRY_DELAY_MAX_MS 3600000
#define DENY_CACHE_MAX_MS  3600000

const rl_redis_options rl_redis_default_options = {
	.connect_timeout_ms = 200,
	.timeout_ms = 100,
	.retry_delay_ms = 1000,
	.deny_cache_ms = 1000,
};

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

/* ---- One option ---- */

static bool options_read_flag(rl_redis_span value, const char *name, bool *flag, rl_error *e)
{
	if (!rl_redis_span_is(value, "0") && !rl_redis_span_is(value, "1")) {
		return rl_redis_dsn_refuse(e, "the option \"%s\" must be 0 or 1", name);
	}
	*flag = *value.at == '1';
	return true;
}

bool rl_redis_dsn_db(rl_redis_dsn *dsn, rl_redis_span s, rl_error *e)
{
	long db;

	if (!rl_redis_span_number(s, INT_MAX, &db)) {
		return rl_redis_dsn_refuse(e, "the database must be a number from 0 to %d", INT_MAX);
	}
	if (db > 0 && dsn->kind == RL_REDIS_CLUSTER) {
		return rl_redis_dsn_refuse(e, "a cluster has no database but 0");
	}
	dsn->db = (int) db;
	return true;
}

static bool options_read_ms(rl_redis_span value, const char *name, int min, int max, int *ms, rl_error *e)
{
	long number;

	if (!rl_redis_span_number(value, max, &number) || number < min) {
		return rl_redis_dsn_refuse(e, "the option \"%s\" must be between %d and %d milliseconds", name, min, max);
	}
	*ms = (int) number;
	return true;
}

static bool options_read_deny_cache(rl_redis_span value, int *ms, rl_error *e)
{
	long number = RL_REDIS_DENY_CACHE_WINDOW;

	if (!rl_redis_span_is(value, "window") && !rl_redis_span_number(value, DENY_CACHE_MAX_MS, &number)) {
		return rl_redis_dsn_refuse(e, "the option \"deny_cache\" must be between 0 and %d milliseconds, or \"window\"",
			DENY_CACHE_MAX_MS);
	}
	*ms = (int) number;
	return true;
}

static bool options_read_lease(rl_redis_span value, bool *automatic, rl_error *e)
{
	*automatic = rl_redis_span_is(value, "auto");
	return *automatic || rl_redis_span_is(value, "off")
		|| rl_redis_dsn_refuse(e, "the option \"lease\" must be \"auto\" or \"off\"");
}

typedef enum {
	DB,
	TLS,
	CA,
	CERT,
	KEY,
	VERIFY_NAME,
	VERIFY,
	CONNECT_TIMEOUT,
	TIMEOUT,
	RETRY_DELAY,
	DENY_CACHE,
	LEASE,
	SENTINEL_USER,
	SENTINEL_PASSWORD,
	OPTIONS,
} dsn_option;

static const char *const option_names[OPTIONS] = {
	[DB] = "db",
	[TLS] = "tls",
	[CA] = "ca",
	[CERT] = "cert",
	[KEY] = "key",
	[VERIFY_NAME] = "verify_name",
	[VERIFY] = "verify",
	[CONNECT_TIMEOUT] = "connect_timeout",
	[TIMEOUT] = "timeout",
	[RETRY_DELAY] = "retry_delay",
	[DENY_CACHE] = "deny_cache",
	[LEASE] = "lease",
	[SENTINEL_USER] = "sentinel_user",
	[SENTINEL_PASSWORD] = "sentinel_password",
};

static dsn_option options_find(rl_redis_span name)
{
	dsn_option o = DB;

	while (o < OPTIONS && !rl_redis_span_is(name, option_names[o])) {
		o++;
	}
	return o;
}

rl_redis_option_kind rl_redis_dsn_option_kind(rl_redis_span name)
{
	switch (options_find(name)) {
		case CONNECT_TIMEOUT:
		case TIMEOUT:
		case RETRY_DELAY:
		case DENY_CACHE:
		case LEASE:
			return RL_REDIS_OPTION_OF_STORE;
		case SENTINEL_PASSWORD:
		case OPTIONS:
			return RL_REDIS_OPTION_SECRET;
		default:
			return RL_REDIS_OPTION_OF_SERVER;
	}
}

/* Text behind an unencoded password may be part of it, so no message quotes it. */
static bool options_refuse_name(rl_redis_span name, bool quotable, rl_error *e)
{
	size_t n = rl_redis_span_length(name);

	if (!quotable) {
		return rl_redis_dsn_refuse(e, "there is no known option behind sentinel_password (write an & in it as %%26)");
	}
	return rl_redis_dsn_refuse(e,
		"there is no option \"%.*s\" (there are: db, timeout, connect_timeout, retry_delay, deny_cache, lease, tls, ca, "
		"cert, key, verify_name, verify, sentinel_user, sentinel_password)",
		(int) (n > SHOWN_MAX ? SHOWN_MAX : n), name.at);
}

static bool options_read(rl_redis_dsn *dsn, dsn_option o, rl_redis_span value, char **storage, rl_error *e)
{
	rl_redis_tls_options *tls = &dsn->tls;

	switch (o) {
		case DB:
			return rl_redis_dsn_db(dsn, value, e);
		case TLS:
			return options_read_flag(value, option_names[o], &tls->on, e);
		case CA:
			return rl_redis_dsn_word(value, &tls->ca, storage, "ca", e);
		case CERT:
			return rl_redis_dsn_word(value, &tls->cert, storage, "cert", e);
		case KEY:
			return rl_redis_dsn_word(value, &tls->key, storage, "key", e);
		case VERIFY_NAME:
			return rl_redis_dsn_word(value, &tls->verify_name, storage, "verify_name", e);
		case VERIFY:
			return options_read_flag(value, option_names[o], &tls->verify, e);
		case CONNECT_TIMEOUT:
			return options_read_ms(value, option_names[o], 1, TIMEOUT_MAX_MS, &dsn->options.connect_timeout_ms, e);
		case TIMEOUT:
			return options_read_ms(value, option_names[o], 1, TIMEOUT_MAX_MS, &dsn->options.timeout_ms, e);
		case RETRY_DELAY:
			return options_read_ms(value, option_names[o], 1, RETRY_DELAY_MAX_MS, &dsn->options.retry_delay_ms, e);
		case DENY_CACHE:
			return options_read_deny_cache(value, &dsn->options.deny_cache_ms, e);
		case LEASE:
			return options_read_lease(value, &dsn->options.auto_lease, e);
		case SENTINEL_USER:
			return rl_redis_dsn_text(value, &dsn->sentinel_login.user, storage, "sentinel_user", e);
		case SENTINEL_PASSWORD:
			dsn->sentinel_login.given = true;
			return rl_redis_dsn_text(value, &dsn->sentinel_login.password, storage, "sentinel_password", e);
		case OPTIONS:
			break;
	}
	return false;
}

/* Adds a value as it is written to the reason why it is refused. */
static void options_show(rl_redis_span value, rl_error *e)
{
	size_t n = rl_redis_span_length(value), at = strlen(e->message);

	snprintf(e->message + at, sizeof e->message - at, ", \"%.*s\" given", (int) (n > SHOWN_MAX ? SHOWN_MAX : n),
		value.at);
}

/* Checks the options together. */
static bool options_check(rl_redis_dsn *dsn, const bool given[OPTIONS], rl_error *e)
{
	for (dsn_option o = CA; o <= VERIFY && !dsn->tls.on; o++) {
		if (given[o]) {
			return rl_redis_dsn_refuse(e, "the option \"%s\" requires TLS (rediss://, or tls=1)", option_names[o]);
		}
	}
	if (given[KEY] && !given[CERT]) {
		return rl_redis_dsn_refuse(e, "the option \"key\" requires \"cert\"");
	}
	if (!given[KEY]) {
		dsn->tls.key = dsn->tls.cert;
	}
	if (given[SENTINEL_USER] && !given[SENTINEL_PASSWORD]) {
		return rl_redis_dsn_refuse(e, "the option \"sentinel_user\" requires \"sentinel_password\"");
	}
	if (dsn->tls.on && !rl_redis_has_tls()) {
		return rl_redis_dsn_refuse(e, "this build of ratelimit does not support TLS: " RL_REDIS_NO_TLS);
	}
	return true;
}

bool rl_redis_dsn_options(rl_redis_dsn *dsn, rl_redis_span options, bool db_given, char **storage, rl_error *e)
{
	bool given[OPTIONS] = {[DB] = db_given};
	bool is_unix = !*dsn->addresses->port;

	while (options.at < options.end) {
		rl_redis_span value = rl_redis_span_take(&options, "&");
		rl_redis_span name = rl_redis_span_take(&value, "=");
		dsn_option o = options_find(name);

		if (o == OPTIONS) {
			return options_refuse_name(name, !given[SENTINEL_PASSWORD], e);
		}
		if (given[o]) {
			return rl_redis_dsn_refuse(e, o == DB ? "the database is given twice" : "the option \"%s\" is given twice",
				option_names[o]);
		}
		if ((o >= SENTINEL_USER && dsn->kind != RL_REDIS_SENTINEL) || (o >= TLS && o <= VERIFY && is_unix)) {
			return rl_redis_dsn_refuse(e, "the option \"%s\" is not allowed in this kind of DSN", option_names[o]);
		}
		given[o] = true;
		if (!options_read(dsn, o, value, storage, e)) {
			if (o >= CONNECT_TIMEOUT && o <= LEASE && !given[SENTINEL_PASSWORD]) {
				options_show(value, e);
			}
			return false;
		}
	}
	return options_check(dsn, given, e);
}
