/* Overwrites words of a segment, as a damaged file may have them, and then asks it for decisions.
 *
 * The segment is mapped into the middle of unmapped memory (__wrap_mmap), and its unused parts are poisoned: a step
 * outside is a crash. Hash key and clock are fixed, so that an input means the same in every process. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "input.h"

#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/shm/segment/clock.h"
#include "../../src/shm/process/worker.h"
#include "../../src/shm/segment/header.h"
#include "../../src/shm/record/record_internal.h"
#include "../../src/shm/store/store_internal.h"
#include "../../src/shm/store/counter_fast.h"
#include "../../src/shm/record/record_cache.h"
#include "../c/include/temporary.h"
#include "../../src/shm/store/shm.h"

#define BYTES      RL_SHM_BYTES_MIN
#define AROUND     ((size_t) 1 << 33) /* more than any unit or bucket number reaches */
#define MONO_US    INT64_C(86400000000)
#define WALL_US    INT64_C(1900000000000000)
#define IDENTITIES 24

static char path[256];
static char *pristine;

/* ---- The mapping ---- */

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	static char *nothing;

	if (at != NULL || bytes != BYTES || fd < 0 || !(flags & MAP_SHARED)) {
		return __real_mmap(at, bytes, protection, flags, fd, offset);
	}
	if (nothing == NULL) {
		nothing = __real_mmap(NULL, 2 * AROUND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		must(nothing != MAP_FAILED);
	}
	return __real_mmap(nothing + AROUND, bytes, protection, flags | MAP_FIXED, fd, offset);
}

/* ---- The segment before the damage ---- */

static void poison(void)
{
	const rl_segment *s = &rl_shm;
	char *end = (char *) s->header + BYTES, *records_end = (char *) &s->records[s->n_pages * RL_UNITS_PER_PAGE];
	uint64_t i;

	ASAN_POISON_MEMORY_REGION((char *) s->header + sizeof *s->header, RL_HEADER_BYTES - sizeof *s->header);
	for (i = 0; i < s->n_workers; i++) {
		ASAN_POISON_MEMORY_REGION((char *) rl_worker_at(s, i) + sizeof(rl_worker), RL_WORKER_BYTES - sizeof(rl_worker));
	}
	ASAN_POISON_MEMORY_REGION(records_end, (size_t) (end - records_end));
}

static void unpoison(void)
{
	ASAN_UNPOISON_MEMORY_REGION(rl_shm.header, BYTES);
}

static void freeze(int64_t ahead_us)
{
	rl_clock_frozen = (rl_clock_test){.frozen = true, .now = {MONO_US + ahead_us, WALL_US + ahead_us}};
}

static bool attach(void)
{
	rl_shm_options options = {.bytes = BYTES, .path = path};
	char message[512];

	return rl_shm_startup(&options, message, sizeof message);
}

static rl_key key_of(unsigned i, rl_space space)
{
	return (rl_key){.space = space, .is_int = true, .name = "name", .name_len = 4, .int_id = i};
}

static bool is_booking_limit(rl_algorithm algorithm)
{
	return algorithm == RL_SLIDING_LOG || algorithm == RL_CALENDAR_WINDOW;
}

