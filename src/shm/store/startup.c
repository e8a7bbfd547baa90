/* Attaches this process to its segment, and detaches it. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../segment/clock.h"
#include "../process/attach.h"
#include "../segment/header.h"
#include "../process/liveness.h"
#include "../record/record_cache.h"
#include "store_internal.h"
#include "../process/worker.h"
#include "../monitor/history.h"
#include "shm.h"

/* A segment that is mapped, before this process uses it. */
typedef struct {
	void *memory; /* NULL: there is none */
	int fd;
	bool handed_on;
	rl_header copy;
} attachment;

/* Makes a segment that survives an exec. NULL where this system has no such memory. */
static void *make_inheritable(size_t bytes, int *fd)
{
	void *memory;

	*fd = rl_anonymous_file(bytes);
	if (*fd < 0) {
		return NULL;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (memory == MAP_FAILED) {
		close(*fd);
		return NULL;
	}
	return memory;
}

static void startup_make(attachment *a, const rl_shm_options *options, char *message, size_t message_size)
{
	a->memory = options->keep_over_exec ? make_inheritable(options->bytes, &a->fd) : NULL;
	a->handed_on = a->memory != NULL;
	if (a->memory == NULL) {
		if (options->keep_over_exec) {
			snprintf(message, message_size, "a reload will lose the counts: no memory that survives it (%s)",
				errno == EFBIG ? "the limit on the size of a file, ulimit -f, is below ratelimit.shm_size"
							   : strerror(errno));
		}
		a->memory = rl_anonymous_map(options->bytes, &a->fd, message, message_size);
	}
	if (a->memory == NULL) {
		return;
	}
	if (!rl_header_write(a->memory, options->bytes, &a->copy, message, message_size)) {
		munmap(a->memory, options->bytes);
		close(a->fd);
		a->memory = NULL;
	} else if (a->handed_on) {
		rl_inherit_announce(a->fd);
	}
}

static bool attach(attachment *a, const rl_shm_options *options, char *message, size_t message_size)
{
	bool is_file = options->path != NULL && options->path[0] != '\0';

	if (!options->keep_over_exec) {
		rl_inherit_discard();
	}
	if (is_file) {
		a->memory = rl_file_attach(options->path, options->bytes, &a->fd, &a->copy, message, message_size);
		/* Not before: where the file cannot be used, the caller may ask for memory, with what is announced in it. */
		if (a->memory != NULL) {
			rl_inherit_discard();
		}
		return a->memory != NULL;
	}
	if (options->keep_over_exec) {
		a->memory = rl_inherit_attach(options->bytes, &a->fd, &a->copy, message, message_size);
		a->handed_on = a->memory != NULL;
	}
	if (a->memory == NULL) {
		startup_make(a, options, message, message_size);
	}
	return a->memory != NULL;
}

static void detach(attachment *a, size_t bytes)
{
	munmap(a->memory, bytes);
	if (a->handed_on) {
		rl_inherit_conceal(a->fd);
	}
	close(a->fd);
}

/* ---- The user's segment ---- */

/* For the threads of this process. No other process ever waits for one that has it. */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static bool settled;

static void note_ticket(rl_segment *s, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0) {
		s->ticket_us = (int64_t) st.st_mtime * RL_US_PER_SECOND;
	}
}

/* Notes the time of a ticket before the locks move to it: with that of a former one, slots would count as long left. */
static void keep_ticket(void)
{
	rl_segment *s = &rl_shm;
	int fd, unused;

	if (!rl_liveness_has_no_name() || pthread_mutex_trylock(&changing) != 0) {
		return;
	}
	fd = unused = rl_user_ticket(s->id);
	if (fd >= 0) {
		note_ticket(s, fd);
		if (rl_worker_move(fd)) {
			unused = s->fd;
			s->fd = fd;
		}
		close(unused);
	}
	pthread_mutex_unlock(&changing);
}

/* Does what each process does about once a second. */
static void on_second(const rl_segment *s, int64_t us)
{
	rl_history_note(s, us);
	if (s->kind == RL_SEGMENT_USER) {
		keep_ticket();
	}
}

