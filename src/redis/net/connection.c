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

#include "error_message.h"
#include "socket.h"
#include "deadline.h"

/* The number of forks between the first process and this one. */
static atomic_uint fork_count;

static void count_fork(void)
{
	atomic_fetch_add_explicit(&fork_count, 1, memory_order_relaxed);
}

static void install_fork_handler(void)
{
	(void) pthread_atfork(NULL, NULL, count_fork);
}

void rl_redis_connection_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void) pthread_once(&once, install_fork_handler);
}

void rl_redis_connection_init(rl_redis_connection *c)
{
	memset(c, 0, sizeof *c);
	c->fd = -1;
}

void rl_redis_connection_close(rl_redis_connection *c)
{
	if (c->tls) {
		rl_redis_tls_close(c->tls);
		c->tls = NULL;
	}
	if (c->fd >= 0) {
		close(c->fd);
		c->fd = -1;
	}
	rl_redis_reader_close(&c->reader);
}

static bool connection_is_ours(const rl_redis_connection *c)
{
	return c->generation == atomic_load_explicit(&fork_count, memory_order_relaxed);
}

static bool connection_is_idle(const rl_redis_connection *c)
{
	return c->tls ? rl_redis_tls_is_idle(c->tls) : rl_redis_socket_is_idle(c->fd);
}

static ssize_t connection_receive(const rl_redis_connection *c, char *bytes, size_t size)
{
	return c->tls ? rl_redis_tls_receive(c->tls, bytes, size) : rl_redis_socket_receive(c->fd, bytes, size);
}

bool rl_redis_connection_is_usable(rl_redis_connection *c)
{
	if (c->fd < 0) {
		return false;
	}
	/* Bytes that wait before a question was sent, or a hangup: neither is an answer to the next question. */
	if (!connection_is_ours(c) || !connection_is_idle(c)) {
		rl_redis_connection_close(c);
		return false;
	}
	return true;
}

rl_redis_connection_status rl_redis_connection_listen(rl_redis_connection *c)
{
	char byte;

	if (c->fd < 0 || !connection_is_ours(c)) {
		return RL_CONN_CLOSED;
	}
	if (connection_is_idle(c)) {
		return RL_CONN_IDLE;
	}
	return connection_receive(c, &byte, 1) > 0 ? RL_CONN_READABLE : RL_CONN_CLOSED;
}

rl_status rl_redis_connection_open(rl_redis_connection *c, const rl_redis_address *address, rl_redis_resolver *resolver,
	rl_redis_tls_context *tls, rl_redis_deadline deadline, const char *label, rl_error *e)
{
	rl_status status = RL_UNAVAILABLE;

	rl_redis_connection_close(c);
	c->fd = rl_redis_socket_connect(address, resolver, deadline.at_us, label, e);
	if (c->fd < 0) {
		return RL_UNAVAILABLE;
	}
	c->generation = atomic_load_explicit(&fork_count, memory_order_relaxed);
	/* On a Unix socket the server's read of the question wakes a process that sleeps in recv() in vain, but not poll(). */
	c->may_await = !tls && *address->port;
	c->await_ms = 0;
	if (!rl_redis_reader_open(&c->reader)) {
		rl_redis_error_set(e, label, "out of memory");
	} else if (!tls || (c->tls = rl_redis_tls_open(tls, c->fd, address->host, deadline, label, &status, e))) {
		return RL_OK;
	}
	rl_redis_connection_close(c);
	return status;
}

static const char *connection_error(const rl_redis_connection *c)
{
	return c->tls && errno == EPROTO ? rl_redis_tls_reason(c->tls) : strerror(errno);
}

static bool exchange_send(rl_redis_exchange *x)
{
	rl_redis_connection *c = x->connection;

	while (x->unsent_len > 0 && !x->peer_closed_read) {
		ssize_t n = c->tls ? rl_redis_tls_send(c->tls, x->unsent, x->unsent_len)
						   : rl_redis_socket_send(c->fd, x->unsent, x->unsent_len);

		if (n < 0) {
			if (errno == EAGAIN || errno == EWOULDBLOCK) {
				return true;
			}
			if (errno != EPIPE && errno != ECONNRESET) {
				rl_redis_error_set(x->e, x->label, "%s", connection_error(c));
				return false;
			}
			x->peer_closed_read = true;
			return true;
		}
		x->sent = true;
		x->unsent += n;
		x->unsent_len -= (size_t) n;
	}
	return true;
}

static bool exchange_take(rl_redis_exchange *x, const redisReply *reply)
{
	x->refused = x->take(x->context, x->taken++, reply, x->e);
	return x->refused == RL_OK;
}

