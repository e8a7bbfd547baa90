/* One-word states (shm/state_word.h): each answer is that of rl_limiter_decide() on a state that never folds; every number that
 * fits folds, and any other is a record; a word of other terms, or garbage, is never another state. */
#include "check.h"
#include "harness.h"
#include "random.h"

#include "../../src/shm/clock.h"
#include "../../src/shm/limiter_fast.h"
#include "../../src/shm/state_word.h"
#include "../../src/shm/store_internal.h"

#define S         RL_US_PER_SECOND
#define HISTORIES 4000
#define STEPS     60
#define WORDS_MAX 12000
#define MARK      UINT64_C(0x5eed)

static unsigned folded, unfolded, fast[2];

static int64_t some_period(void)
{
	static const int64_t periods[] = {RL_PERIOD_MIN_US, 7777, S / 3, S, 60 * S, 3600 * S, RL_PERIOD_MAX_US};

	return one_in(9) ? between(RL_PERIOD_MIN_US, 100 * S) : periods[test_random(&seed) % 7];
}

static uint64_t some_limit(void)
{
	return (uint64_t) (one_in(6) ? between(1, RL_LIMIT_MAX)
			: one_in(8)          ? between(16777000, 16778000)
			: one_in(4)          ? between(262000, 263000)
								 : between(1, one_in(2) ? 5 : 1000));
}

static rl_limit random_limit(void)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET};
	rl_limit limit = {.algorithm = algorithms[test_random(&seed) % 3], .limit = some_limit()};

	if (limit.algorithm == RL_CALENDAR_WINDOW) {
		limit.period = one_in(2) ? RL_MINUTE : RL_HOUR;
	} else {
		limit.period_us = some_period();
	}
	if (limit.algorithm == RL_TOKEN_BUCKET) {
		limit.rate = one_in(5) ? (uint64_t) between(1, RL_LIMIT_MAX)
			: one_in(5)        ? (uint64_t) between(1, 1 << RL_TERMS_PARTS_BITS)
			: one_in(3)        ? (uint64_t) (1 + between(0, 20) * 5000)
							   : (uint64_t) between(1, 1000);
	}
	return limit;
}

static int64_t calendar_length(const rl_limit *limit)
{
	return (limit->period == RL_MINUTE ? 60 : 3600) * S;
}

static void set_boundaries(rl_limit *limit, int64_t wall_us)
{
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		test_boundaries(limit, calendar_length(limit), wall_us);
	}
}

static void restart(void)
{
	rl_shm_shutdown();
	rl_clock_unfreeze();
	test_segment(RL_SHM_BYTES_MIN);
	rl_clock_freeze(INT64_C(1700000000) * S);
}

/* The frozen clock's, on the segment's time. */
static rl_now test_now(void)
{
	rl_now now = rl_clock_read();

	now.mono_us = rl_segment_us(&rl_shm, now.mono_us);
	return now;
}

static rl_entry *entry_of(const char *name, int64_t id)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_table_find(&rl_shm, rl_shm_place(&rl_shm, &key, true));
}

/* ---- Histories ---- */

/* The state that the general way writes, and never folds. */
typedef struct {
	size_t words;
	uint64_t state[WORDS_MAX];
} twin;

static twin general;

/* Asks the twin. Returns what PHP returns for the same question. */
static void ask_general(const rl_question *q, rl_answer *a)
{
	static uint64_t next[WORDS_MAX];
	rl_now now = test_now();
	size_t n = 0;
	rl_outcome outcome = rl_limiter_decide(q, &now, now.mono_us, general.words > 0 ? general.state : NULL,
		general.words, next, &n, a);

	if (outcome == RL_WRITE_STATE) {
		memcpy(general.state, next, n * sizeof *next);
		general.words = n;
	} else if (outcome == RL_WRITE_DELETE) {
		general.words = 0;
	}
}

/* Asks the store: on the fast path first, as PHP does. */
static void ask_store(int64_t id, const rl_question *q, rl_answer *a)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "word", id);

	if (q->op == RL_OP_CONSUME && !one_in(3) && rl_limiter_fast(&key, &q->limits[0], q->cost, &a->decision)) {
		a->granted = a->decision.accepted ? q->cost : 0;
		fast[a->decision.accepted]++;
	} else {
		(void) test_ask("word", id, q, a);
	}
}

