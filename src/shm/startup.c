/* How this process comes to its segment, and leaves it. */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"
#include "file.h"
#include "header.h"
#include "inherit.h"
#include "record_cache.h"
#include "store_internal.h"

/* Memory without a name, which every process forked later shares. Where it must survive an exec it is a file that is in
 * no folder, and the image that comes after is told its number. */
static void *make_memory(const rl_shm_options *options, int *fd, char *message, size_t message_size)
{
	void *memory;

	*fd = options->keep_over_exec ? rl_inherit_create(options->bytes) : -1;
	memory = mmap(NULL, options->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (*fd >= 0 ? 0 : MAP_ANONYMOUS), *fd, 0);
	if (memory == MAP_FAILED) {
		snprintf(message, message_size, "no shared memory of %zu bytes: %s", options->bytes, strerror(errno));
		memory = NULL;
	} else if (!rl_header_write(memory, options->bytes, message, message_size)) {
		munmap(memory, options->bytes);
		memory = NULL;
	}
	if (memory == NULL && *fd >= 0) {
		close(*fd);
		*fd = -1;
	} else if (*fd >= 0) {
		rl_inherit_announce(*fd);
	}
	return memory;
}

bool rl_shm_startup(const rl_shm_options *options, char *message, size_t message_size)
{
	rl_segment *s = &rl_shm;
	void *memory = NULL;
	int fd = -1;

	message[0] = '\0';
	if (options->path != NULL && options->path[0] != '\0') {
		memory = rl_file_attach(options->path, options->bytes, message, message_size);
		s->is_file = true;
	} else {
		if (options->keep_over_exec) {
			memory = rl_inherit_attach(options->bytes, &fd, message, message_size);
		}
		if (memory == NULL) {
			memory = make_memory(options, &fd, message, message_size);
		}
		s->is_file = false;
	}
	if (memory == NULL) {
		return false;
	}
	rl_segment_view(s, memory);
	s->fd = fd;
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
	munmap(s->header, s->bytes);
	s->header = NULL;
	/* The number stays open on the way to an exec: closing it there is the new image's business. */
	s->fd = -1;
}

void rl_shm_enter_worker(void)
{
	rl_segment *s = &rl_shm;

	if (RL_UNLIKELY(s->fd >= 0)) {
		rl_inherit_conceal(s->fd);
		s->fd = -1;
	}
}

void rl_shm_leave_thread(void)
{
	rl_record_cache_flush();
	rl_worker_unregister();
}
