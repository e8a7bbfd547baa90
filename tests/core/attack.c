/* An attacker maps the segment and writes whatever it likes into it, while others attach, decide, look, administer, fork
 * and detach. None of them may crash, hang, or touch memory outside of its mapping: around each mapping there are 8 GiB
 * on both sides that nothing may touch.
 *
 *     attack [SECONDS [SEED]]
 *
 * prints one line, and exits with 1 when a process died or stood still for a minute. */
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

#include "../../src/shm/ban_list.h"
#include "../../src/shm/breaker_table.h"
#include "../../src/shm/counter_fast.h"
#include "../../src/shm/deny_entry.h"
#include "../../src/shm/history.h"
#include "../../src/shm/lease_entry.h"
#include "../../src/shm/limiter_fast.h"
#include "../../src/shm/metrics.h"
#include "../../src/shm/record_cache.h"
#include "../../src/shm/refusal_sketch.h"
#include "../../src/shm/worker.h"
#include "attack_guard.h"
#include "harness.h"
#include "temporary.h"

#define BYTES      RL_SHM_BYTES_MIN
#define AROUND     ((size_t) 1 << 33) /* more than any 32-bit index of a record or bucket reaches */
#define VICTIMS    5
#define IDENTITIES 40
#define STILL_S    60
#define CALLS      400 /* between two attachments, at most */
#define S          RL_US_PER_SECOND

typedef struct {
	uint64_t calls, attached, refused, forks;
	uint32_t doing; /* an OP_* */
} progress;

static struct board {
	uint32_t stop;
	progress victims[VICTIMS];
} * board;

static char folder[256], path[300];

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

enum {
	OP_COUNT,
	OP_PEEK,
	OP_RESET,
	OP_ASK,
	OP_MANY,
	OP_STATS,
	OP_FAST,
	OP_WORD,
	OP_DENY,
	OP_LEASE,
	OP_BREAKER,
	OP_GUARD,
	OP_MONITOR,
	OP_LEAVE,
	OPS
};

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return test_random(seed) % n;
}

/* What holds for every decision, whatever stands in the segment. */
static void check_decision(const rl_decision *d, unsigned n_limits)
{
	if (d->accepted != (d->reason == RL_ACCEPTED) || d->limit_index >= n_limits || d->remaining > d->limit
		|| d->retry_after_us < 0 || d->reset_after_us < 0) {
		abort();
	}
}

static rl_key any_key(uint64_t *seed, rl_space space)
{
	return test_key(space, "attacked", (int64_t) below(seed, IDENTITIES));
}

static void see_metrics(void *context, const rl_metrics *metrics)
{
	*(unsigned *) context += metrics->n_limits;
	if (metrics->name_len > RL_NAME_MAX || metrics->n_limits > RL_LIMIT_METER_SLOTS + 1) {
		abort();
	}
}

/* Counts, notes and lists what was decided. */
static void monitor(uint64_t *seed)
{
	static rl_sketch_row rows[16];
	static rl_ban_row bans[16];
	rl_history_point points[RL_HISTORY_ROOM + 1];
	rl_key key = any_key(seed, RL_SPACE_ACTION);
	uint64_t name = rl_subject_name_id(key.space, key.name, key.name_len);
	rl_meter *meter = rl_metrics_of(RL_KIND_ACTION, key.name, key.name_len);
	unsigned limits = 0;
	size_t i, n;

	rl_meter_add(meter, RL_METER_REFUSED, 1);
	rl_limit_counts_add(rl_metrics_of_limit(meter, "limit", 5), RL_LIMIT_METER_REFUSED);
	rl_sketch_add(name, RL_KIND_ACTION, &key, 1, 1);
	rl_ban_list_put(name, RL_KIND_ACTION, &key, S, 1);
	if (below(seed, 4) == 0) {
		rl_sketch_forget(name, &key);
		rl_ban_list_forget(name, &key);
	}
	rl_metrics_each(see_metrics, &limits);
	n = rl_sketch_top(rows, 16);
	for (i = 0; i < n; i++) {
		if (rows[i].subject.name_len > RL_SUBJECT_NAME_MAX || rows[i].subject.id_len > RL_SUBJECT_ID_MAX) {
			abort();
		}
	}
	if (n > 16 || rl_ban_list_read(bans, 16) > 16 || rl_history_read(points) > RL_HISTORY_ROOM + 1) {
		abort();
	}
}

