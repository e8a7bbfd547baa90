/* The code reads a word of the segment once. Each call of the store, of the guard and of the monitor runs in a build whose
 * every access calls a function here (-fsanitize=thread, without its library). In one call no word is read twice, but by the functions
 * that the list below names: most of them compare it with what was read before. No access is an ordinary one, which a compiler may
 * repeat, but a copy. Prints the places that break this, and exits with 1.
 *
 *     reads_test [CALLS [SEED]]
 *
 * Needs a binary at fixed addresses, and addr2line, which knows the functions that were inlined. */
#include <unistd.h>

static void begin_call(void);
#define ATTACK_CALL() begin_call()
#include "src/shm/machine/debt_entry.h"
#include "attack_calls.h"
#include "src/shm/store/store_internal.h"

#define HOOK  __attribute__((no_sanitize("thread"), noinline))
#define BYTES ((size_t) 4 << 20) /* of fewer, no worker keeps a record of its own */

/* ---- The exceptions ---- */

/* A function may read a part of the segment again after another one. "": after any. */
static const struct exception {
	const char *part, *function, *after;
} again[] = {
	/* Compares with what was read before: a value that has changed ends the attempt. */
	{"buckets", "rl_entry_has", ""},
	{"buckets", "rl_counter_fast_in_entry", "rl_counter_fast_aes"},
	{"buckets", "rl_counter_fast_in_entry", "rl_counter_fast"},
	{"buckets", "rl_record_publication", ""},
	{"records", "rl_record_publication", ""},
	{"records", "referred", ""},
	{"stripes", "complete_insert", "rl_table_claim"},
	{"terms", "note_terms", ""},
	{"terms", "set_units", ""},
	{"generations", "rl_shm_mark_holds", ""},
	{"demands", "rl_demand_table_ask", "demand_word"},
	{"monitor", "free_entry", "free_entries"},
	{"breakers", "words_of", ""},
	{"header", "rl_lease_now_read", ""},

	/* Searches again, whatever was read of the entries before. */
	{"buckets", "rl_table_find", ""},
	{"buckets", "scan_buckets", ""},
	{"stripes", "rl_table_claim", ""},
	/* Reads what a search has found, and checks that alone. */
	{"buckets", "", "rl_table_find"},
	{"buckets", "", "scan_buckets"},
	{"buckets", "", "rl_bucket_match"},
	{"buckets", "", "rl_shm_mirror_mark"},
	{"buckets", "", "rl_shm_mirror_renew_counter"},
	{"buckets", "rl_bucket_match", "rl_counter_fast_aes"},
	{"buckets", "read_list", ""},
	{"records", "read_list", "move_record"},
	/* Begins again, because its entry or its record has made room for another one meanwhile. */
	{"buckets", "read_state", "rl_record_publication"},
	{"records", "copy_words", "move_record"},
	{"records", "copy_words", "rl_record_worth_of"},
	{"records", "rl_fast_copy", "move_record"},
	/* Decides anew, by its own copy, where the way before has left the call as it was. */
	{"buckets", "rl_fast_find", ""},
	{"buckets", "ban_word_refuses", ""},
	{"terms", "ban_word_refuses", ""},
	/* Another state of these terms in one call: each has its own copy. */
	{"terms", "read_terms", "read_terms"},
	{"terms", "read_terms", "note_terms"},
	{"terms", "read_terms", "rl_terms_are"},
	{"buckets", "read_state", "rl_shm_mirror_usual"},
	{"records", "copy_words", "rl_fast_copy"},

	/* Looks at a record or a page again, and judges it anew: an eviction is decided by the latest look, a claim by its swap. */
	{"records", "rl_record_inspect", ""},
	{"records", "rl_page_can_empty", ""},
	{"records", "rl_record_worth_of", ""},
	{"records", "evict_ban", ""},
	{"pages", "look_at_random", ""},
	{"pages", "next_page", ""},
	{"pages", "rl_page_is_of", ""},
	{"pages", "rl_page_reassign", ""},
	{"pages", "rl_page_hold", ""},
	{"pages", "rl_page_run_head", ""},
	{"pages", "take_page_of_group", ""},
	{"pages", "group_has_free_page", ""},
	{"pages", "can_hold", ""},
	{"pages", "empty_run", ""},
	{"pages", "rl_run_take_free", ""},
	{"header", "rl_page_take_free", ""},
	/* Moves a state that nobody has to check: who reads it does. */
	{"records", "move_record", ""},
	/* Names a publication of this thread's own record: a wrong name is one that no reader finds. */
	{"records", "rl_record_count", ""},
	{"records", "rl_record_prepare", ""},
	{"records", "rl_record_put", ""},
	{"pages", "rl_record_count", ""},
	{"pages", "rl_record_prepare", ""},
	{"pages", "rl_page_raise_floor", ""},
	{"pages", "format_page", ""},
	{"pages", "make_run", ""},

	/* A new minute: what this call has written is read, and checked, as what others have written. */
	{"monitor", "read_history_entry", "rl_history_note"},
	{"workers", "rl_stat_read", "rl_stat_read"},

	/* One number, of which each read is used alone. */
	{"breakers", "", ""},
	{"generations", "rl_deny_position", ""},
	{"generations", "rl_shm_mirror_mark", ""},
	{"header", "debts_end_at", ""},
	{"header", "rl_debts_exist", ""},
	{"header", "raise_workers_used", ""},
	{"header", "rl_workers_used", ""},
	{"header", "rl_lease_epoch", ""},
	{"header", "rl_segment_note_time", ""},
	{"header", "rl_history_note", ""},
	{"header", "note_share", ""},
	/* A worker's own words; of another one, its claim is compared. */
	{"workers", "rl_owner_me", ""},
	{"workers", "load_claim", ""},
	{"workers", "rl_worker_stat_add", ""},
	{"workers", "rl_stat_add_many", ""},
	{"workers", "count_insertion", ""},
};

