#include "header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "clock.h"
#include "geometry.h"

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
void rl_header_after_boot(rl_header *h)
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
bool rl_header_write(void *memory, size_t bytes, char *message, size_t message_size)
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
