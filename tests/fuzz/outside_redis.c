/* A server that sends any bytes, at any time, in pieces of any size. The whole Redis store runs on it, from the handshake to
 * the decision, except for src/redis/net/socket.c, whose functions are here: what they receive is the input. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

#include "../../src/redis/dsn/dsn.h"
#include "../../src/redis/wire_format.h"
#include "../../src/redis/redis_store.h"
#include "../../src/redis/net/socket.h"
#include "../../src/redis/net/deadline.h"
#include "../../src/redis/net/error_message.h"

#define SECRET  "~K~"
#define QUICK   "timeout=50&connect_timeout=50"
#define WALL_US INT64_C(1900000000000000)

/* ---- The socket ---- */

static struct {
	char bytes[8192];
	size_t len, at;
	input *pieces; /* the sizes of the pieces */
	bool gone;     /* at the end: closed, not silent */
	int64_t now_us;
} wire;

int64_t rl_redis_clock_us(void)
{
	return wire.now_us;
}

int rl_redis_socket_connect(const rl_redis_address *address, rl_redis_resolver *resolver, int64_t deadline_us,
	const char *label, rl_error *e)
{
	(void) resolver;
	(void) deadline_us;
	must(*address->host != '\0');
	if (wire.gone && wire.at == wire.len) {
		rl_redis_error_set(e, label, "nobody listens");
		return -1;
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int rl_redis_wait(int fd, short events, int64_t deadline_us)
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

bool rl_redis_socket_let_await(int fd, int64_t us)
{
	(void) fd;
	must(us > 0);
	return take(wire.pieces, 1) % 4 != 0;
}

ssize_t rl_redis_socket_await(int fd, char *data, size_t len)
{
	wire.now_us += 1000;
	return rl_redis_socket_receive(fd, data, len);
}

bool rl_redis_socket_is_idle(int fd)
{
	(void) fd;
	return !wire.gone;
}

void rl_redis_pause(int ms)
{
	wire.now_us += ms * 1000;
}

/* ---- The replies ---- */

#define HELLO "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.1\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"

/* A Sentinel's reply: the master's address, and the subscription to its changes. */
#define MASTER "*2\r\n$1\r\nm\r\n$4\r\n6379\r\n*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n"

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

/* Writes the nonce, and mostly valid facts. */
static void say_answer(input *in, int64_t nonce)
{
	static const unsigned char widths[] = {7, 1, 1, 7, 4, RL_REDIS_NUMBER_BYTES, 7};
	rl_redis_wire answer = {.len = 0};
	unsigned kind = (unsigned) take(in, 1);

	rl_redis_wire_put(&answer, kind % 8 == 0 ? take(in, 8) : (uint64_t) nonce, RL_REDIS_NONCE_BYTES);
	for (size_t i = 0; kind % 16 != 1 && i < sizeof widths; i++) {
		unsigned how = (unsigned) take(in, 1);

		rl_redis_wire_put(&answer, how % 4 == 0 ? take(in, 8) : i == 0 ? (uint64_t) WALL_US : how / 4 % 12, widths[i]);
	}
	if (kind % 4 == 3) {
		/* Behind the facts of a permit's question: the cost counted, the wait, and the parts of some limits. */
		unsigned parts = (unsigned) take(in, 1) % 10;

		rl_redis_wire_put(&answer, take(in, 1), RL_REDIS_NUMBER_BYTES);
		rl_redis_wire_put(&answer, take(in, kind % 8), 7);
		for (unsigned i = 0; i < 3 * parts; i++) {
			rl_redis_wire_put(&answer, take(in, 2), i % 3 == 0 ? 6 : 7);
		}
	}
	answer.len += kind == 255;
	say_number('$', (int64_t) answer.len);
	say(answer.bytes, answer.len);
	say_text("\r\n");
}

/* Writes a node's map of the slots, partly valid. */
static void say_slots(input *in)
{
	unsigned ranges = (unsigned) take(in, 1) % 4 + 1, i;

	say_number('*', ranges);
	for (i = 0; i < ranges; i++) {
		unsigned kind = (unsigned) take(in, 1);

		say_number('*', 3);
		say_number(':', kind % 8 == 0 ? (int64_t) take(in, 3) : (int64_t) (16384 / ranges * i));
		say_number(':',
			kind % 8 == 1 ? (int64_t) take(in, 3) : (int64_t) (i + 1 == ranges ? 16383 : 16384 / ranges * (i + 1) - 1));
		say_text("*3\r\n$1\r\n");
		say(&"hijk?"[kind / 8 % 5], 1);
		say_text("\r\n");
		say_number(':', kind % 16 == 15 ? (int64_t) take(in, 3) : 1);
		say_text("$2\r\nid\r\n");
	}
}

static void say_error(input *in)
{
	static const char *const errors[] = {
		"NOSCRIPT No matching script.",
		"RATELIMIT_FOREIGN",
		"RATELIMIT_NEWER",
		"WRONGTYPE Operation",
		"NOAUTH",
		"ERR ",
		"MOVED 1 h:1",
		"ASK 7 i:2",
		"TRYAGAIN",
		"CLUSTERDOWN",
		"MOVED 99999 :1",
		"ASK x",
		"OOM command",
		"ERR Error running script (call to f_0): @user_script:12: @user_script: 12: -OOM ",
		"ERR unknown command",
		"ERR DB index",
		"ERR Error running script (call to f_0): @user_script:12: WRONGTYPE ",
		"READONLY",
		"BUSY",
		"LOADING",
		"",
		"ERR x @user_script:",
	};
	input tail;

	say_text("-");
	say_text(errors[take(in, 1) % (sizeof errors / sizeof *errors)]);
	tail = take_span(in, take(in, 1) % 32);
	say(tail.at, tail.left);
	say_text("\r\n");
}

/* Writes a few possible replies, some of them valid. */
static void write_wire(input *in)
{
	static const char *const hellos[] = {
		HELLO,
		"*4\r\n$7\r\nversion\r\n$3\r\n6.0\r\n$4\r\nrole\r\n$7\r\nreplica\r\n",
		"*5\r\n$7\r\nversion\r\n$-1\r\n$4\r\nrole\r\n*1\r\n:7\r\n$0\r\n\r\n",
		"-ERR unknown command `HELLO`\r\n",
	};
	int64_t nonce = 0;

	while (in->left > 0) {
		unsigned kind = (unsigned) take(in, 1);
		input raw;

		switch (kind % 10) {
			case 8:
				say_slots(in);
				break;
			case 9:
				say_text(MASTER);
				break;
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
				say_text(HELLO);
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

	return (rl_key){
		.space = (rl_space) (shape % 3),
		.is_int = shape & 4,
		.name = bytes,
		.name_len = shape & 8 ? RL_NAME_MAX : 1,
		.int_id = shape & 16 ? INT64_MIN : 42,
		.id = bytes,
		.id_len = shape & 32 ? RL_NAME_MAX : 1,
	};
}

/* Turns some questions into those of a permit. */
static void make_permit(input *in, rl_question *q, rl_held held[RL_LIMITS_MAX])
{
	unsigned shape = (unsigned) take(in, 1);

	if (shape % 2 == 0) {
		return;
	}
	q->op = shape % 4 == 1 ? (rl_op) (RL_OP_ACQUIRE + shape / 4 % 4) : q->op;
	q->leave = shape & 16 ? (uint64_t) number(in, RL_LIMIT_MAX) : 0;
	q->at_least = shape & 32 ? (uint64_t) number(in, (int64_t) q->cost) : 0;
	q->max_wait_us = q->at_least == 0 ? number(in, RL_PERIOD_MAX_US) : 0;
	q->renew_us = shape & 64 ? number(in, RL_PERIOD_MAX_US) : 0;
	q->tag = take(in, 6);
	q->held = held;
	for (unsigned i = 0; i < q->n_limits; i++) {
		held[i] = (rl_held){.tag = take(in, 8),
			.place = (int64_t) take(in, 8),
			.moved_us = (int64_t) take(in, 8),
			.cost = (uint32_t) take(in, 4)};
	}
	if (q->op == RL_OP_RELEASE && shape & 128) {
		q->n_limits = 0;
	}
}

static void ask(input *in, rl_store *store, rl_error *e)
{
	rl_key keys[4] = {make_key(in), make_key(in), make_key(in), make_key(in)};
	rl_counter_question plain = make_plain_question(in, WALL_US);
	rl_question q = make_question(in, WALL_US);
	rl_held held[RL_LIMITS_MAX];
	rl_answer answers[4];
	rl_status status[4];
	rl_decision d;
	size_t i, n = 1;
	bool found;

	make_permit(in, &q, held);
	switch (take(in, 1) % 4) {
		case 0:
			if ((take(in, 1) % 4 ? store->ops->count : store->ops->peek)(store, keys, &plain, &d, e) == RL_OK) {
				check_decision(&d, 1);
			}
			return;
		case 1:
			(void) store->ops->command(store, keys,
				&(rl_counter_command){.op = (rl_op) (RL_OP_BAN + take(in, 1) % 3), .ban = RL_BAN_FOR, .ban_ms = 1000},
				&found, e);
			return;
		case 2:
			n = 4;
			(void) store->ops->ask_many(store, keys, n, (const rl_question *[4]){&q, &q, &q, &q}, answers, status, e);
			break;
		default:
			status[0] = store->ops->ask(store, keys, &q, answers, e);
			break;
	}
	for (i = 0; i < n; i++) {
		if (status[i] == RL_OK) {
			check_decision(&answers[i].decision, q.n_limits > 0 ? q.n_limits : 1);
			must(answers[i].wait_us >= 0 && answers[i].wait_us <= RL_PERIOD_MAX_US);
		}
	}
}

void fuzz_redis(input *in)
{
	static const struct {
		const char *dsn;
		const char *welcome; /* the server's replies to the handshake */
	} places[] = {
		{"redis://u:" SECRET "@h/1?" QUICK, "+OK\r\n" HELLO "+OK\r\n"},
		{"redis://:" SECRET "@h?" QUICK, "+OK\r\n" HELLO},
		{"unix:///s?" QUICK, HELLO},
		{"redis://h?db=3&" QUICK, HELLO "+OK\r\n"},
		{"redis+cluster://u:" SECRET "@h,i:2?" QUICK,
			"+OK\r\n" HELLO "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$1\r\nh\r\n:6379\r\n$1\r\nx\r\n"},
		{"redis+sentinel://:" SECRET "@h,i/m?" QUICK "&sentinel_password=" SECRET, "+OK\r\n" MASTER "+OK\r\n" HELLO},
	};
	unsigned shape = (unsigned) take(in, 1), asked;
	input said = take_span(in, (size_t) take(in, 2) % 1500), pieces = take_span(in, 64);
	size_t place = (size_t) take(in, 1) % (sizeof places / sizeof *places);
	const char *dsn = places[place].dsn;
	rl_redis_pool *pool = rl_redis_pool_new();
	rl_error e = {.message = ""};
	rl_redis_store *store = NULL;

	wire.len = wire.at = 0;
	wire.pieces = &pieces;
	wire.gone = shape & 16;
	wire.now_us = 1000000;
	if (shape & 64) {
		say_text(places[place].welcome);
	}
	write_wire(&said);
	must(pool && (store = (rl_redis_store *) rl_redis_pool_store(pool, dsn, strlen(dsn), "p:", 2, &e)));
	store->link->session.nonce = 0;
	for (asked = 0; asked < 4; asked++) {
		memset(&e, 0, sizeof e);
		ask(in, &store->base, &e);
		must(memchr(e.message, '\0', sizeof e.message) != NULL);
		/* Errors quote the server: a password may appear only if the server sent it. */
		must(strstr(e.message, SECRET) == NULL || memmem(wire.bytes, wire.len, SECRET, strlen(SECRET)) != NULL);
		if (asked == 0 && shape & 32) {
			wire.at = wire.len; /* no reply after the first */
		}
	}
	rl_redis_pool_free(pool);
}
