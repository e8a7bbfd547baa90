/* The mirror, with a clock that stands still. Redis is the embedded store under another id. In the middle of a question a test lets
 * others decide: the worker that has asked is stopped over its reply. */
#include "check.h"
#include "harness.h"

#include "src/guard/guard.h"
#include "src/shm/machine/deny_entry.h"
#include "src/shm/store/store_internal.h"

#include <time.h>

#define HOUR (3600 * RL_US_PER_SECOND)

enum { LIMIT = 30, USED = 20 };

/* All clocks of this program; the C library's are not read. */
static int64_t clock_us = INT64_C(1700000000) * RL_US_PER_SECOND;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void) clock;
	*ts = (struct timespec){.tv_sec = clock_us / RL_US_PER_SECOND, .tv_nsec = clock_us % RL_US_PER_SECOND * 1000};
	return 0;
}

/* What the fake Redis does with a request. */
static struct {
	rl_status status;
	void (*meanwhile)(void); /* before the reply arrives; once */
} fake = {.status = RL_OK};

static rl_store redis, fallback;
static rl_guard guard;
static rl_limit limit;
static int identity;

static rl_key key_of(rl_space space)
{
	return test_key(space, "mirror", identity);
}

/* The reply is under way: others decide, or the time passes. */
static void reply(rl_error *e)
{
	void (*meanwhile)(void) = fake.meanwhile;

	e->unexecuted = false;
	fake.meanwhile = NULL;
	if (meanwhile != NULL) {
		meanwhile();
	}
}

static rl_status fake_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_question asked = *q;
	rl_status status = fake.status;

	(void) store;
	asked.owes = false;
	if (status == RL_OK) {
		status = redis.ops->ask(&redis, key, &asked, a, e);
		a->decision.source = RL_FROM_REDIS;
		reply(e);
	}
	return status;
}

static rl_status fake_count(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	rl_status status = fake.status;

	(void) store;
	if (status == RL_OK) {
		status = redis.ops->count(&redis, key, q, d, e);
		d->leased = 0;
		d->source = RL_FROM_REDIS;
		reply(e);
	}
	return status;
}

static rl_status fake_command(rl_store *store, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e)
{
	(void) store;
	return redis.ops->command(&redis, key, c, found, e);
}

static const char *fake_server(rl_store *store, const rl_key *key)
{
	(void) store;
	(void) key;
	return NULL;
}

static const rl_store_ops fake_ops = {.name = "fake",
	.ask = fake_ask,
	.count = fake_count,
	.command = fake_command,
	.server = fake_server};

/* Each story has an identity, and a server that has not failed yet. */
static void begin(rl_algorithm algorithm)
{
	static rl_store store;
	uint64_t id = (uint64_t) ++identity * UINT64_C(0x9e3779b97f4a7c15);
	char dsn[32];

	clock_us += 4 * HOUR; /* an open breaker of an earlier server leaves its place after three */
	snprintf(dsn, sizeof dsn, "fake %d", identity);
	store = (rl_store){.ops = &fake_ops, .id = {id, ~id}};
	guard = (rl_guard){
		.store = &store,
		.breaker = rl_breaker_name_of(dsn, strlen(dsn), dsn),
		.retry_delay_us = HOUR,
		.ask_timeout_us = RL_US_PER_SECOND,
	};
	check(rl_shm_fallback(&redis, (uint64_t[]){~id, id}), "a place for Redis");
	check(rl_shm_fallback(&fallback, store.id), "the fallback");
	fake.status = RL_OK;
	fake.meanwhile = NULL;
	limit = test_limit(algorithm, LIMIT, HOUR);
	limit.rate = algorithm == RL_TOKEN_BUCKET ? LIMIT : 0;
	if (algorithm == RL_CALENDAR_WINDOW) {
		limit.period = RL_HOUR;
		limit.period_us = 0;
		test_boundaries(&limit, HOUR, clock_us);
	}
}

static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_SLIDING_LOG, RL_SLIDING_WINDOW,
	RL_TOKEN_BUCKET, 0};

/* 0: doHandle()'s counter. */
static rl_algorithm algorithm;

