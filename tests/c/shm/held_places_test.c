/* The places that workers hold in another store: those of a killed worker are found, those of a live one are not, and a
 * damaged segment leads to no place outside of a list. */
#include "check.h"
#include "harness.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/machine/held_places.h"
#include "src/shm/process/worker.h"

static const uint64_t store_id[2] = {UINT64_C(0x1234567890abcdef), 42};
static const uint64_t other_id[2] = {UINT64_C(0x1234567890abcdee), 42};

static rl_held_place held_of(const rl_key *key, uint64_t number, int64_t for_us)
{
	return (rl_held_place){.key = key, .store_id = {store_id[0], store_id[1]}, .number = number, .for_us = for_us};
}

static void note(const rl_key *key, uint64_t number, int64_t for_us)
{
	rl_held_place held = held_of(key, number, for_us);

	rl_held_place_note(&held);
}

/* Finds all places of dead workers, and forgets them. Returns their number. */
static unsigned find_all(const uint64_t id[2], uint64_t *numbers)
{
	rl_dead_place found = {.slot = 0};
	unsigned n = 0;

	*numbers = 0;
	while (n < 1000 && rl_dead_place_find(id, &found)) {
		*numbers += found.number;
		rl_dead_place_forget(id, &found);
		n++;
	}
	return n;
}

