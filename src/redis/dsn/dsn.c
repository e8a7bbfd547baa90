#include "dsn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../net/command.h"
#include "dsn_options.h"

/* The most seeds or sentinels. */
#define ADDRESSES_MAX 64

#define PORT          6379
#define SENTINEL_PORT 26379

#define UNIX_PATH_MAX (sizeof((struct sockaddr_un *) NULL)->sun_path)

static const struct {
	const char *prefix;
	rl_redis_kind kind;
	unsigned port; /* the default; 0: a socket's path follows */
	bool tls;
} schemes[] = {
	{"redis://", RL_REDIS_SINGLE, PORT, false},
	{"rediss://", RL_REDIS_SINGLE, PORT, true},
	{"unix://", RL_REDIS_SINGLE, 0, false},
	{"redis+sentinel://", RL_REDIS_SENTINEL, SENTINEL_PORT, false},
	{"redis+cluster://", RL_REDIS_CLUSTER, PORT, false},
};

#define SCHEMES (sizeof schemes / sizeof *schemes)

/* Takes "user:password@" from the front of the authority. */
static bool parse_credentials(rl_redis_dsn *dsn, rl_redis_span *authority, char **storage, rl_error *e)
{
	const char *at = rl_redis_span_last(*authority, '@');

	if (!at) {
		return true;
	}
	rl_redis_span user = {authority->at, at};
	const char *colon = rl_redis_span_first(user, ":");
	if (colon == at) {
		return rl_redis_dsn_refuse(e, "there is no password before the @: write user:password@, or :password@");
	}
	rl_redis_span password = {colon + 1, at};
	user.end = colon;
	if (rl_redis_span_length(password) == 0 && rl_redis_span_length(user) == 0) {
		return rl_redis_dsn_refuse(e, "the user and the password are empty");
	}
	authority->at = at + 1;
	dsn->login.given = true;
	return rl_redis_dsn_text(user, &dsn->login.user, storage, "user", e)
		&& rl_redis_dsn_text(password, &dsn->login.password, storage, "password", e);
}

/* An @ after the authority belongs to a password that was not encoded: nothing behind it may be read as a host, a path or an
 * option and be quoted. */
static bool check_credentials_end(rl_redis_span behind, rl_error *e)
{
	if (rl_redis_span_last(behind, '@')) {
		return rl_redis_dsn_refuse(e,
			"a / ? or # in the user or password must be percent-encoded (%%2F %%3F %%23), "
			"and so must an @ behind the host (%%40)");
	}
	return true;
}

static bool parse_place(rl_redis_address *address, rl_redis_span place, size_t max, const char *what, char **storage,
	rl_error *e)
{
	rl_redis_text text;

	if (!rl_redis_dsn_word(place, &text, storage, what, e)) {
		return false;
	}
	if (text.len > max) {
		return rl_redis_dsn_refuse(e, "the %s is longer than %zu bytes", what, max);
	}
	memcpy(address->host, text.text, text.len + 1);
	return true;
}

/* host, host:port, [v6] or [v6]:port */
static bool parse_host(rl_redis_address *address, rl_redis_span authority, unsigned default_port, char **storage,
	rl_error *e)
{
	rl_redis_span host = authority;
	rl_redis_span port = {authority.end, authority.end};
	long number = (long) default_port;

	if (host.at < host.end && *host.at == '[') {
		host.at++;
		host.end = rl_redis_span_first(host, "]");
		if (host.end == authority.end) {
			return rl_redis_dsn_refuse(e, "the ] of the IPv6 address is missing");
		}
		port.at = host.end + 1;
	} else {
		host.end = rl_redis_span_first(host, ":");
		port.at = host.end;
	}
	if (port.at < port.end && (*port.at++ != ':' || !rl_redis_span_number(port, 65535, &number) || number < 1)) {
		return rl_redis_dsn_refuse(e, "the port must be a number from 1 to 65535 (write an IPv6 address in brackets)");
	}
	snprintf(address->port, sizeof address->port, "%u", (unsigned) number & 0xffffu);
	return parse_place(address, host, RL_REDIS_HOST_MAX, "host", storage, e);
}