/* A function may read ordinarily: it makes a private copy, or chooses an entry that is then read, or adds to this thread's count. */
static const struct exception ordinary[] = {
	{"records", "copy_words", ""},
	{"records", "rl_fast_copy", ""},
	{"records", "read_list", ""},
	{"records", "move_record", ""},
	{"buckets", "rl_bucket_match", ""},
	{"workers", "rl_worker_stat_add", ""},
	{"workers", "rl_stat_add_many", ""},
	{"workers", "count_insertion", ""},
};

/* Functions that stand for their caller. */
static const char *const plumbing[] = {"rl_load", "rl_terms_read", "rl_entry_find", "_mm_load_si128"};

/* Functions that must have had an access: the ways of a decision, and what makes room. */
static const char *const ways[] = {
	"rl_counter_fast_in_entry",
	"shm_count",
	"word_window_step",
	"word_find_bucket",
	"rl_limiter_fast_several",
	"rl_limiter_record_at",
	"record_log",
	"record_sliding",
	"rl_record_replace",
	"record_try_long",
	"ban_word_refuses",
	"rl_limiter_admit",
	"rl_limiter_admit_by_record",
	"rl_limiter_part",
	"copy_usual",
	"insert_entry",
	"read_state",
	"read_terms",
	"rl_shm_mark_holds",
	"rl_shm_mirror_counter",
	"rl_deny_read",
	"rl_lease_entry_take",
	"rl_debt_add",
	"rl_debt_mark",
	"debt_take",
	"read_list",
	"complete_insert",
	"rl_record_evict",
	"evict_ban",
	"move_record",
#ifdef RL_HASH_HAS_AES
	"verdict_at",
#endif
};

/* ---- Accesses ---- */

typedef struct {
	const void *site;
	uint32_t call;
} last_access;

/* A place that has read what another one had read or written in this call; before NULL: a place that reads ordinarily. */
typedef struct {
	const void *site, *before;
	const char *part; /* of the segment */
} finding;

static last_access *seen; /* of each byte of the segment */
static uint32_t calls;
static const void *sites[1u << 14]; /* by their hash */
static finding findings[4096];
static unsigned n_findings;
static uint64_t reads;

HOOK static void begin_call(void)
{
	calls++;
}