static rl_question any_question(uint64_t *seed)
{
	static const rl_op ops[] = {RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_PEEK, RL_OP_RESERVE, RL_OP_CANCEL};
	static const uint32_t limits[] = {1, 3, 10, 100, 1000, 9000};
	rl_question q = {.op = ops[below(seed, sizeof ops / sizeof ops[0])], .n_limits = (uint8_t) (1 + below(seed, 3))};
	int64_t wall_us = rl_clock_wall_us();
	unsigned i;

	/* A booking is for one log. */
	if (q.op == RL_OP_RESERVE || q.op == RL_OP_CANCEL) {
		q.n_limits = 1;
	}
	q.cost = (uint32_t) (1 + below(seed, 4) * below(seed, 40));
	q.at_us = wall_us + (int64_t) below(seed, 100) * S;
	for (i = 0; i < q.n_limits; i++) {
		rl_algorithm algorithm = (rl_algorithm) (1 + below(seed, RL_ALGORITHMS));
		rl_limit *l = &q.limits[i];

		*l = test_limit(q.n_limits == 1 && q.op != RL_OP_CONSUME && q.op != RL_OP_PEEK ? RL_SLIDING_LOG : algorithm,
			limits[below(seed, sizeof limits / sizeof limits[0])], (int64_t) (1 + below(seed, 3600)) * S);
		if (l->algorithm == RL_CALENDAR_WINDOW) {
			l->period = RL_MINUTE;
			l->period_us = 0;
			l->boundary[0] = wall_us - S;
			l->boundary[1] = wall_us + 59 * S;
			l->boundary[2] = wall_us + 119 * S;
		}
		l->ban = below(seed, 3) == 0 ? RL_BAN_FOR : RL_BAN_NONE;
		l->ban_us = 30 * S;
		if (q.cost > l->limit) {
			q.cost = l->limit;
		}
	}
	return q;
}

static void ask(rl_store *store, uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_question q = any_question(seed);
	rl_answer a;
	rl_error e;

	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK && q.op != RL_OP_CANCEL) {
		check_decision(&a.decision, q.n_limits);
	}
}

/* Decides by a one-word state, on each of its ways. */
static void word(rl_store *store, uint64_t *seed)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET};
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_question q = any_question(seed);
	rl_limit *l = &q.limits[0];
	rl_decision d;
	rl_answer a;
	rl_error e;

	*l = test_limit(algorithms[below(seed, 3)], 100, below(seed, 2) == 0 ? 60 * S : 3600 * S);
	if (l->algorithm == RL_CALENDAR_WINDOW) {
		int64_t wall_us = rl_clock_wall_us();

		l->period = RL_MINUTE;
		l->boundary[0] = wall_us - S;
		l->boundary[1] = wall_us + 59 * S;
		l->boundary[2] = wall_us + 119 * S;
	}
	q = test_question(RL_OP_CONSUME, *l, 1);
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
	if (rl_limiter_fast(&key, l, 1 + below(seed, 3), &d)) {
		check_decision(&d, 1);
	}
	(void) rl_limiter_verdict(&key, l, 1 + below(seed, 3));
}

static void count(rl_store *store, uint64_t *seed, bool peek)
{
	rl_key key = any_key(seed, RL_SPACE_ACTION);
	rl_counter_question q = {.seconds = (uint32_t) (1 + below(seed, 3600)),
		.limit = (uint32_t) (1 + below(seed, 1000)),
		.ban = below(seed, 3) == 0 ? RL_BAN_FOR : RL_BAN_NONE,
		.ban_s = 60};
	rl_decision d;
	rl_error e;

	if ((peek ? store->ops->peek : store->ops->count)(store, &key, &q, &d, &e) == RL_OK) {
		check_decision(&d, 1);
	}
}

static void fast(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_ACTION);

	(void) rl_counter_fast(&key, (uint32_t) (1 + below(seed, 1000)), below(seed, 2));
#ifdef RL_HASH_HAS_AES
	if (rl_shm.hash_kind == RL_HASH_AES) {
		(void) rl_counter_fast_aes(key.name, key.name_len, key.int_id, 10, below(seed, 2));
	}
#endif
}

static void deny(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_place p = rl_deny_place_of(&key, (rl_deny_key){1, 2}, true);
	int64_t now_us = rl_segment_us(&rl_shm, rl_clock_true_us());
	rl_deny_entry entry = {.end_us = now_us + 10 * S, .at_us = now_us, .retry_us = now_us + 10 * S};

	(void) rl_deny_lookup(p, &entry);
	rl_deny_store(p, &entry);
	if (below(seed, 8) == 0) {
		rl_deny_invalidate(&key);
	}
}

