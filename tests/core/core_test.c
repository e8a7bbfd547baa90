/* The core's arithmetic, compared with formulations that are obviously correct. */
#include "check.h"
#include "harness.h"

#include "../../src/core/counter.h"

#define S RL_US_PER_SECOND

/* ---- The counter ---- */

static void test_plain_counts_to_its_number(void)
{
	rl_counter_question q = {.seconds = 30, .limit = 10};
	uint64_t word = 0;
	rl_decision d;
	unsigned i;

	for (i = 0; i < 10; i++) {
		word = rl_counter_decide(word, &q, 1000 + i, 0, &d);
		check(d.accepted && d.remaining == 9 - i && d.retry_after_us == 0, "call %u of 10 passes", i);
	}
	check(rl_counter_decide(word, &q, 2000, 0, &d) == word && d.reason == RL_LIMITED, "a refusal writes nothing");
	check(rl_counter_decide(word, &q, 2000 + d.retry_after_us - 1000, 0, &d) == word, "refused a millisecond early");
	word = rl_counter_decide(word, &q, 30001000, 0, &d);
	check(d.accepted && d.remaining == 9, "a fresh window at its end");
}

static void test_plain_ban_is_set_once(void)
{
	rl_counter_question q = {.seconds = 10, .limit = 1, .ban = RL_BAN_FOR, .ban_s = 3600};
	rl_decision d;
	uint64_t word = rl_counter_decide(0, &q, 0, 0, &d), ban;

	ban = rl_counter_decide(word, &q, 5 * S, 0, &d);
	check(d.reason == RL_BANNED && d.retry_after_us == 3600 * S, "the refusal bans");
	check(rl_counter_decide(ban, &q, 1000 * S, 0, &d) == ban && d.retry_after_us == 2605 * S,
		"and the next one changes nothing");
	q.limit = 1000;
	check(rl_counter_decide(ban, &q, 1000 * S, 0, &d) == ban && d.reason == RL_BANNED, "a higher number lifts no ban");
	rl_counter_decide(ban, &q, 3605 * S, 0, &d);
	check(d.accepted, "it ends");

	q = (rl_counter_question){.seconds = 1000, .limit = 1, .ban = RL_BAN_UNTIL, .ban_s = 50};
	word = rl_counter_decide(0, &q, 0, 40 * S, &d);
	rl_counter_decide(word, &q, S, 41 * S, &d);
	check(d.reason == RL_BANNED && d.retry_after_us == 9 * S, "an end that is earlier than the window's replaces it");
	check(rl_counter_decide(word, &q, S, 50 * S, &d) == word && d.reason == RL_LIMITED,
		"a moment that is past starts no ban");
}

/* ---- A limiter's state over several answers ---- */

typedef struct {
	uint64_t words[32768], next[65536];
	size_t n;
	rl_now now;
} memory;

static rl_answer ask(memory *m, const rl_question *q, int64_t at_us)
{
	size_t room = rl_limiter_size(q, &m->now, m->n > 0 ? m->words : NULL, m->n), n = 0;
	check(room <= rl_limiter_size_max(q, m->n), "%zu words of room are no more than %zu", room,
		rl_limiter_size_max(q, m->n));
	rl_answer a = {0};

	if (room > sizeof m->next / sizeof m->next[0]) {
		check(false, "a state of %zu words", room);
		return a;
	}
	switch (rl_limiter_decide(q, &m->now, at_us, m->n > 0 ? m->words : NULL, m->n, m->next, &n, &a)) {
		case RL_WRITE_STATE:
			memcpy(m->words, m->next, n * sizeof m->words[0]);
			m->n = n;
			break;
		case RL_WRITE_DELETE:
			m->n = 0;
			break;
		case RL_WRITE_NOTHING:
			break;
		case RL_WRITE_STALE:
			check(false, "not stale");
	}
	return a;
}

static rl_answer consume(memory *m, rl_limit limit, uint32_t cost)
{
	rl_question q = test_question(RL_OP_CONSUME, limit, cost);

	return ask(m, &q, m->now.mono_us);
}

/* Every admitted moment, and a count of those in any interval. */
static void test_log_and_window_never_exceed(rl_algorithm algorithm)
{
	static memory m;
	static int64_t moments[20000];
	uint64_t seed = 7;
	unsigned n = 0, i, first = 0, refused = 0, program;

	for (program = 0; program < 20; program++) {
		uint32_t limit = (uint32_t) (test_random(&seed) % 12 + 1);
		int64_t period = (int64_t) (test_random(&seed) % 5 + 1) * 100000 + (int64_t) (test_random(&seed) % 1000);

		memset(&m, 0, sizeof m);
		n = first = 0;
		for (i = 0; i < 2000; i++) {
			rl_answer a = consume(&m, test_limit(algorithm, limit, period), 1);
			unsigned held;

			while (first < n && moments[first] + period <= m.now.mono_us) {
				first++;
			}
			held = n - first;
			if (a.decision.accepted) {
				check(held < limit, "program %u: %u admitted in an interval, and another", program, held);
				moments[n++] = m.now.mono_us;
			} else {
				refused++;
				check(algorithm == RL_SLIDING_WINDOW || held == limit, "program %u: refused at %u of %u", program, held,
					limit);
				if (algorithm == RL_SLIDING_LOG) {
					check(a.decision.retry_after_us == moments[first] + period - m.now.mono_us,
						"exactly when the oldest leaves");
				} else {
					check(m.now.mono_us + a.decision.retry_after_us <= moments[n - limit] + period + (period + 29) / 30,
						"at most one part later than a log");
				}
			}
			/* Bursts, pauses, and the very edges. */
			switch (test_random(&seed) % 8) {
				case 0:
					m.now.mono_us += period / limit;
					break;
				case 1:
					m.now.mono_us += a.decision.retry_after_us;
					break;
				case 2:
					m.now.mono_us += a.decision.retry_after_us > 0 ? a.decision.retry_after_us - 1 : 1;
					break;
				case 3:
					m.now.mono_us += (int64_t) (test_random(&seed) % (uint64_t) period);
					break;
				default:
					break;
			}
		}
	}
	check(refused > 1000, "it was really at its limit: %u refusals", refused);
}

