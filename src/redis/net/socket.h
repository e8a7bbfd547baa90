/* Declares stream sockets that never block beyond a deadline. */
#ifndef RL_REDIS_SOCKET_H
#define RL_REDIS_SOCKET_H

#include <sys/types.h>

#include "../../store.h"
#include "address.h"
#include "resolver.h"

/* Connects to an address, and tries each address of its host's name. Returns -1, with the reason in e, on failure or when
 * the deadline passes. */
int rl_redis_socket_connect(const rl_redis_address *address, rl_redis_resolver *resolver, int64_t deadline_us,
	const char *label, rl_error *e);

/* Like send() and recv(), but never block, are never interrupted, and raise no SIGPIPE. Return -1 with EAGAIN instead of
 * blocking. */
ssize_t rl_redis_socket_send(int fd, const char *data, size_t len);
ssize_t rl_redis_socket_receive(int fd, char *data, size_t len);

/* Sets the longest time that rl_redis_socket_await() waits, exact to a tick of the kernel. Returns false if the socket does
 * not support it. */
bool rl_redis_socket_let_await(int fd, int64_t us);

/* Like rl_redis_socket_receive(), but waits. Returns -1 with EAGAIN after the time or at a signal. */
ssize_t rl_redis_socket_await(int fd, char *data, size_t len);

/* Returns whether there is nothing to read, no hangup and no error, as there must be before a question. */
bool rl_redis_socket_is_idle(int fd);

#endif
