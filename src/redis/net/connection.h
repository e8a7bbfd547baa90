/* One connection to one Redis: opened when it is first needed, closed by the first thing that goes wrong. */
#ifndef RL_REDIS_CONNECTION_H
#define RL_REDIS_CONNECTION_H

#include "deadline.h"
#include "../dsn/dsn.h"
#include "../reply.h"
#include "resolver.h"
#include "tls.h"

typedef struct {
	int fd;              /* -1: closed */
	unsigned generation; /* of the process that opened it: a forked child is another one */
	rl_redis_tls *tls;   /* NULL: in clear */
	bool may_await;      /* an answer may be waited for where it is received */
	int await_ms;        /* the timeout that this was last prepared for; 0: none yet */
	rl_redis_reader reader;
} rl_redis_connection;

/* Takes one reply; false when it is not one that can have been meant: the connection is not to be trusted then. */
typedef bool (*rl_redis_take)(void *context, size_t index, const redisReply *reply, rl_error *e);

/* Of one reply: ours take some hundred bytes, HELLO's with its list of modules some thousand. */
#define RL_REDIS_REPLY_BYTES_MAX ((size_t) 64 * 1024)

/* Commands on their way, and their replies on the way back. */
typedef struct {
	rl_redis_connection *connection;
	const char *label;
	const char *unsent;
	size_t unsent_len;
	size_t wanted;      /* replies */
	size_t reply_max;   /* bytes of one; 0: RL_REDIS_REPLY_BYTES_MAX */
	int spin_us;        /* as in rl_redis_settings */
	rl_redis_take take; /* is handed each, in order */
	void *context;
	rl_error *e;
	/* What came of it. */
	bool sent; /* a byte, at least: if not, nothing can have been executed */
	bool failed;
	bool peer_closed_read; /* the server takes no more; it may have said why before it closed */
	size_t taken;
	size_t pending_bytes; /* received since the last reply was complete */
} rl_redis_exchange;

/* Has to be called once before the first fork that is to be noticed; cheap when called again. */
void rl_redis_connection_watch_forks(void);

void rl_redis_connection_init(rl_redis_connection *c);

/* Says nothing to the server: in a forked child the connection goes on being the parent's. */
void rl_redis_connection_close(rl_redis_connection *c);

/* Is it open, ours, and in step with the server: can a question be sent? If not, it is closed. */
bool rl_redis_connection_is_usable(rl_redis_connection *c);

typedef enum {
	RL_CONN_IDLE,     /* as usable */
	RL_CONN_READABLE, /* something waits to be received */
	RL_CONN_CLOSED,
} rl_redis_connection_status;

/* Of a connection on which the server speaks first. It stays open, but is good for nothing else if something waits. */
rl_redis_connection_status rl_redis_connection_listen(rl_redis_connection *c);

/* Connects to an address, with TLS if there is a context for it; nothing is said yet. */
rl_status rl_redis_connection_open(rl_redis_connection *c, const rl_redis_address *address, rl_redis_resolver *resolver,
	rl_redis_tls_context *tls, rl_redis_deadline deadline, const char *label, rl_error *e);

/* Sends what the socket takes without waiting: several servers can be at work before the first is waited for. */
void rl_redis_exchange_begin(rl_redis_exchange *x);

/* Sends the rest and takes all replies, under one deadline. Anything but RL_OK closes the connection, and the replies
 * that were not taken will never be. */
rl_status rl_redis_exchange_finish(rl_redis_exchange *x, rl_redis_deadline deadline);

#endif
