/* What is a Redis DSN, what is none and why, and that a password is never seen. */
#include <string.h>

#include "../../src/redis/dsn.h"
#include "check.h"

static const struct {
	const char *dsn;
	bool is_unix;
	const char *address;
	const char *port;
	int db;
	const char *user;     /* NULL: no credentials */
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
	{"", "must begin with redis:// or unix://"},
	{"localhost", "must begin with redis:// or unix://"},
	{"shm:", "must begin with"},
	{"http://secret@h", "must begin with"},
	{"rediss://:secret@h", "rediss:// is not supported by this version"},
	{"redis+sentinel://bob:secret@h/m", "redis+sentinel:// is not supported by this version"},
	{"redis+cluster://h,i", "redis+cluster:// is not supported by this version"},
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
	{"redis://h?timeout=secret", "no option \"timeout\""},
	{"redis://h?db=1&tls=1", "no option \"tls\""},
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

int main(void)
{
	char mask[300];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		rl_redis_dsn dsn;
		rl_error e = {.message = ""};

		if (!check(rl_redis_dsn_parse(&dsn, good[i].dsn, strlen(good[i].dsn), &e), "%s is a DSN: %s", good[i].dsn, e.message)) {
			continue;
		}
		check(dsn.is_unix == good[i].is_unix, "%s: kind", good[i].dsn);
		check(is(dsn.address, good[i].address), "%s: address %s", good[i].dsn, dsn.address.text);
		check(!strcmp(dsn.port, good[i].port), "%s: port %s", good[i].dsn, dsn.port);
		check(dsn.db == good[i].db, "%s: db %d", good[i].dsn, dsn.db);
		check(dsn.has_password == (good[i].user != NULL), "%s: credentials", good[i].dsn);
		if (good[i].user && dsn.has_password) {
			check(is(dsn.user, good[i].user), "%s: user %s", good[i].dsn, dsn.user.text);
			check(is(dsn.password, good[i].password), "%s: password %s", good[i].dsn, dsn.password.text);
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
	return checks_report();
}
