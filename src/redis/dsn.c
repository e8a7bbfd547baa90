#include "dsn.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "command.h"

/* A piece of the DSN that is still to be read. */
typedef struct {
	const char *at;
	const char *end;
} span;

typedef bool (*scheme_parser)(rl_redis_dsn *dsn, span rest, char *storage, rl_error *e);

static bool parse_redis(rl_redis_dsn *dsn, span rest, char *storage, rl_error *e);
static bool parse_unix(rl_redis_dsn *dsn, span rest, char *storage, rl_error *e);

/* A scheme without a parser is known, so that its refusal can say so. */
static const struct {
	const char *prefix;
	scheme_parser parse;
} schemes[] = {
	{"redis://", parse_redis},
	{"unix://", parse_unix},
	{"rediss://", NULL},
	{"redis+sentinel://", NULL},
	{"redis+cluster://", NULL},
};

#define SCHEMES (sizeof schemes / sizeof *schemes)

__attribute__((format(printf, 2, 3)))
static bool refuse(rl_error *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->message, sizeof e->message, format, args);
	va_end(args);
	return false;
}

static size_t length(span s)
{
	return (size_t) (s.end - s.at);
}

static const char *find_first(span s, const char *any)
{
	for (const char *p = s.at; p < s.end; p++) {
		if (*p && strchr(any, *p)) {
			return p;
		}
	}
	return s.end;
}

static const char *find_last(span s, char c)
{
	for (const char *p = s.end; p > s.at; p--) {
		if (p[-1] == c) {
			return p - 1;
		}
	}
	return NULL;
}

static int hex_digit(char c)
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

/* Percent-decodes s to *storage, terminates it and moves *storage behind it. */
static bool decode(span s, rl_redis_text *text, char **storage, const char *what, rl_error *e)
{
	char *out = *storage;

	text->text = out;
	for (const char *p = s.at; p < s.end; p++) {
		if (*p != '%') {
			*out++ = *p;
			continue;
		}
		int high = s.end - p > 2 ? hex_digit(p[1]) : -1;
		int low = s.end - p > 2 ? hex_digit(p[2]) : -1;
		if (high < 0 || low < 0) {
			return refuse(e, "a %% in the %s is not followed by two hexadecimal digits (a plain %% is written %%25)", what);
		}
		*out++ = (char) (high * 16 + low);
		p += 2;
	}
	text->len = (size_t) (out - text->text);
	*out++ = '\0';
	*storage = out;
	return true;
}

static bool parse_number(span s, long max, long *number)
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

static bool parse_db(rl_redis_dsn *dsn, span s, rl_error *e)
{
	long db;

	if (!parse_number(s, INT_MAX, &db)) {
		return refuse(e, "the database must be a number from 0 to %d", INT_MAX);
	}
	dsn->db = (int) db;
	return true;
}

/* Takes "user:password@" from the front of the authority. */
static bool parse_credentials(rl_redis_dsn *dsn, span *authority, char **storage, rl_error *e)
{
	const char *at = find_last(*authority, '@');

	if (!at) {
		return true;
	}
	span user = {authority->at, at};
	const char *colon = find_first(user, ":");
	if (colon == at) {
		return refuse(e, "before the @ stands no password: write user:password@, or :password@");
	}
	span password = {colon + 1, at};
	user.end = colon;
	if (length(password) == 0 && length(user) == 0) {
		return refuse(e, "user and password are empty");
	}
	authority->at = at + 1;
	dsn->has_password = true;
	return decode(user, &dsn->user, storage, "user", e) && decode(password, &dsn->password, storage, "password", e);
}

static bool parse_options(rl_redis_dsn *dsn, span options, bool db_given, rl_error *e)
{
	while (options.at < options.end) {
		span option = {options.at, find_first(options, "&")};
		span name = {option.at, find_first(option, "=")};

		options.at = option.end < options.end ? option.end + 1 : options.end;
		if (length(name) != 2 || memcmp(name.at, "db", 2) != 0) {
			return refuse(e, "there is no option \"%.*s\" (there is: db)", (int) (length(name) > 40 ? 40 : length(name)), name.at);
		}
		if (db_given) {
			return refuse(e, "the database is given twice");
		}
		db_given = true;
		span value = {name.end < option.end ? name.end + 1 : option.end, option.end};
		if (!parse_db(dsn, value, e)) {
			return false;
		}
	}
	return true;
}

