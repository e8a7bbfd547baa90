/* A segment in a file over boots, copies and hidden /proc: its time never runs backwards, all processes agree on it, and
 * what owners in another boot or another file have left is free. */
#include "check.h"
#include "harness.h"
#include "refused_open.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/segment/clock.h"
#include "src/shm/process/worker.h"
#include "temporary.h"

#define S     RL_US_PER_SECOND
#define DAY   (86400 * S)
#define BYTES RL_SHM_BYTES_MIN

static char folder[200], path[256], copy_path[260];

static bool attach(const char *file)
{
	rl_shm_options options = {.bytes = BYTES, .path = file};
	char message[512];
	bool ok = rl_shm_startup(&options, message, sizeof message);

	if (!ok) {
		printf("%s\n", message);
	}
	return ok;
}

static int64_t segment_now_us(void)
{
	return rl_segment_us(&rl_shm, rl_clock_true_us());
}

/* Makes a file as of a segment that is 100 days old and was in use until now. */
static void make_old_file(void)
{
	unlink(path);
	if (!attach(path)) {
		abort();
	}
	rl_shm.header->base.a -= (uint64_t) (100 * DAY);
	rl_shm.header->wall_base_us -= 100 * DAY;
	rl_shm_shutdown();
	/* Notes the time. */
	if (!attach(path)) {
		abort();
	}
	rl_shm_shutdown();
}

