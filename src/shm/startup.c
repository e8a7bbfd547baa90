/* Attaches this process to its segment, and detaches it. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "anonymous.h"
#include "clock.h"
#include "file.h"
#include "header.h"
#include "inherit.h"
#include "liveness.h"
#include "record_cache.h"
#include "store_internal.h"
#include "worker.h"

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

bool rl_shm_startup(const rl_shm_options *options, char *message, size_t message_size)
{
	rl_segment *s = &rl_shm;
	attachment a = {.fd = -1};
	char reason[256];

	message[0] = '\0';
	if (!attach(&a, options, message, message_size)) {
		return false;
	}
	if (!rl_liveness_start(a.fd, reason, sizeof reason)) {
		detach(&a, options->bytes);
		snprintf(message, message_size, "no locks to find dead workers by: %s", reason);
		return false;
	}
	rl_segment_view(s, a.memory, &a.copy);
	s->is_file = options->path != NULL && options->path[0] != '\0';
	s->fd = a.fd;
	s->handed_on = a.handed_on;
	rl_segment_note_time(s, rl_clock_true_us() - s->mono_base_us);
	rl_shm_store_init(s);
	return true;
}

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
}

void rl_shm_leave_thread(void)
{
	rl_record_cache_flush();
	rl_worker_unregister();
}