/* One permit returns every period / rate, exactly, for every rate. */
static void test_bucket_is_exact_for_every_rate(void)
{
	static const int64_t periods[] = {S, 60 * S, 3600 * S};
	static memory m;
	unsigned p, rate, i;

	for (p = 0; p < 3; p++) {
		for (rate = 1; rate <= 1000; rate += rate < 20 ? 1 : 37) {
			rl_limit limit = test_limit(RL_TOKEN_BUCKET, rate, periods[p]);
			rl_answer a;

			memset(&m, 0, sizeof m);
			m.now.mono_us = 12345;
			for (i = 0; i < rate; i++) {
				a = consume(&m, limit, 1);
				check(a.decision.accepted && a.decision.remaining == rate - 1 - i, "%u per %u: remaining", rate, p);
			}
			a = consume(&m, limit, 1);
			check(!a.decision.accepted, "%u: empty", rate);
			check(a.decision.retry_after_us == (periods[p] + rate - 1) / rate, "%u: the next permit", rate);
			m.now.mono_us += a.decision.retry_after_us - 1;
			check(!consume(&m, limit, 1).decision.accepted, "%u: not a microsecond early", rate);
			m.now.mono_us += 1;
			check(consume(&m, limit, 1).decision.accepted, "%u: then it passes", rate);
			/* A whole period returns exactly rate permits: rounding loses none. */
			m.now.mono_us = 12345 + 2 * periods[p] + 1;
			a = consume(&m, limit, rate);
			check(a.decision.accepted && a.decision.remaining == 0, "%u: full again", rate);
		}
	}
}

static void test_refusal_of_one_charges_none(void)
{
	static memory m;
	rl_question q = {.op = RL_OP_CONSUME, .n_limits = 3, .cost = 2};
	static uint64_t before[32768];
	size_t n;
	rl_answer a;

	q.limits[0] = test_limit(RL_FIXED_WINDOW, 10, 60 * S);
	q.limits[1] = test_limit(RL_SLIDING_LOG, 2, 10 * S);
	q.limits[2] = test_limit(RL_TOKEN_BUCKET, 10, 60 * S);
	check(ask(&m, &q, 0).decision.accepted, "all admit");
	memcpy(before, m.words, sizeof before);
	n = m.n;
	m.now.mono_us = 5 * S;
	a = ask(&m, &q, m.now.mono_us);
	check(!a.decision.accepted && a.decision.limit_index == 1, "the second refuses");
	check(a.decision.retry_after_us == 5 * S, "until its moments leave");
	check(m.n == n && memcmp(before, m.words, n * sizeof before[0]) == 0, "nothing has changed");
	q.cost = 11;
	a = ask(&m, &q, m.now.mono_us);
	check(a.decision.reason == RL_TOO_EXPENSIVE && a.decision.retry_after_us == RL_NEVER, "too expensive for ever");
	check(m.n == n && memcmp(before, m.words, n * sizeof before[0]) == 0, "nothing has changed");
}

static void test_bookings_in_any_order(void)
{
	static memory m;
	static int64_t booked[5000];
	uint64_t seed = 11;
	rl_question q = {.op = RL_OP_RESERVE, .n_limits = 2, .cost = 1};
	unsigned n = 0, i, j, round;

	q.limits[0] = test_limit(RL_SLIDING_LOG, 1, 60 * S);
	q.limits[1] = test_limit(RL_SLIDING_LOG, 5, 3600 * S);
	for (round = 0; round < 3000; round++) {
		int64_t at = (int64_t) (test_random(&seed) % (6 * 3600)) * S;
		unsigned near = 0, most = 0;
		bool yes = ask(&m, &q, at).decision.accepted;

		/* Slowly: every interval of an hour that begins with a booking, or with this one. */
		for (i = 0; i < n; i++) {
			near += booked[i] > at - 60 * S && booked[i] < at + 60 * S;
		}
		for (i = 0; i <= n; i++) {
			int64_t from = i < n ? booked[i] : at;
			unsigned held = 0;

			if (from > at || at >= from + 3600 * S) {
				continue;
			}
			for (j = 0; j < n; j++) {
				held += booked[j] >= from && booked[j] < from + 3600 * S;
			}
			most = held > most ? held : most;
		}
		check(yes == (near == 0 && most < 5), "booking %u at %lld", round, (long long) at);
		if (yes) {
			booked[n++] = at;
		}
		if (n > 0 && round % 5 == 4) {
			rl_question gone = q;
			unsigned which = (unsigned) (test_random(&seed) % n);

			gone.op = RL_OP_CANCEL;
			check(ask(&m, &gone, booked[which]).found, "what was booked can be cancelled");
			booked[which] = booked[--n];
			check(!ask(&m, &gone, at + 1).found, "what was not cannot");
		}
	}
}

int main(void)
{
	test_plain_counts_to_its_number();
	test_plain_ban_is_set_once();
	test_log_and_window_never_exceed(RL_SLIDING_LOG);
	test_log_and_window_never_exceed(RL_SLIDING_WINDOW);
	test_bucket_is_exact_for_every_rate();
	test_refusal_of_one_charges_none();
	test_bookings_in_any_order();
	return checks_report();
}
