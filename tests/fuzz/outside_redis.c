/* A server that says anything, at any time, in pieces of any size. The whole Redis store runs on it, from the greeting to
 * the decision, except for src/redis/socket.c, whose functions are here: what they receive is the input. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

#include "../../src/redis/redis_store.h"
#include "../../src/redis/socket.h"

#define SECRET "~K~"
#define WALL_US INT64_C(1900000000000000)

/* ---- The socket ---- */

static struct {
	char bytes[8192];
	size_t len, at;
	input *pieces;    /* how much arrives at once */
	bool gone;        /* nothing more: closed, rather than silent */
	int64_t now_us;
} wire;

int64_t rl_redis_clock_us(void)
{
	return wire.now_us;
}

int rl_redis_socket_connect(const rl_redis_dsn *dsn, int64_t deadline_us, rl_error *e)
{
	(void) deadline_us;
	if (wire.gone && wire.at == wire.len) {
		rl_redis_tell(e, dsn, "nobody listens");
		return -1;
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int rl_redis_socket_wait(int fd, short events, int64_t deadline_us)
{
	(void) fd;
	(void) events;
	wire.now_us += 1000;
	return wire.now_us < deadline_us;
}

ssize_t rl_redis_socket_send(int fd, const char *data, size_t len)
{
	(void) fd;
	must(len > 0 && data[0] != '\0');
	return (ssize_t) len;
}

ssize_t rl_redis_socket_receive(int fd, char *data, size_t len)
{
	size_t piece = (size_t) take(wire.pieces, 1) * 8;

	(void) fd;
	if (wire.at == wire.len) {
		errno = EAGAIN;
		return wire.gone ? 0 : -1;
	}
	piece = piece == 0 ? 1 : piece;
	piece = piece < len ? piece : len;
	piece = piece < wire.len - wire.at ? piece : wire.len - wire.at;
	memcpy(data, wire.bytes + wire.at, piece);
	wire.at += piece;
	return (ssize_t) piece;
}

bool rl_redis_socket_is_idle(int fd)
{
	(void) fd;
	return !wire.gone;
}

/* ---- What it will say ---- */

static const char hello[] = "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.1\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";

static void say(const void *bytes, size_t len)
{
	if (len <= sizeof wire.bytes - wire.len) {
		memcpy(wire.bytes + wire.len, bytes, len);
		wire.len += len;
	}
}

static void say_text(const char *words)
{
	say(words, strlen(words));
}

static void say_number(char type, int64_t n)
{
	char line[32];

	say(line, (size_t) snprintf(line, sizeof line, "%c%lld\r\n", type, (long long) n));
}

static void say_answer(input *in, int64_t nonce)
{
	int i;

	say_number('*', 8);
	say_number(':', take(in, 1) % 8 == 0 ? (int64_t) take(in, 8) : nonce);
	say_number(':', take(in, 1) % 8 == 0 ? (int64_t) take(in, 8) : WALL_US);
	for (i = 0; i < 6; i++) {
		unsigned kind = (unsigned) take(in, 1);

		say_number(':', kind % 4 == 0 ? (int64_t) take(in, 8) : kind / 4 % 12);
	}
}

static void say_error(input *in)
{
	static const char *const errors[] = {
		"NOSCRIPT No matching script.", "RATELIMIT_FOREIGN", "WRONGTYPE Operation", "NOAUTH", "ERR ", "MOVED 1 h:1", "OOM command",
		"ERR Error running script (call to f_0): @user_script:12: @user_script: 12: -OOM ", "ERR unknown command", "ERR DB index",
		"ERR Error running script (call to f_0): @user_script:12: WRONGTYPE ", "READONLY", "BUSY", "LOADING", "", "ERR x @user_script:",
	};
	input tail;

	say_text("-");
	say_text(errors[take(in, 1) % (sizeof errors / sizeof *errors)]);
	tail = take_span(in, take(in, 1) % 32);
	say(tail.at, tail.left);
	say_text("\r\n");
}

/* A few things a server might say; some of them what it ought to. */
static void write_wire(input *in)
{
	static const char *const hellos[] = {
		hello,
		"*4\r\n$7\r\nversion\r\n$3\r\n6.0\r\n$4\r\nrole\r\n$7\r\nreplica\r\n",
		"*5\r\n$7\r\nversion\r\n$-1\r\n$4\r\nrole\r\n*1\r\n:7\r\n$0\r\n\r\n",
		"-ERR unknown command `HELLO`\r\n",
	};
	int64_t nonce = 0;

	while (in->left > 0) {
		unsigned kind = (unsigned) take(in, 1);
		input raw;

		switch (kind % 8) {
			case 0:
			case 1:
				say_answer(in, nonce++);
				break;
			case 2:
				say_error(in);
				nonce++;
				break;
			case 3:
				say_text("+OK\r\n");
				say_text(hello);
				say_text("+OK\r\n");
				break;
			case 4:
				say_text(hellos[kind / 8 % 4]);
				break;
			case 5:
				say_number("*$:+"[kind / 8 % 4], (int64_t) take(in, kind / 32 + 1));
				break;
			default:
				raw = take_span(in, kind / 8 + 1);
				say(raw.at, raw.left);
				break;
		}
	}
}

/* ---- The questions ---- */

static rl_key make_key(input *in)
{
	static const char bytes[RL_NAME_MAX];
	unsigned shape = (unsigned) take(in, 1);

	return (rl_key) {
		.space = (rl_space) (shape % 3), .is_int = shape & 4, .name = bytes, .name_len = shape & 8 ? RL_NAME_MAX : 1,
		.number = shape & 16 ? INT64_MIN : 42, .id = bytes, .id_len = shape & 32 ? RL_NAME_MAX : 1,
	};
}

static void ask(input *in, rl_store *store, rl_error *e)
{
	rl_key keys[4] = {make_key(in), make_key(in), make_key(in), make_key(in)};
	rl_plain_question plain = make_plain_question(in, WALL_US);
	rl_question q = make_question(in, WALL_US);
	rl_answer answers[4];
	rl_status status[4];
	rl_decision d;
	size_t i, n = 1;
	bool found;

	switch (take(in, 1) % 4) {
		case 0:
			if ((take(in, 1) % 4 ? store->ops->plain : store->ops->peek)(store, keys, &plain, &d, e) == RL_OK) {
				check_decision(&d, 1);
			}
			return;
		case 1:
			(void) store->ops->forget(store, keys, &found, e);
			return;
		case 2:
			n = 4;
			(void) store->ops->ask_many(store, keys, n, &q, answers, status, e);
			break;
		default:
			status[0] = store->ops->ask(store, keys, &q, answers, e);
			break;
	}
	for (i = 0; i < n; i++) {
		if (status[i] == RL_OK) {
			check_decision(&answers[i].decision, q.n_limits);
		}
	}
}

void fuzz_redis(input *in)
{
	static const char *const dsns[] = {"redis://u:" SECRET "@h/1", "redis://:" SECRET "@h", "unix:///s", "redis://h?db=3"};
	unsigned shape = (unsigned) take(in, 1), asked;
	input said = take_span(in, (size_t) take(in, 2) % 1500), pieces = take_span(in, 64);
	const char *dsn = dsns[shape % 4];
	rl_redis_settings settings = {.connect_timeout_ms = 50, .timeout_ms = 50, .prefix = "p:", .prefix_len = 2};
	rl_error e = {.message = ""};
	rl_redis_store *store;

	wire.len = wire.at = 0;
	wire.pieces = &pieces;
	wire.gone = shape & 16;
	wire.now_us = 1000000;
	if (shape & 64) {
		say_text(shape % 4 < 2 ? "+OK\r\n" : ""); /* to the password */
		say_text(hello);
		say_text(shape % 4 % 3 == 0 ? "+OK\r\n" : ""); /* to the database */
	}
	write_wire(&said);
	must((store = rl_redis_store_new(dsn, strlen(dsn), &e)) != NULL);
	must(rl_redis_store_configure(store, &settings, &e));
	store->session.nonce = 0;
	for (asked = 0; asked < 4; asked++) {
		memset(&e, 0, sizeof e);
		ask(in, &store->base, &e);
		must(memchr(e.message, '\0', sizeof e.message) != NULL);
		/* What a server says is quoted: a password is seen only when it comes from there. */
		must(strstr(e.message, SECRET) == NULL || memmem(wire.bytes, wire.len, SECRET, strlen(SECRET)) != NULL);
		if (asked == 0 && shape & 32) {
			wire.at = wire.len; /* silence after the first */
		}
	}
	rl_redis_store_free(store);
}