/* Changes the file's header as a boot does: the monotonic clock has begun anew, for this long. */
static void boot(uint64_t boot_number, int64_t other_uptime_us)
{
	int fd = open(path, O_RDWR);
	rl_header *h = mmap(NULL, RL_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	h->base.a += (uint64_t) other_uptime_us;
	h->base.b = boot_number;
	munmap(h, RL_HEADER_BYTES);
	close(fd);
}

/* Attaches while the wall clock is off by so much. */
static bool attach_with_wall(int64_t off_us)
{
	bool ok;

	rl_clock_frozen = (rl_clock_test){.frozen = true, .now = rl_clock_read()};
	rl_clock_frozen.now.wall_us += off_us;
	ok = attach(path);
	rl_clock_frozen.frozen = false;
	return ok;
}

static uint64_t another_boot(void)
{
	return rl_boot_now() ^ 2;
}

/* ---- The time over a boot ---- */

static void test_boot(const char *name, int64_t wall_off_us, int64_t least_us, int64_t most_us)
{
	make_old_file();
	boot(another_boot(), -3 * DAY);
	if (check(attach_with_wall(wall_off_us), "%s: the file is taken up", name)) {
		int64_t now_us = segment_now_us();

		check(now_us >= least_us && now_us <= most_us, "%s: the segment's time is %lld us", name, (long long) now_us);
		rl_shm_shutdown();
	}
	if (check(attach(path), "%s: by the next process, too", name)) {
		int64_t now_us = segment_now_us();

		check(now_us >= least_us && now_us <= most_us + 60 * S, "%s: the next one has %lld us", name,
			(long long) now_us);
		rl_shm_shutdown();
	}
}

/* A window of a minute takes a minute at most, though the wall clock is a day behind after the boot. */
static void test_a_window_ends_after_a_boot(void)
{
	int64_t base_us;

	make_old_file();
	if (!attach(path)) {
		abort();
	}
	check(test_plain("boot", 1, 60, 1) && !test_plain("boot", 1, 60, 1), "the window is full");
	rl_shm_shutdown();
	boot(another_boot(), 0);
	if (check(attach_with_wall(-DAY), "the file is taken up after a boot")) {
		check(!test_plain("boot", 1, 60, 1), "the window still runs");
		/* 61 s later. */
		base_us = rl_shm.mono_base_us;
		rl_shm.mono_base_us = base_us - 61 * S;
		rl_shm.mono_base_ms = rl_shm.mono_base_us / RL_US_PER_MS;
		check(test_plain("boot", 1, 60, 1), "a minute later it has ended");
		rl_shm_shutdown();
	}
}

static void test_the_same_boot_changes_nothing(void)
{
	int64_t base_us;

	make_old_file();
	if (!attach(path)) {
		abort();
	}
	base_us = rl_shm.mono_base_us;
	rl_shm_shutdown();
	if (check(attach_with_wall(-DAY), "a wall clock that was set back")) {
		check(rl_shm.mono_base_us == base_us, "does not change the segment's time");
		rl_shm_shutdown();
	}
}

/* Many processes come first after a boot, and one holds a lock of the file: none waits, all have one time. */
static void test_all_agree_after_a_boot(void)
{
	enum { N = 16 };
	int64_t *bases = mmap(NULL, N * sizeof *bases, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int round, i;

	for (round = 0; round < 20; round++) {
		make_old_file();
		boot(another_boot(), -DAY);
		for (i = 0; i < N; i++) {
			if (fork() == 0) {
				bases[i] = attach(path) ? rl_shm.mono_base_us : 0;
				_exit(0);
			}
		}
		while (waitpid(-1, NULL, 0) > 0) {
		}
		for (i = 0; i < N; i++) {
			check(bases[i] != 0 && bases[i] == bases[0], "round %d: process %d has %lld, the first has %lld", round, i,
				(long long) bases[i], (long long) bases[0]);
		}
	}
}

/* ---- A boot that cannot be named ---- */

static void test_hidden_proc(void)
{
	uint64_t moment;

	refuse_open("/proc/", ENOENT);
	moment = rl_boot_now();
	check(!rl_boot_is_known(moment), "without /proc a boot is known by its moment only");
	check(rl_boot_may_be_same(moment, moment + 30) && !rl_boot_may_be_same(moment, moment + 3600),
		"moments an hour apart are of two boots");
	refuse_open("/proc/", 0);

	/* Both boots unknown: an hour between them. */
	make_old_file();
	boot(moment - 3600, -30 * DAY);
	refuse_open("/proc/", ENOENT);
	if (check(attach(path), "a file of another boot without a name")) {
		int64_t now_us = segment_now_us();

		check(now_us >= 100 * DAY && now_us < 101 * DAY, "its time goes on: %lld us", (long long) now_us);
		rl_shm_shutdown();
	}
	/* The same moment, but the time would run backwards. */
	make_old_file();
	boot(moment, 30 * DAY);
	if (check(attach(path), "a file whose time would run backwards")) {
		check(segment_now_us() >= 100 * DAY, "its time goes on, too: %lld us", (long long) segment_now_us());
		rl_shm_shutdown();
	}
	refuse_open("/proc/", 0);
	/* A process that knows its boot, after one that did not. */
	make_old_file();
	boot(moment, 0);
	if (check(attach(path), "a file of a process without /proc")) {
		check(segment_now_us() >= 100 * DAY && segment_now_us() < 101 * DAY, "has the same time");
		rl_shm_shutdown();
	}
}

/* ---- A copy ---- */

static void copy_file(void)
{
	static char bytes[BYTES];
	int from = open(path, O_RDONLY), to = open(copy_path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (read(from, bytes, BYTES) != (ssize_t) BYTES || write(to, bytes, BYTES) != (ssize_t) BYTES) {
		abort();
	}
	close(from);
	close(to);
}

/* A backup that was taken while all slots were in use, as a snapshot or a power cut leaves it. */
static void test_a_live_copy(void)
{
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_LOG, 100, 3600 * S), 1);
	pid_t pids[256];
	rl_worker *w;
	rl_answer a;
	unsigned i, n;

	unlink(path);
	if (!attach(path)) {
		abort();
	}
	n = (unsigned) rl_shm.n_workers;
	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			test_ask("copied", i, &q, &a);
			test_ask("copied", i, &q, &a);
			for (;;) {
				pause();
			}
		}
		while (rl_load(&rl_shm.header->n_workers_used) <= i) {
			usleep(100);
		}
	}
	/* What a process that was stopped in the middle leaves. */
	w = rl_worker_at(&rl_shm, 5);
	w->journal = 77;
	w->scanning_page = 3;
	copy_file();
	check(rl_worker_register() == NULL, "the original has no slot left");
	rl_shm_shutdown();
	if (check(attach(copy_path), "the copy is taken up")) {
		w = rl_worker_at(&rl_shm, 5);
		check(rl_worker_register() != NULL, "and has slots, though their owners live beside the original");
		for (i = 0; i < n; i++) {
			check(rl_worker_at(&rl_shm, i) == rl_worker_self || !rl_worker_is_active(rl_worker_at(&rl_shm, i)),
				"slot %u is free", i);
		}
		check(rl_worker_self == w || (w->journal == 0 && w->scanning_page == 0), "its notes are gone");
		check(test_ask("copied", 3, &q, &a) == RL_OK, "and counts go on");
		rl_shm_shutdown();
	}
	for (i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

int main(void)
{
	if (!make_temporary_folder(folder, sizeof folder, "ratelimit-segment")) {
		return 2;
	}
	snprintf(path, sizeof path, "%s/segment", folder);
	snprintf(copy_path, sizeof copy_path, "%s/copy", folder);
	test_boot("the right wall clock", 0, 100 * DAY, 100 * DAY + 60 * S);
	test_boot("a wall clock a day ahead", DAY, 101 * DAY, 101 * DAY + 60 * S);
	test_boot("a wall clock a day behind", -DAY, 100 * DAY, 100 * DAY + 60 * S);
	test_boot("a wall clock of 1970", -rl_clock_wall_us(), 100 * DAY, 100 * DAY + 60 * S);
	test_boot("a wall clock of the year 2100", 75 * 365 * DAY, 5 * 365 * DAY, 5 * 365 * DAY + 60 * S);
	test_a_window_ends_after_a_boot();
	test_the_same_boot_changes_nothing();
	test_all_agree_after_a_boot();
	test_hidden_proc();
	test_a_live_copy();
	unlink(path);
	unlink(copy_path);
	rmdir(folder);
	return checks_report();
}
