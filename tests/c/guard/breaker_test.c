/* The circuit breaker: its changes of state in every order of results, and the places of the breakers. */
#include "check.h"
#include "harness.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/guard/breaker.h"
#include "src/shm/segment/segment.h"

#define MS     RL_US_PER_MS
#define SECOND RL_US_PER_SECOND

static int n_lines;
static char last_line[512];

static void take_line(const char *line)
{
	n_lines++;
	snprintf(last_line, sizeof last_line, "%s", line);
}

static rl_breaker_name server(const char *dsn)
{
	return rl_breaker_name_of(dsn, strlen(dsn), dsn);
}

static rl_breaker *place_of(const rl_breaker_name *name)
{
	return rl_breaker_place(name, rl_shm_now_us());
}

static rl_breaker_state state_of(const rl_breaker_name *name)
{
	rl_breaker_info info;

	rl_breaker_snapshot(place_of(name), &info);
	return info.state;
}

static void fail(const rl_breaker_call *call, int64_t delay_us)
{
	rl_breaker_record(call, RL_ATTEMPT_FAILED, "gone", delay_us, "local");
}

static void succeed(const rl_breaker_call *call)
{
	rl_breaker_record(call, RL_ATTEMPT_OK, "", 1, "local");
}

/* Two questions in a row that nobody answers. */
static void fail_twice(const rl_breaker_name *name, rl_breaker_call *call)
{
	rl_error e = {0};

	for (int i = 0; i < 2; i++) {
		usleep(10);
		check(rl_breaker_allow(name, MS, call, &e) == RL_OK, "asked");
		fail(call, 1);
	}
}

/* A server that answers, and then loses requests: a breaker judges the server, not a request. */
static void test_lost_requests(void)
{
	rl_breaker_name lossy = server("lossy"), late = server("late");
	rl_breaker_call call, other;
	rl_error e = {0};
	int i;

	for (i = 0; i < 100; i++) {
		check(rl_breaker_allow(&lossy, MS, &call, &e) == RL_OK, "question %d", i);
		if (i % 10 == 9) {
			fail(&call, 1000 * MS);
		} else {
			succeed(&call);
		}
		check(i >= 79 || state_of(&lossy) == RL_BREAKER_CLOSED, "one of ten is lost, %d in all", i + 1);
		if (state_of(&lossy) != RL_BREAKER_CLOSED) {
			break;
		}
	}
	check(i == 100, "fewer than 8 of the last 64 never open it");
	for (; i < 120 && state_of(&lossy) == RL_BREAKER_CLOSED; i++) {
		check(rl_breaker_allow(&lossy, MS, &call, &e) == RL_OK && rl_breaker_allow(&lossy, MS, &other, &e) == RL_OK,
			"asked");
		succeed(&other);
		fail(&call, 1000 * MS);
	}
	check(i < 110, "8 of 64 do, although others were answered");

	check(rl_breaker_allow(&late, MS, &call, &e) == RL_OK, "asked");
	succeed(&call);
	usleep(10);
	check(rl_breaker_allow(&late, MS, &call, &e) == RL_OK, "asked");
	fail(&call, 1000 * MS);
	check(state_of(&late) == RL_BREAKER_CLOSED, "one lost reply");
	usleep(10);
	check(rl_breaker_allow(&late, MS, &call, &e) == RL_OK && rl_breaker_allow(&late, MS, &other, &e) == RL_OK, "asked");
	usleep(10);
	succeed(&other);
	fail(&call, 1000 * MS);
	check(state_of(&late) == RL_BREAKER_CLOSED, "a second one, while another worker was answered");
	fail_twice(&late, &call);
	check(state_of(&late) == RL_BREAKER_OPEN, "silence");
}