/* Creates counters and states of every kind and many sizes; some are bans, some have ended before the input is read. */
static void populate(rl_store *store)
{
	unsigned i, calls;

	for (i = 0; i < IDENTITIES; i++) {
		rl_key plain = key_of(i, RL_SPACE_ACTION), limiter = key_of(i, RL_SPACE_LIMITER);
		rl_algorithm algorithm = (rl_algorithm) (1 + i % RL_ALGORITHMS);
		rl_counter_question p = {.seconds = i % 4 == 0 ? 1 : 60,
			.limit = 5,
			.ban = i % 3 == 0 ? RL_BAN_FOR : RL_BAN_NONE,
			.ban_s = 60};
		rl_question q = {.op = RL_OP_CONSUME, .n_limits = (uint8_t) (1 + i % 2), .cost = 1};
		rl_limit limit = {
			.algorithm = algorithm,
			.period = RL_MINUTE,
			.limit = i < 20 ? 10 : 9000,
			.rate = algorithm == RL_TOKEN_BUCKET ? 10 : 0,
			.period_us = algorithm == RL_CALENDAR_WINDOW ? 0 : (int64_t) (1 + i) * RL_US_PER_SECOND,
			.boundary = {WALL_US - 1000000, WALL_US + 59000000, WALL_US + 119000000},
			.ban = i % 5 == 0 ? RL_BAN_FOR : RL_BAN_NONE,
			.ban_us = 30000000,
		};
		rl_decision d;
		rl_answer a;
		rl_error e;

		q.limits[0] = limit;
		q.limits[1] = limit;
		q.limits[1].limit = 9999;
		q.cost = i == 22 ? 8 : 1; /* a log of several pages */
		q.op = i % 3 == 1 && is_booking_limit(algorithm) ? RL_OP_RESERVE : RL_OP_CONSUME;
		for (calls = 0; calls < (i < 20 ? 3 * i : 700); calls++) {
			q.at_us = WALL_US + (int64_t) calls * (i == 22 ? 10000000 : 700);
			(void) store->ops->count(store, &plain, &p, &d, &e);
			(void) store->ops->ask(store, &limiter, &q, &a, &e);
			freeze((int64_t) calls * 500);
		}
		freeze(0);
	}
}

/* Forks workers that die while they hold records. */
static void leave_the_dead(rl_store *store, int n)
{
	pid_t child;

	if (n == 0) {
		return;
	}
	child = fork();
	if (child == 0) {
		populate(store);
		leave_the_dead(store, n - 1);
		_exit(0);
	}
	must(child > 0 && waitpid(child, NULL, 0) == child);
}

static void copy_where_changed(const char *from, char *to, size_t bytes)
{
	while (bytes > 0) {
		size_t n = bytes < RL_HEADER_BYTES ? bytes : RL_HEADER_BYTES;

		if (memcmp(from, to, n) != 0) {
			memcpy(to, from, n);
		}
		from += n;
		to += n;
		bytes -= n;
	}
}

static void tidy_up(void)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

void prepare_segment(void)
{
	uint8_t *key;
	size_t i;

	must(make_temporary_folder(path, sizeof path - sizeof "/shm", "ratelimit-fuzz"));
	strcat(path, "/shm");
	freeze(0);
	must(attach());
	key = (uint8_t *) &rl_shm.header->hash_key;
	for (i = 0; i < sizeof rl_shm.header->hash_key; i++) {
		key[i] = (uint8_t) (i * 167 + 13);
	}
	must(rl_worker_register() != NULL);
	populate(rl_shm_store());
	leave_the_dead(rl_shm_store(), 2);
	rl_shm_leave_thread();
	must((pristine = malloc(BYTES)) != NULL);
	memcpy(pristine, rl_shm.header, BYTES);
	atexit(tidy_up);
}

/* ---- Damage ---- */

static uint64_t any_word(input *in, uint64_t was)
{
	unsigned kind = (unsigned) take(in, 1), bit = kind / 8 % 32 + kind % 2 * 32;

	switch (kind % 8 / 2) {
		case 0:
			return take(in, 8);
		case 1:
			return was ^ UINT64_C(1) << bit;
		case 2:
			return was + (take(in, 1) - 128);
		default:
			return was ^ take(in, 2) << (bit % 48);
	}
}

static rl_entry *cell_of(unsigned i, rl_space space)
{
	rl_key key = key_of(i % IDENTITIES, space);

	return rl_table_find(&rl_shm, rl_shm_position(&rl_shm, &key, space == RL_SPACE_LIMITER));
}

