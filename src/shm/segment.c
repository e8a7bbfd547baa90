#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "desk.h"
#include "file.h"
#include "geometry.h"
#include "inherit.h"
#include "records.h"

rl_segment rl_shm = {.fd = -1};

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

static void read_boot_id(char *out, size_t size)
{
	int fd = open(BOOT_ID_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	memset(out, 0, size);
	if (fd >= 0) {
		n = read(fd, out, size - 1);
		close(fd);
	}
	if (n <= 0) {
		snprintf(out, size, "unknown");
	}
}

/* Whole milliseconds, so that a millisecond of the segment's time begins where one of the clock's does. */
static int64_t whole_ms(int64_t us)
{
	return us - us % RL_US_PER_MS;
}

static void set_time_zero(rl_header *h, int64_t segment_us)
{
	rl_now now = rl_clock_read();

	h->mono_base_us = whole_ms(now.mono_us - segment_us);
	h->wall_base_us = now.wall_us - segment_us;
	read_boot_id(h->boot_id, sizeof h->boot_id);
}

/* After a boot the monotonic clock begins anew: the segment's time goes on by what the wall clock says has passed, and
 * never runs backwards. */
static void rebase_after_boot(rl_header *h)
{
	char boot_id[sizeof h->boot_id];

	read_boot_id(boot_id, sizeof boot_id);
	if (memcmp(boot_id, h->boot_id, sizeof boot_id) != 0) {
		int64_t wall_base_us = h->wall_base_us;
		int64_t segment_us = rl_clock_read().wall_us - wall_base_us;

		set_time_zero(h, segment_us > 0 ? segment_us : 0);
		h->wall_base_us = wall_base_us;
	}
}

static bool fill_random(void *out, size_t n)
{
	char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno != EINTR) {
			return false;
		}
		if (got > 0) {
			p += got;
			n -= (size_t) got;
		}
	}
	return true;
}

/* Everything else is zero already: an empty table. */
bool rl_segment_write_header(void *memory, size_t bytes, char *message, size_t message_size)
{
	rl_header *h = memory;

	if (!fill_random(&h->hash_key, sizeof h->hash_key)) {
		snprintf(message, message_size, "no random bytes for the table's key: %s", strerror(errno));
		return false;
	}
	rl_geometry_plan(h, bytes);
	h->hash_kind = rl_hash_choose();
	set_time_zero(h, 0);
	h->magic = RL_SEGMENT_MAGIC;
	__atomic_store_n(&h->ready, RL_SEGMENT_MAGIC, __ATOMIC_RELEASE);
	return true;
}

static void view(rl_segment *s, void *memory)
{
	rl_header *h = memory;
	char *base = memory;

	s->header = h;
	s->desks = (rl_desk *) (void *) (base + h->desks_at);
	s->controls = (rl_control *) (void *) (base + h->controls_at);
	s->lines = (rl_line *) (void *) (base + h->lines_at);
	s->pages = (rl_page *) (void *) (base + h->pages_at);
	s->records = (rl_unit *) (void *) (base + h->records_at);
	s->n_lines = h->n_stripes * RL_LINES_PER_STRIPE;
	s->n_desks = h->n_desks;
	s->n_pages = h->n_pages;
	s->mono_base_us = h->mono_base_us;
	s->mono_base_ms = h->mono_base_us / RL_US_PER_MS;
	s->wall_offset_us = h->wall_base_us;
	s->hash_kind = (rl_hash_kind) h->hash_kind;
}

/* Memory without a name, which every process forked later shares. Where it must survive an exec it is a file that is in
 * no folder, and the image that comes after is told its number. */
static void *make_memory(const rl_shm_options *options, int *fd, char *message, size_t message_size)
{
	void *memory;

	*fd = options->keep_over_exec ? rl_inherit_create(options->bytes) : -1;
	memory = mmap(NULL, options->bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | (*fd >= 0 ? 0 : MAP_ANONYMOUS), *fd, 0);
	if (memory == MAP_FAILED) {
		snprintf(message, message_size, "no shared memory of %zu bytes: %s", options->bytes, strerror(errno));
		memory = NULL;
	} else if (!rl_segment_write_header(memory, options->bytes, message, message_size)) {
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
		if (memory != NULL) {
			rebase_after_boot(memory);
		}
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
	view(s, memory);
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
	munmap(s->header, s->header->bytes);
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
	rl_records_leave_thread();
	rl_desk_release();
}
