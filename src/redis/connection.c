#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "connection.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "socket.h"

/* Of one reply: ours take some hundred bytes, HELLO's with its list of modules some thousand. */
#define REPLY_BYTES_MAX ((size_t) 64 * 1024)

#define REDIS_MAJOR_MIN 6
#define REDIS_MINOR_MIN 2

/* How many forks lie between the first process and this one. */
static atomic_uint forks;

static void count_fork(void)
{
	atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void watch_forks(void)
{
	(void) pthread_atfork(NULL, NULL, count_fork);
}

void rl_redis_connection_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void) pthread_once(&once, watch_forks);
}

rl_redis_deadline rl_redis_deadline_in(int timeout_ms)
{
	return (rl_redis_deadline) {rl_redis_clock_us() + timeout_ms * RL_US_PER_MS, timeout_ms};
}

void rl_redis_connection_init(rl_redis_connection *c)
{
	memset(c, 0, sizeof *c);
	c->fd = -1;
}

void rl_redis_connection_close(rl_redis_connection *c)
{
	if (c->fd >= 0) {
		close(c->fd);
		c->fd = -1;
	}
	rl_redis_reader_close(&c->reader);
}

bool rl_redis_connection_is_usable(rl_redis_connection *c)
{
	if (c->fd < 0) {
		return false;
	}
	/* Bytes that wait before anything was asked, or a hangup: whatever it is, it is no answer to the next question. */
	if (c->generation != atomic_load_explicit(&forks, memory_order_relaxed) || !rl_redis_socket_is_idle(c->fd)) {
		rl_redis_connection_close(c);
		return false;
	}
	return true;
}

/* One exchange on its way. */
typedef struct {
	rl_redis_connection *connection;
	const rl_redis_dsn *dsn;
	const char *unsent;
	size_t unsent_len;
	bool deaf;            /* the server takes no more; it may have said why before it closed */
	size_t taken;
	size_t wanted;
	size_t pending_bytes; /* received since the last reply was complete */
	rl_redis_take take;
	void *context;
	rl_error *e;
} exchange;

static bool send_some(exchange *x)
{
	while (x->unsent_len > 0 && !x->deaf) {
		ssize_t n = rl_redis_socket_send(x->connection->fd, x->unsent, x->unsent_len);

		if (n < 0) {
			if (errno == EAGAIN || errno == EWOULDBLOCK) {
				return true;
			}
			if (errno != EPIPE && errno != ECONNRESET) {
				rl_redis_tell(x->e, x->dsn, "%s", strerror(errno));
				return false;
			}
			x->deaf = true;
			return true;
		}
		x->unsent += n;
		x->unsent_len -= (size_t) n;
	}
	return true;
}

/* Hands on the replies that are complete. */
static bool take_replies(exchange *x)
{
	redisReader *reader = x->connection->reader.hiredis;

	while (x->taken < x->wanted) {
		void *parsed = NULL;

		if (redisReaderGetReply(reader, &parsed) != REDIS_OK) {
			rl_redis_tell(x->e, x->dsn, "not a Redis reply: %s", reader->errstr);
			return false;
		}
		if (!parsed) {
			if (x->pending_bytes > REPLY_BYTES_MAX) {
				rl_redis_tell(x->e, x->dsn, "a reply of more than %zu bytes", REPLY_BYTES_MAX);
				return false;
			}
			return true;
		}
		bool good = x->take(x->context, x->taken++, parsed, x->e);
		freeReplyObject(parsed);
		x->pending_bytes = 0;
		if (!good) {
			return false;
		}
	}
	if (reader->len > reader->pos) {
		rl_redis_tell(x->e, x->dsn, "more replies than questions");
		return false;
	}
	return true;
}

static bool receive_some(exchange *x)
{
	char bytes[16 * 1024];
	ssize_t n = rl_redis_socket_receive(x->connection->fd, bytes, sizeof bytes);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		return true;
	}
	if (n <= 0) {
		rl_redis_tell(x->e, x->dsn, "%s", n < 0 ? strerror(errno) : "the server closed the connection");
		return false;
	}
	if (redisReaderFeed(x->connection->reader.hiredis, bytes, (size_t) n) != REDIS_OK) {
		rl_redis_tell(x->e, x->dsn, "out of memory");
		return false;
	}
	x->pending_bytes += (size_t) n;
	return take_replies(x);
}

static bool run_exchange(exchange *x, rl_redis_deadline deadline)
{
	while (x->taken < x->wanted) {
		if (!send_some(x)) {
			return false;
		}
		/* Reading while there is more to send: a server that cannot get rid of its replies stops reading, too. */
		short events = (short) (x->unsent_len > 0 && !x->deaf ? POLLIN | POLLOUT : POLLIN);
		int ready = rl_redis_socket_wait(x->connection->fd, events, deadline.at_us);
		if (ready <= 0) {
			if (ready < 0) {
				rl_redis_tell(x->e, x->dsn, "%s", strerror(errno));
			} else {
				rl_redis_tell(x->e, x->dsn, "no answer within %d ms", deadline.timeout_ms);
			}
			return false;
		}
		if (!receive_some(x)) {
			return false;
		}
	}
	return true;
}