/* An @ after the authority is a password that was not encoded: nothing behind it may be taken for a host, a path or an
 * option and be quoted. */
static bool check_credentials_end(span behind, rl_error *e)
{
	if (find_last(behind, '@')) {
		return refuse(e, "a / ? or # in the user or password must be percent-encoded (%%2F %%3F %%23)");
	}
	return true;
}

static bool check_text(const rl_redis_text *text, const char *what, rl_error *e)
{
	if (text->len == 0) {
		return refuse(e, "the %s is missing", what);
	}
	if (strlen(text->text) != text->len) {
		return refuse(e, "the %s holds a NUL byte", what);
	}
	return true;
}

/* host, host:port, [v6] or [v6]:port */
static bool parse_host(rl_redis_dsn *dsn, span authority, char **storage, rl_error *e)
{
	span host = authority;
	span port = {authority.end, authority.end};
	long number = RL_REDIS_PORT;

	if (host.at < host.end && *host.at == '[') {
		host.at++;
		host.end = find_first(host, "]");
		if (host.end == authority.end) {
			return refuse(e, "the ] of the IPv6 address is missing");
		}
		port.at = host.end + 1;
	} else {
		host.end = find_first(host, ":");
		port.at = host.end;
	}
	if (port.at < port.end && (*port.at++ != ':' || !parse_number(port, 65535, &number) || number < 1)) {
		return refuse(e, "the port must be a number from 1 to 65535 (an IPv6 address stands in brackets)");
	}
	snprintf(dsn->port, sizeof dsn->port, "%u", (unsigned) number & 0xffffu);
	return decode(host, &dsn->address, storage, "host", e) && check_text(&dsn->address, "host", e);
}

static bool parse_redis(rl_redis_dsn *dsn, span rest, char *storage, rl_error *e)
{
	span authority = {rest.at, find_first(rest, "/?#")};
	span behind = {authority.end, rest.end};
	span path = {behind.at, find_first(behind, "?")};
	bool db_given = false;

	if (!check_credentials_end(behind, e) || !parse_credentials(dsn, &authority, &storage, e)
			|| !parse_host(dsn, authority, &storage, e)) {
		return false;
	}
	if (length(path) > 1) {
		path.at++;
		db_given = true;
		if (!parse_db(dsn, path, e)) {
			return false;
		}
	}
	span options = {path.end < rest.end ? path.end + 1 : rest.end, rest.end};
	return parse_options(dsn, options, db_given, e);
}

static bool parse_unix(rl_redis_dsn *dsn, span rest, char *storage, rl_error *e)
{
	span authority = {rest.at, find_first(rest, "/?#")};
	span behind = {authority.end, rest.end};
	span path = {behind.at, find_first(behind, "?")};

	dsn->is_unix = true;
	/* Without credentials the @ belongs to the path. */
	if (length(authority) > 0 && (!check_credentials_end(behind, e) || !parse_credentials(dsn, &authority, &storage, e))) {
		return false;
	}
	if (length(authority) > 0 || length(path) == 0) {
		return refuse(e, "the path of the socket must begin with a slash: unix:///path/to.sock");
	}
	if (!decode(path, &dsn->address, &storage, "path", e) || !check_text(&dsn->address, "path", e)) {
		return false;
	}
	if (dsn->address.len >= sizeof ((struct sockaddr_un *) NULL)->sun_path) {
		return refuse(e, "the path of the socket is longer than the %zu bytes that the system allows",
			sizeof ((struct sockaddr_un *) NULL)->sun_path - 1);
	}
	span options = {path.end < rest.end ? path.end + 1 : rest.end, rest.end};
	return parse_options(dsn, options, false, e);
}

static bool parse(rl_redis_dsn *dsn, span text, rl_error *e)
{
	for (size_t i = 0; i < SCHEMES; i++) {
		size_t n = strlen(schemes[i].prefix);

		if (length(text) < n || memcmp(text.at, schemes[i].prefix, n) != 0) {
			continue;
		}
		if (!schemes[i].parse) {
			return refuse(e, "%s is not supported by this version (it knows redis:// and unix://)", schemes[i].prefix);
		}
		text.at += n;
		return schemes[i].parse(dsn, text, dsn->storage, e);
	}
	return refuse(e, "it must begin with redis:// or unix://");
}

