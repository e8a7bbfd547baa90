#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../descriptor.h"

#define NAME "ratelimit"

#if defined(MFD_CLOEXEC) && defined(F_ADD_SEALS)
# define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
# ifndef MFD_NOEXEC_SEAL
#  define MFD_NOEXEC_SEAL 0x0008U
# endif

/* vm.memfd_noexec = 2 refuses a memfd that may be executed; kernels before 6.3 do not know the flag. */
static int memfd(void)
{
	int fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	return fd >= 0 || errno != EINVAL ? fd : memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && (seals & F_SEAL_GROW) != 0;
}

static bool seal(int fd)
{
	return is_sealed(fd) || (fcntl(fd, F_ADD_SEALS, SEALS) == 0 && is_sealed(fd));
}
#else
static int memfd(void)
{
	errno = ENOSYS;
	return -1;
}

static bool seal(int fd)
{
	(void) fd;
	return false;
}
#endif

int rl_file_size_error(size_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes ? EFBIG
																											 : 0;
}

static bool has_size(int fd, size_t bytes)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t) st.st_size == bytes;
}

bool rl_anonymous_is_sealed(int fd, size_t bytes)
{
	/* The second look counts: once the file is sealed, its size stays. */
	return has_size(fd, bytes) && seal(fd) && has_size(fd, bytes);
}

int rl_anonymous_file(size_t bytes)
{
	int fd, error = rl_file_size_error(bytes);

	if (error != 0) {
		errno = error;
		return -1;
	}
	fd = rl_above_standard(memfd());
	if (fd >= 0 && (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t) bytes) != 0 || !seal(fd))) {
		error = errno;
		close(fd);
		errno = error;
		fd = -1;
	}
	return fd;
}

/* For systems without memfd_create(), and containers that forbid it. */
static int temporary_file(void)
{
	const char *folders[] = {"/dev/shm", getenv("TMPDIR"), "/tmp", "/var/tmp"};
	char path[PATH_MAX];
	unsigned i;

	for (i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		int fd;

		if (folders[i] == NULL || snprintf(path, sizeof path, "%s/ratelimit.XXXXXX", folders[i]) >= (int) sizeof path) {
			continue;
		}
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0) {
			unlink(path);
			return rl_above_standard(fd);
		}
	}
	return -1;
}

void *rl_anonymous_map(size_t bytes, int *fd, char *message, size_t message_size)
{
	void *memory;

	*fd = rl_anonymous_file(0);
	if (*fd < 0) {
		*fd = temporary_file();
	}
	if (*fd < 0) {
		snprintf(message, message_size, "no file for the workers' locks: neither memfd_create() nor /tmp works: %s",
			strerror(errno));
		return NULL;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		snprintf(message, message_size, "no shared memory of %zu bytes: %s", bytes, strerror(errno));
		close(*fd);
		*fd = -1;
		memory = NULL;
	}
	return memory;
}
