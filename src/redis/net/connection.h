/* src/redis/net: Bytes with a deadline: addresses, sockets, TLS, commands, the reader of replies.
 *
 * Declares one connection to one Redis: opened on first use, closed by the first error. */
#ifndef RL_REDIS_CONNECTION_H
#define RL_REDIS_CONNECTION_H

#include "deadline.h"
#include "resolver.h"
#include "tls.h"
#include "reader.h"

typedef struct {
	int fd;              /* -1: closed */
	unsigned generation; /* the fork count of the process that opened it: a forked child has another */
	rl_redis_tls *tls;   /* NULL: no TLS */
	bool may_await;      /* recv() may wait for the reply itself, without poll() */
	int await_ms;        /* the timeout that the socket was last prepared for; 0: none yet */
	rl_redis_reader reader;
} rl_redis_connection;

/* Takes one reply. Returns RL_OK, or the status of the whole exchange, with the reason in e: the connection is closed then. */
typedef rl_status (*rl_redis_take)(void *context, size_t index, const redisReply *reply, rl_error *e);

/* The bound on one reply: those of the scripts take some hundred bytes, HELLO's with its list of modules some thousand. */
#define RL_REDIS_REPLY_BYTES_MAX ((size_t) 64 * 1024)

/* Commands that are being sent, and the replies to them. */
typedef struct {
	rl_redis_connection *connection;
	const char *label;
	const char *unsent;
	size_t unsent_len;
	size_t wanted;      /* replies */
	size_t reply_max;   /* bytes of one reply; 0: RL_REDIS_REPLY_BYTES_MAX */
	rl_redis_take take; /* gets each reply, in order */
	void *context;
	rl_error *e;
	/* The result. */
	bool sent; /* at least one byte: if not, nothing can have been executed */
	bool failed;
	rl_status refused;     /* by take; RL_OK: no reply was */
	bool peer_closed_read; /* the server reads no more; it may have sent the reason before it closed */
	size_t taken;
	size_t pending_bytes; /* received since the last reply was complete */
} rl_redis_exchange;

/* Installs the fork handler. Call before the first fork that must be noticed; cheap when called again. */
void rl_redis_connection_watch_forks(void);

void rl_redis_connection_init(rl_redis_connection *c);

/* Closes the descriptor and sends nothing: in a forked child the connection still belongs to the parent. */
void rl_redis_connection_close(rl_redis_connection *c);

/* Returns whether a question can be sent: the connection is open, this process opened it, and no bytes wait. Closes it if not. */
bool rl_redis_connection_is_usable(rl_redis_connection *c);

typedef enum {
	RL_CONN_IDLE,     /* open, nothing to receive */
	RL_CONN_READABLE, /* bytes wait to be received */
	RL_CONN_CLOSED,
} rl_redis_connection_status;

/* Checks a subscribed connection for a message. A readable one stays open, but cannot be used for anything else. */
rl_redis_connection_status rl_redis_connection_listen(rl_redis_connection *c);

/* Connects to an address, with TLS if tls is given; sends no command. */
rl_status rl_redis_connection_open(rl_redis_connection *c, const rl_redis_address *address, rl_redis_resolver *resolver,
	rl_redis_tls_context *tls, rl_redis_deadline deadline, const char *label, rl_error *e);

/* Sends what the socket takes without waiting, so that several servers can work at once. */
void rl_redis_exchange_begin(rl_redis_exchange *x);

/* Sends the rest and takes all replies, under one deadline. Any status but RL_OK closes the connection and discards the
 * remaining replies: that of take, RL_MISCONFIGURED if the server rejected us by TLS, or RL_UNAVAILABLE. */
rl_status rl_redis_exchange_finish(rl_redis_exchange *x, rl_redis_deadline deadline);

#endif