static bool make_addresses(rl_redis_dsn *dsn, size_t n, rl_error *e)
{
	if (n > ADDRESSES_MAX) {
		return rl_redis_dsn_refuse(e, "there are more than %d hosts", ADDRESSES_MAX);
	}
	dsn->addresses = calloc(n, sizeof *dsn->addresses);
	return dsn->addresses || rl_redis_dsn_refuse(e, "out of memory");
}

static bool parse_hosts(rl_redis_dsn *dsn, rl_redis_span list, unsigned default_port, char **storage, rl_error *e)
{
	size_t n = 1;

	for (const char *p = list.at; p < list.end; p++) {
		n += *p == ',';
	}
	if (n > 1 && dsn->kind == RL_REDIS_SINGLE) {
		return rl_redis_dsn_refuse(e, "several hosts are allowed with redis+sentinel:// and redis+cluster:// only");
	}
	if (!make_addresses(dsn, n, e)) {
		return false;
	}
	while (dsn->n_addresses < n) {
		rl_redis_span host = rl_redis_span_take(&list, ",");

		if (!parse_host(&dsn->addresses[dsn->n_addresses++], host, default_port, storage, e)) {
			return false;
		}
	}
	return true;
}

/* Parses the part between the hosts and the options. */
static bool parse_path(rl_redis_dsn *dsn, rl_redis_span path, bool *db_given, char **storage, rl_error *e)
{
	if (path.at < path.end) {
		path.at++;
	}
	if (dsn->kind == RL_REDIS_SENTINEL) {
		if (rl_redis_span_first(path, "/") < path.end) {
			return rl_redis_dsn_refuse(e, "the master's name must not contain a slash (write a database as ?db=n)");
		}
		return rl_redis_dsn_word(path, &dsn->master, storage, "master's name (…:port/name)", e);
	}
	*db_given = path.at < path.end;
	return !*db_given || rl_redis_dsn_db(dsn, path, e);
}

static bool dsn_parse_network(rl_redis_dsn *dsn, rl_redis_span rest, unsigned default_port, char *storage, rl_error *e)
{
	rl_redis_span authority = {rest.at, rl_redis_span_first(rest, "/?#")};
	rl_redis_span behind = {authority.end, rest.end};
	rl_redis_span path = {behind.at, rl_redis_span_first(behind, "?")};
	rl_redis_span options = {path.end < rest.end ? path.end + 1 : rest.end, rest.end};
	bool db_given = false;

	return check_credentials_end(behind, e) && parse_credentials(dsn, &authority, &storage, e)
		&& parse_hosts(dsn, authority, default_port, &storage, e) && parse_path(dsn, path, &db_given, &storage, e)
		&& rl_redis_dsn_options(dsn, options, db_given, &storage, e);
}

static bool parse_unix(rl_redis_dsn *dsn, rl_redis_span rest, char *storage, rl_error *e)
{
	rl_redis_span authority = {rest.at, rl_redis_span_first(rest, "/?#")};
	rl_redis_span behind = {authority.end, rest.end};
	rl_redis_span path = {behind.at, rl_redis_span_first(behind, "?")};
	rl_redis_span options = {path.end < rest.end ? path.end + 1 : rest.end, rest.end};

	/* Without credentials the @ belongs to the path. */
	if (rl_redis_span_length(authority) > 0
		&& (!check_credentials_end(behind, e) || !parse_credentials(dsn, &authority, &storage, e))) {
		return false;
	}
	if (rl_redis_span_length(authority) > 0 || rl_redis_span_length(path) == 0) {
		return rl_redis_dsn_refuse(e, "the path of the socket must begin with a slash: unix:///path/to.sock");
	}
	if (!make_addresses(dsn, 1, e)
		|| !parse_place(dsn->addresses, path, UNIX_PATH_MAX - 1, "path of the socket", &storage, e)) {
		return false;
	}
	dsn->n_addresses = 1;
	return rl_redis_dsn_options(dsn, options, false, &storage, e);
}