/* A server that stays away is asked twice as late each time, up to the store's delay. */
static void test_delays(void)
{
	rl_breaker_name name = server("delays");
	rl_breaker_call call;
	rl_breaker_words w;
	rl_error e = {0};
	int64_t delay_us, began;
	int i;

	check(rl_breaker_allow(&name, MS, &call, &e) == RL_OK, "asked");
	for (i = 0; i < 20; i++) {
		delay_us = i < 5 ? (100 * MS) << i : 2000 * MS;
		began = rl_shm_now_us();
		fail(&call, 2000 * MS);
		check(rl_breaker_load(place_of(&name), name.id, &w), "a state");
		check((int64_t) (w.word >> 6) - began >= delay_us
				&& (int64_t) (w.word >> 6) - began <= delay_us + delay_us / 16 + SECOND,
			"try %d comes after %ld ms", i, (long) ((int64_t) (w.word >> 6) - began) / MS);
		/* Its moment has come. */
		check(rl_breaker_cas(place_of(&name), &w, (uint64_t) rl_shm_now_us() << 6 | (w.word & 0x3f), w.since_us),
			"due");
		usleep(10);
		check(rl_breaker_allow(&name, MS, &call, &e) == RL_OK && call.probe, "a probe");
	}
	succeed(&call);
	check(state_of(&name) == RL_BREAKER_CLOSED, "back");
	fail_twice(&name, &call);
	check(rl_breaker_load(place_of(&name), name.id, &w) && (w.word >> 2 & 15) == 0, "and from the first delay again");
}

static void test_breaker(void)
{
	rl_breaker_name one = server("one"), two = server("two"), three = server("three"), four = server("four");
	rl_breaker_call early, late, other, probe;
	rl_breaker_words w;
	rl_error e = {0};

	check(place_of(&one) != NULL && place_of(&one) == place_of(&one) && place_of(&one) != place_of(&two),
		"a server has one place");
	check(rl_breaker_allow(&one, MS, &early, &e) == RL_OK && !early.probe, "a new server is asked");
	check(rl_breaker_allow(&one, MS, &late, &e) == RL_OK, "by any number of workers");
	n_lines = 0;
	fail(&early, 1000 * MS);
	check(n_lines == 1 && strstr(last_line, "one is away (gone): on_failure=local") != NULL, "the log: %s", last_line);
	fail(&late, 1000 * MS);
	check(n_lines == 1, "one line for each change of state");
	check(rl_breaker_allow(&one, MS, &other, &e) == RL_UNAVAILABLE, "an open breaker allows no call");
	check(strstr(e.message, "Redis at one: away since ") != NULL && strstr(e.message, "(gone)") != NULL,
		"and gives the reason: %s", e.message);
	check(state_of(&one) == RL_BREAKER_OPEN && state_of(&two) == RL_BREAKER_CLOSED, "open, and the other one closed");
	succeed(&late);
	check(state_of(&one) == RL_BREAKER_OPEN, "an answer to a question of before does not close it");

	/* The delay is over. */
	check(rl_breaker_allow(&three, MS, &early, &e) == RL_OK && rl_breaker_allow(&three, MS, &late, &e) == RL_OK,
		"asked");
	fail(&early, 1);
	usleep(2000);
	check(rl_breaker_allow(&three, 1000 * MS, &probe, &e) == RL_OK && probe.probe, "one call probes the server");
	check(state_of(&three) == RL_BREAKER_HALF_OPEN, "half-open");
	check(rl_breaker_allow(&three, 1000 * MS, &other, &e) == RL_UNAVAILABLE, "the other calls do not");
	n_lines = 0;
	succeed(&probe);
	check(n_lines == 1 && strstr(last_line, "is back after 0.") != NULL && state_of(&three) == RL_BREAKER_CLOSED,
		"the probe closes it: %s", last_line);
	fail(&late, 1000 * MS);
	check(n_lines == 1 && state_of(&three) == RL_BREAKER_CLOSED, "a failure of before that does not open it");
	fail_twice(&three, &other);
	check(n_lines == 2, "later ones open it");

	/* A probe that never ends costs what it may take, no more. */
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &probe, &e) == RL_OK && probe.probe, "a probe whose worker dies");
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &other, &e) == RL_OK && other.probe, "another probe");
	fail(&other, 1000 * MS);
	check(n_lines == 2 && state_of(&three) == RL_BREAKER_OPEN, "still open, without another line");
	succeed(&probe);
	check(state_of(&three) == RL_BREAKER_CLOSED, "the first probe was only slow");

	/* A probe whose answer comes after another one has closed the breaker, and a later failure has opened it again. */
	fail_twice(&three, &other);
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &probe, &e) == RL_OK && probe.probe, "a probe");
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &other, &e) == RL_OK && other.probe, "another probe");
	succeed(&other);
	fail_twice(&three, &late);
	succeed(&probe);
	check(state_of(&three) == RL_BREAKER_OPEN, "the first probe's answer is older than the failure");
	usleep(2000);
	check(rl_breaker_allow(&three, MS, &probe, &e) == RL_OK && probe.probe, "one more probe");
	succeed(&probe);

	/* The server rejects us. */
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_OK, "asked");
	rl_breaker_record(&other, RL_ATTEMPT_REJECTED, "Redis at three: WRONGPASS", 1000 * MS, "deny");
	check(strstr(last_line, "three refuses us (WRONGPASS): on_failure=deny") != NULL, "the log: %s", last_line);
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_MISCONFIGURED && strstr(e.message, "refuses us") != NULL,
		"and the message");

	/* A damaged segment: a next try in a thousand years. */
	check(rl_breaker_load(place_of(&four), four.id, &w)
			&& rl_breaker_cas(place_of(&four), &w, (uint64_t) 1 << 60, w.since_us),
		"damaged");
	check(rl_breaker_allow(&four, MS, &probe, &e) == RL_OK, "a moment that cannot be is not waited for");
	check(rl_breaker_allow(NULL, MS, &probe, &e) == RL_OK && probe.place == NULL, "no server, no breaker");
}

