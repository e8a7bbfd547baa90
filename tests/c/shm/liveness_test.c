/* Worker slots over many processes, each with several threads, that fork and are killed at any moment: a live owner is
 * never disturbed, and the slot of a dead one is free as soon as it is dead. With locks of descriptions, with locks of
 * processes, and with both in one segment. Compiled with RL_THREADS, as for a PHP with threads. */
#include "check.h"
#include "harness.h"
#include "refused_open.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/shm/segment/clock.h"
#include "src/shm/process/liveness.h"
#include "src/shm/process/worker.h"

#define PROCESSES   8
#define THREADS     3
#define ROUND_US    (2 * RL_US_PER_SECOND)
#define PATIENCE_US (300 * RL_US_PER_SECOND)

static struct board {
	uint64_t registered, asked, found_dead, disturbed, forks;
} * board;

static void pause_us(int64_t us)
{
	struct timespec pause = {.tv_nsec = (long) us * 1000};

	nanosleep(&pause, NULL);
}

/* ---- Many at once ---- */

/* Asks for slots of others: the answer "dead" about a live one disturbs it, which its owner sees. */
static void ask_about_others(uint64_t *seed)
{
	uint64_t n = rl_workers_used(&rl_shm);
	int asks = (int) (test_random(seed) % 8);

	while (asks-- > 0 && n > 0) {
		rl_worker *w = rl_worker_at(&rl_shm, test_random(seed) % n);
		uint32_t epoch = __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST);

		__atomic_fetch_add(&board->asked, 1, __ATOMIC_RELAXED);
		if (epoch % 2 == 1 && rl_worker_is_dead(w, epoch)) {
			__atomic_fetch_add(&board->found_dead, 1, __ATOMIC_RELAXED);
		}
	}
}

static void hold_one(uint64_t *seed)
{
	rl_worker *w = rl_worker_register();
	uint32_t epoch;

	if (w == NULL) {
		return;
	}
	epoch = __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&board->registered, 1, __ATOMIC_RELAXED);
	ask_about_others(seed);
	if (test_random(seed) % 4 == 0) {
		pause_us((int64_t) (test_random(seed) % 2000));
	}
	if (__atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST) != epoch) {
		__atomic_fetch_add(&board->disturbed, 1, __ATOMIC_RELAXED);
	}
	if (test_random(seed) % 8 != 0) {
		rl_worker_unregister();
	}
}

/* A child that takes a slot of its own, and may outlive its parent. */
static void fork_one(uint64_t *seed)
{
	uint64_t own = test_random(seed);

	if (fork() == 0) {
		int i;

		for (i = 0; i < 20; i++) {
			hold_one(&own);
		}
		pause_us((int64_t) (own % 20000));
		_exit(0);
	}
	__atomic_fetch_add(&board->forks, 1, __ATOMIC_RELAXED);
}

static void *be_thread(void *argument)
{
	uint64_t seed = *(uint64_t *) argument + (uint64_t) syscall(SYS_gettid);

	for (;;) {
		hold_one(&seed);
		if (test_random(&seed) % 256 == 0) {
			fork_one(&seed);
		}
	}
	return NULL;
}

static pid_t start(uint64_t seed, bool process_locks)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;
		int i;

		refuse_open("/proc/self/fd/", process_locks ? EACCES : 0);
		for (i = 1; i < THREADS; i++) {
			pthread_create(&thread, NULL, be_thread, &seed);
		}
		be_thread(&seed);
	}
	return pid;
}

/* True: no process but this one is left. The children of killed ones are ours, too (PR_SET_CHILD_SUBREAPER). */
static void wait_for_all(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
	}
}

static bool is_enough(unsigned kills)
{
	return kills > 10 && __atomic_load_n(&board->registered, __ATOMIC_RELAXED) > 100
		&& __atomic_load_n(&board->asked, __ATOMIC_RELAXED) > 100;
}

/* Goes on until enough has happened: on an emulated machine that takes minutes. */
static void test_storm(const char *name, int percent_of_process_locks, uint64_t seed)
{
	int64_t end_us = rl_clock_true_us() + ROUND_US;
	pid_t pids[PROCESSES];
	unsigned i, kills = 0, stuck = 0, left = 0;

	memset(board, 0, sizeof *board);
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = start(test_random(&seed), (int) (test_random(&seed) % 100) < percent_of_process_locks);
	}
	while (rl_clock_true_us() < end_us || (!is_enough(kills) && rl_clock_true_us() < end_us + PATIENCE_US)) {
		i = (unsigned) (test_random(&seed) % PROCESSES);
		pause_us((int64_t) (test_random(&seed) % 4000));
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		pids[i] = start(test_random(&seed), (int) (test_random(&seed) % 100) < percent_of_process_locks);
		kills++;
	}
	for (i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
	}
	wait_for_all();
	for (i = 0; i < rl_workers_used(&rl_shm); i++) {
		rl_worker *w = rl_worker_at(&rl_shm, i);

		left += w->epoch % 2 == 1;
		stuck += w->epoch % 2 == 1 && !rl_worker_is_dead(w, w->epoch);
	}
	printf("%s: %u kills, %llu forks, %llu slots held, %llu questions, %llu and %u found dead, %llu disturbed\n", name,
		kills, (unsigned long long) board->forks, (unsigned long long) board->registered,
		(unsigned long long) board->asked, (unsigned long long) board->found_dead, left,
		(unsigned long long) board->disturbed);
	check(is_enough(kills), "%s: enough of everything", name);
	check(board->disturbed == 0, "%s: %llu live owners were disturbed", name, (unsigned long long) board->disturbed);
	check(stuck == 0, "%s: %u slots of dead processes are not free", name, stuck);
}

/* ---- One thing at a time ---- */

