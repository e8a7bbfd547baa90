#include "header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "clock.h"
#include "layout.h"

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

/* How old a segment may be when it is attached: a counter's end has room for ten years more (core/plain.h). */
#define AGE_MAX_US (7 * 365 * 24 * 3600 * RL_US_PER_SECOND)

/* A wall clock that was far ahead while the machine booted must not make the segment older than it may be. */
#define AFTER_BOOT_MAX_US (5 * 365 * 24 * 3600 * RL_US_PER_SECOND)

/* Not even a wall clock that was set to nonsense is further away: from here nothing overflows. */
#define WALL_MAX_US (INT64_MAX / 4)

bool rl_header_has_time(const rl_header *h)
{
	/* Without a sign, a time zero that is yet to come is very old. */
	return (uint64_t) rl_clock_read().mono_us - (uint64_t) h->mono_base_us <= (uint64_t) AGE_MAX_US
		&& h->wall_base_us >= -WALL_MAX_US && h->wall_base_us <= WALL_MAX_US;
}

/* After a boot the monotonic clock begins anew: the segment's time goes on by what the wall clock says has passed, and
 * never runs backwards. */
void rl_header_after_boot(rl_header *h)
{
	char boot_id[sizeof h->boot_id];

	read_boot_id(boot_id, sizeof boot_id);
	if (memcmp(boot_id, h->boot_id, sizeof boot_id) != 0) {
		int64_t wall_base_us = h->wall_base_us;
		int64_t segment_us = 0;

		if (__builtin_sub_overflow(rl_clock_read().wall_us, wall_base_us, &segment_us) || segment_us < 0) {
			segment_us = 0;
		} else if (segment_us > AFTER_BOOT_MAX_US) {
			segment_us = AFTER_BOOT_MAX_US;
		}
		set_time_zero(h, segment_us);
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
	rl_layout_plan(h, bytes);
	h->hash_kind = rl_hash_choose();
	set_time_zero(h, 0);
	h->magic = RL_SEGMENT_MAGIC;
	__atomic_store_n(&h->ready, RL_SEGMENT_MAGIC, __ATOMIC_RELEASE);
	return true;
}