/* Passes on the replies that are complete. */
static bool exchange_take_replies(rl_redis_exchange *x)
{
	redisReader *reader = x->connection->reader.hiredis;
	size_t reply_max = x->reply_max ? x->reply_max : RL_REDIS_REPLY_BYTES_MAX;

	while (x->taken < x->wanted) {
		void *parsed = NULL;

		if (redisReaderGetReply(reader, &parsed) != REDIS_OK) {
			rl_redis_error_set(x->e, x->label, "not a Redis reply: %s", reader->errstr);
			return false;
		}
		if (!parsed) {
			if (x->pending_bytes > reply_max) {
				rl_redis_error_set(x->e, x->label, "a reply of more than %zu bytes", reply_max);
				return false;
			}
			return true;
		}
		bool good = exchange_take(x, parsed);
		freeReplyObject(parsed);
		x->pending_bytes = 0;
		if (!good) {
			return false;
		}
	}
	if (reader->len > reader->pos) {
		rl_redis_error_set(x->e, x->label, "more replies than questions");
		return false;
	}
	return true;
}

/* The least timeout for which recv() may wait: half of it must be long beside a tick of the kernel, at most 10 ms. */
#define AWAIT_LEAST_MS 50

/* Returns whether recv() may wait for the reply itself: one system call instead of two. It waits for half of the time,
 * since it is exact to a tick or two only; poll() waits for the rest. */
static bool exchange_can_await(const rl_redis_exchange *x, rl_redis_deadline deadline)
{
	rl_redis_connection *c = x->connection;

	if (!deadline.whole || deadline.timeout_ms < AWAIT_LEAST_MS || !c->may_await || x->unsent_len > 0) {
		return false;
	}
	if (c->await_ms != deadline.timeout_ms) {
		c->await_ms = deadline.timeout_ms;
		c->may_await = rl_redis_socket_let_await(c->fd, deadline.timeout_ms * RL_US_PER_MS / 2);
	}
	return c->may_await;
}

static bool exchange_receive(rl_redis_exchange *x, bool awaited)
{
	rl_redis_connection *c = x->connection;
	char bytes[16 * 1024];
	redisReply reply;
	ssize_t n = awaited ? rl_redis_socket_await(c->fd, bytes, sizeof bytes)
						: connection_receive(c, bytes, sizeof bytes);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		return true;
	}
	if (n <= 0) {
		rl_redis_error_set(x->e, x->label, "%s", n < 0 ? connection_error(c) : "the server closed the connection");
		return false;
	}
	/* The whole reply in one piece, and no earlier bytes in hiredis' reader. */
	if (x->wanted == 1 && x->pending_bytes == 0 && rl_redis_reply_is_short(bytes, (size_t) n, &reply)) {
		return exchange_take(x, &reply);
	}
	if (redisReaderFeed(c->reader.hiredis, bytes, (size_t) n) != REDIS_OK) {
		rl_redis_error_set(x->e, x->label, "out of memory");
		return false;
	}
	x->pending_bytes += (size_t) n;
	return exchange_take_replies(x);
}

/* Waits until bytes can be received or sent. Returns false on an error or when the deadline passes. */
static bool exchange_wait(rl_redis_exchange *x, rl_redis_deadline deadline)
{
	rl_redis_connection *c = x->connection;
	/* Read also while there is more to send: a server that cannot send its replies stops reading, too. */
	short events = (short) (x->unsent_len > 0 && !x->peer_closed_read ? POLLIN | POLLOUT : POLLIN);
	int ready;

	if (c->tls && rl_redis_tls_has_pending(c->tls)) {
		return true;
	}
	ready = rl_redis_wait(c->fd, events, deadline.at_us);
	if (ready < 0) {
		rl_redis_error_set(x->e, x->label, "%s", strerror(errno));
	} else if (ready == 0) {
		rl_redis_error_set(x->e, x->label, "no answer within %d ms", deadline.timeout_ms);
	}
	return ready > 0;
}

static bool exchange_run(rl_redis_exchange *x, rl_redis_deadline deadline)
{
	for (; x->taken < x->wanted; deadline.whole = false) {
		if (!exchange_send(x)) {
			return false;
		}
		bool awaited = exchange_can_await(x, deadline);
		if ((!awaited && !exchange_wait(x, deadline)) || !exchange_receive(x, awaited)) {
			return false;
		}
	}
	return true;
}

void rl_redis_exchange_begin(rl_redis_exchange *x)
{
	x->failed = !exchange_send(x);
}

rl_status rl_redis_exchange_finish(rl_redis_exchange *x, rl_redis_deadline deadline)
{
	rl_redis_connection *c = x->connection;

	if (x->failed || !exchange_run(x, deadline)) {
		rl_status status = c->tls && rl_redis_tls_is_refused(c->tls) ? RL_MISCONFIGURED : RL_UNAVAILABLE;

		x->failed = true;
		rl_redis_connection_close(c);
		return x->refused != RL_OK ? x->refused : status;
	}
	return RL_OK;
}