static void compare_answers(const rl_question *q, const rl_answer *a, const rl_answer *b)
{
	const rl_decision *x = &a->decision, *y = &b->decision;

	if (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_ACQUIRE) {
		check(x->reason == y->reason && x->accepted == y->accepted && x->limit == y->limit
				&& x->remaining == y->remaining && x->retry_after_us == y->retry_after_us
				&& x->reset_after_us == y->reset_after_us,
			"op %u of algorithm %u: reason %u and %u, remaining %lu and %lu, retry %ld and %ld, reset %ld and %ld",
			q->op, q->limits[0].algorithm, x->reason, y->reason, (unsigned long) x->remaining,
			(unsigned long) y->remaining, (long) x->retry_after_us, (long) y->retry_after_us, (long) x->reset_after_us,
			(long) y->reset_after_us);
	} else if (q->op == RL_OP_UNBAN || q->op == RL_OP_RESET) {
		check(a->found == b->found, "op %u: found %u and %u", q->op, a->found, b->found);
	}
}

/* Compares the store's state with the twin's, but for the two hints of an eviction: what is used of a bucket, and when a calendar
 * window is over by the segment's time. */
static void compare_states(int64_t id)
{
	const rl_entry *entry = entry_of("word", id);
	uint64_t state[RL_WORD_STATE_WORDS];
	size_t words;

	if (entry == NULL || (entry->pair.a & RL_FP_TERMS) == 0) {
		unfolded++;
		return;
	}
	folded++;
	words = rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, test_now().mono_us, state);
	check(words == general.words, "%zu and %zu words", words, general.words);
	if (words != general.words || words < RL_SINGLE_HEAD + 1) {
		return;
	}
	if (rl_limit_state_algorithm(state + RL_SINGLE_HEAD) == RL_TOKEN_BUCKET) {
		state[0] = (uint32_t) state[0] | (uint64_t) rl_state_used(general.state[0]) << RL_STATE_USED_AT;
	}
	if (rl_limit_state_algorithm(state + RL_SINGLE_HEAD) == RL_CALENDAR_WINDOW) {
		state[1] = general.state[1];
	}
	check(memcmp(state, general.state, words * sizeof *state) == 0, "algorithm %u: an unfolded state differs",
		rl_limit_state_algorithm(state + RL_SINGLE_HEAD));
}

static rl_question random_question(const rl_limit *limit, rl_held *held)
{
	static const rl_op rare[] = {RL_OP_PEEK, RL_OP_CREDIT, RL_OP_RESET, RL_OP_BAN, RL_OP_UNBAN, RL_OP_ACQUIRE};
	rl_question q = test_question(one_in(6) ? rare[test_random(&seed) % 6] : RL_OP_CONSUME, *limit, 1);

	q.cost = one_in(4) ? (uint64_t) between(1, (int64_t) limit->limit) : 1;
	q.ban = RL_BAN_FOR;
	q.ban_us = between(1, 10 * S);
	q.held = held;
	q.tag = 76;
	return q;
}

static void test_histories(void)
{
	int64_t history;
	unsigned step;

	for (history = 1; history <= HISTORIES && checks_broken == 0; history++) {
		rl_limit limit;

		if (history % 20 == 1) {
			restart(); /* terms stay */
		}
		seed = (uint64_t) history;
		limit = random_limit();
		general.words = 0;
		for (step = 0; step < STEPS && checks_broken == 0; step++) {
			int64_t length = limit.algorithm == RL_CALENDAR_WINDOW ? calendar_length(&limit) : limit.period_us;
			rl_held held[2][1];
			rl_question q;
			rl_answer a, b;

			if (one_in(40)) {
				limit = random_limit(); /* a deploy */
			} else if (one_in(30)) {
				limit.limit = some_limit();
			}
			if (one_in(50)) {
				limit.ban = limit.ban == RL_BAN_NONE ? RL_BAN_FOR : RL_BAN_NONE;
				limit.ban_us = 3 * S;
			}
			if (one_in(2) && length < 7200 * S) {
				rl_clock_advance(one_in(8) ? between(0, 2 * length) : between(0, length / 30));
			}
			if (limit.algorithm == RL_CALENDAR_WINDOW && one_in(40)) {
				rl_clock_freeze(rl_clock_wall_us() - between(0, 3 * length));
			}
			set_boundaries(&limit, rl_clock_wall_us());
			q = random_question(&limit, held[0]);
			ask_store(history, &q, &a);
			q.held = held[1];
			ask_general(&q, &b);
			compare_answers(&q, &a, &b);
			compare_states(history);
		}
	}
	printf("%u states were words and %u records or none; %u admissions and %u refusals on the fast path\n", folded,
		unfolded, fast[1], fast[0]);
	check(folded > 20000 && unfolded > 20000 && fast[0] > 1000 && fast[1] > 1000, "the histories have both forms");
}

/* ---- Verdicts ---- */