static void name_number(rl_breaker_name *name, int i)
{
	char dsn[32];

	snprintf(dsn, sizeof dsn, "server %d", i);
	*name = server(dsn);
}

static void count_place(void *context, const rl_breaker *breaker)
{
	(void) breaker;
	++*(int *) context;
}

/* More servers than places, one after the other: as with a DSN for each tenant, or pods that come back with a new IP. */
static void test_places(void)
{
	enum { SERVERS = 2000 };
	int64_t now = rl_shm_now_us() + 24 * 3600 * SECOND;
	rl_breaker_name name, other;
	rl_breaker_words w, again;
	rl_breaker *p;
	int without = 0, places = 0, i;

	for (i = 0; i < SERVERS; i++) {
		name_number(&name, i);
		without += rl_breaker_place(&name, now + i * SECOND) == NULL;
	}
	check(without > 0, "while all are in use a new server has no breaker");
	without = 0;
	now += 24 * 3600 * SECOND;
	for (i = 0; i < SERVERS; i++) {
		name_number(&name, SERVERS + i);
		p = rl_breaker_place(&name, now + i * 3600 * SECOND);
		without += p == NULL || p != rl_breaker_place(&name, now + i * 3600 * SECOND);
	}
	check(without == 0, "the place of a server that is no longer asked is taken over: %d have none", without);
	rl_breakers_each(count_place, &places);
	check(places > 0 && places <= 16 + 16, "no more places than there are: %d", places);

	/* An open breaker, and one that is asked, keep their places. */
	now += 365 * 24 * 3600 * SECOND;
	name_number(&name, -1);
	p = rl_breaker_place(&name, now);
	check(p != NULL && rl_breaker_load(p, name.id, &w), "a place");
	check(rl_breaker_cas(p, &w, (uint64_t) (now + 3600 * SECOND) << 2, now), "open");
	for (i = 0; i < SERVERS; i++) {
		name_number(&other, 3 * SERVERS + i);
		rl_breaker_place(&other, now + 3000 * SECOND);
	}
	check(rl_breaker_load(p, name.id, &w) && w.word != 0, "an open breaker keeps its place");

	/* What the former owner of a place still records does not reach the new one. */
	check(rl_breaker_cas(p, &w, 0, now), "closed");
	check(rl_breaker_load(p, name.id, &w), "as its owner has seen it");
	for (i = 0; i < SERVERS && rl_breaker_load(p, name.id, &again); i++) {
		name_number(&other, 5 * SERVERS + i);
		rl_breaker_place(&other, now + 30 * 24 * 3600 * SECOND + i * 3600 * SECOND);
	}
	check(i < SERVERS, "taken over");
	check(!rl_breaker_cas(p, &w, 4, now), "a swap of the former owner fails");
	check(!rl_breaker_load(p, name.id, &w), "and it finds another place");
}