static uint64_t *record_word(input *in, const rl_entry *entry)
{
	size_t words;
	rl_record *r = entry != NULL ? rl_record_at(&rl_shm, entry, entry->pair.b, &words) : NULL;

	return r != NULL ? &r->owner + take(in, 1) % (words + RL_RECORD_HEAD_WORDS) : NULL;
}

/* Returns a word, most often one in use; NULL: none. */
static uint64_t *any_place(input *in)
{
	const rl_segment *s = &rl_shm;
	char *base = (char *) s->header;
	unsigned where = (unsigned) take(in, 1), i = where / 8;
	rl_entry *entry = cell_of(i, where % 8 < 2 ? RL_SPACE_ACTION : RL_SPACE_LIMITER);
	rl_key key = key_of(i % IDENTITIES, RL_SPACE_LIMITER);
	size_t first = s->header->stripes_at, end = s->header->records_at + s->n_pages * RL_UNITS_PER_PAGE * RL_UNIT_BYTES;

	switch (where % 8) {
		case 0:
			return entry != NULL ? &entry->pair.b : NULL;
		case 1:
		case 2:
			return entry == NULL ? NULL : i % 2 ? &entry->pair.a : &entry->pair.b;
		case 3:
			return record_word(in, entry);
		case 4:
			return i % 2 ? &s->pages[(i + take(in, 1)) % s->n_pages].word
						 : &s->pages[(i + take(in, 1)) % s->n_pages].floor;
		case 5: {
			rl_stripe *stripe = &s->stripes[rl_shm_position(s, &key, true).home / RL_BUCKETS_PER_STRIPE];

			return take(in, 1) % 2 ? &stripe->pair.a : &stripe->pair.b;
		}
		case 6:
			if (i % 2) {
				rl_pair *terms = (rl_pair *) (void *) ((char *) s->terms
					+ (entry != NULL ? entry->pair.a & RL_FP_TERMS : 0));

				return take(in, 1) % 2 ? &terms->a : &terms->b;
			}
			return (uint64_t *) (void *) rl_worker_at(s, i % 4) + take(in, 1) % (sizeof(rl_worker) / 8);
		default:
			return (uint64_t *) (void *) (base + first) + take(in, 4) % ((end - first) / 8);
	}
}

/* Overwrites one word, or several that follow in the same area, every one or every other: a full table, no free page. */
static void overwrite(input *in, uint64_t *word)
{
	const rl_segment *s = &rl_shm;
	uint64_t *end = (uint64_t *) (void *) &s->records[s->n_pages * RL_UNITS_PER_PAGE], value = any_word(in, *word);
	unsigned shape = (unsigned) take(in, 1), n = 1;

	if (shape % 8 == 0 && (char *) word >= (char *) s->stripes) {
		n = (unsigned) take(in, 1);
	}
	for (; n > 0 && word < end; n--, word += 1 + shape / 8 % 2) {
		*word = value;
	}
}

static void damage(input *in)
{
	unsigned n = (unsigned) take(in, 1) % 12;

	while (n-- > 0 && in->left > 0) {
		uint64_t *word = any_place(in);

		if (word != NULL) {
			overwrite(in, word);
		}
	}
}

/* ---- Questions ---- */