/* Starts a worker that notes places, and kills it. While it lives, so many places of others are found (-1: any number). */
static void kill_holder(void (*hold)(void), int found)
{
	int ready[2], status;
	uint64_t numbers;
	char byte;
	pid_t pid;

	check(pipe(ready) == 0, "a pipe");
	pid = fork();
	if (pid == 0) {
		rl_worker_after_fork();
		hold();
		(void) !write(ready[1], "", 1);
		for (;;) {
			pause();
		}
	}
	check(read(ready[0], &byte, 1) == 1, "the holder holds");
	if (found >= 0) {
		check(find_all(store_id, &numbers) == (unsigned) found, "a live worker keeps its places");
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(ready[0]);
	close(ready[1]);
}

static const rl_key int_key = {.space = RL_SPACE_LIMITER,
	.is_int = true,
	.name = "uploads",
	.name_len = 7,
	.int_id = -7};

static void hold_two(void)
{
	static const rl_key key = {.space = RL_SPACE_LIMITER, .name = "n\0me", .name_len = 4, .id = "who", .id_len = 3};
	rl_held_place ended = held_of(&key, 8, RL_US_PER_SECOND * 600);

	note(&int_key, 3, RL_US_PER_SECOND);
	note(&int_key, 3, RL_US_PER_SECOND * 600);
	note(&key, 5, RL_US_PER_SECOND * 600);
	note(&key, 8, RL_US_PER_SECOND * 600);
	rl_held_place_forget(&ended);
	note(&key, 9, -1);
}

static void test_killed(void)
{
	rl_dead_place found = {.slot = 0};
	uint64_t numbers;

	note(&int_key, 100, RL_US_PER_SECOND * 600);
	kill_holder(hold_two, 0);
	check(!rl_dead_place_find(other_id, &found), "places of another store");
	check(rl_dead_place_find(store_id, &found) && found.number == 3 && found.key.is_int && found.key.int_id == -7
			&& found.key.name_len == 7 && memcmp(found.key.name, "uploads", 7) == 0
			&& found.key.space == RL_SPACE_LIMITER,
		"the first place");
	rl_dead_place_forget(store_id, &found);
	check(rl_dead_place_find(store_id, &found) && found.number == 5 && !found.key.is_int && found.key.name_len == 4
			&& memcmp(found.key.name, "n\0me", 4) == 0 && found.key.id_len == 3 && memcmp(found.key.id, "who", 3) == 0,
		"the second place");
	check(find_all(store_id, &numbers) == 1 && numbers == 5,
		"what has ended, and what this worker holds, is not found");
}

/* A later worker of the slot keeps the places of the dead one. */
static void hold_one(void)
{
	note(&int_key, 7, RL_US_PER_SECOND * 600);
}

static void hold_other(void)
{
	note(&int_key, 6, RL_US_PER_SECOND * 600);
}

static void test_slot_again(void)
{
	uint64_t numbers;

	kill_holder(hold_one, 0);
	kill_holder(hold_other, 1);
	check(find_all(store_id, &numbers) == 1 && numbers == 6, "the place of the later worker");
}

static void test_abandoned(void)
{
	rl_held_place held = held_of(&int_key, 11, RL_US_PER_SECOND * 600);
	uint64_t numbers;

	rl_held_place_note(&held);
	check(find_all(store_id, &numbers) == 0, "a place that is held");
	rl_held_place_abandon(&held);
	check(find_all(store_id, &numbers) == 1 && numbers == 11, "a place that could not be given back");
	rl_held_place_abandon(&held);
	check(find_all(store_id, &numbers) == 0, "a place that was forgotten cannot be abandoned");
}

/* One permit has places of two keys. */
static void hold_keys(void)
{
	static const rl_key key = {.space = RL_SPACE_LABEL, .name = "user", .name_len = 4, .id = "who", .id_len = 3};
	rl_held_place held = held_of(&key, 21, RL_US_PER_SECOND * 600);

	note(&key, 21, RL_US_PER_SECOND * 600);
	note(&int_key, 21, RL_US_PER_SECOND * 600);
	note(&int_key, 23, RL_US_PER_SECOND * 600);
	note(&key, 23, RL_US_PER_SECOND * 600);
	held.number = 23;
	rl_held_place_forget(&held);
}

static void test_keys(void)
{
	uint64_t numbers;

	kill_holder(hold_keys, 0);
	check(find_all(store_id, &numbers) == 3 && numbers == 65, "the places of both keys");
}

/* More than a list has room for: the rest ends by its time. */
static void hold_many(void)
{
	for (uint64_t number = 1; number <= 500; number++) {
		note(&int_key, number, RL_US_PER_SECOND * 600);
	}
}

static void test_full(void)
{
	rl_shm_stats stats;
	uint64_t numbers;
	unsigned n;

	kill_holder(hold_many, 0);
	n = find_all(store_id, &numbers);
	check(n > 100 && n < 500 && numbers == (uint64_t) n * (n + 1) / 2, "the first %u of 500 places", n);
	rl_shm_stats_read(&stats);
	check(stats.counts[RL_STAT_UNNOTED] == 500 - n, "%" PRIu64 " of 500 places are counted",
		stats.counts[RL_STAT_UNNOTED]);
}

static void test_due(void)
{
	rl_dead_places_again();
	check(rl_dead_places_are_due(store_id), "a first search");
	check(!rl_dead_places_are_due(store_id), "no second one within a second");
	rl_dead_places_again();
	check(rl_dead_places_are_due(store_id), "unless the first one was not finished");
}

/* Writes garbage over the records, and over the words that a list begins with. */
static void test_damaged(void)
{
	uint64_t seed = 1, *words = (uint64_t *) (void *) rl_shm.records, numbers;
	size_t n = rl_shm.n_pages * RL_UNITS_PER_PAGE * RL_UNIT_BYTES / 8;
	rl_held_place held = held_of(&int_key, 13, RL_US_PER_SECOND * 600);

	for (int round = 0; round < 20000; round++) {
		rl_dead_place found = {.slot = 0};

		if (round % 100 == 0) {
			kill_holder(hold_two, -1);
		}
		for (int i = 0; i < 8; i++) {
			uint64_t garbage = test_random(&seed) >> test_random(&seed) % 64;
			size_t at = test_random(&seed) % (round % 2 ? n : 4096);

			words[at] = words[at] != 0 || round % 4 == 0 ? garbage : 0;
		}
		if (rl_dead_place_find(store_id, &found)) {
			check(found.key.name_len <= RL_NAME_MAX && found.key.id_len <= RL_NAME_MAX
					&& found.key.space <= RL_SPACE_LIMITER,
				"a damaged place");
			rl_dead_place_forget(store_id, &found);
		}
		rl_held_place_note(&held);
		rl_held_place_forget(&held);
	}
	(void) find_all(store_id, &numbers);
	check(true, "survived");
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	test_segment(RL_SHM_BYTES_MIN);
	test_killed();
	test_slot_again();
	test_abandoned();
	test_keys();
	test_full();
	test_due();
	test_damaged();
	return checks_report();
}
