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

#include "anonymous.h"
#include "../segment/header.h"

/* "number:device:inode": the last two make sure that the number still means the file that was meant. */
#define VARIABLE "RATELIMIT_SEGMENT"

void rl_inherit_announce(int fd)
{
	struct stat st;
	char value[96];

	if (fstat(fd, &st) == 0 && fcntl(fd, F_SETFD, 0) == 0) {
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

static void *map_announced(int fd, size_t bytes, rl_header *copy, char *message, size_t message_size)
{
	char reason[256];
	struct stat st;
	void *memory;

	if (!rl_anonymous_is_sealed(fd, bytes)) {
		if (fstat(fd, &st) == 0 && (size_t) st.st_size != bytes) {
			snprintf(message, message_size,
				"the segment before the reload had %lld bytes, ratelimit.shm_size says %zu: its counts are gone",
				(long long) st.st_size, bytes);
		} else {
			snprintf(message, message_size,
				"the segment before the reload cannot be used, its counts are gone: it is not sealed against "
				"truncation");
		}
		return NULL;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		snprintf(message, message_size, "the segment before the reload cannot be mapped: %s", strerror(errno));
		return NULL;
	}
	if (!rl_header_adopt(memory, bytes, copy, reason, sizeof reason)) {
		snprintf(message, message_size, "the segment before the reload cannot be used, its counts are gone: %s",
			reason);
		munmap(memory, bytes);
		return NULL;
	}
	return memory;
}

void *rl_inherit_attach(size_t bytes, int *fd, rl_header *copy, char *message, size_t message_size)
{
	void *memory;

	*fd = announced();
	unsetenv(VARIABLE);
	if (*fd < 0) {
		return NULL;
	}
	memory = map_announced(*fd, bytes, copy, message, message_size);
	if (memory != NULL) {
		rl_inherit_announce(*fd);
	} else {
		close(*fd);
		*fd = -1;
	}
	return memory;
}

void rl_inherit_discard(void)
{
	int fd = announced();

	if (fd >= 0) {
		close(fd);
	}
	unsetenv(VARIABLE);
}

void rl_inherit_conceal(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	unsetenv(VARIABLE);
}
