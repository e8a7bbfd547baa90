/* Valid DSNs, invalid ones with their reasons, and masked passwords. */
#include <string.h>

#include "src/redis/dsn/dsn.h"
#include "check.h"
#include "src/redis/net/tls.h"

static const struct {
	const char *dsn;
	bool is_unix;
	const char *address;
	const char *port;
	int db;
	const char *user; /* NULL: no credentials */
	const char *password;
	const char *label;
} good[] = {
	{"redis://localhost", false, "localhost", "6379", 0, NULL, NULL, "redis://localhost"},
	{"redis://localhost/", false, "localhost", "6379", 0, NULL, NULL, "redis://localhost/"},
	{"redis://10.0.0.1:7000/3", false, "10.0.0.1", "7000", 3, NULL, NULL, "redis://10.0.0.1:7000/3"},
	{"redis://h?db=4", false, "h", "6379", 4, NULL, NULL, "redis://h?db=4"},
	{"redis://h/?db=4", false, "h", "6379", 4, NULL, NULL, "redis://h/?db=4"},
	{"redis://[::1]:6380", false, "::1", "6380", 0, NULL, NULL, "redis://[::1]:6380"},
	{"redis://[fe80::1%25eth0]", false, "fe80::1%eth0", "6379", 0, NULL, NULL, "redis://[fe80::1%25eth0]"},
	{"redis://:secret@h", false, "h", "6379", 0, "", "secret", "redis://:***@h"},
	{"redis://bob:secret@h:1/2", false, "h", "1", 2, "bob", "secret", "redis://bob:***@h:1/2"},
	{"redis://bob:@h", false, "h", "6379", 0, "bob", "", "redis://bob:***@h"},
	{"redis://b%3Ab:s%2Fe%40c%25@h", false, "h", "6379", 0, "b:b", "s/e@c%", "redis://b%3Ab:***@h"},
	{"redis://bob:se@cr:et@h", false, "h", "6379", 0, "bob", "se@cr:et", "redis://bob:***@h"},
	{"unix:///run/r.sock", true, "/run/r.sock", "", 0, NULL, NULL, "unix:///run/r.sock"},
	{"unix:///run/r.sock?db=15", true, "/run/r.sock", "", 15, NULL, NULL, "unix:///run/r.sock?db=15"},
	{"unix:///run/a@b.sock", true, "/run/a@b.sock", "", 0, NULL, NULL, "unix:///run/a@b.sock"},
	{"unix:///run/a%20b%3F.sock", true, "/run/a b?.sock", "", 0, NULL, NULL, "unix:///run/a%20b%3F.sock"},
	{"unix://:secret@/run/r.sock", true, "/run/r.sock", "", 0, "", "secret", "unix://:***@/run/r.sock"},
};

