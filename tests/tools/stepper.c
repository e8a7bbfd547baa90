/* stepper: steps a worker through one call into a shared library, instruction by instruction, and kills or stops it after
 * the k-th.
 *
 *     stepper MODULE PROGRAM [ARGUMENT...]
 *
 * runs PROGRAM, which writes commands to its descriptor 3 and reads results from its descriptor 4, one line each:
 *
 *     kill PID K      ->  seized PID, then  at PLACE | returned N | missed | error WHY
 *     hold PID K      ->  the same; the worker is stopped until
 *     resume PID      ->  resumed PID
 *     trace PID       ->  seized PID, then  returned N PLACE PLACE ...  (all instructions of the call, in order)
 *
 * PID is a descendant of PROGRAM, and waits. Once seized it may continue. It raises SIGUSR1, which is never delivered, to
 * mark that the call is next. The call begins with the first instruction in the file whose name begins with MODULE, and
 * ends with the return to the caller: PHP's own instructions before it do not count. K = 0 is before the first
 * instruction. "returned N": the call ended after N instructions, and the worker continues unharmed. A PLACE is
 * file+offset.
 *
 * A step costs two context switches, some ten microseconds in a virtual machine. After a trace the worker therefore runs to
 * a breakpoint shortly before the k-th instruction of the trace, and steps from there. "missed": the worker took another
 * path than the trace, returned, and continues unharmed. "kill PID K carefully" sets no breakpoint in a loop; "kill PID K
 * slowly" takes every step, and never misses.
 *
 *     stepper --check
 *
 * checks that this process may trace; containers and hardened machines forbid it.
 *
 * It supports x86-64 only: on other processors, steps through a load-linked/store-conditional loop would never end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
# error "the stepper supports x86-64 only"
#endif

enum {
	MAPS_MAX = 512,
	STEPS_MAX = 1000000, /* a longer call counts as an endless loop */
	APPROACH_MAX = 2000000,
	HIGH = 10,       /* descriptors from here on belong to the stepper */
	PATIENCE_S = 60, /* for a worker that neither stops nor ends, also on a busy machine */
};

typedef struct {
	uint64_t from, to, offset;
	bool executable;
	char name[64]; /* of the file, without its folder */
} mapping;

static mapping maps[MAPS_MAX];
static size_t n_maps;
static const char *module;
static uint64_t entry;             /* of the call: found in the first worker, equal in all forks of the program */
static uint64_t traced[STEPS_MAX]; /* the addresses of a call's instructions */
static long nth[STEPS_MAX];        /* how often the trace had that address before */
static long n_traced;
static FILE *answers;

static void answer_error(const char *what)
{
	fprintf(answers, "error %s: %s\n", what, strerror(errno));
}

/* Workers are forks of one program: the mappings of the first hold for all. */
static void read_maps(pid_t pid)
{
	char path[64], line[PATH_MAX + 128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int) pid);
	f = fopen(path, "r");
	n_maps = 0;
	while (f != NULL && n_maps < MAPS_MAX && fgets(line, sizeof(line), f) != NULL) {
		mapping *m = &maps[n_maps];
		char rights[5], file[PATH_MAX] = "";

		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &m->from, &m->to, rights, &m->offset, file) >= 4) {
			const char *slash = strrchr(file, '/');

			m->executable = rights[2] == 'x';
			snprintf(m->name, sizeof(m->name), "%.*s", (int) sizeof(m->name) - 1, slash != NULL ? slash + 1 : file);
			n_maps++;
		}
	}
	if (f != NULL) {
		fclose(f);
	}
}

static const mapping *map_of(uint64_t ip)
{
	for (size_t i = 0; i < n_maps; i++) {
		if (ip >= maps[i].from && ip < maps[i].to) {
			return &maps[i];
		}
	}
	return NULL;
}

static bool in_module(uint64_t ip)
{
	const mapping *m = map_of(ip);

	return m != NULL && m->executable && strncmp(m->name, module, strlen(module)) == 0;
}

static void print_place(uint64_t ip)
{
	const mapping *m = map_of(ip);

	if (m == NULL || m->name[0] == '\0') {
		fprintf(answers, " ?+%#lx", ip);
	} else {
		fprintf(answers, " %s+%#lx", m->name, ip - m->from + m->offset);
	}
}

static uint64_t peek_user(pid_t pid, size_t offset)
{
	return (uint64_t) ptrace(PTRACE_PEEKUSER, pid, offset, 0);
}

