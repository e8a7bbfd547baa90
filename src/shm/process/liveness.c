#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "liveness.h"
#include "../../descriptor.h"
#include "../segment/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first byte of the locks, far behind the end of any segment: other code has no reason to lock there. */
#define FIRST_BYTE ((off_t) 1 << 62)
#define PROBE_SLOT RL_WORKERS_MAX /* of no worker: tried once at start-up */

_Static_assert(sizeof(off_t) == 8, "the slots' bytes need a 64-bit offset");

typedef enum {
	LOCKS_UNDECIDED, /* this process has not locked anything yet */
	LOCKS_OF_DESCRIPTION,
	LOCKS_OF_PROCESS,
} lock_kind;

/* The state of this process. The mutex guards the rest. A fork holds it, so that the child finds the state whole. */
static struct {
	pthread_mutex_t mutex;
	struct lock_file {
		lock_kind kind;
		int inherited; /* the segment's descriptor, which forked children share; -1: not started */
		int own;       /* a description of this process alone, for LOCKS_OF_DESCRIPTION; else -1 */
		dev_t dev;
		ino_t ino;
	} file;
	bool is_ticket;
	uint64_t held[RL_WORKERS_MAX / 64 + 1]; /* a bit for each slot of this process */
} live = {.mutex = PTHREAD_MUTEX_INITIALIZER, .file = {.inherited = -1, .own = -1}};

/* ---- One lock ---- */

static int set_lock(int fd, bool of_description, short type, uint64_t slot, off_t bytes)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + (off_t) slot, .l_len = bytes};
	int command = F_SETLK;

	if (of_description) {
#ifdef F_OFD_SETLK
		command = F_OFD_SETLK;
#else
		return EINVAL;
#endif
	}
	while (fcntl(fd, command, &lock) != 0) {
		if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

static bool is_refusal(int error)
{
	return error == EAGAIN || error == EACCES;
}

static int set_own_lock(short type, uint64_t slot)
{
	bool of_description = live.file.kind == LOCKS_OF_DESCRIPTION;

	return set_lock(of_description ? live.file.own : live.file.inherited, of_description, type, slot, 1);
}

/* ---- The description ---- */

/* Returns whether the descriptor is the segment's. Other code in this process may have closed the number, and opened
 * another file under it. */
static bool is_of(const struct lock_file *f, int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino;
}

static bool is_segment(int fd)
{
	return is_of(&live.file, fd);
}

static void close_own(const struct lock_file *f)
{
	if (is_of(f, f->own)) {
		close(f->own);
	}
}

/* Opens the inode anew. It uses no path of the segment: another file may have its name by now. The descriptor is
 * close-on-exec from the beginning: a child of posix_spawn() must not keep the description, and with it the locks. */
static int open_again(void)
{
	char path[32];
	int fd;

	snprintf(path, sizeof path, "/proc/self/fd/%d", live.file.inherited);
	fd = rl_above_standard(open(path, O_RDWR | O_CLOEXEC | O_NOCTTY));
	if (fd >= 0 && !is_segment(fd)) {
		close(fd);
		errno = ENOENT;
		fd = -1;
	}
	return fd;
}

/* Returns whether the kernel has locks of descriptions (Linux 3.15). */
static bool knows_description_locks(int fd)
{
#ifdef F_OFD_GETLK
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + PROBE_SLOT, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0;
#else
	(void) fd;
	return false;
#endif
}

/* A process that has locked by its process keeps to that: closing any descriptor of the inode drops such locks. */
static int choose_locks(void)
{
	int fd = open_again();

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
		/* The shortage is temporary. Process locks are no replacement: a script could open the inode here, and its
		 * close would drop them. */
		return errno;
	}
	if (fd >= 0 && knows_description_locks(fd)) {
		live.file.own = fd;
		live.file.kind = LOCKS_OF_DESCRIPTION;
		return 0;
	}
	if (fd >= 0) {
		close(fd);
	}
	live.file.kind = LOCKS_OF_PROCESS;
	return 0;
}

static uint32_t inode_now(void)
{
	return live.is_ticket ? (uint32_t) live.file.ino : 0;
}

static bool is_held(uint64_t slot)
{
	return live.held[slot / 64] >> slot % 64 & 1;
}

/* Takes the locks of this process on another description. False: one was refused. */
static bool lock_again(void)
{
	bool all = true;

	for (uint64_t slot = 0; slot < RL_WORKERS_MAX; slot++) {
		if (is_held(slot) && set_own_lock(F_WRLCK, slot) != 0) {
			all = false;
		}
	}
	return all;
}

/* Makes sure that there is a descriptor to lock by. Returns 0 or an errno. */
static int get_ready(void)
{
	bool lost = live.file.kind == LOCKS_OF_DESCRIPTION && !is_segment(live.file.own);
	int error;

	if (live.file.kind == LOCKS_OF_DESCRIPTION && !lost) {
		return 0;
	}
	if (!is_segment(live.file.inherited)) {
		return EBADF;
	}
	if (live.file.kind == LOCKS_OF_PROCESS) {
		return 0;
	}
	live.file.own = -1; /* not closed: the number is another file's now */
	live.file.kind = LOCKS_UNDECIDED;
	error = choose_locks();
	if (error == 0 && lost) {
		/* Other code has closed the description. A slot that another process has taken since stays lost: its worker's epoch
		 * has changed (worker.c). */
		(void) lock_again();
	}
	return error;
}

/* ---- Forks ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&live.mutex);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&live.mutex);
}

/* The child shares the parent's description. It closes its number and unlocks nothing: an unlock would be the parent's. */
static void after_fork_in_child(void)
{
	close_own(&live.file);
	live.file.own = -1;
	live.file.kind = LOCKS_UNDECIDED;
	memset(live.held, 0, sizeof live.held);
	pthread_mutex_unlock(&live.mutex);
}

