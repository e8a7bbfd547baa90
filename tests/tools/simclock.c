/* simclock: a simulated clock for PHP, its extensions and redis-server. LD_PRELOAD loads it, and SIMCLOCK_FILE names the
 * clock's file; tests/include/simclock.inc writes the file. All processes with one file share a time.
 *
 * It simulates clock_gettime(), gettimeofday() and time() for the wall clock, the monotonic clock (which a suspend stops)
 * and the boot-time clock (which a suspend does not stop). CPU time is real, and so is every wait: poll(), nanosleep(),
 * futexes. SIMCLOCK_REAL=monotonic keeps the real monotonic clock, because redis-server paces its event loop by it: a
 * frozen one would stop its cron.
 *
 * A simulated network makes the waits of poll() part of the simulated time: a silent one ends them at once, and the
 * process' clocks go on by the timeout. So a test of outages waits for nothing, and no busy machine looks like an outage.
 *
 * PHP opens extensions with RTLD_DEEPBIND, which bypasses preloaded functions: dlopen() drops that flag. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NS     INT64_C(1000000000)

enum { WALL, MONOTONIC, BOOTTIME, CLOCKS, NOT_SIMULATED = CLOCKS };

/* The file. Little-endian 64-bit numbers, as PHP's pack('q') writes them here. */
typedef struct {
	int64_t sequence;  /* odd while it is written */
	int64_t running;   /* 0: frozen */
	int64_t anchor_ns; /* of the real monotonic clock, when the clocks had base_ns */
	int64_t base_ns[CLOCKS];
	int64_t ppm[CLOCKS]; /* a running clock is this many millionths too fast */
	int64_t network;
	int64_t delay_ns; /* how long each wait for a reply takes; less than its timeout */
} simclock;

enum {
	REAL,   /* waits are real */
	WORKS,  /* a wait takes delay_ns, and a reply always comes in time */
	SILENT, /* nothing is received */
	CUT     /* what is sent is lost, too */
};

static const volatile simclock *shared;
static bool monotonic_is_real;
static int64_t waited_ns; /* by this process, on a simulated network */

static int real_gettime(clockid_t id, struct timespec *ts)
{
	return (int) syscall(SYS_clock_gettime, id, ts);
}

__attribute__((constructor)) static void simclock_open(void)
{
	const char *file = getenv("SIMCLOCK_FILE"), *real = getenv("SIMCLOCK_REAL");
	void *map;
	int fd;

	if (file == NULL || (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0) {
		return;
	}
	map = mmap(NULL, sizeof(simclock), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED) {
		shared = map;
	}
	monotonic_is_real = real != NULL && strcmp(real, "monotonic") == 0;
}

static int kind_of(clockid_t id)
{
	switch (id) {
		case CLOCK_REALTIME:
		case CLOCK_REALTIME_COARSE:
		case CLOCK_REALTIME_ALARM:
		case CLOCK_TAI:
			return WALL;
		case CLOCK_MONOTONIC:
		case CLOCK_MONOTONIC_COARSE:
		case CLOCK_MONOTONIC_RAW:
			return monotonic_is_real ? NOT_SIMULATED : MONOTONIC;
		case CLOCK_BOOTTIME:
		case CLOCK_BOOTTIME_ALARM:
			return monotonic_is_real ? NOT_SIMULATED : BOOTTIME;
		default:
			return NOT_SIMULATED;
	}
}

/* Reads a consistent state: the writer changes the sequence before and after. */
static int64_t simulated_ns(int kind)
{
	int64_t sequence, running, anchor, base, ppm, elapsed;
	struct timespec ts;

	do {
		sequence = shared->sequence;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		running = shared->running;
		anchor = shared->anchor_ns;
		base = shared->base_ns[kind];
		ppm = shared->ppm[kind];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((sequence & 1) != 0 || sequence != shared->sequence);

	base += __atomic_load_n(&waited_ns, __ATOMIC_RELAXED);
	if (!running) {
		return base;
	}
	real_gettime(CLOCK_MONOTONIC, &ts);
	elapsed = (int64_t) ts.tv_sec * NS + ts.tv_nsec - anchor;
	return base + elapsed + elapsed / 1000000 * ppm;
}

static void tell(int kind, struct timespec *ts)
{
	int64_t ns = simulated_ns(kind);

	ts->tv_sec = (time_t) (ns / NS);
	ts->tv_nsec = (long) (ns % NS);
	if (ts->tv_nsec < 0) {
		ts->tv_sec--;
		ts->tv_nsec += NS;
	}
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ts)
{
	int kind = shared != NULL ? kind_of(id) : NOT_SIMULATED;

	if (kind == NOT_SIMULATED) {
		return real_gettime(id, ts);
	}
	tell(kind, ts);
	return 0;
}

EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void) zone; /* obsolete: PHP and Redis pass NULL */
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

EXPORT time_t time(time_t *t)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (t != NULL) {
		*t = ts.tv_sec;
	}
	return ts.tv_sec;
}

static int real_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000};

	return (int) syscall(SYS_ppoll, fds, n, timeout_ms < 0 ? NULL : &ts, NULL, (size_t) 0);
}

static void wait_for(int64_t ns)
{
	__atomic_fetch_add(&waited_ns, ns, __ATOMIC_RELAXED);
}

/* Forgets what was received. Returns how many descriptors can still be written to. */
static int hear_nothing(struct pollfd *fds, nfds_t n)
{
	int writable = 0;

	for (nfds_t i = 0; i < n; i++) {
		fds[i].revents &= POLLOUT;
		writable += fds[i].revents != 0;
	}
	return writable;
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	int64_t network = shared != NULL ? shared->network : REAL;
	int ready;

	if (network == REAL || (network == WORKS && timeout_ms == 0)) {
		return real_poll(fds, n, timeout_ms);
	}
	if (network == WORKS && n > 0) {
		wait_for(shared->delay_ns);
		return real_poll(fds, n, 60000);
	}
	ready = n > 0 && real_poll(fds, n, 0) > 0 ? hear_nothing(fds, n) : 0;
	if (ready == 0 && timeout_ms > 0) {
		wait_for(timeout_ms * INT64_C(1000000));
	}
	return ready;
}

EXPORT ssize_t send(int fd, const void *data, size_t len, int flags)
{
	if (shared != NULL && shared->network == CUT) {
		return (ssize_t) len;
	}
	return sendto(fd, data, len, flags, NULL, 0);
}

EXPORT void *dlopen(const char *file, int flags)
{
	static void *(*next)(const char *, int);

	if (next == NULL) {
		*(void **) &next = dlsym(RTLD_NEXT, "dlopen");
	}
	return next(file, flags & ~RTLD_DEEPBIND);
}
