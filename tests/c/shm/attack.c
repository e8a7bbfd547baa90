/* An attacker maps the segment and writes whatever it likes into it, while others attach, decide, look, administer, fork
 * and detach. None of them may crash, hang, or touch memory outside of its mapping: around each mapping there are 8 GiB
 * on both sides that nothing may touch.
 *
 *     attack [SECONDS [SEED [terms | bits]]]
 *
 * prints one line, and exits with 1 when a process died or stood still for a minute. terms, bits: the attacker writes without a
 * pause, so that what is read twice is two things. terms: it changes the terms of buckets alone, and the others decide by these.
 * bits: it turns each bit of what is in use over and back, word by word: of terms, entries, heads of pages and records. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/shm/table/state_word.h"
#include "src/shm/process/worker.h"
#include "attack_calls.h"
#include "harness.h"
#include "temporary.h"

#define BYTES   RL_SHM_BYTES_MIN
#define AROUND  ((size_t) 1 << 33) /* more than any 32-bit index of a record or bucket reaches */
#define VICTIMS 5
#define STILL_S 60
#define CALLS   400 /* between two attachments, at most */

static struct board {
	uint32_t stop;
	progress victims[VICTIMS];
} * board;

static char folder[256], path[300];
static bool only_terms, only_bits;

/* ---- Mappings ---- */

/* The segment is mapped into the middle of nothing, and leaves nothing behind. libc's own mappings do not come here. */
static char *nothing;