static const struct {
	const char *dsn;
	const char *reason; /* a part of it */
} bad[] = {
	{"", "must begin with redis://"},
	{"localhost", "must begin with redis://"},
	{"shm:", "must begin with"},
	{"http://secret@h", "must begin with"},
	{"redis+cluster://h,,i", "the host is missing"},
	{"redis+cluster://h,i/1", "no database but 0"},
	{"redis+cluster://h?db=1", "no database but 0"},
	{"redis+cluster://:secret@", "the host is missing"},
	{"redis+sentinel://h", "the master's name"},
	{"redis+sentinel://h/", "the master's name"},
	{"redis+sentinel://h/m/1", "a slash"},
	{"redis+sentinel://h/m%00", "NUL"},
	{"redis+sentinel://bob:secret@h:x/m", "the port"},
	{"redis+sentinel://h/m?sentinel_user=u", "requires \"sentinel_password\""},
	{"redis+sentinel://h/m?sentinel_password=a&secret", "behind sentinel_password"},
	{"redis+sentinel://h/m?sentinel_password=secret@b&c", "percent-encoded"},
	{"redis://h?sentinel_password=secret", "not allowed in this kind"},
	{"redis://h,i", "several hosts are allowed with"},
	{"redis://h?ca=/x", "requires TLS"},
	{"redis://h?tls=2", "must be 0 or 1"},
	{"redis://h?tls=", "must be 0 or 1"},
	{"redis://h?tls=1&tls=1", "given twice"},
	{"rediss://h?key=/k", "\"key\" requires \"cert\""},
	{"rediss://h?ca=", "the ca is missing"},
	{"rediss://h?verify=no", "must be 0 or 1"},
	{"unix:///s?tls=1", "not allowed in this kind"},
	{"redis://", "the host is missing"},
	{"redis://:6379", "the host is missing"},
	{"redis:///0", "the host is missing"},
	{"redis://h:", "the port"},
	{"redis://h:0", "the port"},
	{"redis://h:65536", "the port"},
	{"redis://h:secret", "the port"},
	{"redis://::1", "the port"},
	{"redis://[::1", "the ] of the IPv6 address"},
	{"redis://[::1]6379", "the port"},
	{"redis://h/x", "the database"},
	{"redis://h/-1", "the database"},
	{"redis://h/2147483648", "the database"},
	{"redis://h/1/2", "the database"},
	{"redis://h?db=", "the database"},
	{"redis://h?db", "the database"},
	{"redis://h/1?db=1", "given twice"},
	{"redis://h?db=1&db=1", "given twice"},
	{"redis+sentinel://h/m?sentinel_password=a&timeout=secret", "must be between"},
	{"redis://h?db=1&ssl=1",
		"no option \"ssl\" (there are: db, timeout, connect_timeout, retry_delay, deny_cache, lease, "},
	{"redis://secret@h", "no password"},
	{"redis://:@h", "are empty"},
	{"redis://:sec%2@h", "the password"},
	{"redis://:sec%@h", "the password"},
	{"redis://b%zz:secret@h", "in the user"},
	{"redis://:secret/secret@h", "percent-encoded"},
	{"redis://:secret?db=secret@h", "percent-encoded"},
	{"redis:///x:secret@h", "percent-encoded"},
	{"bob:secret@h://", "must begin with redis://"},
	{"bob:secret://more@h", "must begin with redis://"},
	{"redis://h%00i", "NUL"},
	{"unix://", "must begin with a slash"},
	{"unix://run/secret.sock", "must begin with a slash"},
	{"unix:///run/%zz", "in the path"},
	{"unix:///run/%00", "NUL"},
	{"unix:///a?database=1", "no option \"database\""},
	{"unix:///012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567",
		"longer than"},
};

static bool is(rl_redis_text text, const char *expected)
{
	return text.len == strlen(expected) && memcmp(text.text, expected, text.len) == 0;
}

static void parse(rl_redis_dsn *dsn, const char *text)
{
	rl_error e = {.message = ""};

	check(rl_redis_dsn_parse(dsn, text, strlen(text), &e), "%s is a DSN: %s", text, e.message);
}

