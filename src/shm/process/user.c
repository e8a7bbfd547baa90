#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "../../descriptor.h"
#include "../segment/atomic128.h"
#include "../segment/header.h"

#define FOLDER "/dev/shm"
#define IPC_NS "/proc/self/ns/ipc"

/* Other processes may be faster, or remove each ticket as soon as this one has made it: the tries have an end. */
#define TRIES    8
#define AGAIN_NS 1000000

typedef struct {
	rl_user_segment *user;
	char path[96]; /* of the ticket */
	dev_t device;  /* of its file system */
	char *message;
	size_t message_size;
} attempt;

/* Writes the reason; returns false, so that a refusal is one line. */
static bool user_refuse(const attempt *a, const char *what, const char *why)
{
	snprintf(a->message, a->message_size, "%s: %s", what, why);
	return false;
}

/* ---- The folder ---- */

/* The name has all that must be equal for two processes to share: user, layout, and the name space of the memory's number. */
static bool name_ticket(attempt *a)
{
	struct stat folder, ns = {0};

	if (lstat(FOLDER, &folder) != 0) {
		return user_refuse(a, FOLDER, strerror(errno));
	}
	if (!S_ISDIR(folder.st_mode) || (folder.st_uid != 0 && folder.st_uid != geteuid())
		|| ((folder.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (folder.st_mode & S_ISVTX) == 0)) {
		return user_refuse(a, FOLDER, "other users may replace files in it (its mode must be 1777, its owner root)");
	}
	(void) stat(IPC_NS, &ns);
	a->device = folder.st_dev;
	snprintf(a->path, sizeof a->path, FOLDER "/ratelimit-%lu-%u-%llu", (unsigned long) geteuid(), RL_SEGMENT_LAYOUT,
		(unsigned long long) ns.st_ino);
	return true;
}

/* ---- The memory ---- */

static bool is_own(const struct shmid_ds *ds)
{
	return ds->shm_perm.cuid == geteuid() && ds->shm_perm.uid == geteuid() && (ds->shm_perm.mode & 0777) == 0600
		&& ds->shm_segsz >= RL_SHM_BYTES_MIN && ds->shm_segsz <= RL_SHM_BYTES_MAX;
}

/* Attaches to memory that may be of another program, and looks at it: the number means the same memory for as long as this
 * process is attached. NULL: it is no segment of this user, or, with errno ENOMEM, this process has no room for it. */
static rl_header *attach_own(int id, size_t *bytes)
{
	void *memory = shmat(id, NULL, 0);
	const rl_header *h = memory;
	struct shmid_ds ds;

	if (memory == (void *) -1) {
		return NULL;
	}
	if (shmctl(id, IPC_STAT, &ds) != 0 || !is_own(&ds) || h->magic != RL_SEGMENT_MAGIC || h->layout != RL_SEGMENT_LAYOUT
		|| __atomic_load_n(&h->ready, __ATOMIC_ACQUIRE) != RL_SEGMENT_MAGIC) {
		shmdt(memory);
		errno = 0;
		return NULL;
	}
	*bytes = ds.shm_segsz;
	return memory;
}

/* Finds the segment of a ticket that was removed. A segment that was never used, or is of processes that see another /dev/shm, is
 * none. Returns its number, or -1. */
static int find_without_ticket(const attempt *a)
{
	int found = -1;
#if defined(SHM_INFO) && defined(SHM_STAT)
	union {
		struct shm_info info;
		struct shmid_ds ds;
	} all;
	int last = shmctl(0, SHM_INFO, &all.ds);

	for (int i = 0; i <= last && found < 0; i++) {
		struct shmid_ds ds;
		int id = shmctl(i, SHM_STAT, &ds);
		size_t bytes;
		rl_header *h = id >= 0 && is_own(&ds) ? attach_own(id, &bytes) : NULL;

		if (h != NULL) {
			found = h->folder == (uint64_t) a->device && rl_load(&h->reached_us) != 0 ? id : -1;
			shmdt(h);
		}
	}
#else
	(void) a;
#endif
	return found;
}

static bool adopt(const attempt *a, int id, rl_header *memory, size_t bytes)
{
	char what[64], reason[256];

	if (!rl_header_adopt(memory, bytes, &a->user->copy, reason, sizeof reason)) {
		snprintf(what, sizeof what, "System V memory %d", id);
		shmdt(memory);
		return user_refuse(a, what, reason);
	}
	a->user->memory = memory;
	a->user->id = id;
	return true;
}

static void drop_new(rl_user_segment *u)
{
	shmctl(u->id, IPC_RMID, NULL);
	shmdt(u->memory);
	u->memory = NULL;
}

/* Makes a segment that nothing names yet. */
static bool make_segment(const attempt *a, size_t bytes)
{
	rl_user_segment *u = a->user;
	char reason[256];

	u->id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
	if (u->id < 0) {
		return user_refuse(a, "shmget", strerror(errno));
	}
	u->memory = shmat(u->id, NULL, 0);
	if (u->memory == (void *) -1) {
		snprintf(reason, sizeof reason, "%s", strerror(errno));
		shmctl(u->id, IPC_RMID, NULL);
		u->memory = NULL;
		return user_refuse(a, "shmat", reason);
	}
	if (!rl_header_write(u->memory, bytes, &u->copy, reason, sizeof reason)) {
		drop_new(u);
		return user_refuse(a, "System V memory", reason);
	}
	((rl_header *) u->memory)->folder = (uint64_t) a->device;
	return true;
}

/* ---- The ticket ---- */

/* The content of a ticket: a decimal number, and the end of a line. */
typedef union {
	char text[sizeof(rl_pair)];
	rl_pair pair;
} ticket;

static ticket ticket_of(int id)
{
	char line[sizeof(rl_pair) + 1];
	ticket t;

	snprintf(line, sizeof line, "%*d\n", (int) sizeof t.text - 1, id);
	memcpy(t.text, line, sizeof t.text);
	return t;
}

/* Returns the number that a ticket has; -1: none. */
static int ticket_id(ticket t)
{
	char *end;
	long id;

	if (t.text[sizeof t.text - 1] != '\n') {
		return -1;
	}
	id = strtol(t.text, &end, 10);
	return end == t.text + sizeof t.text - 1 && id >= 0 && id <= INT_MAX ? (int) id : -1;
}

/* Opens the ticket of this user. -1 with errno: there is none. -1 with errno 0: it is refused, with the reason in message. */
static int open_ticket(const attempt *a)
{
	int fd = rl_above_standard(open(a->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), error = errno;
	char why[96];
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		return -1;
	}
	if (fd < 0 ? lstat(a->path, &st) != 0 : fstat(fd, &st) != 0) {
		snprintf(why, sizeof why, "%s", strerror(errno));
	} else if (st.st_uid != geteuid()) {
		snprintf(why, sizeof why, "it belongs to user %lu, and this process is user %lu's", (unsigned long) st.st_uid,
			(unsigned long) geteuid());
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(why, sizeof why, "it is not a regular file");
	} else if (fd < 0) {
		snprintf(why, sizeof why, "%s", strerror(error));
	} else if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
		snprintf(why, sizeof why, "its mode must be 0600");
	} else {
		return fd;
	}
	if (fd >= 0) {
		close(fd);
	}
	user_refuse(a, a->path, why);
	errno = 0;
	return -1;
}