/* Returns the name of a part of the segment. */
HOOK static const char *part_of(size_t offset)
{
	const struct {
		const void *begin;
		const char *name;
	} parts[] = {
		{rl_shm.records, "records"},
		{rl_shm.pages, "pages"},
		{rl_shm.buckets, "buckets"},
		{rl_shm.stripes, "stripes"},
		{rl_shm.monitor, "monitor"},
		{rl_shm.demands, "demands"},
		{rl_shm.generations, "generations"},
		{rl_shm.breakers, "breakers"},
		{rl_shm.workers, "workers"},
		{rl_shm.terms, "terms"},
		{rl_shm.header, "header"},
	};
	unsigned i = 0;

	while ((const char *) rl_shm.header + offset < (const char *) parts[i].begin) {
		i++;
	}
	return parts[i].name;
}

HOOK static void note(const void *site, const void *before, size_t offset)
{
	const char *part = part_of(offset);
	unsigned i = 0;

	while (i < n_findings && (findings[i].site != site || findings[i].before != before || findings[i].part != part)) {
		i++;
	}
	if (i == n_findings && n_findings < sizeof findings / sizeof *findings) {
		findings[n_findings++] = (finding){.site = site, .before = before, .part = part};
	}
}

/* Returns the index of a site, which is that of a free place before it is noted. */
HOOK static size_t site_number(const void *site)
{
	size_t i = (uintptr_t) site * 0x9e3779b1u % (sizeof sites / sizeof *sites);

	while (sites[i] != NULL && sites[i] != site) {
		i = (i + 1) % (sizeof sites / sizeof *sites);
	}
	return i;
}

HOOK static void see(const volatile void *at, size_t bytes, bool reading, bool atomic, const void *site)
{
	size_t offset = (size_t) ((const volatile char *) at - (const volatile char *) rl_shm.header), i;
	const void *before = NULL;

	/* The key of the hash is any bytes: a changed one finds another identity. */
	if (rl_shm.header == NULL || seen == NULL || offset >= BYTES
		|| offset - offsetof(rl_header, hash_key) < sizeof(rl_hash_key)) {
		return;
	}
	for (i = offset; i < offset + bytes && i < BYTES; i++) {
		before = seen[i].call == calls ? seen[i].site : before;
		seen[i] = (last_access){site, calls};
	}
	sites[site_number(site)] = site;
	reads += reading;
	if (reading && !atomic) {
		note(site, NULL, offset);
	}
	if (reading && before != NULL) {
		note(site, before, offset);
	}
}

#define SITE __builtin_return_address(0)
#define ACCESS(name, bytes, reading)                                                                                   \
 HOOK void __tsan_##name(void *at)                                                                                     \
 {                                                                                                                     \
  see(at, bytes, reading, false, SITE);                                                                                \
 }