/* A state around its edges: what ends or refills now, or within the span of the coarse clocks. */
static size_t random_edge(const rl_limit *limit, const rl_now *now, uint64_t *state)
{
	int64_t near_us = now->mono_us + between(-100000, 200000), end_us = (now->wall_us / S + between(0, 2)) * S;
	uint64_t *own = state + RL_SINGLE_HEAD, count = (uint64_t) between(0, (int64_t) limit->limit), frac, divisor;

	near_us = near_us > 0 ? near_us : 0;
	if (limit->limit > 1000) {
		count = limit->limit - (uint64_t) between(0, 9);
	}
	state[0] = 1 | count << RL_STATE_USED_AT;
	state[1] = (uint64_t) near_us;
	own[1] = limit->algorithm == RL_CALENDAR_WINDOW ? limit->period : (uint64_t) limit->period_us;
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			own[0] = rl_limit_state_head(RL_FIXED_WINDOW, 3, (uint32_t) count);
			own[2] = (uint64_t) near_us;
			return RL_SINGLE_HEAD + 3;
		case RL_CALENDAR_WINDOW:
			own[0] = rl_limit_state_head(RL_CALENDAR_WINDOW, 4, rl_limit_state_number_of(1, 0));
			own[2] = (uint64_t) end_us;
			own[3] = count;
			return RL_SINGLE_HEAD + 4;
		default:
			divisor = rl_bucket_divisor((uint64_t) limit->period_us, limit->rate);
			frac = (uint64_t) between(0, (int64_t) (limit->rate / divisor) - 1) * divisor;
			own[0] = rl_limit_state_head(RL_TOKEN_BUCKET, 4, (uint32_t) frac);
			own[2] = limit->rate;
			own[3] = (uint64_t) (near_us
				+ between(0, 1) * between(0, (int64_t) (limit->limit + 1) * limit->period_us) / (int64_t) limit->rate);
			return RL_SINGLE_HEAD + 4;
	}
}

static unsigned count_bits(rl_algorithm algorithm)
{
	return algorithm == RL_FIXED_WINDOW ? RL_WORD_FIXED_COUNT_BITS : RL_WORD_CALENDAR_COUNT_BITS;
}

/* A decision of the general way on a state at one moment. */
typedef struct {
	rl_outcome outcome;
	bool accepted;
	size_t words;
	uint64_t state[64];
} decided;

static decided decide_at(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words)
{
	decided r = {.words = 0};
	rl_answer a;

	r.outcome = rl_limiter_decide(q, now, now->mono_us, state, words, r.state, &r.words, &a);
	r.accepted = a.decision.accepted;
	return r;
}

/* Each verdict is that of the general way at a moment between two readings of the exact clocks, and so is the state. */
static void test_verdicts(void)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET};
	static unsigned verdicts[3], states[3];
	unsigned i;

	restart();
	rl_clock_unfreeze();
	for (i = 0; i < 300000 && checks_broken == 0; i++) {
		rl_limit limit = test_limit(algorithms[i % 3], (uint32_t) (1 + i / 3 % 7), i % 2 ? 60 * S : S / 5);
		rl_key key = test_key(RL_SPACE_LIMITER, "verdict", 1);
		rl_place p = rl_shm_place(&rl_shm, &key, true);
		uint64_t state[RL_WORD_STATE_WORDS], again[RL_WORD_STATE_WORDS], terms, word;
		size_t words;
		rl_question q;
		rl_now now[2];
		rl_verdict v;
		rl_entry *entry;
		decided d[2];

		seed = 5000000 + i;
		now[0] = test_now();
		if (limit.algorithm == RL_CALENDAR_WINDOW) {
			limit.period = RL_MINUTE;
			limit.period_us = 0;
			limit.boundary[1] = (now[0].wall_us / S + between(1, 2)) * S;
			limit.boundary[0] = limit.boundary[1] - between(1, 2) * S;
			limit.boundary[2] = limit.boundary[1] + S;
		}
		if (one_in(3) && limit.algorithm != RL_TOKEN_BUCKET) {
			/* Around the bases of the counts. */
			limit.limit = (UINT64_C(1) << count_bits(limit.algorithm)) * (one_in(2) ? 1 : 63) + i / 3 % 7;
		}
		q = test_question(RL_OP_CONSUME, limit, (uint32_t) between(1, limit.limit > 7 ? 5 : (int64_t) limit.limit));
		words = random_edge(&limit, &now[0], state);
		entry = rl_table_claim(&rl_shm, p, now[0].mono_us);
		if (!rl_word_fold(&rl_shm, state, words, 0, 0, &terms, &word)) {
			abort();
		}
		entry->pair = (rl_pair){p.fp | terms, word};
		now[0] = test_now();
		v = rl_limiter_verdict(&key, &limit, q.cost);
		now[1] = test_now();
		d[0] = decide_at(&q, &now[0], state, words);
		d[1] = decide_at(&q, &now[1], state, words);
		if (v.kind == RL_VERDICT_NONE) {
			check(entry->pair.b == word, "without a verdict nothing has changed");
			continue;
		}
		verdicts[i % 3]++;
		check((v.kind == RL_VERDICT_ADMITTED) == d[0].accepted || (v.kind == RL_VERDICT_ADMITTED) == d[1].accepted,
			"algorithm %u: verdict %u, the general way %u and %u", limit.algorithm, v.kind, d[0].accepted,
			d[1].accepted);
		if (v.kind == RL_VERDICT_REFUSED) {
			check(entry->pair.b == word, "a refusal has changed nothing");
		} else if (d[0].words == d[1].words && d[0].accepted && d[1].accepted
			&& memcmp(d[0].state + RL_SINGLE_HEAD, d[1].state + RL_SINGLE_HEAD,
				   (d[0].words - RL_SINGLE_HEAD) * sizeof *state)
				== 0) {
			states[i % 3]++;
			check(rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, 0, again) == d[0].words
					&& memcmp(again + RL_SINGLE_HEAD, d[0].state + RL_SINGLE_HEAD,
						   (d[0].words - RL_SINGLE_HEAD) * sizeof *state)
						== 0,
				"algorithm %u: the state after a verdict", limit.algorithm);
			check(rl_state_is_exhausted(d[0].state[0]) != rl_state_is_exhausted(d[1].state[0])
					|| ((entry->pair.a & RL_FP_EXHAUSTED) != 0) == rl_state_is_exhausted(d[0].state[0]),
				"algorithm %u: the last permit after a verdict", limit.algorithm);
		}
	}
	printf("%u, %u, %u verdicts; %u, %u, %u states\n", verdicts[0], verdicts[1], verdicts[2], states[0], states[1],
		states[2]);
	check(verdicts[0] > 10000 && verdicts[1] > 10000 && verdicts[2] > 10000 && states[2] > 1000,
		"verdicts of each algorithm");
}

