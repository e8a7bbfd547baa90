#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout.h"
#include "header.h"

typedef struct {
	const char *path;
	size_t bytes;
	struct stat folder;
	char *message;
	size_t message_size;
} attempt;

/* Says why not; returns NULL, so that a refusal is one line. */
static void *refuse(const attempt *a, const char *why)
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

/* Whoever owns the folder could put another file in this one's place anyway: nobody else may own the file. In a folder
 * where everybody may make files, that is this process' user alone. */
static const char *distrust(const attempt *a, const struct stat *st)
{
	bool shared_folder = (a->folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;

	if (!S_ISREG(st->st_mode)) {
		return "it is not a regular file";
	}
	if (st->st_uid != geteuid() && (shared_folder || st->st_uid != a->folder.st_uid)) {
		return "it belongs to another user than this process and its folder";
	}
	if (st->st_mode & (S_IRWXG | S_IRWXO)) {
		return "others than its owner may use it: its mode must be 0600";
	}
	if (st->st_nlink != 1) {
		return "it has more than one name";
	}
	return NULL;
}

static void *map(const attempt *a, int fd)
{
	void *memory = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? refuse(a, strerror(errno)) : memory;
}

static void *open_existing(const attempt *a, int fd)
{
	struct stat st;
	const char *why;
	char reason[128];
	void *memory;

	if (fstat(fd, &st) != 0) {
		return refuse(a, strerror(errno));
	}
	why = distrust(a, &st);
	if (why != NULL) {
		return refuse(a, why);
	}
	if ((size_t) st.st_size != a->bytes) {
		snprintf(reason, sizeof reason,
			"it has %lld bytes, ratelimit.shm_size says %zu (to change the size, "
			"remove the file and restart PHP)",
			(long long) st.st_size, a->bytes);
		return refuse(a, reason);
	}
	memory = map(a, fd);
	if (memory != NULL && !rl_layout_check(memory, a->bytes, reason, sizeof reason)) {
		munmap(memory, a->bytes);
		return refuse(a, reason);
	}
	if (memory != NULL) {
		/* One at a time: all must count by the same time zero. Let go by hand: the mapping keeps the file open, and
		 * with it the lock, long after close(). */
		while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
		}
		rl_header_after_boot(memory);
		flock(fd, LOCK_UN);
		if (!rl_header_has_time(memory)) {
			munmap(memory, a->bytes);
			return refuse(a, "its time is damaged, or of another machine");
		}
	}
	return memory;
}

/* File systems that cannot rename so (NFS) get a second name for the moment between the two calls. */
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

/* Made under another name and moved into place when it is complete, so that nobody ever sees half a segment. All of its
 * space is allocated here: a hole that cannot be filled later would be a crash later. */
static void *create(const attempt *a, bool *exists)
{
	char temporary[PATH_MAX];
	void *memory = NULL;
	int fd, rc;

	*exists = false;
	/* A process' number would not do: those of two containers are the same, and one that was killed here has left its file. */
	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", a->path) >= (int) sizeof temporary) {
		return refuse(a, strerror(ENAMETOOLONG));
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		return refuse(a, strerror(errno));
	}
	rc = posix_fallocate(fd, 0, (off_t) a->bytes);
	if (rc != 0) {
		refuse(a, strerror(rc));
		goto out;
	}
	if (fchmod(fd, 0600) != 0
		|| (geteuid() == 0 && a->folder.st_uid != 0 && !(a->folder.st_mode & (S_IWGRP | S_IWOTH))
			&& fchown(fd, a->folder.st_uid, a->folder.st_gid) != 0)) {
		refuse(a, strerror(errno));
		goto out;
	}
	memory = map(a, fd);
	if (memory == NULL) {
		goto out;
	}
	if (!rl_header_write(memory, a->bytes, a->message, a->message_size)) {
		munmap(memory, a->bytes);
		memory = NULL;
		goto out;
	}
	if (rename_unless_exists(temporary, a->path) != 0) {
		*exists = errno == EEXIST;
		munmap(memory, a->bytes);
		memory = refuse(a, strerror(errno));
	}
out:
	unlink(temporary);
	close(fd);
	return memory;
}

void *rl_file_attach(const char *path, size_t bytes, char *message, size_t message_size)
{
	attempt a = {.path = path, .bytes = bytes, .message = message, .message_size = message_size};
	int tries;

	if (path[0] != '/') {
		return refuse(&a, "it must be an absolute path");
	}
	if (!stat_folder(&a)) {
		return refuse(&a, strerror(errno));
	}
	/* Two processes may find it missing at the same time: the slower one opens what the faster one made. */
	for (tries = 0; tries < 3; tries++) {
		int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		bool exists = false;
		void *memory;

		if (fd >= 0) {
			memory = open_existing(&a, fd);
			close(fd);
		} else if (errno == ENOENT) {
			memory = create(&a, &exists);
		} else {
			return refuse(&a, errno == ELOOP ? "it is a symbolic link" : strerror(errno));
		}
		if (memory != NULL) {
			message[0] = '\0';
		}
		if (memory != NULL || !exists) {
			return memory;
		}
	}
	return NULL;
}
