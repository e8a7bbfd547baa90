/* References to records: one never comes back, and one that leads to another entry's record is no state. */
#include "check.h"
#include "harness.h"
#include "temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include "src/shm/record/record_cache.h"
#include "src/shm/record/record_internal.h"
#include "src/shm/store/limiter_fast.h"
#include "src/shm/store/store_internal.h"

#define S RL_US_PER_SECOND

static rl_entry *entry_of(const char *name, int64_t id)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_table_find(&rl_shm, rl_shm_position(&rl_shm, &key, true));
}

static rl_entry *begin(const char *name, int64_t id)
{
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 1000000, 3600 * S), 1);
	rl_answer a;

	test_ask(name, id, &q, &a);
	return entry_of(name, id);
}

/* Publishes the entry's state once more. */
static void publish(rl_entry *entry)
{
	const rl_segment *s = &rl_shm;
	size_t words;
	rl_record *old = rl_record_at(s, entry, entry->pair.b, &words), *r;

	if (old == NULL || (r = rl_record_get(s, entry, words, 0)) == NULL) {
		abort();
	}
	memcpy(r->state, old->state, words * sizeof *r->state);
	if (!rl_record_publish(s, entry, entry->pair.a, entry->pair.b, entry->pair.a, r)) {
		abort();
	}
}

/* More publications than 24 bits count: what a stopped worker has seen never stands again. */
static void test_a_reference_never_comes_back(void)
{
	rl_entry *entry = begin("aba", 1);
	uint64_t i, first, second, seen = 0;

	publish(entry);
	first = entry->pair.b;
	publish(entry);
	second = entry->pair.b;
	for (i = 0; i < (UINT64_C(1) << 24) + 8; i++) {
		publish(entry);
		seen += entry->pair.b == first || entry->pair.b == second;
	}
	check(seen == 0, "of two references %llu came back", (unsigned long long) seen);
}

/* The same where a record's own 28 bits overflow, and where a page has given its records to another class. */
static void test_a_count_only_grows(void)
{
	const rl_segment *s = &rl_shm;
	rl_entry *entry = begin("era", 1);
	uint64_t before[2], i;

	publish(entry);
	publish(entry);
	for (i = 0; i < 2; i++) {
		rl_record *r = rl_record_of_unit(s, rl_ref_unit(entry->pair.b));

		__atomic_fetch_or(&r->meta, RL_META_COUNT_MASK, __ATOMIC_SEQ_CST); /* as if it had been published so often */
		entry->pair.b |= RL_META_COUNT_MASK << RL_REF_UNIT_BITS;
		before[i] = entry->pair.b;
		publish(entry);
	}
	for (i = 0; i < 4; i++) {
		publish(entry);
		check(entry->pair.b >> RL_REF_UNIT_BITS > before[i % 2] >> RL_REF_UNIT_BITS,
			"a count that overflowed its 28 bits is %llx", (unsigned long long) entry->pair.b >> RL_REF_UNIT_BITS);
	}
}

/* So a flood of refusals does not use up the counts of a page. */
static void test_a_refusal_neither_counts_nor_publishes(void)
{
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 1, 3600 * S);
	rl_key key = test_key(RL_SPACE_LIMITER, "refused", 1);
	rl_entry *entry = begin("refused", 1);
	uint64_t first, second, i;
	rl_decision d;

	publish(entry);
	first = entry->pair.b;
	publish(entry);
	second = entry->pair.b;
	for (i = 0; i < 10; i++) {
		check(rl_limiter_fast(&key, &limit, 1, &d) && !d.accepted, "it is refused");
	}
	check(entry->pair.b == second, "a refusal publishes nothing");
	publish(entry);
	check(rl_ref_unit(entry->pair.b) == rl_ref_unit(first), "the other record is published next");
	i = (entry->pair.b >> RL_REF_UNIT_BITS) - (first >> RL_REF_UNIT_BITS);
	check(i == 1, "ten refusals and a publication count %llu", (unsigned long long) i);
}