/* ---- Units ---- */

/* Returns a number of any size up to max, of which small ones are as likely as large ones. */
static uint64_t some_size(uint64_t max)
{
	uint64_t n = test_random(&seed) >> (test_random(&seed) & 63);

	return one_in(20) ? max : 1 + n % max;
}

/* Returns a bucket whose units are a few more than a word has. */
static rl_limit overlong_bucket(void)
{
	rl_limit limit = {.algorithm = RL_TOKEN_BUCKET, .rate = 1 << 17, .period_us = 2 * between(600 * S, 7200 * S) + 1};

	limit.limit = UINT64_MAX / (uint64_t) limit.period_us + (uint64_t) between(0, 2);
	return limit;
}

static rl_limit some_bucket(void)
{
	rl_limit limit = {.algorithm = RL_TOKEN_BUCKET, .limit = some_size(RL_LIMIT_MAX), .rate = some_size(RL_LIMIT_MAX)};

	limit.period_us = (int64_t) some_size(RL_PERIOD_MAX_US);
	if (one_in(2)) { /* a common divisor */
		limit.rate = some_size(1 << 12) * some_size(1 << 12);
		limit.period_us = (int64_t) (some_size(3600) * (one_in(2) ? S : limit.rate));
	}
	limit.ban = one_in(8) ? RL_BAN_FOR : RL_BAN_NONE;
	limit.ban_us = S;
	return limit;
}

/* Returns a TAT near an edge of the decision, or any other one. */
static uint64_t some_tat(const rl_limit *limit, rl_bucket_units units, uint64_t cost, int64_t now_us)
{
	uint64_t now = (uint64_t) now_us * units.parts, edge = (limit->limit - cost) * units.permit;
	uint64_t back = limit->limit > cost ? units.permit : 0;

	return one_in(4) ? test_random(&seed) >> (test_random(&seed) & 63)
		: one_in(8)  ? (UINT64_C(1) << 61) - cost * units.permit - (uint64_t) between(0, 2)
		: one_in(8)  ? UINT64_MAX - cost * units.permit - (uint64_t) between(0, 2)
		: one_in(4)  ? now + (uint64_t) between(0, 4) - 2
					 : now + edge - (one_in(2) ? back : 0) + (uint64_t) between(0, 4) - 2;
}

