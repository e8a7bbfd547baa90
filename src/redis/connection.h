/* One connection to one Redis: opened when it is first needed, closed by the first thing that goes wrong. */
#ifndef RL_REDIS_CONNECTION_H
#define RL_REDIS_CONNECTION_H

#include "dsn.h"
#include "reply.h"

typedef struct {
	int fd;              /* -1: closed */
	unsigned generation; /* of the process that opened it: a forked child is another one */
	rl_redis_reader reader;
} rl_redis_connection;

/* When it is over, and for messages how long it was. */
typedef struct {
	int64_t at_us; /* of rl_redis_clock_us() */
	int timeout_ms;
} rl_redis_deadline;

rl_redis_deadline rl_redis_deadline_in(int timeout_ms);

/* Takes one reply; false when it is not one that can have been meant: the connection is not to be trusted then. */
typedef bool (*rl_redis_take)(void *context, size_t index, const redisReply *reply, rl_error *e);

/* Has to be called once before the first fork that is to be noticed; cheap when called again. */
void rl_redis_connection_watch_forks(void);

void rl_redis_connection_init(rl_redis_connection *c);

/* Says nothing to the server: in a forked child the connection goes on being the parent's. */
void rl_redis_connection_close(rl_redis_connection *c);

/* Is it open, ours, and in step with the server: can a question be sent? If not, it is closed. */
bool rl_redis_connection_is_usable(rl_redis_connection *c);

/* Connects, authenticates, selects the database and looks whom it speaks to: one deadline over all of it. */
rl_status rl_redis_connection_open(rl_redis_connection *c, const rl_redis_dsn *dsn, int timeout_ms, rl_error *e);

/* Sends commands and hands each of the n replies to take, in order, under one deadline. Anything but RL_OK closes the
 * connection, and the replies that were not taken will never be. *sent tells whether a byte was sent: if not, nothing
 * can have been executed. */
rl_status rl_redis_connection_exchange(rl_redis_connection *c, const rl_redis_dsn *dsn, const char *commands, size_t len,
	size_t n, rl_redis_deadline deadline, rl_redis_take take, void *context, bool *sent, rl_error *e);

#endif