static ticket read_ticket(int fd)
{
	ticket t = {.text = ""};

	(void) !pread(fd, t.text, sizeof t.text, 0);
	return t;
}

/* Makes a ticket, complete, under its name. Returns its descriptor, or -1 with errno: EEXIST if there is one. */
static int make_ticket(const attempt *a, int id)
{
	ticket t = ticket_of(id);
	char self[32];
	int fd, error;

	error = rl_file_size_error(sizeof t.text);
	if (error != 0) {
		errno = error;
		return -1;
	}
	fd = rl_above_standard(open(FOLDER, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	if (fd < 0) {
		return -1;
	}
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (fchmod(fd, 0600) == 0 && pwrite(fd, t.text, sizeof t.text, 0) == (ssize_t) sizeof t.text
		&& linkat(AT_FDCWD, self, AT_FDCWD, a->path, AT_SYMLINK_FOLLOW) == 0) {
		return fd;
	}
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Gives a ticket whose memory is gone another number, by one compare-and-swap of its content: no process waits for one that is stopped
 * here. False with errno: EEXIST if another process was faster. */
static bool renew_ticket(int fd, ticket old, int id)
{
	ticket t = ticket_of(id);
	int error = rl_file_size_error(sizeof t.text);
	rl_pair *content;
	bool done;

	/* One that somebody has cut needs room, else the access below would be deadly. The time is that of a new one (worker.c). */
	if (error == 0) {
		error = posix_fallocate(fd, 0, sizeof t.text);
	}
	if (error != 0) {
		errno = error;
		return false;
	}
	content = futimens(fd, NULL) == 0 ? mmap(NULL, sizeof *content, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
									  : MAP_FAILED;
	if (content == MAP_FAILED) {
		return false;
	}
	done = rl_pair_cas(content, old.pair.a, old.pair.b, t.pair.a, t.pair.b);
	munmap(content, sizeof *content);
	errno = EEXIST;
	return done;
}

/* ---- Attach ---- */

/* Uses the segment of the ticket. *gone: the ticket names none. */
static bool use_ticket(const attempt *a, int fd, ticket t, bool *gone)
{
	int id = ticket_id(t);
	size_t bytes;
	rl_header *memory = id >= 0 ? attach_own(id, &bytes) : NULL;

	*gone = memory == NULL && (id < 0 || errno != ENOMEM);
	if (memory == NULL) {
		return user_refuse(a, "shmat", strerror(ENOMEM));
	}
	if (!adopt(a, id, memory, bytes)) {
		return false;
	}
	a->user->fd = fd;
	return true;
}

/* Finds or makes a segment, and gives it a ticket: a new one, or, unless fd is -1, the one whose memory is gone, with the content old.
 * *again: another process was faster, or the tickets of processes that start at once fill the file system: all but one of them are
 * gone soon. */
static bool use_new_segment(const attempt *a, int fd, ticket old, size_t bytes, bool *again)
{
	rl_user_segment *u = a->user;
	int id = find_without_ticket(a), error;
	rl_header *memory = id >= 0 ? attach_own(id, &bytes) : NULL;
	bool made = memory == NULL;

	*again = false;
	if (made ? !make_segment(a, bytes) : !adopt(a, id, memory, bytes)) {
		return false;
	}
	u->fd = fd < 0 ? make_ticket(a, u->id) : renew_ticket(fd, old, u->id) ? fd : -1;
	if (u->fd >= 0) {
		return true;
	}
	error = errno;
	*again = error == EEXIST || error == ENOSPC;
	if (made) {
		drop_new(u);
	} else {
		shmdt(u->memory);
	}
	return user_refuse(a, a->path, error == ENOENT ? "it cannot be made without /proc" : strerror(error));
}

bool rl_user_attach(rl_user_segment *u, size_t bytes, char *message, size_t message_size)
{
	attempt a = {.user = u, .message = message, .message_size = message_size};
	bool again = true;

	if (!name_ticket(&a)) {
		return false;
	}
	for (int tries = 0; again && tries < TRIES; tries++) {
		int fd = open_ticket(&a);
		ticket seen = {.text = ""};
		bool gone = true;

		if (fd < 0 && errno != ENOENT) {
			return false;
		}
		if (fd >= 0) {
			seen = read_ticket(fd);
			if (use_ticket(&a, fd, seen, &gone)) {
				return true;
			}
		}
		if (gone && use_new_segment(&a, fd, seen, bytes, &again)) {
			message[0] = '\0';
			return true;
		}
		if (fd >= 0) {
			close(fd);
		}
		if (!gone) {
			return false;
		}
		if (again) {
			nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
		}
	}
	return false;
}

int rl_user_ticket(int id)
{
	char message[256];
	attempt a = {.message = message, .message_size = sizeof message};
	int fd;

	if (!name_ticket(&a)) {
		return -1;
	}
	fd = open_ticket(&a);
	if (fd < 0 && errno == ENOENT) {
		fd = make_ticket(&a, id);
		if (fd >= 0 || errno != EEXIST) {
			return fd;
		}
		fd = open_ticket(&a);
	}
	if (fd >= 0 && ticket_id(read_ticket(fd)) != id) {
		close(fd);
		fd = -1;
	}
	return fd;
}
