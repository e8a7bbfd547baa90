/* The core's arithmetic, compared with formulations that are obviously correct. */
#include "check.h"
#include "harness.h"

#include "src/core/algorithm/bucket.h"
#include "src/core/algorithm/counter.h"

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
		check(d.accepted && d.remaining == 9 - i, "call %u of 10 passes", i);
		check(d.retry_after_us == (i < 9 ? 0 : d.reset_after_us), "call %u: when the next one passes", i);
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
	check(room <= rl_limiter_size_max(q, m->words, m->n), "%zu words of room are no more than %zu", room,
		rl_limiter_size_max(q, m->words, m->n));
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

/* ---- Permits ---- */

typedef struct {
	rl_question q;
	rl_held held[RL_LIMITS_MAX];
} permit;

static uint64_t last_tag;

static rl_answer acquire(memory *m, permit *p, rl_limit limit, uint32_t cost, int64_t max_wait_us)
{
	*p = (permit){.q = test_question(RL_OP_ACQUIRE, limit, cost)};
	p->q.tag = ++last_tag;
	p->q.max_wait_us = max_wait_us;
	p->q.held = p->held;
	return ask(m, &p->q, m->now.mono_us);
}

static rl_answer change(memory *m, permit *p, rl_op op, uint64_t cost)
{
	p->q.op = op;
	p->q.cost = cost;
	p->q.held = p->held;
	return ask(m, &p->q, m->now.mono_us);
}

static uint32_t left_now(memory *m, rl_limit limit)
{
	rl_question q = test_question(RL_OP_PEEK, limit, limit.limit);
	rl_answer a = ask(m, &q, m->now.mono_us);

	return a.decision.accepted ? limit.limit : a.decision.remaining;
}

/* Ten of ten are taken, and given back after the window: the next window has ten, not twenty. */
static void test_late_cancel_gives_nothing_back(void)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_SLIDING_LOG, RL_SLIDING_WINDOW, RL_TOKEN_BUCKET};
	unsigned i;

	for (i = 0; i < 4; i++) {
		static memory m;
		rl_limit limit = test_limit(algorithms[i], 10, 10 * S);
		permit late, other;

		memset(&m, 0, sizeof m);
		check(acquire(&m, &late, limit, 10, 0).decision.accepted, "%u: ten of ten", limit.algorithm);
		m.now.mono_us = 10 * S + S / 2;
		check(acquire(&m, &other, limit, 10, 0).decision.accepted, "%u: ten in the next period", limit.algorithm);
		change(&m, &late, RL_OP_SETTLE, 0);
		check(left_now(&m, limit) == 0, "%u: what was taken in a period that is over does not come back",
			limit.algorithm);
		change(&m, &other, RL_OP_SETTLE, 4);
		check(left_now(&m, limit) == 6, "%u: what was taken in this one does", limit.algorithm);
	}
}

/* After ten were taken, five refill and are taken: of the ten, five were refilled for others and stay. */
static void test_bucket_gives_back_what_was_not_refilled(void)
{
	static memory m;
	rl_limit limit = test_limit(RL_TOKEN_BUCKET, 10, 10 * S);
	permit first, second, third;

	memset(&m, 0, sizeof m);
	acquire(&m, &first, limit, 10, 0);
	m.now.mono_us = 5 * S;
	acquire(&m, &second, limit, 5, 0);
	change(&m, &first, RL_OP_SETTLE, 0);
	check(left_now(&m, limit) == 5, "five of ten come back, %u", left_now(&m, limit));
	acquire(&m, &third, limit, 5, 0);
	change(&m, &second, RL_OP_SETTLE, 0);
	check(left_now(&m, limit) == 5, "the other call's five come back");
	change(&m, &third, RL_OP_SETTLE, 0);
	check(left_now(&m, limit) == 10, "and the last five");
}

/* A bucket of ten, a permit in six seconds. What the first permit to end gives back was refilled before the others' end. */
static void test_two_permits_do_not_give_the_same_refill_back(void)
{
	static memory m;
	rl_limit limit = test_limit(RL_TOKEN_BUCKET, 10, 60 * S);
	permit five, three, later, last;

	memset(&m, 0, sizeof m);
	acquire(&m, &five, limit, 5, 0);
	acquire(&m, &three, limit, 3, 0);
	m.now.mono_us = 30 * S;
	check(acquire(&m, &later, limit, 5, 0).decision.accepted, "five more, 30 s later");
	m.now.mono_us = 42 * S;
	change(&m, &three, RL_OP_SETTLE, 0);
	check(left_now(&m, limit) == 7, "the three come back: the five have been refilled, %u", left_now(&m, limit));
	acquire(&m, &last, limit, 5, 0);
	m.now.mono_us = 54 * S;
	change(&m, &five, RL_OP_SETTLE, 0);
	check(left_now(&m, limit) == 4, "then nothing of the five does, %u", left_now(&m, limit));
}