/* Runs a function in a child, which then waits to be killed; returns when the function is done. */
static pid_t child(void (*function)(void))
{
	int pipes[2];
	char done;
	pid_t pid;

	if (pipe(pipes) != 0 || (pid = fork()) < 0) {
		abort();
	}
	if (pid == 0) {
		function();
		if (write(pipes[1], "", 1) != 1) {
			abort();
		}
		for (;;) {
			pause();
		}
	}
	close(pipes[1]);
	check(read(pipes[0], &done, 1) == 1, "the child got that far");
	close(pipes[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void do_register(void)
{
	rl_worker_register();
}

static void do_register_without_proc(void)
{
	refuse_open("/proc/self/fd/", ENOENT);
	rl_worker_register();
}

static rl_worker *newest(void)
{
	rl_worker *w = NULL;
	uint64_t i;

	for (i = 0; i < rl_workers_used(&rl_shm); i++) {
		if (rl_worker_at(&rl_shm, i)->epoch % 2 == 1 && rl_worker_at(&rl_shm, i) != rl_worker_self) {
			w = rl_worker_at(&rl_shm, i);
		}
	}
	return w;
}

static void test_stopped_is_alive(void (*how)(void))
{
	pid_t pid = child(how);
	rl_worker *w = newest();
	uint32_t epoch;

	if (check(w != NULL, "the child has a slot")) {
		epoch = w->epoch;
		w->journal = 7;
		kill(pid, SIGSTOP);
		check(!rl_worker_is_dead(w, epoch) && rl_worker_is_active(w), "a stopped process keeps its slot");
		check(w->epoch == epoch && w->journal == 7, "and what it has noted");
		end(pid);
		check(rl_worker_is_dead(w, epoch) && !rl_worker_is_active(w), "a killed one is dead at once");
		check(w->epoch > epoch && w->epoch % 2 == 0 && w->journal == 0, "and its slot free");
	}
}

/* The grandchild inherits the child's descriptors, and lives on. Until it runs, the lock is its, too: it is waited for. */
static void do_register_and_fork(void)
{
	int pipes[2];
	char runs;

	rl_worker_register();
	if (pipe(pipes) != 0) {
		abort();
	}
	if (fork() == 0) {
		if (write(pipes[1], "", 1) != 1) {
			abort();
		}
		for (;;) {
			pause();
		}
	}
	if (read(pipes[0], &runs, 1) != 1) {
		abort();
	}
}

static void test_a_child_does_not_keep_its_parents_slot(void)
{
	pid_t pid = child(do_register_and_fork);
	rl_worker *w = newest();

	end(pid);
	check(w != NULL && rl_worker_is_dead(w, w->epoch), "the parent is dead though its child lives");
	/* The orphan is ours now. */
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	wait_for_all();
	signal(SIGTERM, SIG_DFL);
}

static void do_close_everything(void)
{
	int fd;

	rl_worker_register();
	/* As a daemon does that knows of no one else's descriptors. The segment's own inode is out of reach then. */
	for (fd = 3; fd < 256; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
			close(fd);
		}
	}
}

static void test_foreign_close_is_noticed(void)
{
	pid_t pid = child(do_close_everything);
	rl_worker *w = newest();

	check(w != NULL && rl_worker_is_dead(w, w->epoch), "a process that has closed the descriptor has lost its slot");
	end(pid);
}

static void test_lost_slot_is_left(void)
{
	rl_worker *w = rl_worker_register();

	if (check(w != NULL, "a slot")) {
		w->epoch += 2; /* as another process that took the slot over would do */
		check(rl_worker_register() != NULL && rl_worker_self->epoch % 2 == 1, "the thread registers anew");
		check(rl_worker_is_active(rl_worker_self), "and is active");
		rl_worker_unregister();
	}
}

static void test_no_descriptor_left(void)
{
	struct rlimit limit, none;
	char why[128];
	pid_t pid = fork();
	int status;

	if (pid != 0) {
		waitpid(pid, &status, 0);
		check(status == 0, "a process without a free descriptor has no slot until it has one: %d", status);
		return;
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	if (rl_worker_register() != NULL) {
		_exit(1);
	}
	rl_worker_explain(why, sizeof why);
	setrlimit(RLIMIT_NOFILE, &limit);
	_exit(strstr(why, strerror(EMFILE)) == NULL ? 2 : rl_worker_register() == NULL ? 3 : 0);
}

/* A segment full of dead owners: each of them is replaced. */
static void test_all_dead_are_replaced(void)
{
	pid_t pids[256];
	unsigned i, n = (unsigned) rl_shm.n_workers;

	rl_worker_unregister();
	for (i = 0; i < n; i++) {
		pids[i] = child(do_register);
	}
	check(rl_worker_register() == NULL, "there is no slot left");
	for (i = 0; i < n; i++) {
		end(pids[i]);
	}
	for (i = 0; i < n; i++) {
		pids[i] = child(do_register);
	}
	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(&rl_shm, i);

		check(w->epoch % 2 == 1 && !rl_worker_is_dead(w, w->epoch), "slot %u has a live owner", i);
	}
	for (i = 0; i < n; i++) {
		end(pids[i]);
	}
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_segment(RL_SHM_BYTES_MIN);
	setpgid(0, 0);
	test_stopped_is_alive(do_register);
	test_stopped_is_alive(do_register_without_proc);
	test_a_child_does_not_keep_its_parents_slot();
	test_foreign_close_is_noticed();
	test_lost_slot_is_left();
	test_no_descriptor_left();
	test_all_dead_are_replaced();
	test_storm("descriptions", 0, 1);
	test_storm("processes", 100, 2);
	test_storm("both", 50, 3);
	rl_shm_shutdown();
	return checks_report();
}
