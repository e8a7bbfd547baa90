#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../descriptor.h"
#include "error_message.h"
#include "deadline.h"

#ifdef MSG_NOSIGNAL
# define NO_SIGNAL MSG_NOSIGNAL
#else
# define NO_SIGNAL 0 /* macOS: SO_NOSIGPIPE, set once */
#endif

ssize_t rl_redis_socket_send(int fd, const char *data, size_t len)
{
	ssize_t n;

	do {
		n = send(fd, data, len, MSG_DONTWAIT | NO_SIGNAL);
	} while (n < 0 && errno == EINTR);
	return n;
}

ssize_t rl_redis_socket_receive(int fd, char *data, size_t len)
{
	ssize_t n;

	do {
		n = recv(fd, data, len, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n;
}

bool rl_redis_socket_let_await(int fd, int64_t us)
{
	struct timeval at_most = {.tv_sec = us / RL_US_PER_SECOND, .tv_usec = us % RL_US_PER_SECOND};

	/* 0 would mean without a limit. The other functions still never wait: they pass MSG_DONTWAIT. */
	return us > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &at_most, sizeof at_most) == 0
		&& fcntl(fd, F_SETFL, 0) == 0;
}

ssize_t rl_redis_socket_await(int fd, char *data, size_t len)
{
	ssize_t n = recv(fd, data, len, 0);

	if (n < 0 && errno == EINTR) {
		errno = EAGAIN;
	}
	return n;
}

bool rl_redis_socket_is_idle(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int ready;

	do {
		ready = poll(&p, 1, 0);
	} while (ready < 0 && errno == EINTR);
	return ready == 0;
}

/* Keep-alive detects a vanished host within half a minute, also on a connection that only listens (to a sentinel) or is idle
 * for long. It also keeps an idle connection in the tables of routers and firewalls. */
#define KEEPALIVE_IDLE_S     15
#define KEEPALIVE_INTERVAL_S 5
#define KEEPALIVE_COUNT      3
#define UNACKNOWLEDGED_MS    30000

static void socket_set_option(int fd, int level, int option, int value)
{
	/* Each option only improves on a default, so a kernel without it is no error. */
	(void) setsockopt(fd, level, option, &value, sizeof value);
}

static void socket_set_tcp_options(int fd)
{
	socket_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	socket_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S);
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT);
#endif
#ifdef TCP_USER_TIMEOUT
	socket_set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS);
#endif
}

static int socket_make(int family)
{
	int fd = rl_above_standard(socket(family, SOCK_STREAM, 0));

	if (fd < 0) {
		return -1;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	if (family != AF_UNIX) {
		socket_set_tcp_options(fd);
	}
#ifdef SO_NOSIGPIPE
	socket_set_option(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
	return fd;
}

/* Connects one address. Returns -1 with errno on failure. */
static int socket_connect_address(const struct sockaddr *address, socklen_t len, int64_t deadline_us)
{
	int fd = socket_make(address->sa_family);
	int error = 0;
	socklen_t error_len = sizeof error;

	if (fd < 0) {
		return -1;
	}
	while (connect(fd, address, len) < 0) {
		int ready = 0;

		if (errno == EISCONN) {
			break;
		}
		if (errno == EAGAIN && address->sa_family == AF_UNIX && rl_redis_clock_us() < deadline_us) {
			/* A Unix socket whose queue is full fails at once, instead of EINPROGRESS, and no event reports that it has room. */
			rl_redis_pause(1);
			continue;
		}
		if (errno == EINPROGRESS || errno == EINTR || errno == EALREADY) {
			ready = rl_redis_wait(fd, POLLOUT, deadline_us);
			error = ready < 0 ? errno : 0;
		} else {
			error = errno == EAGAIN ? ETIMEDOUT : errno;
		}
		if (ready == 0 && error == 0) {
			error = ETIMEDOUT;
		}
		if (ready > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_len) < 0) {
			error = errno;
		}
		if (error) {
			close(fd);
			errno = error;
			return -1;
		}
		break;
	}
	return fd;
}

static int socket_connect_unix(const char *path, int64_t deadline_us)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memcpy(address.sun_path, path, strnlen(path, sizeof address.sun_path - 1));
	return socket_connect_address((struct sockaddr *) &address, sizeof address, deadline_us);
}

static int socket_connect_tcp(const rl_redis_address *address, rl_redis_resolver *resolver, int64_t deadline_us,
	const char **reason)
{
	rl_redis_addresses found;
	int fd = -1;

	*reason = rl_redis_resolve(resolver, address->host, address->port, deadline_us, &found);
	for (size_t i = 0; !*reason && i < found.n && fd < 0; i++) {
		/* Each address gets a share of the time left: one that drops packets must not use up all of it. */
		int64_t now = rl_redis_clock_us();
		int64_t share = (deadline_us - now) / (int64_t) (found.n - i);
		fd = socket_connect_address((struct sockaddr *) &found.each[i].address, found.each[i].len, now + share);
	}
	return fd;
}

int rl_redis_socket_connect(const rl_redis_address *address, rl_redis_resolver *resolver, int64_t deadline_us,
	const char *label, rl_error *e)
{
	const char *reason = NULL;
	int fd = *address->port ? socket_connect_tcp(address, resolver, deadline_us, &reason)
							: socket_connect_unix(address->host, deadline_us);

	if (fd < 0) {
		/* strerror() uses a shared buffer only for unknown numbers. */
		rl_redis_error_set(e, label, "%s", reason ? reason : strerror(errno));
	}
	return fd;
}