/* A limit state has as many words as its places need. */
static void test_thousands_of_places(void)
{
	enum { PLACES = 6000 };
	static memory m;
	permit p;
	unsigned i;

	memset(&m, 0, sizeof m);
	for (i = 0; i < PLACES; i++) {
		check(acquire(&m, &p, test_limit(RL_CONCURRENT, PLACES, 60 * S), 1, 0).decision.accepted, "place %u", i);
	}
	check(!acquire(&m, &p, test_limit(RL_CONCURRENT, PLACES, 60 * S), 1, 0).decision.accepted, "they are all");
}

static void test_bucket_with_many_marks_gives_back_no_more_than_was_taken(void)
{
	static memory m;
	static permit permits[40];
	rl_limit limit = test_limit(RL_TOKEN_BUCKET, 1000, 1000 * S);
	uint32_t left;
	unsigned i;

	memset(&m, 0, sizeof m);
	for (i = 0; i < 40; i++) {
		check(acquire(&m, &permits[i], limit, 20, 0).decision.accepted, "take %u", i);
		m.now.mono_us += S / 10;
	}
	check(m.n <= RL_STATE_HEAD_WORDS + RL_BUCKET_WORDS + RL_NOTE_WORDS * (1 + 8),
		"a state of 8 marks at most: %zu words", m.n);
	for (i = 0; i < 40; i++) {
		left = left_now(&m, limit);
		change(&m, &permits[i], RL_OP_SETTLE, 0);
		check(left_now(&m, limit) >= left && left_now(&m, limit) <= left + 20, "permit %u: from %u to %u", i, left,
			left_now(&m, limit));
	}
}

static void test_debt_is_counted_above_the_limit(void)
{
	static memory m;
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 10, 10 * S);
	permit p;
	rl_answer a;

	memset(&m, 0, sizeof m);
	acquire(&m, &p, limit, 5, 0);
	a = change(&m, &p, RL_OP_SETTLE, 25);
	check(a.decision.remaining == 0 && a.granted == 25, "a debt of a window");
	check(consume(&m, limit, 1).decision.retry_after_us == 10 * S, "it refuses until it ends");
	m.now.mono_us = 10 * S;
	check(left_now(&m, limit) == 10, "and carries nothing over");

	memset(&m, 0, sizeof m);
	limit = test_limit(RL_TOKEN_BUCKET, 10, 10 * S);
	acquire(&m, &p, limit, 5, 0);
	change(&m, &p, RL_OP_SETTLE, 25);
	check(consume(&m, limit, 1).decision.retry_after_us == 16 * S, "a bucket's next permit comes so much later");
	acquire(&m, &p, limit, 1, 60 * S);
	change(&m, &p, RL_OP_SETTLE, RL_LIMIT_MAX);
	check(consume(&m, limit, 1).decision.retry_after_us <= RL_PERIOD_MAX_US, "ten years at most");

	memset(&m, 0, sizeof m);
	limit = test_limit(RL_SLIDING_LOG, 10, 10 * S);
	acquire(&m, &p, limit, 5, 0);
	change(&m, &p, RL_OP_SETTLE, 20000);
	check(m.n < RL_LOG_LIMIT_MAX && left_now(&m, limit) == 0, "a log is full at 10,000: %zu words", m.n);
	m.now.mono_us = 10 * S;
	check(left_now(&m, limit) == 10, "for its period");
}

