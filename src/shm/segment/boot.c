
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define BOOT_ID   "/proc/sys/kernel/random/boot_id"
#define OFFSETS   "/proc/self/timens_offsets"
#define TIME_NS   "/proc/self/ns/time"
#define TIME_KIDS "/proc/self/ns/time_for_children"

#define KNOWN         (UINT64_C(1) << 63)
#define SAME_WITHIN_S 60

/* Reads a small file whole. False: it is hidden, or empty. */
static bool read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

	if (fd >= 0) {
		close(fd);
	}
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* FNV-1a: the id is random already, it only has to fit one word. */
static uint64_t fold(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++) {
		h = (h ^ (uint8_t) *text) * UINT64_C(0x100000001b3);
	}
	return h;
}

uint64_t rl_boot_now(void)
{
	char id[64];
	int64_t moment_s;

	if (read_file(BOOT_ID, id, sizeof id)) {
		return fold(id) | KNOWN;
	}
	moment_s = (rl_clock_wall_us() - rl_clock_boot_us()) / RL_US_PER_SECOND;
	return moment_s > 0 ? (uint64_t) moment_s : 0;
}

bool rl_boot_is_known(uint64_t boot)
{
	return (boot & KNOWN) != 0;
}

bool rl_boot_may_be_same(uint64_t a, uint64_t b)
{
	if (rl_boot_is_known(a) != rl_boot_is_known(b)) {
		return true;
	}
	return rl_boot_is_known(a) ? a == b : (a > b ? a - b : b - a) <= SAME_WITHIN_S;
}

/* A line "monotonic <seconds> <nanoseconds>". */
static int64_t offset_of(const char *text, const char *clock)
{
	const char *line = strstr(text, clock);
	long long s = 0, ns = 0;

	if (line == NULL || sscanf(line + strlen(clock), "%lld %lld", &s, &ns) != 2) {
		return 0;
	}
	return (int64_t) s * RL_US_PER_SECOND + ns / 1000;
}

bool rl_boot_clock_offsets(int64_t *monotonic_us, int64_t *boottime_us)
{
	struct stat own, kids;
	char text[256];

	*monotonic_us = *boottime_us = 0;
	if (!read_file(OFFSETS, text, sizeof text)) {
		return true;
	}
	/* The file has the offsets of the children's namespace, which unshare() may have made another one. */
	if (stat(TIME_NS, &own) == 0 && stat(TIME_KIDS, &kids) == 0 && own.st_ino != kids.st_ino) {
		return false;
	}
	*monotonic_us = offset_of(text, "monotonic");
	*boottime_us = offset_of(text, "boottime");
	return true;
}
