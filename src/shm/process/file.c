#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../descriptor.h"
#include "../segment/header.h"

typedef struct {
	const char *path;
	size_t bytes;
	struct stat folder;
	rl_header *copy; /* of the header, checked */
	char *message;
	size_t message_size;
} attempt;

/* Writes the reason; returns NULL, so that a refusal is one line. */
static void *file_refuse(const attempt *a, const char *why)
{
	snprintf(a->message, a->message_size, "ratelimit.shm_path %s: %s", a->path, why);
	return NULL;
}

static bool stat_folder(attempt *a)
{
	char path[PATH_MAX];

	if (strlen(a->path) >= sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(path, a->path, strlen(a->path) + 1);
	return stat(dirname(path), &a->folder) == 0;
}

/* Returns the reason to refuse the file, or NULL. The folder's owner could put another file in its place anyway, so that
 * user may own the file. In a folder that others may write to, only this process' user may. */
static const char *distrust(const attempt *a, const struct stat *st)
{
	bool shared_folder = (a->folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;

	if (!S_ISREG(st->st_mode)) {
		return "it is not a regular file";
	}
	if (st->st_uid != geteuid() && (shared_folder || st->st_uid != a->folder.st_uid)) {
		return "it belongs to another user than this process and its folder (change its owner or remove it)";
	}
	if (st->st_mode & (S_IRWXG | S_IRWXO)) {
		return "its mode must be 0600: only its owner may read or write it";
	}
	if (st->st_nlink != 1) {
		return "it has more than one name";
	}
	return NULL;
}

static void *map(const attempt *a, int fd)
{
	void *memory = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? file_refuse(a, strerror(errno)) : memory;
}

/* A file that was restored from an archive may have holes: each would be a SIGBUS once the disk is full. Not by
 * posix_fallocate(): where the file system cannot allocate, it writes zeroes under the hands of other processes. */
static int fill_holes(const attempt *a, int fd, const struct stat *st)
{
#ifdef __linux__
	if ((size_t) st->st_blocks * 512 < a->bytes) {
		while (fallocate(fd, 0, 0, (off_t) a->bytes) != 0) {
			if (errno != EINTR) {
				return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
			}
		}
	}
#else
	(void) a, (void) fd, (void) st;
#endif
	return 0;
}

static void *open_existing(const attempt *a, int fd)
{
	struct stat st;
	const char *why;
	char reason[256];
	void *memory;
	int error;

	if (fstat(fd, &st) != 0) {
		return file_refuse(a, strerror(errno));
	}
	why = distrust(a, &st);
	if (why != NULL) {
		return file_refuse(a, why);
	}
	if ((size_t) st.st_size != a->bytes) {
		snprintf(reason, sizeof reason,
			"it has %lld bytes, ratelimit.shm_size says %zu (to change the size, "
			"remove the file and restart PHP)",
			(long long) st.st_size, a->bytes);
		return file_refuse(a, reason);
	}
	error = fill_holes(a, fd, &st);
	if (error != 0) {
		snprintf(reason, sizeof reason, "it has holes that cannot be filled: %s", strerror(error));
		return file_refuse(a, reason);
	}
	memory = map(a, fd);
	if (memory != NULL && !rl_header_adopt(memory, a->bytes, a->copy, reason, sizeof reason)) {
		munmap(memory, a->bytes);
		return file_refuse(a, reason);
	}
	return memory;
}

/* On file systems without RENAME_NOREPLACE (NFS) the file has two names until the caller removes the first. */
static int rename_unless_exists(const char *from, const char *to)
{
#if defined(SYS_renameat2) && defined(RENAME_NOREPLACE)
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
		return 0;
	}
	if (errno != EINVAL && errno != ENOSYS) {
		return -1;
	}
#endif
	return link(from, to);
}

/* Writes a segment into a new file, all of whose space is allocated: a hole that cannot be filled later is a crash. */
static void *write_new(const attempt *a, int fd)
{
	char reason[256];
	void *memory;
	int error = rl_file_size_error(a->bytes);

	if (error != 0) {
		return file_refuse(a, "the limit on the size of a file (ulimit -f) is below ratelimit.shm_size");
	}
	error = posix_fallocate(fd, 0, (off_t) a->bytes);
	if (error != 0) {
		return file_refuse(a, strerror(error));
	}
	if (fchmod(fd, 0600) != 0
		|| (geteuid() == 0 && a->folder.st_uid != 0 && !(a->folder.st_mode & (S_IWGRP | S_IWOTH))
			&& fchown(fd, a->folder.st_uid, a->folder.st_gid) != 0)) {
		return file_refuse(a, strerror(errno));
	}
	memory = map(a, fd);
	if (memory == NULL) {
		return NULL;
	}
	if (!rl_header_write(memory, a->bytes, a->copy, reason, sizeof reason)) {
		munmap(memory, a->bytes);
		return file_refuse(a, reason);
	}
	return memory;
}

/* Makes the file under another name and moves it into place when it is complete, so that no process opens half a
 * segment. *exists: another process was faster. */
static void *file_create(const attempt *a, int *fd, bool *exists)
{
	char temporary[PATH_MAX];
	void *memory;

	*exists = false;
	/* Not by the process' number: two containers have the same ones, and a process that was killed here has left its file. */
	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", a->path) >= (int) sizeof temporary) {
		return file_refuse(a, strerror(ENAMETOOLONG));
	}
	*fd = rl_above_standard(mkostemp(temporary, O_CLOEXEC));
	if (*fd < 0) {
		return file_refuse(a, strerror(errno));
	}
	memory = write_new(a, *fd);
	if (memory != NULL && rename_unless_exists(temporary, a->path) != 0) {
		*exists = errno == EEXIST;
		munmap(memory, a->bytes);
		memory = file_refuse(a, strerror(errno));
	}
	unlink(temporary);
	return memory;
}

void *rl_file_attach(const char *path, size_t bytes, int *fd, rl_header *copy, char *message, size_t message_size)
{
	attempt a = {.path = path, .bytes = bytes, .copy = copy, .message = message, .message_size = message_size};
	int tries;

	*fd = -1;
	if (path[0] != '/') {
		return file_refuse(&a, "it must be an absolute path");
	}
	if (!stat_folder(&a)) {
		return file_refuse(&a, strerror(errno));
	}
	/* Two processes may find it missing at the same time: the slower one opens the faster one's file. */
	for (tries = 0; tries < 3; tries++) {
		bool exists = false;
		void *memory;

		*fd = rl_above_standard(open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
		if (*fd >= 0) {
			memory = open_existing(&a, *fd);
		} else if (errno == ENOENT) {
			memory = file_create(&a, fd, &exists);
		} else {
			return file_refuse(&a, errno == ELOOP ? "it is a symbolic link" : strerror(errno));
		}
		if (memory != NULL) {
			message[0] = '\0';
			return memory;
		}
		if (*fd >= 0) {
			close(*fd);
			*fd = -1;
		}
		if (!exists) {
			return NULL;
		}
	}
	return NULL;
}
