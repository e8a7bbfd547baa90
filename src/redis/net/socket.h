/* A stream socket that never waits past a deadline. */
#ifndef RL_REDIS_SOCKET_H
#define RL_REDIS_SOCKET_H

#include <sys/types.h>

#include "../dsn/dsn.h"
#include "resolver.h"

/* Connects to an address, trying each that its host's name has; -1, with the reason in e, when the deadline comes first or
 * nobody listens. */
int rl_redis_socket_connect(const rl_redis_address *address, rl_redis_resolver *resolver, int64_t deadline_us,
	const char *label, rl_error *e);

/* As send() and recv(), but never blocking and never interrupted, and without a SIGPIPE for the process: -1 with EAGAIN
 * when there is nothing to be done. */
ssize_t rl_redis_socket_send(int fd, const char *data, size_t len);
ssize_t rl_redis_socket_receive(int fd, char *data, size_t len);

/* Lets rl_redis_socket_await() wait so long at most, give or take a tick of the kernel's. False: poll() has to wait. */
bool rl_redis_socket_let_await(int fd, int64_t us);

/* As rl_redis_socket_receive(), but waits. EAGAIN: nothing came in time, or a signal did. */
ssize_t rl_redis_socket_await(int fd, char *data, size_t len);

/* Is there nothing to be read, no hangup, no error? So it must be, before a question. */
bool rl_redis_socket_is_idle(int fd);

#endif
