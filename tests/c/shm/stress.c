/* Many processes on one segment: every identity's limit is admitted exactly, also when many processes call a new identity
 * at once. Usage: stress [rounds [kill]]; kill: a victim is killed every millisecond, and
 * then each identity may lose as many permits as victims died. Prints one line, exits with 1 when a promise is broken. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define WORKERS    8
#define IDENTITIES 2000
#define LIMIT      3
#define KINDS      4

_Static_assert(LIMIT <= 4, "two passes of work() call each identity four times");

typedef struct {
	uint32_t admitted[KINDS][IDENTITIES];
	uint32_t doubtful; /* calls that were interrupted by their worker's death */
	uint32_t in_call[WORKERS];
	uint64_t calls;
} tally;

static tally *board;

static bool decide(unsigned kind, int64_t id)
{
	static const rl_algorithm algorithms[KINDS] = {0, RL_SLIDING_LOG, RL_TOKEN_BUCKET, RL_SLIDING_WINDOW};
	rl_question q;
	rl_answer a;

	if (kind == 0) {
		return test_plain("stress", id, 3600, LIMIT);
	}
	q = test_question(RL_OP_CONSUME, test_limit(algorithms[kind], LIMIT, 3600 * RL_US_PER_SECOND), 1);
	if (kind == 2) {
		q.n_limits = 2; /* decided together with a second one that never refuses */
		q.limits[1] = test_limit(RL_FIXED_WINDOW, 1000, 3600 * RL_US_PER_SECOND);
	}
	if (test_ask(kind == 1 ? "log" : kind == 2 ? "bucket" : "window", id, &q, &a) != RL_OK) {
		abort();
	}
	return a.decision.accepted;
}

static void work(unsigned worker, int64_t base, uint64_t seed)
{
	unsigned i, step = (unsigned) (test_random(&seed) % 7) * 2 + 1;

	/* All workers call all identities nearly in step, so that most collide at a new identity. */
	for (i = 0; i < IDENTITIES * KINDS * 2; i++) {
		unsigned n = i / KINDS % IDENTITIES, kind = (i * step) % KINDS;
		bool yes;

		__atomic_store_n(&board->in_call[worker], 1, __ATOMIC_SEQ_CST);
		yes = decide(kind, base + n);
		if (yes) {
			__atomic_fetch_add(&board->admitted[kind][n], 1, __ATOMIC_SEQ_CST);
		}
		__atomic_store_n(&board->in_call[worker], 0, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&board->calls, 1, __ATOMIC_RELAXED);
	}
}

static pid_t hire(unsigned worker, int64_t base, uint64_t seed)
{
	pid_t pid = fork();

	if (pid == 0) {
		work(worker, base, seed + worker);
		_exit(0);
	}
	return pid;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned) atoi(argv[1]) : 10, round, kills = 0, lost = 0, i;
	bool killing = argc > 2;
	uint64_t seed = (uint64_t) time(NULL);
	rl_shm_stats stats;

	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_segment((size_t) 64 << 20);
	for (round = 0; round < rounds; round++) {
		int64_t base = (int64_t) round * IDENTITIES;
		pid_t pids[WORKERS];
		unsigned alive = WORKERS, kind, n, doubtful;

		memset(board->admitted, 0, sizeof board->admitted);
		board->doubtful = 0;
		for (i = 0; i < WORKERS; i++) {
			pids[i] = hire(i, base, seed + round * 100);
		}
		while (alive > 0) {
			int status;
			pid_t pid;

			if (killing) {
				unsigned victim = (unsigned) (test_random(&seed) % WORKERS);
				struct timespec ms = {.tv_nsec = 1000000};

				nanosleep(&ms, NULL);
				if (pids[victim] > 0) {
					kill(pids[victim], SIGKILL);
				}
			}
			pid = waitpid(-1, &status, killing ? WNOHANG : 0);
			for (i = 0; i < WORKERS && pid > 0; i++) {
				if (pids[i] != pid) {
					continue;
				}
				if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && kills < 1000000) {
					kills++;
					board->doubtful += board->in_call[i];
					board->in_call[i] = 0;
					pids[i] = test_random(&seed) % 20 == 0 ? 0 : hire(i, base, seed + kills);
					alive -= pids[i] == 0;
				} else if (status != 0) {
					fprintf(stderr, "a worker died: %d\n", status);
					return 1;
				} else {
					pids[i] = 0;
					alive--;
				}
				break;
			}
		}
		doubtful = board->doubtful;
		if (killing) {
			/* The parent takes the remaining permits: a pass calls each identity twice, and LIMIT may remain. */
			work(0, base, seed);
			work(0, base, seed);
		}
		for (kind = 0; kind < KINDS; kind++) {
			for (n = 0; n < IDENTITIES; n++) {
				unsigned got = board->admitted[kind][n];

				if (got > LIMIT || (got < LIMIT && !killing)) {
					fprintf(stderr, "round %u, kind %u, identity %u: %u of %u were admitted\n", round, kind, n, got,
						LIMIT);
					return 1;
				}
				lost += LIMIT - got;
			}
		}
		if (killing && lost > kills) {
			fprintf(stderr, "%u permits lost in %u kills (%u in doubt)\n", lost, kills, doubtful);
			return 1;
		}
	}
	rl_shm_stats_read(&stats);
	printf("%llu decisions, %u kills, %u permits lost, %llu evictions, %llu of %llu record bytes used\n",
		(unsigned long long) board->calls, kills, lost, (unsigned long long) stats.counts[RL_STAT_EVICTIONS],
		(unsigned long long) stats.records_used, (unsigned long long) stats.records);
	rl_shm_shutdown();
	return stats.counts[RL_STAT_EVICTIONS] == 0 ? 0 : 1;
}
