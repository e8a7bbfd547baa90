/* A user's segment over many processes, each with several threads, that begin, are stopped and are killed at any moment, while its ticket is
 * removed again and again: they share one segment, count exactly, and never disturb a live owner of a slot. It has name spaces of
 * its own. Compiled with RL_THREADS, as for a PHP with threads. */
#include "check.h"
#include "harness.h"
#include "refused_open.h"

#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/shm/segment/clock.h"
#include "src/shm/process/attach.h"
#include "src/shm/process/liveness.h"
#include "src/shm/process/worker.h"

#define PROCESSES   6
#define THREADS     3
#define ROUND_US    (4 * RL_US_PER_SECOND)
#define PATIENCE_US (300 * RL_US_PER_SECOND)
#define BYTES       ((size_t) 8 << 20)
#define TICKETS     "/dev/shm/ratelimit-*"

static struct board {
	uint64_t begun, admitted, disturbed, stayed, kills, removals;
} * board;

static void pause_us(int64_t us)
{
	struct timespec pause = {.tv_nsec = (long) us * 1000};

	nanosleep(&pause, NULL);
}

static void add(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static bool go_apart(void)
{
	return (unshare(CLONE_NEWNS | CLONE_NEWIPC) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) == 0)
		&& mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
		&& mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
}

static unsigned remove_tickets(void)
{
	glob_t found;
	unsigned n = 0;

	if (glob(TICKETS, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			n += unlink(found.gl_pathv[i]) == 0;
		}
		globfree(&found);
	}
	return n;
}

/* Returns how many segments this name space has. */
static unsigned segments(void)
{
	struct shm_info info;

	return shmctl(0, SHM_INFO, (struct shmid_ds *) (void *) &info) < 0 ? 0 : (unsigned) info.used_ids;
}

/* ---- Many at once ---- */

static void ask_about_others(uint64_t *seed)
{
	uint64_t n = rl_workers_used(&rl_shm);

	for (int asks = (int) (test_random(seed) % 8); asks > 0 && n > 0; asks--) {
		rl_worker *w = rl_worker_at(&rl_shm, test_random(seed) % n);

		(void) rl_worker_is_dead(w, __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST));
	}
}

static void hold_one(uint64_t *seed)
{
	rl_worker *w = rl_worker_register();
	uint32_t epoch = w != NULL ? __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST) : 0;

	for (uint64_t calls = test_random(seed) % 20; calls > 0 && w != NULL; calls--) {
		ask_about_others(seed);
		pause_us((int64_t) (test_random(seed) % 3000));
		if (__atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST) != epoch) {
			add(&board->disturbed);
			break;
		}
		if (test_plain("many", 1, 86400, 1 << 23)) {
			add(&board->admitted);
		}
	}
	if (test_random(seed) % 4 != 0) {
		rl_worker_unregister();
	}
}

static void *work(void *number)
{
	uint64_t seed = (uint64_t) getpid() * 10 + (uint64_t) (uintptr_t) number;
	char message[256];

	if (!rl_shm_settle(BYTES, message, sizeof message) || rl_shm_is_own()) {
		printf("%s\n", message);
		add(&board->stayed);
	}
	for (;;) {
		hold_one(&seed);
	}
	return NULL;
}

static pid_t begin(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		add(&board->begun);
		for (uintptr_t i = 1; i < THREADS; i++) {
			pthread_create(&thread, NULL, work, (void *) i);
		}
		work(NULL);
	}
	return pid;
}

static bool is_enough(void)
{
	return __atomic_load_n(&board->admitted, __ATOMIC_RELAXED) > 100 && board->removals > 3 && board->kills > 3;
}