/* Forty calls at once wait for their turns: ten in each window, in order. */
static void test_turns_fill_one_window_after_the_other(void)
{
	static memory m;
	static permit permits[40];
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 10, 10 * S);
	rl_answer a;
	unsigned i;

	memset(&m, 0, sizeof m);
	for (i = 0; i < 40; i++) {
		a = acquire(&m, &permits[i], limit, 1, 30 * S);
		check(a.decision.accepted && a.wait_us == (int64_t) (i / 10) * 10 * S, "call %u waits %lld us", i,
			(long long) a.wait_us);
	}
	a = acquire(&m, &permits[0], limit, 1, 30 * S);
	check(!a.decision.accepted && a.decision.retry_after_us == 40 * S, "beyond max_wait nothing is booked");
	change(&m, &permits[15], RL_OP_SETTLE, 0);
	a = acquire(&m, &permits[15], limit, 1, 30 * S);
	check(a.decision.accepted && a.wait_us == 10 * S, "a cancelled turn is free again");
	m.now.mono_us = 20 * S;
	check(left_now(&m, limit) == 0, "the third window is booked");
	m.now.mono_us = 40 * S;
	check(left_now(&m, limit) == 10, "the fifth is not");
	check(acquire(&m, &permits[0], limit, 1, RL_PERIOD_MAX_US).decision.accepted
			&& m.n == RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS,
		"a state of one window");
}

/* No kept counter of the list counts once more when the ring takes it over too late. */
static void test_turns_of_a_sliding_window_end(void)
{
	static memory m;
	rl_limit limit = test_limit(RL_SLIDING_WINDOW, 3, 57000), near = limit;
	permit p;

	memset(&m, 0, sizeof m);
	acquire(&m, &p, limit, 3, 0);
	acquire(&m, &p, limit, 1, S);
	acquire(&m, &p, limit, 2, S);
	acquire(&m, &p, limit, 1, S);
	m.now.mono_us = 2 * 57000 + 2 * 1900;
	check(left_now(&m, limit) == 2, "only the last turn counts, %u are left", left_now(&m, limit));
	/* Ten years are 2^44 sub-windows of 34 us. */
	memset(&m, 0, sizeof m);
	near.period_us = RL_PERIOD_MIN_US;
	p = (permit){.q = {.op = RL_OP_ACQUIRE, .n_limits = 2, .cost = 1, .tag = 1}};
	p.q.limits[0] = test_limit(RL_FIXED_WINDOW, 1, RL_PERIOD_MAX_US);
	p.q.limits[1] = near;
	p.q.max_wait_us = RL_PERIOD_MAX_US;
	p.q.held = p.held;
	ask(&m, &p.q, 0);
	check(ask(&m, &p.q, 0).wait_us == RL_PERIOD_MAX_US, "a turn in ten years");
	m.now.mono_us = RL_PERIOD_MAX_US - 1;
	check(left_now(&m, near) == 2, "it counts until then");
	m.now.mono_us = RL_PERIOD_MAX_US + 1034;
	check(left_now(&m, near) == 3, "and for a period");
}

static void test_places_come_free(void)
{
	static memory m;
	rl_limit limit = test_limit(RL_CONCURRENT, 2, 10 * S);
	permit a, b, c;
	rl_answer refused;

	memset(&m, 0, sizeof m);
	check(acquire(&m, &a, limit, 1, 0).decision.accepted && acquire(&m, &b, limit, 1, 0).decision.accepted,
		"two places");
	m.now.mono_us = 4 * S;
	refused = acquire(&m, &c, limit, 1, 0);
	check(!refused.decision.accepted && refused.decision.retry_after_us == 6 * S, "not a third one");
	check(!acquire(&m, &c, limit, 1, 60 * S).decision.accepted, "nor in line: a place is not booked");
	check(change(&m, &a, RL_OP_RELEASE, 0).found, "a place is released");
	check(!change(&m, &a, RL_OP_RELEASE, 0).found, "once");
	check(acquire(&m, &c, limit, 1, 0).decision.accepted, "and taken again");
	b.q.renew_us = 20 * S;
	check(change(&m, &b, RL_OP_RENEW, 0).found, "a place is renewed");
	m.now.mono_us = 14 * S;
	check(!change(&m, &c, RL_OP_RENEW, 0).found, "a place that came free is not revived");
	check(left_now(&m, limit) == 1, "one place is held, for 20 s more");
	m.now.mono_us = 24 * S;
	check(left_now(&m, limit) == 2 && !change(&m, &b, RL_OP_RENEW, 0).found, "until its end");
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
	test_late_cancel_gives_nothing_back();
	test_bucket_gives_back_what_was_not_refilled();
	test_two_permits_do_not_give_the_same_refill_back();
	test_thousands_of_places();
	test_bucket_with_many_marks_gives_back_no_more_than_was_taken();
	test_debt_is_counted_above_the_limit();
	test_turns_fill_one_window_after_the_other();
	test_turns_of_a_sliding_window_end();
	test_places_come_free();
	return checks_report();
}