static rl_decision ask(rl_op op, uint64_t cost)
{
	rl_key key = key_of(algorithm == 0 ? RL_SPACE_ACTION : RL_SPACE_LIMITER);
	rl_counter_question counter = {.seconds = 3600, .limit = LIMIT, .ban = limit.ban, .ban_s = 3600};
	rl_question q = test_question(op, limit, (uint32_t) cost);
	rl_answer a = {0};
	rl_error e = {0};

	if (algorithm == 0) {
		for (; cost > 0; cost--) {
			check(rl_guard_count(&guard, &key, &counter, &a.decision, &e) == RL_OK, "an answer");
		}
	} else {
		check(rl_guard_ask(&guard, &key, &q, &a, &e) == RL_OK, "an answer: %s", e.message);
	}
	return a.decision;
}

static void consume(uint64_t cost)
{
	rl_decision d = ask(RL_OP_CONSUME, cost);

	check(d.accepted && d.source == RL_FROM_REDIS, "algorithm %u: Redis admits %u", algorithm, (unsigned) cost);
}

/* A command of this machine, or of another one, of which this one hears nothing. */
static void command(rl_op op, bool here)
{
	rl_key key = key_of(algorithm == 0 ? RL_SPACE_ACTION : RL_SPACE_LIMITER);
	rl_question q = test_question(op, limit, 1);
	rl_counter_command c = {.op = op};
	bool found;
	rl_answer a;
	rl_error e = {0};
	rl_status status;

	if (here) {
		status = algorithm == 0 ? rl_guard_command(&guard, &key, &c, &found, &e)
								: rl_guard_ask(&guard, &key, &q, &a, &e);
	} else {
		status = algorithm == 0 ? redis.ops->command(&redis, &key, &c, &found, &e)
								: redis.ops->ask(&redis, &key, &q, &a, &e);
	}
	check(status == RL_OK, "done %s: %s", here ? "here" : "elsewhere", e.message);
}

/* Redis is away. Returns how many calls pass. */
static int passes_without(void)
{
	int n = 0;

	fake.status = RL_UNAVAILABLE;
	for (rl_decision d; (d = ask(RL_OP_CONSUME, 1)).accepted && n < 2 * LIMIT; n++) {
		check(d.source == RL_FROM_LOCAL, "the fallback decides");
	}
	return n;
}

static void each(void (*story)(void))
{
	for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
		algorithm = algorithms[i];
		begin(algorithm);
		story();
	}
}

/* ---- Stories ---- */

static void goes_on(void)
{
	int n;

	consume(USED);
	n = passes_without();
	check(n == LIMIT - USED, "algorithm %u: what was left passes, not %d", algorithm, n);
}

static void ends_with_the_window(void)
{
	rl_decision d;

	if (algorithm == RL_CALENDAR_WINDOW) {
		return; /* its boundaries come with the question */
	}
	consume(USED);
	clock_us += HOUR / 2;
	while ((d = ask(RL_OP_CONSUME, 1)).accepted) {
	}
	fake.status = RL_UNAVAILABLE;
	check(!ask(RL_OP_CONSUME, 1).accepted, "algorithm %u: used up", algorithm);
	clock_us += d.retry_after_us - 1;
	check(!ask(RL_OP_CONSUME, 1).accepted, "algorithm %u: still used up", algorithm);
	clock_us++;
	/* What a log and a sliding window have learned counts from its arrival on. */
	check(ask(RL_OP_CONSUME, 1).accepted, "algorithm %u: after what Redis said a call passes", algorithm);
}

static void learns_of_less(void)
{
	int n;

	consume(USED);
	command(RL_OP_RESET, false);
	consume(1);
	n = passes_without();
	check(n == LIMIT - 1, "algorithm %u: Redis told of 1, so %d pass, not %d", algorithm, LIMIT - 1, n);
}

static void others_consume(void)
{
	consume(USED);
}

static void overwrites_nothing_newer(void)
{
	int n;

	consume(1);
	fake.meanwhile = others_consume;
	consume(1);
	n = passes_without();
	check(n == LIMIT - USED - 2, "algorithm %u: an answer of 2, later than one of %d: %d pass", algorithm, USED + 2, n);
}