/* Goes on until enough has happened: on an emulated machine that takes minutes. */
static void test_many(void)
{
	pid_t pids[PROCESSES];
	int64_t end_us = rl_clock_true_us() + ROUND_US;
	uint64_t seed = 7, counted;
	rl_store *store;
	rl_key key = test_key(RL_SPACE_ACTION, "many", 1);
	rl_counter_question q = {.seconds = 86400, .limit = 1 << 23};
	rl_decision d;
	rl_error e;
	char message[256];

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = begin();
	}
	while (rl_clock_true_us() < end_us || (!is_enough() && rl_clock_true_us() < end_us + PATIENCE_US)) {
		int i = (int) (test_random(&seed) % PROCESSES);
		uint64_t what = test_random(&seed) % 4;

		pause_us((int64_t) (test_random(&seed) % 40000));
		if (what == 0) {
			board->removals += remove_tickets();
		} else if (what == 1) {
			kill(pids[i], SIGSTOP);
			board->removals += remove_tickets();
			pause_us((int64_t) (test_random(&seed) % 60000));
			kill(pids[i], SIGCONT);
		} else {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
			board->kills++;
			pids[i] = begin();
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		board->kills++;
	}
	check(rl_shm_settle(BYTES, message, sizeof message) && !rl_shm_is_own(), "this process goes over: %s", message);
	store = rl_shm_store();
	store->ops->peek(store, &key, &q, &d, &e);
	counted = (uint64_t) ((1 << 23) - d.remaining);
	printf("%llu processes, %llu kills, %llu tickets removed, %llu calls admitted, %llu counted, %u segments\n",
		(unsigned long long) board->begun, (unsigned long long) board->kills, (unsigned long long) board->removals,
		(unsigned long long) board->admitted, (unsigned long long) counted, segments());
	check(is_enough(), "enough of all");
	check(board->stayed == 0, "every process goes over: %llu did not", (unsigned long long) board->stayed);
	check(board->disturbed == 0, "no live owner is disturbed: %llu", (unsigned long long) board->disturbed);
	/* A killed process may have counted calls that the board does not have, one for each thread. */
	check(counted >= board->admitted && counted <= board->admitted + 1 + THREADS * board->kills, "one count, exactly");
}

/* ---- A move to another ticket ---- */

static bool other_finds_it_alive(rl_worker *w)
{
	uint32_t epoch = w->epoch;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		_exit(rl_worker_is_dead(w, epoch));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && w->epoch == epoch;
}

static int moving_to;
static bool has_moved;

static void *move(void *unused)
{
	has_moved = rl_worker_move(moving_to);
	return unused;
}

static bool look_for_a_move(uint64_t slot, uint32_t inode, void *thread)
{
	(void) slot;
	pthread_create(thread, NULL, move, NULL);
	pause_us(20000);
	return !has_moved && inode != 0;
}

static void test_a_move(void)
{
	rl_worker *w = rl_worker_register();
	uint64_t slot = rl_owner_slot(rl_owner_self()), last = rl_shm.n_workers - 1;
	struct flock lock = {.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = ((off_t) 1 << 62) + (off_t) slot,
		.l_len = 1};
	uint32_t inode = w->inode;
	pthread_t thread;
	char path[32];
	int other;

	remove_tickets();
	moving_to = rl_user_ticket(rl_shm.id);
	snprintf(path, sizeof path, "/proc/self/fd/%d", moving_to);
	other = open(path, O_RDWR);
	check(fcntl(other, F_OFD_SETLK, &lock) == 0, "another process tries for the slot on the new ticket");
	check(!rl_worker_move(moving_to) && w->inode == inode, "the move waits for another second");
	check(other_finds_it_alive(w), "and the slot stays held on the former ticket");
	close(other);

	refuse_open("/proc/self/fd/", EMFILE);
	check(!rl_worker_move(moving_to) && w->inode == inode, "nor does it move without a descriptor");
	refuse_open(NULL, 0);
	check(other_finds_it_alive(w), "and the slot stays held then, too");

	check(rl_liveness_acquire(last, look_for_a_move, &thread) == RL_SLOT_ACQUIRED,
		"a process does not move while it takes a slot");
	pthread_join(thread, NULL);
	check(has_moved && w->inode != inode, "but afterwards");
	check(other_finds_it_alive(w), "and its slot is held on the new ticket");
	rl_liveness_release(last);
	rl_worker_unregister();
}

int main(void)
{
	if (!go_apart()) {
		puts("skipped: this machine forbids name spaces");
		return 0;
	}
	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_segment(RL_SHM_BYTES_MIN);
	test_many();
	test_a_move();
	return checks_report();
}