static void ask(input *in)
{
	rl_store *store = rl_shm_store();
	int64_t wall_us = rl_clock_wall_us();
	unsigned what = (unsigned) take(in, 1), i = (unsigned) take(in, 1);
	/* Existing identities, and sometimes a new one. */
	rl_key plain = key_of(i % (IDENTITIES + 4), RL_SPACE_ACTION),
		   limiter = key_of(i % (IDENTITIES + 4), RL_SPACE_LIMITER);
	rl_key many[3] = {limiter, key_of(i % IDENTITIES + 1, RL_SPACE_LIMITER), limiter};
	rl_counter_question p;
	rl_question q;
	rl_decision d;
	rl_answer a, answers[3];
	rl_error e;
	rl_status status, statuses[3];
	rl_shm_stats stats;
	bool found;

	switch (what % 8) {
		case 0:
			p = make_plain_question(in, wall_us);
			if ((what / 8 % 4 ? store->ops->count : store->ops->peek)(store, &plain, &p, &d, &e) == RL_OK) {
				check_decision(&d, 1);
			}
			break;
		case 1:
			(void) store->ops->command(store, &plain,
				&(rl_counter_command){.op = (rl_op) (RL_OP_BAN + what / 8 % 3),
					.ban = RL_BAN_FOR,
					.ban_ms = between(in, 0, 90000)},
				&found, &e);
			break;
		case 2:
			(void) rl_clock_advance(between(in, 0, 90000000));
			break;
		case 3:
			if (what / 8 % 4 == 0) {
				rl_shm_leave_thread();
			}
			rl_shm_stats_read(&stats);
			rl_clock_frozen.frozen = false;
			(void) rl_counter_fast(&plain, i, what & 64);
#ifdef RL_HASH_HAS_AES
			(void) rl_counter_fast_aes(plain.name, plain.name_len, plain.int_id, i, what & 64);
#endif
			rl_clock_frozen.frozen = true;
			break;
		default:
			q = make_question(in, wall_us);
			if (what == 0xff) {
				(void) store->ops->ask_many(store, many, 3, (const rl_question *[3]){&q, &q, &q}, answers, statuses,
					&e);
				break;
			}
			status = store->ops->ask(store, &limiter, &q, &a, &e);
			if (status == RL_OK && (q.op == RL_OP_CONSUME || q.op == RL_OP_PEEK || q.op == RL_OP_RESERVE)) {
				check_decision(&a.decision, q.n_limits);
			}
			break;
	}
}

static void begin(void)
{
	freeze(0);
	rl_record_alloc_after_fork(); /* resets the cursors for each input */
	copy_where_changed(pristine, (char *) rl_shm.header, BYTES);
	rl_segment_view(&rl_shm, rl_shm.header, (const rl_header *) (const void *) pristine);
	must(rl_worker_register() != NULL);
}

static void question_it(input *in)
{
	unsigned asked;
	rl_header before = *rl_shm.header;

	poison();
	for (asked = 0; asked < 64 && in->left > 0; asked++) {
		ask(in);
	}
	rl_shm_leave_thread();
	unpoison();
	before.n_workers_used = rl_shm.header->n_workers_used;
	before.removals = rl_shm.header->removals;
	before.reached_us = rl_shm.header->reached_us;
	before.ban_share = rl_shm.header->ban_share;
	before.history_minute = rl_shm.header->history_minute;
	memcpy(before.found_last, rl_shm.header->found_last, sizeof before.found_last);
	memcpy(before.full_groups, rl_shm.header->full_groups, sizeof before.full_groups);
	must(memcmp(&before, rl_shm.header, sizeof before) == 0);
}

void fuzz_segment(input *in)
{
	begin();
	damage(in);
	question_it(in);
}

/* The same, on a file whose header is damaged, too, before it is opened. */
void fuzz_attach(input *in)
{
	uint64_t *header;
	unsigned n;

	begin();
	damage(in);
	header = (uint64_t *) (void *) rl_shm.header;
	n = (unsigned) take(in, 1);
	if (n >= 0xf0) {
		rl_shm.header->hash_kind = RL_HASH_SIP; /* made on another processor */
	}
	for (n %= 4; n > 0; n--) {
		unsigned at = (unsigned) take(in, 1);

		at %= (at & 128 ? offsetof(rl_header, hash_key) : sizeof *rl_shm.header) / 8;
		header[at] = any_word(in, header[at]);
	}
	rl_shm_shutdown();
	if (!attach()) {
		must(rl_shm_store() == NULL && unlink(path) == 0 && attach());
		return; /* a new segment: the next input restores the initial state over it */
	}
	question_it(in);
}