static void is_not_the_first(void)
{
	int n;

	fake.meanwhile = others_consume;
	consume(1);
	n = passes_without();
	check(n == LIMIT - USED - 1, "algorithm %u: an answer of 1 to the first question, later than one of %d: %d pass",
		algorithm, USED + 1, n);
}

/* Redis is away for n calls, and this machine owes them. */
static void owe(int n)
{
	fake.status = RL_UNAVAILABLE;
	while (n-- > 0) {
		clock_us++;
		(void) ask(RL_OP_CONSUME, 1);
	}
}

/* Redis is back, and a probe is due. */
static void probe(void)
{
	fake.status = RL_OK;
	clock_us += RL_US_PER_SECOND / 5;
	consume(1);
}

/* A probe carries no debt: its answer counts beside what this machine has admitted. */
static void a_probe_counts_beside_a_debt(void)
{
	enum { OWED = 4 };
	int n;

	consume(USED);
	owe(OWED);
	probe();
	n = passes_without();
	check(n == LIMIT - USED - OWED - 1, "algorithm %u: %d were owed: %d pass", algorithm, OWED, n);
}

static rl_source meanwhile_by;

static void another_asks(void)
{
	meanwhile_by = ask(RL_OP_CONSUME, 1).source;
}

/* While one request carries a debt, Redis would judge the others without it. */
static void a_debt_is_told_before_others_are_judged(void)
{
	consume(USED);
	owe(2);
	probe();
	fake.meanwhile = another_asks;
	consume(1);
	check(meanwhile_by == RL_FROM_LOCAL, "algorithm %u: the fallback decides while the debt is told", algorithm);
	fake.meanwhile = another_asks;
	consume(1); /* this one tells of the call in between */
	check(meanwhile_by == RL_FROM_LOCAL, "algorithm %u: and its own debt, too", algorithm);
	fake.meanwhile = another_asks;
	guard.policy.on_failure = RL_ON_FAILURE_DENY;
	consume(1);
	check(meanwhile_by == RL_FROM_REDIS, "algorithm %u: no other policy decides in its place", algorithm);
}

/* Workers have admitted calls without Redis, and were stopped before they noted the debts. */
static void admit_unnoted(int n)
{
	rl_key key = key_of(algorithm == 0 ? RL_SPACE_ACTION : RL_SPACE_LIMITER);
	rl_counter_question counter = {.seconds = 3600, .limit = LIMIT};
	rl_question q = test_question(RL_OP_CONSUME, limit, 1);
	rl_answer a;
	rl_error e;

	while (n-- > 0) {
		check((algorithm == 0 ? fallback.ops->count(&fallback, &key, &counter, &a.decision, &e)
							  : fallback.ops->ask(&fallback, &key, &q, &a, &e))
					== RL_OK
				&& a.decision.accepted,
			"algorithm %u: admitted", algorithm);
	}
}

/* While the machine owes, an answer lowers nothing: the debts may be more than are noted. */
static void lowers_nothing_that_is_not_noted_yet(void)
{
	enum { OWED = 2, UNNOTED = 3 };
	int n;

	consume(USED);
	owe(OWED);
	admit_unnoted(UNNOTED);
	probe();
	n = passes_without();
	check(n <= LIMIT - USED - OWED - UNNOTED, "algorithm %u: %d were admitted without Redis: %d pass", algorithm,
		OWED + UNNOTED, n);
}

static void a_window_later(void)
{
	clock_us += 2 * HOUR;
	if (algorithm == RL_CALENDAR_WINDOW) {
		test_boundaries(&limit, HOUR, clock_us);
	}
	consume(USED);
}

static void is_of_a_window_that_is_over(void)
{
	int n;

	consume(LIMIT - 2);
	fake.meanwhile = a_window_later;
	consume(1);
	n = passes_without();
	check(n == LIMIT - USED, "algorithm %u: an answer about a window that is over changes nothing: %d pass", algorithm,
		n);
}

/* ---- Bans ---- */

