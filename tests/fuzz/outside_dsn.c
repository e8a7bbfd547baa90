/* Fuzzes ratelimit.store: any bytes, and credentials in any context, whose password must never appear. */
#include "input.h"

#include <stdio.h>

#include "../../src/redis/dsn/dsn.h"
#include "../../src/redis/net/error_message.h"

/* Part of every password; an input that has it elsewhere is useless here. */
#define SECRET "~K~"

typedef struct {
	char bytes[1024];
	size_t len;
} text;

static void put(text *t, const void *bytes, size_t len)
{
	must(len <= sizeof t->bytes - t->len);
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
}

static bool holds_any(input span, const char *bytes)
{
	size_t i;

	for (i = 0; i < span.left; i++) {
		if (memchr(bytes, span.at[i], strlen(bytes)) != NULL) {
			return true;
		}
	}
	return false;
}

/* Writes user:password@rest, behind a real or malformed scheme. Returns false when the password is ambiguous: a
 * user has no colon and no @, and its / ? # are encoded; what follows has no @. */
static bool write_credentials(input *in, text *t)
{
	static const char *const schemes[] = {"redis://", "unix://", "rediss://", "redis+cluster://", "redis+sentinel://",
		"redis:/", "", "tcp://", "redis://"};
	const char *scheme = schemes[take(in, 1) % (sizeof schemes / sizeof *schemes)];
	input user = take_span(in, take(in, 1) % 64), before = take_span(in, take(in, 1) % 64);
	input after = take_span(in, take(in, 1) % 64), rest = take_span(in, 400);

	put(t, scheme, strlen(scheme));
	put(t, user.at, user.left);
	put(t, ":", 1);
	put(t, before.at, before.left);
	put(t, SECRET, strlen(SECRET));
	put(t, after.at, after.left);
	put(t, "@", 1);
	put(t, rest.at, rest.left);
	if (*scheme == '\0' && before.left >= 2 && memcmp(before.at, "//", 2) == 0) {
		return false; /* then the user is a scheme */
	}
	return !holds_any(user, ":@/?#~") && !holds_any(rest, "@~");
}

/* Writes …?sentinel_password=password, in clear, and any bytes behind it that may be a part of it. */
static void write_sentinel_password(input *in, text *t)
{
	input before = take_span(in, take(in, 1) % 64), after = take_span(in, take(in, 1) % 64);

	put(t, "redis+sentinel://h/m?", 21);
	if (take(in, 1) % 2 == 0) {
		put(t, "db=1&", 5);
	}
	put(t, "sentinel_password=", 18);
	put(t, before.at, before.left);
	put(t, SECRET, strlen(SECRET));
	put(t, after.at, after.left);
}

static void see_nothing(const char *shown, size_t size)
{
	must(memchr(shown, '\0', size) != NULL);
	must(strstr(shown, SECRET) == NULL);
}

void fuzz_dsn(input *in)
{
	static text t;
	unsigned kind = (unsigned) take(in, 1);
	bool secret = kind % 2 == 0, good;
	size_t mask_size = (size_t) take(in, 1) % 160;
	rl_error e = {.message = ""};
	rl_redis_dsn dsn;
	char *exact, *mask;

	t.len = 0;
	if (kind % 4 == 2) {
		write_sentinel_password(in, &t);
	} else if (secret) {
		secret = write_credentials(in, &t);
	} else {
		put(&t, in->at, in->left < sizeof t.bytes ? in->left : sizeof t.bytes);
	}
	exact = malloc(t.len > 0 ? t.len : 1);
	memcpy(exact, t.bytes, t.len);
	mask = malloc(mask_size > 0 ? mask_size : 1);
	mask[0] = '\0';

	good = rl_redis_dsn_check(exact, t.len, &e);
	must(good || (e.message[0] != '\0' && memchr(e.message, '\0', sizeof e.message) != NULL));
	rl_redis_dsn_mask(exact, t.len, mask, mask_size);
	if (secret) {
		see_nothing(e.message, sizeof e.message);
		see_nothing(mask, mask_size > 0 ? mask_size : 1);
	}
	must(rl_redis_dsn_parse(&dsn, exact, t.len, &e) == good);
	if (good) {
		must(dsn.n_addresses > 0 && *dsn.addresses[dsn.n_addresses - 1].host != '\0' && dsn.db >= 0);
		must(!secret || dsn.login.given || dsn.sentinel_login.given);
		rl_redis_error_set(&e, dsn.label, "%s", "said");
		if (secret) {
			see_nothing(e.message, sizeof e.message);
		}
		rl_redis_dsn_free(&dsn);
	}
	free(exact);
	free(mask);
}