/* ---- Start and stop ---- */

/* True: a lock of one description is refused to another one. Some emulated systems and file systems grant both. */
static bool locks_exclude(int *error)
{
	int second, rc = set_own_lock(F_WRLCK, PROBE_SLOT);

	*error = rc;
	if (is_refusal(rc)) {
		return true; /* another process is at this point just now */
	}
	if (rc != 0 || live.file.kind == LOCKS_OF_PROCESS) {
		return rc == 0 && set_own_lock(F_UNLCK, PROBE_SLOT) == 0;
	}
	second = open_again();
	rc = second < 0 ? EAGAIN : set_lock(second, true, F_WRLCK, PROBE_SLOT, 1);
	if (second >= 0) {
		close(second);
	}
	set_own_lock(F_UNLCK, PROBE_SLOT);
	return is_refusal(rc);
}

static struct lock_file unlocked(int inherited, const struct stat *st)
{
	return (struct lock_file){.kind = LOCKS_UNDECIDED,
		.inherited = inherited,
		.own = -1,
		.dev = st->st_dev,
		.ino = st->st_ino};
}

bool rl_liveness_start(int fd, bool is_ticket, char *message, size_t message_size)
{
	static bool registered;
	struct stat st;
	int error = 0;
	bool ok;

	if (!registered) {
		if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
			snprintf(message, message_size, "no memory to register what a fork needs");
			return false;
		}
		registered = true;
	}
	if (fstat(fd, &st) != 0) {
		snprintf(message, message_size, "fstat: %s", strerror(errno));
		return false;
	}
	pthread_mutex_lock(&live.mutex);
	live.file = unlocked(fd, &st);
	live.is_ticket = is_ticket;
	/* An exec keeps process locks. */
	set_lock(fd, false, F_UNLCK, 0, RL_WORKERS_MAX + 1);
	error = get_ready();
	/* With all descriptors in use the first worker tries again. */
	ok = error != 0 || locks_exclude(&error);
	pthread_mutex_unlock(&live.mutex);
	if (!ok) {
		rl_liveness_stop();
		snprintf(message, message_size, "its file system has no byte-range locks between processes (fcntl: %s)",
			error != 0 ? strerror(error) : "two locks of one byte were granted");
	}
	return ok;
}

bool rl_liveness_has_no_name(void)
{
	struct stat st;
	bool none;

	pthread_mutex_lock(&live.mutex);
	none = fstat(live.file.inherited, &st) == 0 && st.st_dev == live.file.dev && st.st_ino == live.file.ino
		&& st.st_nlink == 0;
	pthread_mutex_unlock(&live.mutex);
	return none;
}

uint32_t rl_liveness_inode(void)
{
	uint32_t inode;

	pthread_mutex_lock(&live.mutex);
	inode = inode_now();
	pthread_mutex_unlock(&live.mutex);
	return inode;
}

/* A process with the other ticket may have a slot's lock there for a moment, to try for it. With the locks on both tickets in hand,
 * none is ever free. */
bool rl_liveness_move(int fd, rl_liveness_moved *note)
{
	struct lock_file before;
	struct stat st;
	uint32_t inode;
	bool moved;

	if (fstat(fd, &st) != 0) {
		return false;
	}
	pthread_mutex_lock(&live.mutex);
	before = live.file;
	inode = inode_now();
	live.file = unlocked(fd, &st);
	moved = get_ready() == 0 && lock_again();
	for (uint64_t slot = 0; moved && slot < RL_WORKERS_MAX; slot++) {
		if (is_held(slot)) {
			note(slot, inode, inode_now());
		}
	}
	close_own(moved ? &before : &live.file);
	if (!moved) {
		live.file = before;
	}
	pthread_mutex_unlock(&live.mutex);
	return moved;
}

void rl_liveness_stop(void)
{
	pthread_mutex_lock(&live.mutex);
	if (live.file.kind == LOCKS_OF_PROCESS && is_segment(live.file.inherited)) {
		set_lock(live.file.inherited, false, F_UNLCK, 0, RL_WORKERS_MAX + 1);
	} else {
		close_own(&live.file);
	}
	live.file.own = live.file.inherited = -1;
	live.file.kind = LOCKS_UNDECIDED;
	memset(live.held, 0, sizeof live.held);
	pthread_mutex_unlock(&live.mutex);
}

/* ---- Slots ---- */

static void release(uint64_t slot)
{
	/* An unlock may need memory. If it fails the slot stays this process', so that its threads do not meet in it. */
	if (get_ready() != 0 || set_own_lock(F_UNLCK, slot) == 0) {
		live.held[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	}
}

rl_slot_result rl_liveness_acquire(uint64_t slot, rl_liveness_use *use, void *argument)
{
	rl_slot_result result = RL_SLOT_HELD;
	int error;

	pthread_mutex_lock(&live.mutex);
	/* The kernel would grant a process its own byte a second time. */
	if (!is_held(slot)) {
		error = get_ready();
		if (error == 0) {
			error = set_own_lock(F_WRLCK, slot);
		}
		if (error == 0) {
			live.held[slot / 64] |= UINT64_C(1) << slot % 64;
			if (use(slot, inode_now(), argument)) {
				result = RL_SLOT_ACQUIRED;
			} else {
				release(slot);
			}
		} else if (!is_refusal(error)) {
			errno = error;
			result = RL_SLOT_FAILED;
		}
	}
	pthread_mutex_unlock(&live.mutex);
	return result;
}

void rl_liveness_release(uint64_t slot)
{
	pthread_mutex_lock(&live.mutex);
	release(slot);
	pthread_mutex_unlock(&live.mutex);
}