static bool dsn_parse(rl_redis_dsn *dsn, rl_redis_span text, rl_error *e)
{
	for (size_t i = 0; i < SCHEMES; i++) {
		size_t n = strlen(schemes[i].prefix);

		if (rl_redis_span_length(text) < n || memcmp(text.at, schemes[i].prefix, n) != 0) {
			continue;
		}
		text.at += n;
		dsn->kind = schemes[i].kind;
		dsn->tls.on = schemes[i].tls;
		dsn->tls.verify = true;
		return schemes[i].port ? dsn_parse_network(dsn, text, schemes[i].port, dsn->storage, e)
							   : parse_unix(dsn, text, dsn->storage, e);
	}
	return rl_redis_dsn_refuse(e,
		"it must begin with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://");
}

bool rl_redis_dsn_parse(rl_redis_dsn *dsn, const char *text, size_t len, rl_error *e)
{
	memset(dsn, 0, sizeof *dsn);
	dsn->options = rl_redis_default_options;
	/* Decoding never lengthens a text, and a separator between two texts leaves room for a terminator. */
	dsn->storage_size = len + 1;
	dsn->storage = malloc(dsn->storage_size);
	if (!dsn->storage) {
		return rl_redis_dsn_refuse(e, "out of memory");
	}
	if (!dsn_parse(dsn, (rl_redis_span){text, text + len}, e)) {
		rl_redis_dsn_free(dsn);
		return false;
	}
	rl_redis_dsn_label(text, len, dsn->label, sizeof dsn->label);
	return true;
}

void rl_redis_dsn_free(rl_redis_dsn *dsn)
{
	rl_redis_wipe(dsn->storage, dsn->storage_size);
	free(dsn->storage);
	free(dsn->addresses);
	memset(dsn, 0, sizeof *dsn);
}

static void write_bytes(rl_redis_buffer *b, rl_redis_text text)
{
	rl_redis_buffer_bytes(b, text.text ? text.text : "", text.len);
}

static void write_login(rl_redis_buffer *b, const rl_redis_login *login)
{
	rl_redis_buffer_int(b, login->given);
	write_bytes(b, login->user);
	write_bytes(b, login->password);
}

static void write_server_place(rl_redis_buffer *b, const rl_redis_dsn *dsn)
{
	rl_redis_buffer_int(b, dsn->kind);
	for (size_t i = 0; i < dsn->n_addresses; i++) {
		rl_redis_buffer_text(b, dsn->addresses[i].host);
		rl_redis_buffer_text(b, dsn->addresses[i].port);
	}
	write_bytes(b, dsn->master);
	rl_redis_buffer_int(b, dsn->db);
	write_bytes(b, dsn->login.user);
}

/* Each part has its length in front of it, so no two lists of parts have the same bytes. */
static bool write_name(rl_redis_buffer *b, char hex[RL_REDIS_SHA1_HEX + 1])
{
	bool done = !b->failed;

	if (done) {
		rl_redis_sha1(b->data, b->len, hex);
	}
	rl_redis_buffer_wipe(b);
	return done;
}

bool rl_redis_dsn_place(const rl_redis_dsn *dsn, const char *prefix, size_t prefix_len, char hex[RL_REDIS_SHA1_HEX + 1])
{
	rl_redis_buffer b = {0};

	write_server_place(&b, dsn);
	rl_redis_buffer_bytes(&b, prefix, prefix_len);
	return write_name(&b, hex);
}

bool rl_redis_dsn_connection(const rl_redis_dsn *dsn, char hex[RL_REDIS_SHA1_HEX + 1])
{
	rl_redis_buffer b = {0};

	write_server_place(&b, dsn);
	write_login(&b, &dsn->login);
	write_login(&b, &dsn->sentinel_login);
	rl_redis_buffer_int(&b, dsn->tls.on);
	rl_redis_buffer_int(&b, dsn->tls.verify);
	write_bytes(&b, dsn->tls.ca);
	write_bytes(&b, dsn->tls.cert);
	write_bytes(&b, dsn->tls.key);
	write_bytes(&b, dsn->tls.verify_name);
	return write_name(&b, hex);
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