bool rl_shm_startup(const rl_shm_options *options, char *message, size_t message_size)
{
	rl_segment *s = &rl_shm;
	attachment a = {.fd = -1};
	char reason[256];

	message[0] = '\0';
	if (!attach(&a, options, message, message_size)) {
		return false;
	}
	if (!rl_liveness_start(a.fd, false, reason, sizeof reason)) {
		detach(&a, options->bytes);
		snprintf(message, message_size, "no locks to find dead workers by: %s", reason);
		return false;
	}
	rl_segment_view(s, a.memory, &a.copy);
	s->kind = options->path != NULL && options->path[0] != '\0' ? RL_SEGMENT_FILE : RL_SEGMENT_MEMORY;
	s->fd = a.fd;
	s->handed_on = a.handed_on;
	rl_segment_on_second = on_second;
	rl_worker_on_ticket(keep_ticket);
	rl_segment_note_time(s, rl_clock_true_us() - s->mono_base_us);
	rl_shm_store_init(s);
	return true;
}

/* Nothing of this process points into the memory that it leaves. */
static bool go_over(rl_segment *s, size_t bytes, char *message, size_t message_size)
{
	void *memory = s->header;
	size_t memory_bytes = s->bytes;
	int fd = s->fd;
	rl_user_segment u;

	if (!rl_user_attach(&u, bytes, message, message_size)) {
		return false;
	}
	rl_shm_leave_thread();
	rl_liveness_stop();
	if (!rl_liveness_start(u.fd, true, message, message_size)) {
		char ignored[256];

		munmap(u.memory, u.copy.bytes);
		close(u.fd);
		(void) rl_liveness_start(fd, false, ignored, sizeof ignored);
		return false;
	}
	rl_segment_view(s, u.memory, &u.copy);
	s->kind = RL_SEGMENT_USER;
	s->id = u.id;
	s->fd = u.fd;
	s->handed_on = false;
	note_ticket(s, u.fd);
	rl_segment_note_time(s, rl_clock_true_us() - s->mono_base_us);
	munmap(memory, memory_bytes);
	close(fd);
	message[0] = '\0';
	if (s->bytes < bytes) {
		snprintf(message, message_size, "the memory of this user's PHP processes exists, and keeps its %zu bytes",
			s->bytes);
	}
	return true;
}

bool rl_shm_settle(size_t bytes, char *message, size_t message_size)
{
	rl_segment *s = &rl_shm;
	bool ok = true;

	message[0] = '\0';
	pthread_mutex_lock(&changing);
	if (!settled) {
		if (bytes > 0 && s->header != NULL && s->kind == RL_SEGMENT_MEMORY) {
			ok = go_over(s, bytes, message, message_size);
		}
		__atomic_store_n(&settled, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&changing);
	return ok;
}

bool rl_shm_is_settled(void)
{
	return __atomic_load_n(&settled, __ATOMIC_ACQUIRE);
}

bool rl_shm_is_own(void)
{
	return rl_shm.kind == RL_SEGMENT_MEMORY;
}

/* ---- Shut down ---- */

void rl_shm_shutdown(void)
{
	rl_segment *s = &rl_shm;

	if (s->header == NULL) {
		return;
	}
	rl_shm_leave_thread();
	rl_liveness_stop();
	munmap(s->header, s->bytes);
	s->header = NULL;
	s->note_at_us = INT64_MAX;
	settled = false;
	/* On the way to an exec the descriptor stays open, for the next image. */
	if (!s->handed_on) {
		close(s->fd);
	}
	s->fd = -1;
}

void rl_shm_enter_worker(void)
{
	rl_segment *s = &rl_shm;

	if (RL_UNLIKELY(s->handed_on)) {
		rl_inherit_conceal(s->fd);
		s->handed_on = false;
	}
	/* Most of its decisions may be such as do not look at the segment's time. */
	(void) rl_segment_us(s, rl_clock_coarse_ms() * RL_US_PER_MS);
}

void rl_shm_leave_thread(void)
{
	rl_record_cache_flush();
	rl_worker_unregister();
}
