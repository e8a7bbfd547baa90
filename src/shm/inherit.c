#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layout.h"
#include "header.h"

/* "number:device:inode": the last two make sure that the number still means the file that was meant. */
#define VARIABLE "RATELIMIT_SEGMENT"
#define NAME     "ratelimit"

int rl_inherit_create(size_t bytes)
{
#ifdef MFD_CLOEXEC
	int fd = memfd_create(NAME, 0);

	if (fd >= 0 && ftruncate(fd, (off_t) bytes) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
#else
	(void) bytes;
	return -1;
#endif
}

void rl_inherit_announce(int fd)
{
	struct stat st;
	char value[96];

	if (fstat(fd, &st) == 0) {
		snprintf(value, sizeof value, "%d:%llu:%llu", fd, (unsigned long long) st.st_dev,
			(unsigned long long) st.st_ino);
		setenv(VARIABLE, value, 1);
	}
}

static int announced(void)
{
	const char *value = getenv(VARIABLE);
	unsigned long long dev, ino;
	struct stat st;
	int fd;

	if (value == NULL || sscanf(value, "%d:%llu:%llu", &fd, &dev, &ino) != 3 || fd <= STDERR_FILENO
		|| fstat(fd, &st) != 0 || (unsigned long long) st.st_dev != dev || (unsigned long long) st.st_ino != ino) {
		return -1;
	}
	return fd;
}

void *rl_inherit_attach(size_t bytes, int *fd, char *message, size_t message_size)
{
	struct stat st;
	void *memory;

	*fd = announced();
	unsetenv(VARIABLE);
	if (*fd < 0) {
		return NULL;
	}
	if (fstat(*fd, &st) != 0 || (size_t) st.st_size != bytes) {
		snprintf(message, message_size,
			"the segment before the reload had %lld bytes, ratelimit.shm_size says %zu: its "
			"counts are gone",
			(long long) st.st_size, bytes);
	} else if ((memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0)) == MAP_FAILED) {
		snprintf(message, message_size, "the segment before the reload cannot be mapped: %s", strerror(errno));
	} else {
		char reason[128];

		if (rl_layout_check(memory, bytes, reason, sizeof reason)) {
			if (rl_header_has_time(memory)) {
				rl_inherit_announce(*fd);
				return memory;
			}
			snprintf(reason, sizeof reason, "its time is damaged");
		}
		snprintf(message, message_size, "the segment before the reload cannot be used, its counts are gone: %s",
			reason);
		munmap(memory, bytes);
	}
	close(*fd);
	*fd = -1;
	return NULL;
}

void rl_inherit_conceal(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	unsetenv(VARIABLE);
}