static bool is_segment_mapping(void *at, size_t bytes, int flags, int fd)
{
	return at == NULL && bytes == BYTES && fd >= 0 && (flags & MAP_SHARED) != 0 && nothing != NULL;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (is_segment_mapping(at, bytes, flags, fd)) {
		at = nothing + AROUND;
		flags |= MAP_FIXED;
	}
	return (void *) syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

int munmap(void *at, size_t bytes)
{
	if (nothing != NULL && at == nothing + AROUND) {
		return (void *) syscall(SYS_mmap, at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
				   -1, 0)
				== at
			? 0
			: -1;
	}
	return (int) syscall(SYS_munmap, at, bytes);
}

static void surround_with_nothing(void)
{
	nothing = mmap(NULL, 2 * AROUND + BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (nothing == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
}

static bool attach(void)
{
	rl_shm_options options = {.bytes = BYTES, .path = path};
	char message[512];

	return rl_shm_startup(&options, message, sizeof message);
}

/* ---- Victims ---- */

static void call(progress *mine, uint64_t *seed)
{
	if (only_terms) {
		decide_bucket(mine, seed);
	} else {
		one_call(mine, seed);
	}
}

/* A child that decides and dies in the middle of what it holds. */
static void fork_one(progress *mine, uint64_t seed)
{
	pid_t pid = fork();
	int status, i;

	if (pid == 0) {
		for (i = 0; i < 50; i++) {
			call(mine, &seed);
		}
		kill(getpid(), SIGKILL);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)) {
		abort();
	}
	mine->forks++;
}

static void be_victim(progress *mine, uint64_t seed)
{
	while (!__atomic_load_n(&board->stop, __ATOMIC_RELAXED)) {
		unsigned calls = (unsigned) below(&seed, CALLS);

		if (!attach()) {
			mine->refused++;
			sched_yield();
			__atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);
			continue;
		}
		mine->attached++;
		while (calls-- > 0) {
			call(mine, &seed);
		}
		if (below(&seed, 8) == 0) {
			fork_one(mine, test_random(&seed));
		}
		rl_shm_shutdown();
	}
	_exit(0);
}

/* ---- The attacker ---- */

static uint64_t any_value(const uint64_t *words, uint64_t was, uint64_t *seed)
{
	static const uint64_t chosen[] = {0, 1, 2, 3, 0xff, 0x100, 0x200, 0xffff, UINT32_MAX, UINT64_C(1) << 26,
		(UINT64_C(1) << 26) - 1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1};

	switch (below(seed, 7)) {
		case 0:
			return test_random(seed);
		case 1:
			return was ^ UINT64_C(1) << below(seed, 64);
		case 2:
			return was + below(seed, 5) - 2;
		case 3:
			return words[below(seed, BYTES / 8)]; /* one that means something elsewhere */
		case 4:
			return test_random(seed) >> below(seed, 64);
		case 5:
			return (was & ~UINT64_C(0xffffffff)) | (test_random(seed) & 0xffffffff);
		default:
			return chosen[below(seed, sizeof chosen / sizeof chosen[0])];
	}
}

/* A word of one of the parts, each as often as the others: the small ones would hardly ever be hit by chance. */
static uint64_t any_index(const rl_header *plan, uint64_t *seed)
{
	const uint64_t parts[] = {0, RL_HEADER_BYTES, plan->workers_at, plan->breakers_at, plan->generations_at,
		plan->stripes_at, plan->buckets_at, plan->pages_at, plan->records_at, BYTES};
	unsigned part = (unsigned) below(seed, sizeof parts / sizeof parts[0] - 1);
	uint64_t bytes = parts[part + 1] - parts[part];

	/* Of the workers, the first are used. Pages and records are taken from the front. */
	if (below(seed, 2) == 0 && bytes > 4096) {
		bytes = part == 8 ? 65536 : 2048;
	}
	return (parts[part] + below(seed, bytes)) / 8;
}

/* Takes the parts out of the terms of buckets, and puts them back. The other places are taken: no victim notes its terms twice. */
static void attack_terms(const uint64_t *pristine, uint64_t *words)
{
	const rl_pair *was = (const rl_pair *) (const void *) (pristine + RL_HEADER_BYTES / 8);
	rl_pair *terms = (rl_pair *) (void *) (words + RL_HEADER_BYTES / 8);
	unsigned used[RL_TERMS], n = 0, i;

	for (i = 0; i < RL_TERMS; i++) {
		terms[i] = was[i].a != 0 ? was[i] : (rl_pair){UINT64_MAX, UINT64_MAX};
		if (was[i].a != 0) {
			used[n++] = i;
		}
	}
	for (i = 0;; i++) {
		uint64_t more = was[used[i / 2 % n]].b;

		__atomic_store_n(&terms[used[i / 2 % n]].b,
			i % 2 == 0 ? more >> RL_TERMS_PARTS_BITS << RL_TERMS_PARTS_BITS : more, __ATOMIC_RELAXED);
	}
}

/* Turns each bit of a word over and back some times, then writes the word's values in turn with each other, and so on with the next
 * word. Half of the time a reader finds what was there. */
static void attack_bits(const uint64_t *pristine, uint64_t *words, uint64_t seed)
{
	const rl_header *plan = (const rl_header *) (const void *) pristine;
	const uint64_t parts[][2] = {
		{RL_HEADER_BYTES, plan->workers_at},
		{plan->stripes_at, plan->buckets_at},
		{plan->buckets_at, plan->pages_at},
		{plan->pages_at, plan->records_at},
		{plan->records_at, BYTES},
	};
	const unsigned n_parts = sizeof parts / sizeof parts[0], TURNS = 20;

	for (;;) {
		unsigned part = (unsigned) below(&seed, n_parts), bit, turn;
		uint64_t at = (parts[part][0] + below(&seed, parts[part][1] - parts[part][0])) / 8, was;

		/* The next one that is in use. */
		while (at < parts[part][1] / 8 && words[at] == 0) {
			at++;
		}
		if (at >= parts[part][1] / 8) {
			continue;
		}
		was = words[at];
		for (bit = 0; bit < 64; bit++) {
			for (turn = 0; turn < TURNS; turn++) {
				__atomic_store_n(&words[at], was ^ UINT64_C(1) << bit, __ATOMIC_RELAXED);
				__atomic_store_n(&words[at], was, __ATOMIC_RELAXED);
			}
		}
		for (turn = 0; turn < 64 * TURNS; turn++) {
			__atomic_store_n(&words[at], any_value(words, was, &seed), __ATOMIC_RELAXED);
			__atomic_store_n(&words[at], was, __ATOMIC_RELAXED);
		}
		if (below(&seed, 256) == 0) {
			memcpy(words, pristine, BYTES); /* what the others wrote in the meantime ends */
		}
	}
}

static void be_attacker(const uint64_t *pristine, uint64_t seed)
{
	int fd = open(path, O_RDWR);
	uint64_t *words = (void *) syscall(SYS_mmap, NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t) 0);
	rl_header plan = *(const rl_header *) (const void *) pristine;

	if (words == MAP_FAILED) {
		_exit(2);
	}
	if (only_terms) {
		attack_terms(pristine, words);
	}
	if (only_bits) {
		attack_bits(pristine, words, seed);
	}
	for (;;) {
		unsigned n = (unsigned) below(&seed, 200), shape = (unsigned) below(&seed, 40);

		while (n-- > 0) {
			uint64_t i = any_index(&plan, &seed), length = shape < 3 ? below(&seed, 256) : 1;
			uint64_t value = any_value(words, words[i], &seed);

			for (; length > 0 && i < BYTES / 8; length--, i++) {
				__atomic_store_n(&words[i], value, __ATOMIC_RELAXED);
			}
		}
		/* A header that is right is what lets the victims in; a segment that is right leads them far. */
		if (shape != 4) {
			memcpy(words, pristine, below(&seed, 16) == 0 ? RL_HEADER_BYTES : offsetof(rl_header, hash_key));
			((rl_header *) (void *) words)->ready = RL_SEGMENT_MAGIC;
		}
		if (shape == 5) {
			memcpy(words, pristine, BYTES);
		}
		if (shape > 8) {
			struct timespec pause = {.tv_nsec = (long) below(&seed, 300000)};

			nanosleep(&pause, NULL);
		}
	}
}