/* Buckets of all sizes: the fast path's answer by a word is the general one's by the unfolded state, and so is the next state. */
static void test_units(void)
{
	unsigned i, decisions[2] = {0}, exhausted = 0, left = 0;

	for (i = 0; i < 1500000 && checks_broken == 0; i++) {
		uint64_t state[RL_WORD_STATE_WORDS], again[RL_WORD_STATE_WORDS], terms, word, tat;
		rl_key key = test_key(RL_SPACE_LIMITER, "units", 1);
		rl_place p;
		rl_entry *entry;
		rl_limit limit;
		rl_question q;
		rl_terms t = {.algorithm = RL_TOKEN_BUCKET};
		rl_answer a;
		rl_decision d;
		size_t words, next_words = 0;
		rl_outcome outcome;
		rl_now now;

		seed = 9000000 + i;
		if (i % 200 == 0) {
			restart();
			if (one_in(2)) {
				rl_clock_advance((int64_t) some_size(RL_PERIOD_MAX_US / 2));
			}
		}
		limit = one_in(20) ? overlong_bucket() : some_bucket();
		q = test_question(RL_OP_CONSUME, limit, 0);
		q.cost = one_in(2) ? 1 : some_size(limit.limit);
		now = test_now();
		t.divisor = rl_bucket_divisor((uint64_t) limit.period_us, limit.rate);
		t.units = (rl_bucket_units){(uint64_t) limit.period_us / t.divisor, limit.rate / t.divisor};
		tat = some_tat(&limit, t.units, q.cost, now.mono_us);
		words = rl_word_unpack(&t, tat, state);
		if (!rl_word_fold(&rl_shm, state, words, 0, 0, &terms, &word)) {
			check(t.units.parts >> RL_TERMS_PARTS_BITS != 0 || (tat >> 61 != 0 && t.units.parts < 8) || i % 200 > 100,
				"a bucket with %lu parts and a TAT of %lu folds", (unsigned long) t.units.parts, (unsigned long) tat);
			continue;
		}
		check(word == tat, "a word folds to itself");
		p = rl_shm_place(&rl_shm, &key, true);
		entry = rl_table_claim(&rl_shm, p, now.mono_us);
		entry->pair = (rl_pair){p.fp | terms, word};
		if (!rl_limiter_fast(&key, &limit, q.cost, &d)) {
			check(entry->pair.b == word, "what the fast path leaves has not changed");
			left++;
			continue;
		}
		outcome = rl_limiter_decide(&q, &now, now.mono_us, state, words, again, &next_words, &a);
		decisions[d.accepted]++;
		check(outcome == (d.accepted ? RL_WRITE_STATE : RL_WRITE_NOTHING), "outcome %u", outcome);
		compare_answers(&q, &(rl_answer){.decision = d}, &a);
		if (d.accepted && checks_broken == 0) {
			exhausted += (entry->pair.a & RL_FP_EXHAUSTED) != 0;
			check(rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, now.mono_us, state) == next_words
					&& memcmp(state, again, next_words * sizeof *state) == 0,
				"the next state");
		} else {
			check(entry->pair.b == word, "a refusal has changed nothing");
		}
	}
	printf("units: %u admitted, %u of them with the last permit, %u refused, %u left\n", decisions[1], exhausted,
		decisions[0], left);
	check(decisions[0] > 50000 && decisions[1] > 50000 && exhausted > 10000, "buckets of all sizes are decided");
}

/* ---- Bounds ---- */

static bool folds(const uint64_t *state, size_t words)
{
	uint64_t terms, word, again[RL_WORD_STATE_WORDS];
	bool done = rl_word_fold(&rl_shm, state, words, 0, MARK, &terms, &word);

	if (done) {
		uint64_t fp = terms | (rl_state_is_exhausted(state[0]) ? RL_FP_EXHAUSTED : 0);

		check(rl_word_unfold(&rl_shm, fp, word, 0, again) == words, "the words of an unfolded state");
		if (rl_limit_state_algorithm(state + RL_SINGLE_HEAD) == RL_FIXED_WINDOW) {
			check(memcmp(state, again, words * sizeof *state) == 0, "an unfolded fixed window");
		} else {
			check(memcmp(state + RL_SINGLE_HEAD, again + RL_SINGLE_HEAD, (words - RL_SINGLE_HEAD) * sizeof *state) == 0,
				"an unfolded limit state");
		}
	}
	return done;
}

static bool fixed_folds(uint64_t count, uint64_t end_us)
{
	uint64_t state[] = {1 | count << 32, end_us, rl_limit_state_head(RL_FIXED_WINDOW, 3, (uint32_t) count), S, end_us};

	return folds(state, 5);
}

static bool calendar_folds(uint64_t count, uint64_t end_us)
{
	uint64_t state[] = {1 | (count & UINT32_MAX) << 32, 0,
		rl_limit_state_head(RL_CALENDAR_WINDOW, 4, rl_limit_state_number_of(1, 0)), RL_DAY, end_us, count};

	return folds(state, 6);
}