#define ACCESSES(bytes)  ACCESS(read##bytes, bytes, true) ACCESS(write##bytes, bytes, false)
#define UNALIGNED(bytes) ACCESS(unaligned_read##bytes, bytes, true) ACCESS(unaligned_write##bytes, bytes, false)
#define ATOMIC(bits)                                                                                                   \
 HOOK uint##bits##_t __tsan_atomic##bits##_load(const volatile void *at, int order)                                    \
 {                                                                                                                     \
  (void) order;                                                                                                        \
  see(at, bits / 8, true, true, SITE);                                                                                 \
  return __atomic_load_n((const uint##bits##_t *) at, __ATOMIC_SEQ_CST);                                               \
 }                                                                                                                     \
 HOOK void __tsan_atomic##bits##_store(volatile void *at, uint##bits##_t value, int order)                             \
 {                                                                                                                     \
  (void) order;                                                                                                        \
  see(at, bits / 8, false, true, SITE);                                                                                \
  __atomic_store_n((uint##bits##_t *) at, value, __ATOMIC_SEQ_CST);                                                    \
 }
#define CHANGE(how)                                                                                                    \
 HOOK uint64_t __tsan_atomic64_fetch_##how(volatile void *at, uint64_t value, int order)                               \
 {                                                                                                                     \
  (void) order;                                                                                                        \
  see(at, 8, false, true, SITE);                                                                                       \
  return __atomic_fetch_##how((uint64_t *) at, value, __ATOMIC_SEQ_CST);                                               \
 }

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
ATOMIC(8)
ATOMIC(32)
ATOMIC(64)
CHANGE(add)
CHANGE(and)
CHANGE(or)

/* A swap compares what it finds with what was read. */
HOOK bool __tsan_atomic64_compare_exchange_strong(volatile void *at, void *was, uint64_t value, int order, int failed)
{
	(void) order, (void) failed;
	see(at, 8, false, true, SITE);
	return __atomic_compare_exchange_n((uint64_t *) at, (uint64_t *) was, value, false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST);
}

HOOK uint64_t __tsan_atomic64_compare_exchange_val(volatile void *at, uint64_t was, uint64_t value, int order,
	int failed)
{
	(void) __tsan_atomic64_compare_exchange_strong(at, &was, value, order, failed);
	return was;
}

HOOK void __tsan_read_range(void *at, long bytes)
{
	see(at, (size_t) bytes, true, false, SITE);
}

HOOK void __tsan_write_range(void *at, long bytes)
{
	see(at, (size_t) bytes, false, false, SITE);
}

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);

HOOK void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
	see(from, bytes, true, false, SITE);
	see(to, bytes, false, false, SITE);
	return __real_memcpy(to, from, bytes);
}

HOOK void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
	see(from, bytes, true, false, SITE);
	see(to, bytes, false, false, SITE);
	return __real_memmove(to, from, bytes);
}

/* Each key of a question about several is a decision of its own, and so is each of the guard's questions to the segment. */
HOOK void __tsan_func_entry(void *caller)
{
	const uintptr_t begins[] = {(uintptr_t) rl_shm_ask, (uintptr_t) rl_shm_mirror, (uintptr_t) rl_shm_mirror_mark,
		(uintptr_t) rl_shm_mirror_counter, (uintptr_t) rl_debt_add, (uintptr_t) rl_debt_take, (uintptr_t) rl_debt_look,
		(uintptr_t) rl_debt_forgive, (uintptr_t) rl_debt_mark, (uintptr_t) rl_debt_unmark};

	(void) caller;
	for (unsigned i = 0; i < sizeof begins / sizeof *begins; i++) {
		calls += (uintptr_t) SITE - begins[i] < 64;
	}
}

HOOK void __tsan_func_exit(void *ignored)
{
	(void) ignored;
}

HOOK void __tsan_atomic_thread_fence(int order)
{
	(void) order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK void __tsan_init(void)
{
}

/* ---- The report ---- */

typedef struct {
	char names[8][64]; /* of the functions around a place, the innermost first */
	unsigned n;
	char line[160];
} place;

static place *places_of_sites; /* of sites */

HOOK static bool is_plumbing(const char *name)
{
	unsigned i = 0;

	while (i < sizeof plumbing / sizeof *plumbing && strcmp(name, plumbing[i]) != 0) {
		i++;
	}
	return i < sizeof plumbing / sizeof *plumbing;
}

/* Reads what addr2line says about one place: pairs of lines, a function and its place, up to the next address. */
HOOK static void read_place(FILE *f, place *p)
{
	char name[256], line[512];
	const char *src;

	while (p != NULL && fgets(name, sizeof name, f) != NULL && name[0] != '0' && fgets(line, sizeof line, f) != NULL) {
		name[strcspn(name, "\n")] = '\0';
		line[strcspn(line, " \n")] = '\0';
		if (is_plumbing(name) || p->n == sizeof p->names / sizeof *p->names) {
			continue;
		}
		src = strstr(line, "src/");
		if (p->n == 0) {
			snprintf(p->line, sizeof p->line, "%.159s", src != NULL ? src : line);
		}
		snprintf(p->names[p->n++], sizeof p->names[0], "%.63s", name);
	}
}

/* Asks addr2line for all sites. A call returns to a place behind the access. */
HOOK static void find_places(const char *program)
{
	char path[] = "/tmp/ratelimit-reads-XXXXXX", command[512], first[64];
	int fd = mkstemp(path);
	size_t i;
	FILE *f;

	places_of_sites = calloc(sizeof sites / sizeof *sites, sizeof *places_of_sites);
	snprintf(command, sizeof command, "addr2line -afie '%s' >%s", program, path);
	f = popen(command, "w");
	if (fd < 0 || places_of_sites == NULL || f == NULL) {
		abort();
	}
	for (i = 0; i < sizeof sites / sizeof *sites; i++) {
		if (sites[i] != NULL) {
			fprintf(f, "%p\n", (const void *) ((const char *) sites[i] - 1));
		}
	}
	pclose(f);
	f = fdopen(fd, "r");
	if (f == NULL || fgets(first, sizeof first, f) == NULL) {
		abort();
	}
	for (i = 0; i < sizeof sites / sizeof *sites; i++) {
		if (sites[i] != NULL) {
			read_place(f, &places_of_sites[i]);
		}
	}
	fclose(f);
	unlink(path);
}

HOOK static const place *place_of(const void *site)
{
	return &places_of_sites[site_number(site)];
}

HOOK static bool is_excepted(const struct exception *list, size_t n, const char *part, const place *p,
	const place *before)
{
	for (; n > 0; n--, list++) {
		if (strcmp(list->part, part) == 0 && (list->function[0] == '\0' || strcmp(list->function, p->names[0]) == 0)
			&& (list->after[0] == '\0' || strcmp(list->after, before->names[0]) == 0)) {
			return true;
		}
	}
	return false;
}

HOOK static void print_place(const place *p)
{
	printf(" %s", p->line);
	for (unsigned i = 0; i < p->n; i++) {
		printf(" %s", p->names[i]);
	}
}

HOOK static bool report(const finding *f)
{
	const place *p = place_of(f->site), *before = f->before != NULL ? place_of(f->before) : p;

	if (f->before != NULL ? is_excepted(again, sizeof again / sizeof *again, f->part, p, before)
						  : is_excepted(ordinary, sizeof ordinary / sizeof *ordinary, f->part, p, before)) {
		return true;
	}
	printf("%s, %s:", f->part, f->before != NULL ? "a second read" : "an ordinary read");
	print_place(p);
	if (f->before != NULL) {
		printf(" after");
		print_place(before);
	}
	putchar('\n');
	return false;
}

/* Crosses out the ways that a place is on. */
HOOK static void cross_out(const char **left, const place *p)
{
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		for (unsigned j = 0; left[i] != NULL && j < p->n; j++) {
			left[i] = strcmp(left[i], p->names[j]) == 0 ? NULL : left[i];
		}
	}
}

HOOK static bool report_ways(void)
{
	const char *left[sizeof ways / sizeof *ways];
	bool well = true;
	size_t i;

	memcpy(left, ways, sizeof left);
	for (i = 0; i < sizeof sites / sizeof *sites; i++) {
		cross_out(left, &places_of_sites[i]);
	}
	for (i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (left[i] != NULL) {
			printf("no call came to %s\n", left[i]);
			well = false;
		}
	}
	return well;
}

/* Fills the segment with words, records and bans of new identities, so that each one of them makes room. */
static void flood(rl_store *store, bool bans, uint64_t *seed)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "flood", (int64_t) test_random(seed));
	rl_question q = any_question(seed);
	rl_decision d;
	rl_answer a;
	rl_error e;

	if (q.n_limits == 1) {
		begin_call();
		(void) rl_limiter_fast(&key, &q.limits[0], 1, &d);
	}
	begin_call();
	(void) store->ops->ask(store, &key, &q, &a, &e);
	if (bans) {
		q.op = RL_OP_BAN;
		q.ban = RL_BAN_FOR;
		q.ban_us = (int64_t) (3600 + below(seed, 600)) * S; /* the test itself takes minutes under emulation */
		begin_call();
		(void) store->ops->ask(store, &key, &q, &a, &e);
	}
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 16000, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	progress unused = {0};
	bool well;

	test_segment(BYTES);
	seen = calloc(BYTES, sizeof *seen);
	calls = 1;
	for (i = 0; i < n; i++) {
		one_call(&unused, &seed);
		decide_bucket(&unused, &seed);
	}
	for (i = 0; i < n; i++) {
		one_call(&unused, &seed);
		flood(rl_shm_store(), i > n / 2, &seed);
	}
	rl_shm_shutdown();
	find_places(argv[0]);
	well = report_ways();
	for (i = 0; i < n_findings; i++) {
		well = report(&findings[i]) && well;
	}
	printf("%u calls, %llu reads of the segment: %s\n", calls, (unsigned long long) reads,
		well ? "each once" : "not each once");
	return well ? 0 : 1;
}