static void test_a_record_whose_count_is_used_up_is_retired(void)
{
	const rl_segment *s = &rl_shm;
	rl_entry *entry = begin("last", 1);
	uint64_t unit = rl_ref_unit(entry->pair.b), i, used = 0;

	*rl_page_floor(s, unit) = RL_ERA_LAST << RL_META_COUNT_BITS;
	__atomic_fetch_or(&rl_record_of_unit(s, unit)->meta, RL_META_COUNT_MASK, __ATOMIC_SEQ_CST);
	entry->pair.b |= RL_META_COUNT_MASK << RL_REF_UNIT_BITS;
	publish(entry);
	for (i = 0; i < 1000; i++) {
		publish(entry);
		used += rl_ref_unit(entry->pair.b) == unit;
	}
	check(used == 0, "a retired record was published %llu times", (unsigned long long) used);
	check(rl_record_of_unit(s, unit)->owner == RL_OWNER_RETIRED, "it is marked as retired");
}

/* A file whose pages are of different moments, as after a power cut: alice's entry is older than the records. */
static void test_a_torn_file_gives_no_state_to_another_identity(void)
{
	const rl_segment *s = &rl_shm;
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 1, 3600 * S);
	rl_question once = test_question(RL_OP_CONSUME, limit, 1), ban = test_question(RL_OP_CONSUME, limit, 1);
	rl_question peek = test_question(RL_OP_PEEK, limit, 1), reset = test_question(RL_OP_RESET, limit, 1);
	rl_shm_options options = {.bytes = RL_SHM_BYTES_MIN};
	char folder[200], path[256], copy[256], message[256], *bytes = malloc(RL_SHM_BYTES_MIN);
	rl_entry *alice, was;
	rl_answer a;
	size_t at;
	unsigned i, displaced = 0;
	int fd;

	rl_shm_shutdown();
	if (bytes == NULL || !make_temporary_folder(folder, sizeof folder, "ratelimit-torn")) {
		abort();
	}
	snprintf(path, sizeof path, "%s/shm", folder);
	snprintf(copy, sizeof copy, "%s/copy", folder);
	options.path = path;
	if (!rl_shm_startup(&options, message, sizeof message)) {
		abort();
	}
	test_records_only();
	test_ask("user", 1, &once, &a);
	alice = entry_of("user", 1);
	at = (size_t) ((char *) alice - (char *) s->header);
	was = *alice;
	test_ask("user", 1, &reset, &a);
	ban.limits[0].ban = RL_BAN_FOR;
	ban.limits[0].ban_us = 3600 * S;
	for (i = 2; i < 600; i++) {
		test_ask("user", i, &ban, &a);
		test_ask("user", i, &ban, &a);
		if (entry_of("user", i) == alice) {
			displaced = i; /* by the hash's key, one may get alice's entry, which the copy overwrites */
		}
	}
	memcpy(bytes, s->header, RL_SHM_BYTES_MIN);
	memcpy(bytes + at, &was, sizeof was);
	rl_shm_shutdown();
	fd = open(copy, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, bytes, RL_SHM_BYTES_MIN) != (ssize_t) RL_SHM_BYTES_MIN) {
		abort();
	}
	close(fd);
	options.path = copy;
	check(rl_shm_startup(&options, message, sizeof message), "the copy is attached: %s", message);
	check(test_ask("user", 1, &peek, &a) == RL_OK && a.decision.reason != RL_BANNED,
		"alice is not banned by another's state");
	check(test_ask("user", 1, &ban, &a) == RL_OK && a.decision.accepted, "alice begins anew");
	check(test_ask("user", 1, &peek, &a) == RL_OK && !a.decision.accepted, "and is counted");
	for (i = 2; i < 600; i++) {
		check(i == displaced || (test_ask("user", i, &peek, &a) == RL_OK && a.decision.reason == RL_BANNED),
			"%u stays banned", i);
	}
	rl_shm_shutdown();
	unlink(path);
	unlink(copy);
	rmdir(folder);
	free(bytes);
}

int main(void)
{
	test_segment(RL_SHM_BYTES_MIN);
	test_records_only();
	test_a_reference_never_comes_back();
	test_a_count_only_grows();
	test_a_refusal_neither_counts_nor_publishes();
	test_a_record_whose_count_is_used_up_is_retired();
	test_a_torn_file_gives_no_state_to_another_identity();
	return checks_report();
}