static bool bucket_folds(uint64_t rate, uint64_t frac, uint64_t tat_us, uint64_t period_us)
{
	uint64_t state[] = {1, tat_us + (frac > 0), rl_limit_state_head(RL_TOKEN_BUCKET, 4, (uint32_t) frac), period_us,
		rate | frac >> 32 << 48, tat_us};

	return folds(state, 6);
}

static void test_bucket_bounds(void)
{
	const uint64_t prime = 16777213, day = UINT64_C(86400) * S; /* fewer than 2^24 parts */
	uint64_t most = UINT64_MAX / prime;

	check(bucket_folds(prime, prime - 1, most - 1, S), "the most parts fold, nearly up to the largest TAT");
	check(!bucket_folds(prime, prime - 1, most, S) && !bucket_folds(prime, 0, most + 1, S), "a larger TAT does not");
	check(!bucket_folds(16777217, 0, 1, S), "more parts do not");
	check(bucket_folds(7, 6, (UINT64_C(1) << 61) / 7 - 1, S) && !bucket_folds(7, 6, (UINT64_C(1) << 61) / 7 + 1, S)
			&& bucket_folds(1, 0, (UINT64_C(1) << 61) - 1, S) && !bucket_folds(1, 0, UINT64_C(1) << 61, S)
			&& !bucket_folds(1, 0, (uint64_t) -S, S),
		"a TAT of few parts that no moment reaches does not");
	check(bucket_folds(RL_LIMIT_MAX, RL_LIMIT_MAX - 1000000, most / 2, S) && !bucket_folds(2 * RL_LIMIT_MAX, 0, 1, S),
		"the highest rate folds");
	check(bucket_folds(prime, 1, 7, RL_PERIOD_MAX_US) && !bucket_folds(prime, 1, 7, RL_PERIOD_MAX_US + 1)
			&& !bucket_folds(7, 0, 7, 0) && !bucket_folds(0, 0, 7, S),
		"the longest period folds");
	check(!bucket_folds(7, 7, 1, S) && !bucket_folds(1000, 1001, 1, S) && !bucket_folds(6, 1, 1, S),
		"a fraction that is none of the bucket's does not");
	check(bucket_folds(1000000, 0, 5, day) && bucket_folds(1000001, 1000000, 5, day)
			&& bucket_folds(16777215, 45 * 372826, 5, 360000 * (uint64_t) S)
			&& bucket_folds(10000000000, 0, 5, 30 * day) && bucket_folds(123457, 0, 5, 60 * S),
		"usual buckets fold");
}

static void test_bounds(void)
{
	uint64_t plain[] = {1 | UINT64_C(5) << 32, 7, rl_limit_state_head(RL_FIXED_WINDOW, 3, 5), S, 7}, other[8] = {0};
	unsigned i;

	restart();
	check(fixed_folds(0xffffff, (UINT64_C(1) << 46) - 1) && fixed_folds(0x40000, 7), "the largest fixed window folds");
	check(!fixed_folds(0x1000000, 7) && !fixed_folds(1, UINT64_C(1) << 46) && !fixed_folds(1, (uint64_t) -1),
		"a larger one does not");
	check(calendar_folds(0x3fffffff, ((UINT64_C(1) << 34) - 1) * S) && calendar_folds(0x1000000, S),
		"the largest calendar window folds");
	check(!calendar_folds(0x40000000, S) && !calendar_folds(1, (UINT64_C(1) << 34) * S) && !calendar_folds(1, S + 1)
			&& !calendar_folds(1, (uint64_t) -S),
		"a larger one does not, nor one that ends within a second");
	test_bucket_bounds();
	check(folds(plain, 5), "a plain state folds");
	for (i = 0; i < 4; i++) {
		static const uint64_t flags[] = {RL_STATE_BAN, RL_STATE_LEVEL, RL_STATE_CARRY, 2};

		memcpy(other, plain, sizeof plain);
		other[0] |= flags[i];
		check(!folds(other, 5), "a state with flag %lx does not fold", (unsigned long) flags[i]);
	}
	for (i = 0; i < 3; i++) {
		static const uint64_t flags[] = {RL_LIMIT_STATE_TAGGED, RL_LIMIT_STATE_WIDE, UINT64_C(1) << 18};

		memcpy(other, plain, sizeof plain);
		other[RL_SINGLE_HEAD] |= flags[i];
		check(!folds(other, 5) && !folds(other, 6), "a limit state with flag %lx does not fold",
			(unsigned long) flags[i]);
	}
	memcpy(other, plain, sizeof plain);
	other[0] = 1 | UINT64_C(9) << 32;
	check(!folds(other, 5), "a state that claims other permits than its window does not fold");
}