static uint64_t ip_of(pid_t pid)
{
	return peek_user(pid, offsetof(struct user_regs_struct, rip));
}

static uint64_t sp_of(pid_t pid)
{
	return peek_user(pid, offsetof(struct user_regs_struct, rsp));
}

static void on_alarm(int number)
{
	(void) number; /* its only purpose: it interrupts waitpid() */
}

/* Waits for the worker's next stop. Returns true for a stop by *wanted*; forwards other signals to the worker. */
static bool wait_stop(pid_t pid, bool stepping, int wanted)
{
	int status;

	for (;;) {
		if (waitpid(pid, &status, __WALL) != pid) {
			return false;
		}
		if (!WIFSTOPPED(status)) {
			errno = ESRCH;
			return false;
		}
		if (WSTOPSIG(status) == wanted) {
			return true;
		}
		if (ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0, status >> 16 ? 0 : WSTOPSIG(status)) != 0) {
			return false;
		}
	}
}

static bool step(pid_t pid)
{
	return ptrace(PTRACE_SINGLESTEP, pid, 0, 0) == 0 && wait_stop(pid, true, SIGTRAP);
}

/* Pins the tracer and the worker to one core: they take turns, and need not wake another core each time. */
static void share_core(pid_t pid)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t) cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		sched_setaffinity(pid, sizeof(set), &set);
	}
}

/* Sets a breakpoint in the worker's own copy of the page. */
typedef struct {
	uint64_t at;
	long word;
} breakpoint;

static bool break_at(pid_t pid, breakpoint *b, uint64_t at)
{
	errno = 0;
	b->at = at;
	b->word = ptrace(PTRACE_PEEKTEXT, pid, at, 0);
	return errno == 0 && ptrace(PTRACE_POKETEXT, pid, at, (b->word & ~0xffL) | 0xcc) == 0;
}

static bool unbreak(pid_t pid, const breakpoint *b)
{
	return ptrace(PTRACE_POKETEXT, pid, b->at, b->word) == 0;
}

/* Runs the worker to a breakpoint, and resets it to the instruction there. */
static bool run_into(pid_t pid)
{
	return ptrace(PTRACE_CONT, pid, 0, 0) == 0 && wait_stop(pid, false, SIGTRAP)
		&& ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rip), ip_of(pid) - 1) == 0;
}

/* Runs the worker to the first instruction of the call. */
static bool approach(pid_t pid)
{
	breakpoint b;

	if (entry == 0) {
		read_maps(pid);
		for (long i = 0; i < APPROACH_MAX; i++) {
			if (!step(pid)) {
				return false;
			}
			if (in_module(ip_of(pid))) {
				entry = ip_of(pid);
				return true;
			}
		}
		errno = ENOENT;
		return false;
	}
	return break_at(pid, &b, entry) && run_into(pid) && unbreak(pid, &b);
}

static void count_passages(void)
{
	for (long i = 0; i < n_traced; i++) {
		nth[i] = 0;
		for (long j = i - 1; j >= 0; j--) {
			if (traced[j] == traced[i]) {
				nth[i] = nth[j] + 1;
				break;
			}
		}
	}
}

/* Returns the best instruction for a breakpoint before the k-th: each pass of a breakpoint costs as much as some five steps.
 * Carefully: only an address that the trace had for the first time, because a loop may have fewer turns the next time.
 * 0: steps alone are faster. */
static long leap_target(long k, bool carefully)
{
	long best = 0, best_cost = k;

	for (long i = k < n_traced ? k : 0; i > 0 && k - i < best_cost; i--) {
		long cost = 5 * (nth[i] + 1) + k - i;

		if (cost < best_cost && (nth[i] == 0 || !carefully)) {
			best = i;
			best_cost = cost;
		}
	}
	return best;
}

/* Runs the worker to an instruction of the trace. Returns false when it returned to its caller first, or for an error. */
static bool leap(pid_t pid, long target, uint64_t back_to)
{
	breakpoint there, back;
	bool ok;

	errno = 0;
	ok = break_at(pid, &back, back_to) && break_at(pid, &there, traced[target]) && run_into(pid);
	for (long i = 0; ok && i < nth[target] && ip_of(pid) == there.at; i++) {
		ok = unbreak(pid, &there) && step(pid) && break_at(pid, &there, traced[target]) && run_into(pid);
	}
	return ok && unbreak(pid, &there) && unbreak(pid, &back) && ip_of(pid) == there.at;
}

static void let_go(pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, 0, 0);
}