rl_status rl_redis_connection_exchange(rl_redis_connection *c, const rl_redis_dsn *dsn, const char *commands, size_t len,
	size_t n, rl_redis_deadline deadline, rl_redis_take take, void *context, bool *sent, rl_error *e)
{
	exchange x = {
		.connection = c, .dsn = dsn, .unsent = commands, .unsent_len = len, .wanted = n, .take = take, .context = context, .e = e,
	};
	bool good = run_exchange(&x, deadline);

	*sent = x.unsent_len < len;
	if (!good) {
		rl_redis_connection_close(c);
	}
	return good ? RL_OK : RL_UNAVAILABLE;
}

/* The greeting: AUTH if there is a password, HELLO, SELECT if there is a database, in one write. HELLO tells what we
 * have to know (the version, and whether it is a replica), and is the one command that every user may send. */
typedef struct {
	const rl_redis_dsn *dsn;
	rl_status status; /* of the first reply that is not as it should be */
	size_t hello;     /* which reply is HELLO's */
} greeting;

static const char *hello_field(const redisReply *reply, const char *name)
{
	for (size_t i = 0; i + 1 < reply->elements; i += 2) {
		const redisReply *key = reply->element[i];
		const redisReply *value = reply->element[i + 1];

		if (key->type == REDIS_REPLY_STRING && value->type == REDIS_REPLY_STRING && strcmp(key->str, name) == 0) {
			return value->str;
		}
	}
	return "";
}

static rl_status judge_hello(const redisReply *reply, const rl_redis_dsn *dsn, rl_error *e)
{
	const char *version = reply->type == REDIS_REPLY_ARRAY ? hello_field(reply, "version") : "";
	int major = 0;
	int minor = 0;

	if (sscanf(version, "%4d.%4d", &major, &minor) != 2) {
		rl_redis_tell(e, dsn, "its answer to HELLO is not a Redis server's");
		return RL_UNAVAILABLE;
	}
	if (major < REDIS_MAJOR_MIN || (major == REDIS_MAJOR_MIN && minor < REDIS_MINOR_MIN)) {
		rl_redis_tell(e, dsn, "version %.16s is too old, %d.%d or later is needed", version, REDIS_MAJOR_MIN, REDIS_MINOR_MIN);
		return RL_MISCONFIGURED;
	}
	/* A replica would refuse the first write only, and answer all questions before it from what it has heard. */
	if (strcmp(hello_field(reply, "role"), "master") != 0) {
		rl_redis_tell(e, dsn, "it is a replica, which cannot count");
		return RL_UNAVAILABLE;
	}
	return RL_OK;
}

static bool take_greeting(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	greeting *g = context;

	if (reply->type == REDIS_REPLY_ERROR) {
		g->status = rl_redis_reply_judge(reply);
		if (index == g->hello && strstr(reply->str, "nknown command")) {
			rl_redis_tell(e, g->dsn, "it does not know HELLO, so it is no Redis %d.%d or later", REDIS_MAJOR_MIN, REDIS_MINOR_MIN);
		} else {
			rl_redis_tell(e, g->dsn, "%.150s", reply->str);
		}
	} else if (index == g->hello) {
		g->status = judge_hello(reply, g->dsn, e);
	}
	return g->status == RL_OK;
}

static size_t write_greeting(rl_redis_buffer *b, const rl_redis_dsn *dsn, size_t *hello)
{
	size_t n = 0;

	if (dsn->has_password) {
		rl_redis_buffer_command(b, dsn->user.len ? 3 : 2);
		rl_redis_buffer_text(b, "AUTH");
		if (dsn->user.len) {
			rl_redis_buffer_bytes(b, dsn->user.text, dsn->user.len);
		}
		rl_redis_buffer_bytes(b, dsn->password.text, dsn->password.len);
		n++;
	}
	*hello = n++;
	rl_redis_buffer_command(b, 2);
	rl_redis_buffer_text(b, "HELLO");
	rl_redis_buffer_text(b, "2");
	if (dsn->db) {
		rl_redis_buffer_command(b, 2);
		rl_redis_buffer_text(b, "SELECT");
		rl_redis_buffer_int(b, dsn->db);
		n++;
	}
	return n;
}

rl_status rl_redis_connection_open(rl_redis_connection *c, const rl_redis_dsn *dsn, int timeout_ms, rl_error *e)
{
	rl_redis_deadline deadline = rl_redis_deadline_in(timeout_ms);
	greeting g = {.dsn = dsn, .status = RL_OK};
	rl_redis_buffer commands = {0};
	bool sent;

	rl_redis_connection_close(c);
	c->fd = rl_redis_socket_connect(dsn, deadline.at_us, e);
	if (c->fd < 0) {
		return RL_UNAVAILABLE;
	}
	c->generation = atomic_load_explicit(&forks, memory_order_relaxed);
	size_t n = write_greeting(&commands, dsn, &g.hello);
	rl_status status = RL_UNAVAILABLE;
	if (commands.failed || !rl_redis_reader_open(&c->reader)) {
		rl_redis_tell(e, dsn, "out of memory");
		rl_redis_connection_close(c);
	} else {
		status = rl_redis_connection_exchange(c, dsn, commands.data, commands.len, n, deadline, take_greeting, &g, &sent, e);
	}
	rl_redis_buffer_wipe(&commands);
	return g.status != RL_OK ? g.status : status;
}