/* Takes ten permits on the fast paths in turns, and checks that each was counted once. */
static void take_ten(const char *name, const rl_limit *limit, uint64_t before)
{
	rl_question q = test_question(RL_OP_CONSUME, *limit, 1), peek = test_question(RL_OP_PEEK, *limit, 0);
	rl_key key = test_key(RL_SPACE_LIMITER, name, 1);
	rl_answer a;
	unsigned i;

	for (i = 0; i < 10; i++) {
		if (i % 2 == 0 ? rl_limiter_verdict(&key, limit, 1).kind == RL_VERDICT_NONE
					   : !rl_limiter_fast(&key, limit, 1, &a.decision)) {
			test_ask(name, 1, &q, &a);
		}
	}
	test_ask(name, 1, &peek, &a);
	check(a.decision.remaining == limit->limit - before - 10 && a.decision.reset_after_us <= 3600 * S,
		"%lu remain, reset after %ld", (unsigned long) a.decision.remaining, (long) a.decision.reset_after_us);
}

/* The count that outgrows its bits does not touch the end. The state is a word of the next base, also on the way of a verdict; after
 * the last base it is a record. */
static void test_a_count_outgrows_its_word(void)
{
	const uint64_t one_base = UINT64_C(1) << RL_WORD_FIXED_COUNT_BITS;
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 17000000, 3600 * S);
	rl_question q = test_question(RL_OP_CONSUME, limit, one_base - 4);
	uint64_t terms;
	rl_answer a;

	rl_clock_unfreeze();
	test_ask("many", 1, &q, &a);
	terms = entry_of("many", 1)->pair.a & RL_FP_TERMS;
	check(terms != 0, "262,140 permits are a word");
	take_ten("many", &limit, one_base - 4);
	check((entry_of("many", 1)->pair.a & RL_FP_TERMS) != terms && (entry_of("many", 1)->pair.a & RL_FP_TERMS) != 0,
		"262,150 permits are a word of other terms");
	q.cost = (RL_WORD_BASES - 1) * one_base - 10;
	test_ask("many", 1, &q, &a);
	check((entry_of("many", 1)->pair.a & RL_FP_TERMS) != 0, "16,777,212 permits are a word");
	take_ten("many", &limit, RL_WORD_BASES * one_base - 4);
	check(rl_fp_has_record(entry_of("many", 1)->pair.a), "16,777,222 permits are a record");
	rl_clock_freeze(INT64_C(1700000000) * S);
}

/* A calendar window that was evicted and begins again has another word, although its end and its count are the same. */
static void test_birth(void)
{
	rl_limit limit = {.algorithm = RL_CALENDAR_WINDOW, .limit = 5, .period = RL_HOUR};
	rl_question q, reset;
	uint64_t word, again;
	rl_answer a;

	set_boundaries(&limit, rl_clock_wall_us());
	q = test_question(RL_OP_CONSUME, limit, 1);
	reset = test_question(RL_OP_RESET, limit, 1);
	test_ask("birth", 1, &q, &a);
	word = entry_of("birth", 1)->pair.b;
	test_ask("birth", 1, &reset, &a);
	test_ask("birth", 1, &q, &a);
	again = entry_of("birth", 1)->pair.b;
	check(word != again && (word ^ again) << RL_WORD_BIRTH_BITS == 0,
		"the words %lx and %lx differ in their birth alone", (unsigned long) word, (unsigned long) again);
	test_ask("birth", 1, &q, &a);
	check(a.decision.remaining == 3 && entry_of("birth", 1)->pair.b == again + 1, "the next call keeps the birth");
}

/* ---- Terms ---- */

/* More terms than there are places: what finds none is a record, and decides as well. */
static void test_terms_are_used_up(void)
{
	unsigned i, words = 0;

	restart();
	for (i = 1; i <= 600; i++) {
		rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 2, i * S), 1);
		rl_answer a;
		unsigned call;

		for (call = 0; call < 3; call++) {
			test_ask("terms", i, &q, &a);
			check(a.decision.accepted == (call < 2) && a.decision.reset_after_us == i * S, "limit %u, call %u", i,
				call);
		}
		words += (entry_of("terms", i)->pair.a & RL_FP_TERMS) != 0;
	}
	check(words > 200 && words < RL_TERMS, "%u of 600 limits have terms", words);
}

/* Words and terms of a damaged segment: no answer is out of its bounds, and a word of other terms is no state of the fast
 * path. */