static void others_are_banned(void)
{
	(void) ask(RL_OP_CONSUME, LIMIT);
	check(ask(RL_OP_CONSUME, 1).reason == RL_BANNED, "algorithm %u: a ban begins", algorithm);
}

static void lifts_no_ban(void)
{
	limit.ban = RL_BAN_FOR;
	limit.ban_us = HOUR;
	fake.meanwhile = others_are_banned;
	(void) ask(RL_OP_CONSUME, 1);
	fake.status = RL_UNAVAILABLE;
	check(ask(RL_OP_CONSUME, 1).reason == RL_BANNED, "algorithm %u: an admission that began before the ban lifts none",
		algorithm);
}

static void learns_that_a_ban_ended(void)
{
	rl_decision d;

	limit.ban = RL_BAN_FOR;
	limit.ban_us = HOUR;
	others_are_banned();
	command(RL_OP_UNBAN, false);
	command(RL_OP_RESET, false);
	consume(1);
	fake.status = RL_UNAVAILABLE;
	d = ask(RL_OP_CONSUME, 1);
	check(d.accepted, "algorithm %u: an admission that began after the ban lifts it (reason %d)", algorithm, d.reason);
}

/* A counter's unban deletes the state. */
static void an_unban_ends_a_ban_of_another_machine(void)
{
	rl_key key = key_of(RL_SPACE_ACTION);
	bool found;
	rl_error e;
	int n;

	if (algorithm != 0) {
		return;
	}
	consume(USED);
	redis.ops->command(&redis, &key,
		&(rl_counter_command){.op = RL_OP_BAN, .ban = RL_BAN_FOR, .ban_ms = HOUR / RL_US_PER_MS}, &found, &e);
	command(RL_OP_UNBAN, true);
	n = passes_without();
	check(n == LIMIT, "an unban in Redis deletes the count of the mirror, too: %d pass", n);
}

/* A command that comes between an answer's look at its mark and its swap, and finds nothing to change: the swap must fail. So a worker
 * that is stopped or killed there leaves no lifted ban. */
static void a_command_changes_the_entry(void)
{
	bool counter = algorithm == 0;
	rl_key key = key_of(counter ? RL_SPACE_ACTION : RL_SPACE_LIMITER);
	rl_mirror_mark mark, after;

	consume(1);
	mark = rl_shm_mirror_mark(guard.store->id, &key, !counter);
	check(mark.fp != 0, "algorithm %u: the answer is in the mirror", algorithm);
	for (int i = 0; i < 3; i++) {
		command(RL_OP_UNBAN, true);
		after = rl_shm_mirror_mark(guard.store->id, &key, !counter);
		check(after.fp != 0 && (after.fp != mark.fp || after.word != mark.word), "algorithm %u: another content",
			algorithm);
	}
	check(passes_without() == LIMIT - 1, "algorithm %u: the same state", algorithm);
}

static void gives_back(void)
{
	command(algorithm == 0 ? RL_OP_RESET : RL_OP_CREDIT, true);
}

/* A command of this machine ends the answers that are under way: what they tell of is from before it. */
static void is_from_before_a_command(void)
{
	int left = algorithm == 0 ? LIMIT : LIMIT - USED + 1, n;

	consume(USED);
	fake.meanwhile = gives_back;
	consume(1);
	n = passes_without();
	check(n == left, "algorithm %u: an answer from before a command: %d pass, not %d", algorithm, n, left);
}

int main(void)
{
	clock_us = clock_us / HOUR * HOUR + HOUR / 10;
	test_segment((size_t) 4 << 20);
	each(goes_on);
	each(ends_with_the_window);
	each(learns_of_less);
	each(overwrites_nothing_newer);
	each(is_not_the_first);
	each(a_probe_counts_beside_a_debt);
	each(a_debt_is_told_before_others_are_judged);
	each(lowers_nothing_that_is_not_noted_yet);
	each(is_of_a_window_that_is_over);
	each(lifts_no_ban);
	each(learns_that_a_ban_ended);
	each(an_unban_ends_a_ban_of_another_machine);
	each(a_command_changes_the_entry);
	each(is_from_before_a_command);
	return checks_report();
}