bool rl_redis_dsn_parse(rl_redis_dsn *dsn, const char *text, size_t len, rl_error *e)
{
	memset(dsn, 0, sizeof *dsn);
	/* Decoding never lengthens, and each of the three texts is terminated. */
	dsn->storage_size = len + 3;
	dsn->storage = malloc(dsn->storage_size);
	if (!dsn->storage) {
		return refuse(e, "out of memory");
	}
	if (!parse(dsn, (span) {text, text + len}, e)) {
		rl_redis_dsn_free(dsn);
		return false;
	}
	rl_redis_dsn_mask(text, len, dsn->label, sizeof dsn->label);
	return true;
}

void rl_redis_dsn_free(rl_redis_dsn *dsn)
{
	rl_redis_wipe(dsn->storage, dsn->storage_size);
	free(dsn->storage);
	memset(dsn, 0, sizeof *dsn);
}

bool rl_redis_dsn_check(const char *dsn, size_t dsn_len, rl_error *e)
{
	rl_redis_dsn parsed;

	if (!rl_redis_dsn_parse(&parsed, dsn, dsn_len, e)) {
		return false;
	}
	rl_redis_dsn_free(&parsed);
	return true;
}

void rl_redis_tell(rl_error *e, const rl_redis_dsn *dsn, const char *format, ...)
{
	va_list args;
	int n = snprintf(e->message, sizeof e->message, "Redis at %s: ", dsn->label);
	size_t at = n < 0 ? 0 : (size_t) n;

	if (at < sizeof e->message) {
		va_start(args, format);
		vsnprintf(e->message + at, sizeof e->message - at, format, args);
		va_end(args);
	}
}

typedef struct {
	char *at;
	char *end; /* where the terminator has its place at the latest */
} sink;

static void put(sink *out, span s)
{
	for (const char *p = s.at; p < s.end && out->at < out->end; p++) {
		/* A control byte has no place in a message or on a terminal. */
		*out->at++ = (unsigned char) *p < 0x20 || *p == 0x7f ? '?' : *p;
	}
}

static void put_text(sink *out, const char *text)
{
	put(out, (span) {text, text + strlen(text)});
}

/* Only what can be a scheme: a :// further back may stand in a password, or behind it. */
static span scheme_of(span text)
{
	const char *p = text.at;

	while (p < text.end && ((*p >= 'a' && *p <= 'z') || *p == '+')) {
		p++;
	}
	return (span) {text.at, text.end - p >= 3 && memcmp(p, "://", 3) == 0 ? p + 3 : text.at};
}

void rl_redis_dsn_mask(const char *dsn, size_t dsn_len, char *out, size_t out_size)
{
	if (out_size == 0) {
		return;
	}
	sink to = {out, out + out_size - 1};
	span text = {dsn, dsn + dsn_len};
	span scheme = scheme_of(text);
	span rest = {scheme.end, text.end};
	/* A DSN that is none is masked as well, generously: all up to the last @ might be the password. Only a socket's path
	 * is none. */
	bool is_path = length(scheme) == 7 && memcmp(scheme.at, "unix://", 7) == 0 && rest.at < rest.end && *rest.at == '/';
	const char *at = is_path ? NULL : find_last(rest, '@');

	put(&to, scheme);
	if (at) {
		span user = {rest.at, at};
		user.end = find_first(user, ":");
		if (user.end < at) {
			put(&to, user);
		}
		put_text(&to, user.end < at ? ":***@" : "***@");
		rest.at = at + 1;
	}
	span place = {rest.at, find_first(rest, "?")};
	span db = {place.end, rest.end};
	put(&to, place);
	/* Of the options only a db is known to be harmless. */
	if (length(db) > 4 && memcmp(db.at, "?db=", 4) == 0 && find_first(db, "&") == db.end) {
		put(&to, db);
	} else if (length(db) > 0) {
		put_text(&to, "?***");
	}
	*to.at = '\0';
}