static void test_store_options(void)
{
	static const struct {
		const char *text;
		rl_redis_options options;
	} valid[] = {
		{"", {200, 100, 1000, 1000, false}},
		{"connect_timeout=1", {1, 100, 1000, 1000, false}},
		{"connect_timeout=60000", {60000, 100, 1000, 1000, false}},
		{"timeout=1", {200, 1, 1000, 1000, false}},
		{"timeout=60000", {200, 60000, 1000, 1000, false}},
		{"retry_delay=1", {200, 100, 1, 1000, false}},
		{"retry_delay=3600000", {200, 100, 3600000, 1000, false}},
		{"deny_cache=0", {200, 100, 1000, 0, false}},
		{"deny_cache=3600000", {200, 100, 1000, 3600000, false}},
		{"deny_cache=window", {200, 100, 1000, RL_REDIS_DENY_CACHE_WINDOW, false}},
		{"lease=off", {200, 100, 1000, 1000, false}},
		{"lease=auto", {200, 100, 1000, 1000, true}},
		{"lease=auto&deny_cache=5&retry_delay=4&timeout=3&connect_timeout=2", {2, 3, 4, 5, true}},
	};
	static const struct {
		const char *option;
		const char *reason;
	} invalid[] = {
		{"connect_timeout", "\"connect_timeout\" must be between 1 and 60000 milliseconds, \"\" given"},
		{"connect_timeout=0", "\"connect_timeout\" must be between 1 and 60000 milliseconds, \"0\" given"},
		{"connect_timeout=60001", "\"connect_timeout\" must be between 1 and 60000 milliseconds, \"60001\" given"},
		{"timeout=", "\"timeout\" must be between 1 and 60000 milliseconds, \"\" given"},
		{"timeout=0", "\"timeout\" must be between 1 and 60000 milliseconds, \"0\" given"},
		{"timeout=-1", "\"timeout\" must be between 1 and 60000 milliseconds, \"-1\" given"},
		{"timeout=60001", "\"timeout\" must be between 1 and 60000 milliseconds, \"60001\" given"},
		{"timeout=100 ms", "\"timeout\" must be between 1 and 60000 milliseconds, \"100 ms\" given"},
		{"timeout=99999999999999999999",
			"\"timeout\" must be between 1 and 60000 milliseconds, \"99999999999999999999\" given"},
		{"retry_delay=0", "\"retry_delay\" must be between 1 and 3600000 milliseconds, \"0\" given"},
		{"retry_delay=3600001", "\"retry_delay\" must be between 1 and 3600000 milliseconds, \"3600001\" given"},
		{"deny_cache=", "\"deny_cache\" must be between 0 and 3600000 milliseconds, or \"window\", \"\" given"},
		{"deny_cache=3600001",
			"\"deny_cache\" must be between 0 and 3600000 milliseconds, or \"window\", \"3600001\" given"},
		{"deny_cache=off", "\"deny_cache\" must be between 0 and 3600000 milliseconds, or \"window\", \"off\" given"},
		{"deny_cache=Window",
			"\"deny_cache\" must be between 0 and 3600000 milliseconds, or \"window\", \"Window\" given"},
		{"lease=", "\"lease\" must be \"auto\" or \"off\", \"\" given"},
		{"lease=1", "\"lease\" must be \"auto\" or \"off\", \"1\" given"},
		{"timeout=5&timeout=5", "\"timeout\" is given twice"},
		{"spin=5", "no option \"spin\""},
	};
	static const char *const kinds[] = {"redis://h?", "unix:///s?", "redis+sentinel://h/m?", "redis+cluster://h,i?"};
	char text[200];
	rl_redis_dsn dsn;
	rl_error e;

	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
		const rl_redis_options *o = &valid[i].options;

		snprintf(text, sizeof text, "%s%s", kinds[i % 4], valid[i].text);
		parse(&dsn, text);
		check(dsn.options.connect_timeout_ms == o->connect_timeout_ms && dsn.options.timeout_ms == o->timeout_ms
				&& dsn.options.retry_delay_ms == o->retry_delay_ms && dsn.options.deny_cache_ms == o->deny_cache_ms
				&& dsn.options.auto_lease == o->auto_lease,
			"%s: its options", text);
		rl_redis_dsn_free(&dsn);
	}
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
		snprintf(text, sizeof text, "%s%s", kinds[i % 4], invalid[i].option);
		check(!rl_redis_dsn_check(text, strlen(text), &e) && strstr(e.message, invalid[i].reason),
			"%s: refused because %s", text, e.message);
	}
}