/* Eight processes claim places for more servers than there are, at once: a server never has another one's state. */
static void test_places_by_many(void)
{
	enum { PROCESSES = 8, ROUNDS = 20000, SERVERS = 24 };
	int64_t began = rl_shm_now_us() + 400 * 24 * 3600 * SECOND;
	int i, status, wrong = 0;

	for (i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			uint64_t seed = (uint64_t) i;

			for (int round = 0; round < ROUNDS; round++) {
				int64_t now = began + round * 400 * SECOND;
				int n = (int) (test_random(&seed) % SERVERS);
				rl_breaker_name name;
				rl_breaker_words w;
				rl_breaker *p;

				name_number(&name, n);
				p = rl_breaker_place(&name, now);
				/* The word of a server is 0, or its own number. */
				if (p != NULL && rl_breaker_load(p, name.id, &w)) {
					if (w.word != 0 && w.word != 4 * (uint64_t) (n + 1)) {
						_exit(1);
					}
					rl_breaker_cas(p, &w, w.word == 0 ? 4 * (uint64_t) (n + 1) : 0, now);
				}
			}
			_exit(0);
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		wait(&status);
		wrong += status != 0;
	}
	check(wrong == 0, "%d processes found the state of another server", wrong);
}

enum { MEETING = 4 };

/* Waits until each process of the meeting has called it so often. */
static void meet(int *arrived, int times)
{
	__atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < times * MEETING) {
		sched_yield();
	}
}

/* Processes that first ask one server at the same moment share its breaker: otherwise each of two places reports the
 * loss of the server. */
static void test_one_server_by_many(void)
{
	enum { SERVERS = 4000 };
	struct {
		int arrived;
		rl_breaker *places[MEETING];
	} *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t began = rl_shm_now_us() + 800 * 24 * 3600 * SECOND;
	int i, status, wrong = 0;

	for (i = 0; i < MEETING; i++) {
		if (fork() == 0) {
			int different = 0;

			for (int round = 0; round < SERVERS; round++) {
				int64_t now = began + round * 400 * SECOND;
				rl_breaker_name name;

				name_number(&name, 1000000 + round);
				meet(&shared->arrived, 3 * round + 1);
				shared->places[i] = rl_breaker_place(&name, now);
				meet(&shared->arrived, 3 * round + 2);
				different += shared->places[i] != shared->places[0];
				meet(&shared->arrived, 3 * round + 3);
			}
			_exit(different != 0);
		}
	}
	for (i = 0; i < MEETING; i++) {
		wait(&status);
		wrong += status != 0;
	}
	munmap(shared, sizeof *shared);
	check(wrong == 0, "%d processes found another place than the first", wrong);
}

/* Names that agree in their first 72 characters, as of long DNS names, or in more than a label holds. */
static void test_node_names(void)
{
	rl_breaker_name cluster = server("redis+cluster://a"), here, there;
	char label[300];

	memset(label, 'x', sizeof label - 1);
	label[sizeof label - 1] = '\0';
	label[sizeof label - 2] = '1';
	here = rl_breaker_name_of_node(&cluster, label);
	label[sizeof label - 2] = '2';
	there = rl_breaker_name_of_node(&cluster, label);
	check(here.id != there.id && strlen(here.label) == RL_BREAKER_LABEL_MAX - 1, "each node its own breaker");
}

int main(void)
{
	rl_breaker_report = take_line;
	test_segment((size_t) 4 << 20);
	test_breaker();
	test_lost_requests();
	test_delays();
	test_node_names();
	test_places();
	test_places_by_many();
	test_one_server_by_many();
	return checks_report();
}