static void take(pid_t pid, const char *what, long k, const char *manner)
{
	bool trace = strcmp(what, "trace") == 0;
	uint64_t back_to, back_sp;
	long i;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) != 0) {
		answer_error("seize");
		return;
	}
	fprintf(answers, "seized %d\n", (int) pid);

	alarm(PATIENCE_S);
	if (!wait_stop(pid, false, SIGUSR1)) {
		answer_error("waiting for the sign");
		goto out;
	}
	share_core(pid);
	if (!approach(pid)) {
		answer_error("waiting for the call");
		goto out;
	}
	back_sp = sp_of(pid) + sizeof(uint64_t);
	back_to = (uint64_t) ptrace(PTRACE_PEEKDATA, pid, back_sp - sizeof(uint64_t), 0);

	i = trace || strcmp(manner, "slowly") == 0 ? 0 : leap_target(k, strcmp(manner, "carefully") == 0);
	if (i > 0 && !leap(pid, i, back_to)) {
		if (errno != 0) {
			answer_error("leaping");
			goto out;
		}
		fputs("missed\n", answers);
		let_go(pid);
		alarm(0);
		return;
	}
	for (; i < STEPS_MAX && (trace || i < k); i++) {
		if (trace) {
			traced[i] = ip_of(pid);
		}
		if (!step(pid)) {
			answer_error("stepping");
			goto out;
		}
		if (ip_of(pid) == back_to && sp_of(pid) == back_sp) {
			alarm(0);
			fprintf(answers, "returned %ld", i + 1);
			if (trace) {
				n_traced = i + 1;
				count_passages();
			}
			for (long j = 0; trace && j < n_traced; j++) {
				print_place(traced[j]);
			}
			fputc('\n', answers);
			let_go(pid);
			return;
		}
	}
	if (i == STEPS_MAX) {
		errno = ELOOP;
		answer_error("stepping");
		goto out;
	}

	alarm(0);
	fputs("at", answers);
	print_place(ip_of(pid));
	fputc('\n', answers);
	if (strcmp(what, "hold") == 0) {
		return;
	}
out:
	/* The worker's parent sees its end only after the tracer. */
	alarm(0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}

static void serve(FILE *commands)
{
	char line[128], what[16], manner[16];
	int pid, words;
	long k;

	while (fgets(line, sizeof(line), commands) != NULL) {
		k = 0;
		words = sscanf(line, "%15s %d %ld %15s", what, &pid, &k, manner);
		if (words < 2 || k < 0 || k > STEPS_MAX) {
			fprintf(answers, "error what is %s", line);
		} else if (strcmp(what, "resume") == 0) {
			let_go(pid);
			fprintf(answers, "resumed %d\n", pid);
		} else {
			take(pid, what, k, words == 4 ? manner : "");
		}
	}
}

static int check(void)
{
	pid_t pid = fork();
	bool may;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	may = pid > 0 && ptrace(PTRACE_SEIZE, pid, 0, 0) == 0;
	if (!may) {
		printf("ptrace: %s\n", strerror(errno));
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
	}
	return may ? 0 : 1;
}

/* Creates a pipe with other descriptors than the program's 3 and 4, whatever descriptors this process inherited. */
static int pipe_above(int ends[2], int least)
{
	int low[2];

	if (pipe(low) != 0) {
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, least);
		close(low[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_alarm};
	int down[2], up[2], status;
	FILE *commands;
	pid_t program;

	if (argc == 2 && strcmp(argv[1], "--check") == 0) {
		return check();
	}
	if (argc < 3) {
		fprintf(stderr, "usage: stepper MODULE PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	module = argv[1];
	if (pipe_above(down, HIGH) != 0 || pipe_above(up, HIGH) != 0) {
		perror("stepper");
		return 2;
	}
	program = fork();
	if (program == 0) {
		if (dup2(up[1], 3) == 3 && dup2(down[0], 4) == 4) {
			execvp(argv[2], argv + 2);
		}
		perror(argv[2]);
		_exit(127);
	}
	close(down[0]);
	close(up[1]);
	commands = fdopen(up[0], "r");
	answers = fdopen(down[1], "w");
	if (program < 0 || commands == NULL || answers == NULL) {
		perror("stepper");
		return 2;
	}
	setvbuf(answers, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &action, NULL); /* without SA_RESTART */

	serve(commands);
	/* Every fork has closed its end of the pipe: a worker that is still seized dies with the stepper. */
	waitpid(program, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