static void lease(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_lease_now now = rl_lease_now_read();
	rl_lease_place p = rl_lease_place_of(&key, (rl_deny_key){3, 4}, now.epoch);
	rl_lease_entry seen;

	(void) rl_lease_entry_take(p, (uint32_t) below(seed, 5), below(seed, 2), &seen);
	rl_lease_entry_put(p, 10, now.now_us + S);
}

static void see_breaker(void *context, const rl_breaker *breaker)
{
	char reason[RL_BREAKER_REASON_MAX];
	rl_breaker_facts facts;

	rl_breaker_read(breaker, &facts);
	rl_breaker_get_reason(breaker, reason);
	*(size_t *) context += strlen(facts.label) + strlen(reason);
}

static void breaker(uint64_t *seed)
{
	char dsn[32];
	size_t letters = 0;
	rl_breaker_name name;
	rl_breaker *place;
	rl_breaker_words words;

	snprintf(dsn, sizeof dsn, "redis://%u", (unsigned) below(seed, 4));
	name = rl_breaker_name_of(dsn, strlen(dsn), dsn);
	place = rl_breaker_place(&name, rl_shm_now_us());
	if (place != NULL && rl_breaker_load(place, name.id, &words)) {
		(void) rl_breaker_cas(place, &words, below(seed, 3), words.since_us + 1);
		rl_breaker_add_failure(place);
		rl_breaker_add_latency(place, 1000);
		rl_breaker_set_reason(place, dsn);
	}
	rl_breakers_each(see_breaker, &letters);
}

static void guarded(uint64_t *seed)
{
	rl_space space = below(seed, 2) ? RL_SPACE_LIMITER : RL_SPACE_ACTION;
	rl_key keys[] = {any_key(seed, space), any_key(seed, space), any_key(seed, space), any_key(seed, space)};

	guard_call(keys, seed);
}

static void administer(rl_store *store, unsigned op, uint64_t *seed)
{
	rl_key keys[3] = {any_key(seed, RL_SPACE_LIMITER), any_key(seed, RL_SPACE_LIMITER), any_key(seed, RL_SPACE_ACTION)};
	rl_question q = any_question(seed);
	rl_status statuses[3];
	rl_answer answers[3];
	rl_shm_stats stats;
	rl_error e;
	bool found;

	switch (op) {
		case OP_RESET:
			(void) store->ops->command(store, &keys[2], &(rl_counter_command){.op = RL_OP_RESET}, &found, &e);
			break;
		case OP_MANY:
			(void) store->ops->ask_many(store, keys, 2, &q, answers, statuses, &e);
			break;
		case OP_STATS:
			rl_shm_stats_read(&stats);
			break;
		default:
			rl_shm_leave_thread();
			break;
	}
}

static void one_call(progress *mine, uint64_t *seed)
{
	rl_store *store = rl_shm_store();
	unsigned op = (unsigned) below(seed, OPS);

	/* Most calls are decisions; the rest is rare, as in life. */
	if (op >= OP_MANY && below(seed, 4) != 0) {
		op = below(seed, 3) != 0 ? OP_ASK : OP_GUARD;
	}
	__atomic_store_n(&mine->doing, op, __ATOMIC_RELAXED);
	switch (op) {
		case OP_COUNT:
		case OP_PEEK:
			count(store, seed, op == OP_PEEK);
			break;
		case OP_ASK:
			ask(store, seed);
			break;
		case OP_FAST:
			fast(seed);
			break;
		case OP_WORD:
			word(store, seed);
			break;
		case OP_DENY:
			deny(seed);
			break;
		case OP_LEASE:
			lease(seed);
			break;
		case OP_BREAKER:
			breaker(seed);
			break;
		case OP_GUARD:
			guarded(seed);
			break;
		case OP_MONITOR:
			monitor(seed);
			break;
		default:
			administer(store, op, seed);
			break;
	}
	__atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);
}

/* A child that decides and dies in the middle of what it holds. */
static void fork_one(progress *mine, uint64_t seed)
{
	pid_t pid = fork();
	int status, i;

	if (pid == 0) {
		for (i = 0; i < 50; i++) {
			one_call(mine, &seed);
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
			one_call(mine, &seed);
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

static void be_attacker(const uint64_t *pristine, uint64_t seed)
{
	int fd = open(path, O_RDWR);
	uint64_t *words = (void *) syscall(SYS_mmap, NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t) 0);
	rl_header plan = *(const rl_header *) (const void *) pristine;

	if (words == MAP_FAILED) {
		_exit(2);
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
	int64_t moved_us[VICTIMS], end_us = rl_clock_true_us() + (int64_t) (seconds * S), now_us;
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
			} else if (now_us - moved_us[i] > STILL_S * S) {
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
		one_call(&unused, &seed);
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
