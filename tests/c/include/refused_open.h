/* An open() that refuses the paths below a folder, as a container without /proc does. */
#ifndef RL_TEST_REFUSED_OPEN_H
#define RL_TEST_REFUSED_OPEN_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* below: NULL refuses nothing. */
static struct {
	const char *below;
	int error;
} refused_open;

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (refused_open.below != NULL && strncmp(path, refused_open.below, strlen(refused_open.below)) == 0) {
		errno = refused_open.error;
		return -1;
	}
	return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Refuses the paths below the folder with this errno, or none if it is 0. */
static inline void refuse_open(const char *below, int error)
{
	refused_open.below = error != 0 ? below : NULL;
	refused_open.error = error;
}

#endif
