/* Keeps the module's descriptors away from the numbers of standard input, output and error. */
#ifndef RL_DESCRIPTOR_H
#define RL_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns the descriptor, or a copy of it above 2, close-on-exec, and closes the original; -1 with errno on failure. In a process that
 * was started without standard output ("command >&-") the next file gets its number, and with it all that PHP prints. */
static inline int rl_above_standard(int fd)
{
	int moved, error;

	if (fd < 0 || fd > STDERR_FILENO) {
		return fd;
	}
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return moved;
}

#endif
