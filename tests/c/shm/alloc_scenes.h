/* What the allocator's tests share: a segment of records alone, states and bans of any size, workers that hold records. */
#ifndef RL_TEST_ALLOC_SCENES_H
#define RL_TEST_ALLOC_SCENES_H

#include "check.h"
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/segment/clock.h"

#define S       RL_US_PER_SECOND
#define MB      ((size_t) 1 << 20)
#define WALL_US INT64_C(1900000000000000)

/* Begins a segment of so many bytes, and freezes the clock. */
static inline void fresh_segment(size_t bytes)
{
	rl_shm_shutdown();
	rl_clock_unfreeze();
	test_segment(bytes);
	test_records_only();
	rl_clock_freeze(WALL_US);
}

static inline rl_shm_stats stats(void)
{
	rl_shm_stats all;

	rl_shm_stats_read(&all);
	return all;
}

static inline bool is_admitted(const char *name, int64_t id, rl_limit limit, uint32_t cost)
{
	rl_question q = test_question(RL_OP_CONSUME, limit, cost);
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_answer a;
	rl_error e;

	return store->ops->ask(store, &key, &q, &a, &e) == RL_OK && a.decision.accepted;
}

static inline bool is_banned(const char *name, int64_t id, rl_limit limit)
{
	rl_question q = test_question(RL_OP_PEEK, limit, 1);
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_answer a;
	rl_error e;

	return store->ops->ask(store, &key, &q, &a, &e) == RL_OK && a.decision.reason == RL_BANNED;
}

static inline rl_limit window(int64_t period_us)
{
	return test_limit(RL_SLIDING_WINDOW, 2, period_us);
}

/* A second call within the period begins a ban. */
static inline rl_limit banning(int64_t period_us, int64_t ban_us)
{
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 1, period_us);

	limit.ban = RL_BAN_FOR;
	limit.ban_us = ban_us;
	return limit;
}

static inline rl_limit big_log(int64_t period_us)
{
	return test_limit(RL_SLIDING_LOG, 10000, period_us);
}

static inline void flood(const char *name, unsigned n, rl_limit limit, uint32_t cost)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		(void) is_admitted(name, i, limit, cost);
	}
}

static inline unsigned admitted_of(const char *name, unsigned n, rl_limit limit, uint32_t cost)
{
	unsigned i, yes = 0;

	for (i = 0; i < n; i++) {
		yes += is_admitted(name, i, limit, cost);
	}
	return yes;
}

/* Starts a worker that does the work, and then stays. */
static inline pid_t hire(void (*work)(unsigned), unsigned n)
{
	pid_t pid;
	int done[2];
	char c;

	if (pipe(done) != 0) {
		abort();
	}
	pid = fork();
	if (pid == 0) {
		work(n);
		if (write(done[1], "x", 1) != 1) {
			_exit(1);
		}
		for (;;) {
			pause();
		}
	}
	close(done[1]);
	if (read(done[0], &c, 1) != 1) {
		abort();
	}
	close(done[0]);
	return pid;
}

/* Kills workers. */
static inline void dismiss(pid_t *pids, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
	}
	for (i = 0; i < n; i++) {
		waitpid(pids[i], NULL, 0);
	}
}

#endif