/* ---- The watch ---- */

static pid_t start(unsigned i, uint64_t seed)
{
	pid_t pid = fork();

	if (pid == 0) {
		be_victim(&board->victims[i], seed + i * 1000);
	}
	return pid;
}

static bool report_death(unsigned i, int status)
{
	fprintf(stderr, "victim %u ended while it did %u: signal %d, exit code %d\n", i, board->victims[i].doing,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	return false;
}

/* False: a victim has died or stands still. */
static bool watch(pid_t *pids, double seconds)
{
	uint64_t seen[VICTIMS] = {0};
	int64_t moved_us[VICTIMS], end_us = rl_clock_true_us() + (int64_t) (seconds * RL_US_PER_SECOND), now_us;
	unsigned i;

	for (i = 0; i < VICTIMS; i++) {
		moved_us[i] = rl_clock_true_us();
	}
	while ((now_us = rl_clock_true_us()) < end_us) {
		struct timespec pause = {.tv_nsec = 50000000};

		nanosleep(&pause, NULL);
		for (i = 0; i < VICTIMS; i++) {
			uint64_t calls = __atomic_load_n(&board->victims[i].calls, __ATOMIC_RELAXED);
			int status;

			if (waitpid(pids[i], &status, WNOHANG) == pids[i]) {
				pids[i] = 0;
				return report_death(i, status);
			}
			if (calls != seen[i]) {
				seen[i] = calls;
				moved_us[i] = now_us;
			} else if (now_us - moved_us[i] > STILL_S * RL_US_PER_SECOND) {
				fprintf(stderr, "victim %u (process %d) hangs while it does %u\n", i, (int) pids[i],
					board->victims[i].doing);
				kill(pids[i], SIGABRT); /* leaves a core where the machine keeps them */
				return false;
			}
		}
	}
	return true;
}

/* All victims end by themselves once they are asked to. */
static bool dismiss(pid_t *pids)
{
	bool well = true;
	unsigned i;

	board->stop = 1;
	for (i = 0; i < VICTIMS; i++) {
		int status = 0, tries;

		if (pids[i] == 0) {
			continue;
		}
		for (tries = 0; tries < STILL_S * 20 && waitpid(pids[i], &status, WNOHANG) == 0; tries++) {
			struct timespec pause = {.tv_nsec = 50000000};

			nanosleep(&pause, NULL);
		}
		if (tries == STILL_S * 20) {
			fprintf(stderr, "victim %u does not end while it does %u\n", i, board->victims[i].doing);
			kill(pids[i], SIGABRT);
			well = false;
		} else if (status != 0) {
			well = report_death(i, status);
		}
	}
	return well;
}

/* A segment with something in it, as the attacker restores it now and then. */
static uint64_t *make_pristine(uint64_t seed)
{
	uint64_t *pristine = malloc(BYTES);
	progress unused = {0};
	unsigned i;

	if (pristine == NULL || !attach()) {
		fprintf(stderr, "no segment\n");
		exit(2);
	}
	for (i = 0; i < 20000; i++) {
		call(&unused, &seed);
	}
	rl_shm_leave_thread();
	memcpy(pristine, rl_shm.header, BYTES);
	rl_shm_shutdown();
	return pristine;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 5;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t) time(NULL), *pristine;
	progress sum = {0};
	pid_t pids[VICTIMS], attacker;
	unsigned i;
	bool well;

	if (!make_temporary_folder(folder, sizeof folder, "ratelimit-attack")) {
		perror("mkdtemp");
		return 2;
	}
	snprintf(path, sizeof path, "%s/segment", folder);
	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	only_terms = argc > 3 && strcmp(argv[3], "terms") == 0;
	only_bits = argc > 3 && strcmp(argv[3], "bits") == 0;
	surround_with_nothing();
	pristine = make_pristine(seed);
	for (i = 0; i < VICTIMS; i++) {
		pids[i] = start(i, seed);
	}
	attacker = fork();
	if (attacker == 0) {
		be_attacker(pristine, seed * 31 + 7);
	}
	well = watch(pids, seconds);
	well = dismiss(pids) && well;
	free(pristine);
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
	unlink(path);
	rmdir(folder);
	for (i = 0; i < VICTIMS; i++) {
		sum.calls += board->victims[i].calls;
		sum.attached += board->victims[i].attached;
		sum.refused += board->victims[i].refused;
		sum.forks += board->victims[i].forks;
	}
	printf("%.0f s, seed %llu: %llu calls, %llu attachments, %llu refused, %llu forks: %s\n", seconds,
		(unsigned long long) seed, (unsigned long long) sum.calls, (unsigned long long) sum.attached,
		(unsigned long long) sum.refused, (unsigned long long) sum.forks, well ? "unharmed" : "HARMED");
	return well && sum.attached > 0 ? 0 : 1;
}