static void test_garbage(void)
{
	unsigned i;

	for (i = 0; i < 200000; i++) {
		rl_limit limit, other;
		rl_question q;
		rl_key key;
		rl_entry *entry;
		rl_answer a;
		rl_decision d;

		if (i % 1000 == 0) {
			restart(); /* damaged entries lose records */
		}
		seed = 1000000 + i;
		limit = random_limit();
		set_boundaries(&limit, rl_clock_wall_us());
		q = test_question(one_in(3) ? RL_OP_PEEK : RL_OP_CONSUME, limit, 1);
		key = test_key(RL_SPACE_LIMITER, "garbage", i % 20);
		(void) test_ask("garbage", i % 20, &q, &a);
		entry = entry_of("garbage", i % 20);
		if (entry == NULL) {
			continue;
		}
		if (one_in(2)) {
			entry->pair.b = test_random(&seed);
		}
		if (one_in(2)) {
			entry->pair.a ^= test_random(&seed) & RL_FP_TERMS;
		}
		if (one_in(4)) {
			rl_shm.terms[test_random(&seed) % RL_TERMS] = one_in(2) ? (rl_pair){0, 0}
																	: (rl_pair){test_random(&seed), test_random(&seed)};
		}
		if (one_in(2)) {
			rl_shm.terms[test_random(&seed) % RL_TERMS].a = rl_terms_what((rl_algorithm) between(0, 7),
				(uint64_t) between(0, 2 * RL_PERIOD_MAX_US));
		}
		other = one_in(2) ? limit : random_limit();
		set_boundaries(&other, rl_clock_wall_us());
		if (one_in(2)) {
			(void) rl_limiter_verdict(&key, &other, 1);
		} else if (rl_limiter_fast(&key, &other, 1, &d)) {
			uint64_t base;

			check(!rl_terms_are(&rl_shm, 0, other.algorithm, &other, &base), "the first place of terms is of no limit");
			check(d.remaining <= d.limit && d.retry_after_us >= 0 && d.reset_after_us >= 0, "a decision of garbage");
		}
		q.limits[0] = other;
		check(test_ask("garbage", i % 20, &q, &a) == RL_OK && a.decision.remaining <= a.decision.limit
				&& a.decision.retry_after_us >= 0 && a.decision.reset_after_us >= 0,
			"an answer of garbage to op %u of algorithm %u: %lu of %lu remain, retry after %ld, reset after %ld", q.op,
			other.algorithm, (unsigned long) a.decision.remaining, (unsigned long) a.decision.limit,
			(long) a.decision.retry_after_us, (long) a.decision.reset_after_us);
	}
}

/* Another limit of the same name: its terms are not those of the word, which the fast path leaves. */
static void test_other_terms(void)
{
	rl_limit minute = test_limit(RL_FIXED_WINDOW, 5, 60 * S), hour = test_limit(RL_FIXED_WINDOW, 5, 3600 * S);
	rl_limit slow = test_limit(RL_TOKEN_BUCKET, 5, 60 * S), other = slow;
	rl_question q = test_question(RL_OP_CONSUME, minute, 1);
	rl_key key = test_key(RL_SPACE_LIMITER, "other", 1);
	rl_decision d;
	rl_answer a;

	restart();
	other.rate = 6;
	test_ask("other", 1, &q, &a);
	check((entry_of("other", 1)->pair.a & RL_FP_TERMS) != 0, "a window is a word");
	check(rl_limiter_fast(&key, &minute, 1, &d) && d.remaining == 3, "the fast path knows its own terms");
	check(!rl_limiter_fast(&key, &hour, 1, &d), "another period");
	check(!rl_limiter_fast(&key, &slow, 1, &d), "another algorithm");
	q = test_question(RL_OP_CONSUME, slow, 1);
	test_ask("other", 2, &q, &a);
	key.int_id = 2;
	check(rl_limiter_fast(&key, &slow, 1, &d) && d.remaining == 3, "a bucket's own terms");
	check(!rl_limiter_fast(&key, &other, 1, &d), "another rate");
	minute.limit = 9;
	key.int_id = 1;
	check(rl_limiter_fast(&key, &minute, 1, &d) && d.remaining == 6, "another number of the same terms");
}

/* No identity with one usual limit takes a record. */
static void test_no_record(void)
{
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 5, 60 * S), 1);
	rl_shm_stats stats;
	rl_answer a;
	unsigned i;

	restart();
	for (i = 1; i <= 5000; i++) {
		q.limits[0].algorithm = i % 2 ? RL_FIXED_WINDOW : RL_TOKEN_BUCKET;
		q.limits[0].rate = i % 2 ? 0 : 5;
		test_ask("bytes", i, &q, &a);
	}
	rl_shm_stats_read(&stats);
	check(stats.records_used == 0, "5,000 identities take %lu bytes of records", (unsigned long) stats.records_used);
}

int main(void)
{
	test_segment(RL_SHM_BYTES_MIN);
	test_histories();
	test_verdicts();
	test_units();
	test_bounds();
	test_a_count_outgrows_its_word();
	test_birth();
	test_no_record();
	test_terms_are_used_up();
	test_other_terms();
	test_garbage();
	return checks_report();
}
