#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "clock.h"

/* How old a segment may be when it is attached: a counter's end has room for ten years more (core/algorithm/counter.h). */
#define AGE_MAX_US (7 * 365 * 24 * 3600 * RL_US_PER_SECOND)

/* A wall clock that was far ahead while the machine booted must not make the segment older than it may be. */
#define AFTER_BOOT_MAX_US (5 * 365 * 24 * 3600 * RL_US_PER_SECOND)

/* Not even a wall clock that was set to nonsense is further away: from here nothing overflows. */
#define WALL_MAX_US (INT64_MAX / 4)

/* The clocks of processes differ by less, and the noted time is ahead by no more (segment.h). */
#define TIME_SLACK_US (RL_TIME_NOTE_US + RL_US_PER_SECOND)

/* Returns the segment's time 0 on the machine's monotonic clock: whole milliseconds, so that a millisecond of the
 * segment's time begins where one of the clock's does. */
static int64_t base_at(int64_t mono_us, int64_t segment_us)
{
	int64_t us = mono_us - segment_us, rest_us = us % RL_US_PER_MS;

	/* Rounded down, also below 0: rounded up, the time would begin a moment too early. */
	return us - (rest_us < 0 ? rest_us + RL_US_PER_MS : rest_us);
}

/* ---- The time base ---- */

/* Reads both words of the base as they stood at one moment. The bound is for a segment in which somebody writes without
 * end; each process writes the base once. */
static rl_time_base read_base(rl_header *h)
{
	rl_time_base base, again = {0};
	int tries = 100;

	do {
		base = again;
		again.boot = rl_load(&h->base.b);
		again.mono_us = (int64_t) rl_load(&h->base.a);
	} while ((base.boot != again.boot || base.mono_us != again.mono_us) && tries-- > 0);
	return again;
}

/* Without two known boots to compare, a time that would run backwards is the sign of another boot. */
static bool is_same_boot(rl_time_base base, uint64_t boot, int64_t mono_us, int64_t reached_us)
{
	int64_t segment_us;

	if (!rl_boot_may_be_same(base.boot, boot)) {
		return false;
	}
	if (rl_boot_is_known(base.boot) && rl_boot_is_known(boot)) {
		return true;
	}
	return !__builtin_sub_overflow(mono_us, base.mono_us, &segment_us)
		&& (reached_us < TIME_SLACK_US || segment_us >= reached_us - TIME_SLACK_US);
}

/* Returns the segment's time for the first process after a boot: as the wall clock has moved on, but never earlier than
 * the time that was noted last. A wall clock that is behind stops the segment's time while the machine was off. */
static int64_t time_after_boot(int64_t wall_us, int64_t wall_base_us, int64_t reached_us)
{
	int64_t us;

	if (__builtin_sub_overflow(wall_us, wall_base_us, &us) || us < reached_us) {
		us = reached_us;
	}
	return us < 0 ? 0 : us > AFTER_BOOT_MAX_US ? AFTER_BOOT_MAX_US : us;
}

/* Returns the time base of this boot; sets it when this process is the first one. */
static rl_time_base current_base(rl_header *h, int64_t ahead_us)
{
	rl_now now = rl_clock_read();
	int64_t mono_us = now.mono_us - ahead_us;
	uint64_t boot = rl_boot_now();
	rl_time_base base = read_base(h), next = {.boot = boot};
	int64_t reached_us = (int64_t) rl_load(&h->reached_us);

	if (!is_same_boot(base, boot, mono_us, reached_us)) {
		next.mono_us = base_at(mono_us, time_after_boot(now.wall_us, h->wall_base_us, reached_us));
		if (!rl_pair_cas(&h->base, (uint64_t) base.mono_us, base.boot, (uint64_t) next.mono_us, next.boot)) {
			next = read_base(h);
		}
		base = next;
	}
	return base;
}

/* True: the time can be reckoned with. */
static bool has_time(const rl_header *h, int64_t mono_us)
{
	/* Without a sign, a time zero that is yet to come is very old. */
	return (uint64_t) mono_us - h->base.a <= (uint64_t) AGE_MAX_US && h->wall_base_us >= -WALL_MAX_US
		&& h->wall_base_us <= WALL_MAX_US;
}

/* ---- Write and adopt ---- */

/* For a kernel or a container without getrandom(). */
static bool fill_from_device(char *p, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	while (n > 0 && fd >= 0) {
		ssize_t got = read(fd, p, n);

		if (got == 0 || (got < 0 && errno != EINTR)) {
			break;
		}
		if (got > 0) {
			p += got;
			n -= (size_t) got;
		}
	}
	if (fd >= 0) {
		close(fd);
	}
	return n == 0;
}

static bool fill_random(void *out, size_t n)
{
	char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && (errno == ENOSYS || errno == EPERM)) {
			return fill_from_device(p, n);
		}
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

static bool read_offset(int64_t *ahead_us, char *message, size_t message_size)
{
	int64_t boottime_us;

	if (!rl_boot_clock_offsets(ahead_us, &boottime_us)) {
		snprintf(message, message_size,
			"this process' children will be in another time namespace than itself: start PHP as such a child");
		return false;
	}
	rl_clock_boot_ahead_us = boottime_us - *ahead_us;
	return true;
}

/* The segment has the machine's clock, a copy the clock of this process' time namespace. */
static void to_own_clock(rl_header *copy, int64_t ahead_us)
{
	copy->base.a += (uint64_t) ahead_us;
}

/* Everything else is zero already: an empty table. */
bool rl_header_write(void *memory, size_t bytes, rl_header *copy, char *message, size_t message_size)
{
	int64_t ahead_us;
	rl_now now;

	memset(copy, 0, sizeof *copy);
	if (!read_offset(&ahead_us, message, message_size)) {
		return false;
	}
	if (!fill_random(&copy->hash_key, sizeof copy->hash_key)) {
		snprintf(message, message_size, "no random bytes for the table's key: %s", strerror(errno));
		return false;
	}
	rl_layout_plan(copy, bytes);
	copy->hash_kind = rl_hash_choose();
	now = rl_clock_read();
	copy->base.a = (uint64_t) base_at(now.mono_us - ahead_us, 0);
	copy->base.b = rl_boot_now();
	copy->wall_base_us = now.wall_us;
	copy->magic = RL_SEGMENT_MAGIC;
	memcpy(memory, copy, sizeof *copy);
	__atomic_store_n(&((rl_header *) memory)->ready, RL_SEGMENT_MAGIC, __ATOMIC_RELEASE);
	to_own_clock(copy, ahead_us);
	return true;
}

bool rl_header_adopt(void *memory, size_t bytes, rl_header *copy, char *message, size_t message_size)
{
	rl_time_base base;
	int64_t ahead_us;

	memcpy(copy, memory, sizeof *copy);
	if (!rl_layout_check(copy, bytes, message, message_size) || !read_offset(&ahead_us, message, message_size)) {
		return false;
	}
	base = current_base(memory, ahead_us);
	copy->base.a = (uint64_t) base.mono_us;
	copy->base.b = base.boot;
	if (!has_time(copy, rl_clock_read().mono_us - ahead_us)) {
		snprintf(message, message_size, "its time is damaged, or of another machine (remove it and restart PHP)");
		return false;
	}
	to_own_clock(copy, ahead_us);
	return true;
}