/* The store's options are in what phpinfo() shows, and not in the server's label. */
static void test_shown_options(void)
{
	static const struct {
		const char *dsn;
		const char *mask;
		const char *label;
	} rows[] = {
		{"redis://bob:secret@h?timeout=5", "redis://bob:***@h?timeout=5", "redis://bob:***@h"},
		{"redis://h/2?lease=auto&deny_cache=window", "redis://h/2?lease=auto&deny_cache=window", "redis://h/2"},
		{"unix:///s?timeout=5&db=1&retry_delay=2", "unix:///s?timeout=5&db=1&retry_delay=2", "unix:///s?db=1"},
		{"unix:///s?db=1&connect_timeout=5", "unix:///s?db=1&connect_timeout=5", "unix:///s?db=1"},
		{"redis+sentinel://h/m?timeout=5&sentinel_password=secret&lease=auto", "redis+sentinel://h/m?timeout=5&***",
			"redis+sentinel://h/m?***"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char mask[200];
		rl_redis_dsn dsn;

		parse(&dsn, rows[i].dsn);
		check(!strcmp(dsn.label, rows[i].label), "%s: label %s", rows[i].dsn, dsn.label);
		rl_redis_dsn_free(&dsn);
		rl_redis_dsn_mask(rows[i].dsn, strlen(rows[i].dsn), mask, sizeof mask);
		check(!strcmp(mask, rows[i].mask), "%s: masked as %s", rows[i].dsn, mask);
	}
}

/* Compares the names of the places and of the connections of two DSNs. */
static void compare(const char *one, const char *other, bool same_place, bool same_connection)
{
	char place[2][RL_REDIS_SHA1_HEX + 1], connection[2][RL_REDIS_SHA1_HEX + 1];
	const char *texts[] = {one, other};

	for (int i = 0; i < 2; i++) {
		rl_redis_dsn dsn;

		parse(&dsn, texts[i]);
		check(rl_redis_dsn_place(&dsn, "p:", 2, place[i]) && rl_redis_dsn_connection(&dsn, connection[i]),
			"%s has names", texts[i]);
		rl_redis_dsn_free(&dsn);
	}
	check(!strcmp(place[0], place[1]) == same_place, "%s and %s: the place", one, other);
	check(!strcmp(connection[0], connection[1]) == same_connection, "%s and %s: the connection", one, other);
}

static void test_names(void)
{
	compare("redis://h", "redis://h:6379/0?timeout=5&connect_timeout=5&retry_delay=5&deny_cache=5&lease=auto", true,
		true);
	compare("redis://h/1", "redis://h?db=1", true, true);
	compare("redis://h", "redis://h/1", false, false);
	compare("redis://h", "redis://i", false, false);
	compare("redis://h", "redis://h:6380", false, false);
	compare("redis://:a@h", "redis://:b@h", true, false);
	compare("redis://h", "redis://:b@h", true, false);
	compare("redis://a:p@h", "redis://b:p@h", false, false);
	compare("redis+cluster://h,i", "redis+cluster://h,i?timeout=9", true, true);
	compare("redis+cluster://h,i", "redis+cluster://h", false, false);
	compare("redis+cluster://h", "redis://h", false, false);
	compare("redis+sentinel://h/m", "redis+sentinel://h/n", false, false);
	compare("redis+sentinel://h/m?sentinel_password=a", "redis+sentinel://h/m?sentinel_password=b&timeout=7", true,
		false);
	if (rl_redis_has_tls()) {
		compare("rediss://h", "redis://h?tls=1&timeout=9", true, true);
		compare("rediss://h", "redis://h", true, false);
		compare("rediss://h", "rediss://h?verify=0", true, false);
		compare("rediss://h", "rediss://h?ca=/a", true, false);
		compare("rediss://h", "rediss://h?cert=/c", true, false);
		compare("rediss://h?cert=/c", "rediss://h?cert=/c&key=/k", true, false);
		compare("rediss://h", "rediss://h?verify_name=n", true, false);
	}
}

static void test_sentinel(void)
{
	rl_redis_dsn dsn;

	parse(&dsn,
		"redis+sentinel://bob:secret@a,[::1]:7,c:8/my%20main?db=3&sentinel_user=eve&sentinel_password=p%40%26q");
	check(dsn.kind == RL_REDIS_SENTINEL && dsn.n_addresses == 3, "three sentinels");
	check(!strcmp(dsn.addresses[0].host, "a") && !strcmp(dsn.addresses[0].port, "26379"),
		"the first has the usual port");
	check(!strcmp(dsn.addresses[1].host, "::1") && !strcmp(dsn.addresses[1].port, "7"),
		"the second is an IPv6 address");
	check(!strcmp(dsn.addresses[2].host, "c") && !strcmp(dsn.addresses[2].port, "8"), "the third");
	check(is(dsn.master, "my main") && dsn.db == 3, "the master's name and database");
	check(is(dsn.login.user, "bob") && is(dsn.login.password, "secret"), "the master's credentials");
	check(dsn.sentinel_login.given && is(dsn.sentinel_login.user, "eve") && is(dsn.sentinel_login.password, "p@&q"),
		"the sentinels'");
	check(!strcmp(dsn.label, "redis+sentinel://bob:***@a,[::1]:7,c:8/my%20main?db=3&sentinel_user=eve&***"), "label %s",
		dsn.label);
	rl_redis_dsn_free(&dsn);
}

static void test_cluster(void)
{
	rl_redis_dsn dsn;

	parse(&dsn, "redis+cluster://:secret@a:1,b");
	check(dsn.kind == RL_REDIS_CLUSTER && dsn.n_addresses == 2 && dsn.login.given && !dsn.tls.on, "two nodes");
	check(!strcmp(dsn.addresses[1].host, "b") && !strcmp(dsn.addresses[1].port, "6379"),
		"the second has the usual port");
	check(!strcmp(dsn.label, "redis+cluster://:***@a:1,b"), "label %s", dsn.label);
	rl_redis_dsn_free(&dsn);
	parse(&dsn, "redis+cluster://a/0");
	rl_redis_dsn_free(&dsn);
}

static void test_tls(void)
{
	static const char text[] = "rediss://h?ca=/c%61.pem&cert=/cert.pem&verify_name=redis.example&verify=0";
	rl_redis_dsn dsn;
	rl_error e;

	if (!rl_redis_has_tls()) {
		check(!rl_redis_dsn_check(text, strlen(text), &e) && strstr(e.message, "does not support TLS"),
			"a build without TLS says so: %s", e.message);
		return;
	}
	parse(&dsn, text);
	check(dsn.tls.on && !dsn.tls.verify && is(dsn.tls.ca, "/ca.pem") && is(dsn.tls.verify_name, "redis.example"),
		"TLS as it is asked for");
	check(is(dsn.tls.cert, "/cert.pem") && is(dsn.tls.key, "/cert.pem"), "the key may be in the certificate's file");
	rl_redis_dsn_free(&dsn);
	parse(&dsn, "redis+sentinel://h/m?tls=1&cert=/c&key=/k");
	check(dsn.tls.on && dsn.tls.verify && is(dsn.tls.key, "/k"), "TLS by an option, and then verified");
	rl_redis_dsn_free(&dsn);
	parse(&dsn, "redis://h?tls=1");
	check(dsn.tls.on, "redis:// with tls=1 is rediss://");
	rl_redis_dsn_free(&dsn);
}

int main(void)
{
	char mask[300];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		rl_redis_dsn dsn;
		rl_error e = {.message = ""};

		if (!check(rl_redis_dsn_parse(&dsn, good[i].dsn, strlen(good[i].dsn), &e), "%s is a DSN: %s", good[i].dsn,
				e.message)) {
			continue;
		}
		check(!*dsn.addresses->port == good[i].is_unix, "%s: kind", good[i].dsn);
		check(!strcmp(dsn.addresses->host, good[i].address), "%s: address %s", good[i].dsn, dsn.addresses->host);
		check(!strcmp(dsn.addresses->port, good[i].port), "%s: port %s", good[i].dsn, dsn.addresses->port);
		check(dsn.db == good[i].db, "%s: db %d", good[i].dsn, dsn.db);
		check(dsn.login.given == (good[i].user != NULL), "%s: credentials", good[i].dsn);
		if (good[i].user && dsn.login.given) {
			check(is(dsn.login.user, good[i].user), "%s: user %s", good[i].dsn, dsn.login.user.text);
			check(is(dsn.login.password, good[i].password), "%s: password %s", good[i].dsn, dsn.login.password.text);
		}
		check(!strcmp(dsn.label, good[i].label), "%s: label %s", good[i].dsn, dsn.label);
		rl_redis_dsn_free(&dsn);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		rl_error e = {.message = ""};

		check(!rl_redis_dsn_check(bad[i].dsn, strlen(bad[i].dsn), &e), "%s is no DSN", bad[i].dsn);
		check(strstr(e.message, bad[i].reason), "%s: refused because %s", bad[i].dsn, e.message);
		check(!strstr(e.message, "secret"), "%s: the refusal shows nothing of it: %s", bad[i].dsn, e.message);
		rl_redis_dsn_mask(bad[i].dsn, strlen(bad[i].dsn), mask, sizeof mask);
		check(!strstr(mask, "secret") || !strchr(bad[i].dsn, '@'), "%s: masked as %s", bad[i].dsn, mask);
	}
	rl_redis_dsn_mask("redis://bob:secret@host", 23, mask, 14);
	check(!strcmp(mask, "redis://bob:*"), "a short buffer is filled and terminated: %s", mask);
	test_store_options();
	test_shown_options();
	test_names();
	test_sentinel();
	test_cluster();
	test_tls();
	return checks_report();
}
