/* One-word states (shm/table/state_word.h): each answer is that of rl_limiter_decide() on a state that never folds; a word of other terms, or
 * garbage, is never another state. */
#include "state_word.h"

#define HISTORIES 4000
#define STEPS     60
#define WORDS_MAX 12000

static unsigned folded, unfolded, bans, fast[2];

static int64_t some_period(void)
{
	static const int64_t periods[] = {RL_PERIOD_MIN_US, 7777, S / 3, S, 60 * S, 3600 * S, RL_PERIOD_MAX_US};

	return one_in(9) ? between(RL_PERIOD_MIN_US, 100 * S) : periods[test_random(&seed) % 7];
}

static uint64_t some_limit(rl_algorithm algorithm)
{
	if (algorithm == RL_SLIDING_LOG) {
		return (uint64_t) between(1, 9);
	}
	return (uint64_t) (one_in(6) ? between(1, RL_LIMIT_MAX)
			: one_in(8)          ? between(16777000, 16778000)
								 : between(1, one_in(2) ? 5 : 1000));
}

/* Sets the ban of a limit, or none. */
static void set_ban(rl_limit *limit)
{
	static rl_ban_steps steps = {.n = 3, .us = {S, 3 * S, 10 * S}};

	limit->ban = (rl_ban_kind) between(RL_BAN_NONE, RL_BAN_STEPS);
	limit->ban_us = limit->ban == RL_BAN_UNTIL ? rl_clock_wall_us() + between(-S, 20 * S)
		: one_in(9)                            ? 3 * S + 7
											   : 3 * S;
	steps.forget_us = one_in(9) ? 100 * S + 7 : 100 * S;
	limit->steps = &steps;
}

static rl_limit random_limit(void)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET, RL_SLIDING_LOG};
	rl_limit limit = {.algorithm = algorithms[one_in(9) ? 3 : test_random(&seed) % 3]};

	limit.limit = some_limit(limit.algorithm);
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
	if (limit.algorithm == RL_TOKEN_BUCKET && one_in(2)) {
		rl_bucket_prepare(&limit);
	}
	return limit;
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

/* Compares the store's state with the twin's, but for the hints of an eviction: what is used of a bucket, what was used before a ban, and
 * when a calendar window is over by the segment's time. */
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
	words = rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, test_now().mono_us, state, &ignored);
	check(words == general.words, "%zu and %zu words", words, general.words);
	if (words != general.words || words < RL_STATE_HEAD_WORDS) {
		return;
	}
	if (rl_state_is_lone_ban(state)) {
		bans++;
		state[0] = (uint32_t) state[0] | (uint64_t) rl_state_used(general.state[0]) << RL_STATE_USED_AT;
		check(memcmp(state, general.state, words * sizeof *state) == 0, "an unfolded ban differs");
		return;
	}
	if (rl_limit_state_algorithm(state + RL_STATE_HEAD_WORDS) == RL_TOKEN_BUCKET) {
		state[0] = (uint32_t) state[0] | (uint64_t) rl_state_used(general.state[0]) << RL_STATE_USED_AT;
	}
	if (rl_limit_state_algorithm(state + RL_STATE_HEAD_WORDS) == RL_CALENDAR_WINDOW) {
		state[1] = general.state[1];
	}
	check(memcmp(state, general.state, words * sizeof *state) == 0, "algorithm %u: an unfolded state differs",
		rl_limit_state_algorithm(state + RL_STATE_HEAD_WORDS));
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
				limit.limit = some_limit(limit.algorithm);
			}
			if (one_in(20)) {
				set_ban(&limit);
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
	printf(
		"%u states were words, of them %u bans, and %u records or none; %u admissions and %u refusals on the fast path\n",
		folded, bans, unfolded, fast[1], fast[0]);
	check(folded > 20000 && unfolded > 20000 && bans > 10000 && fast[0] > 1000 && fast[1] > 1000,
		"the histories have both forms");
}

/* ---- Bans ---- */

/* A lone ban unfolds into the state that was folded; one whose numbers do not fit stays a record. */
static void test_bans(void)
{
	static unsigned folds[2];
	unsigned i;

	restart();
	for (i = 0; i < 300000 && checks_broken == 0; i++) {
		uint64_t state[RL_WORD_STATE_WORDS], again[RL_WORD_STATE_WORDS], terms, word;
		bool by_hand = one_in(3), has_level = one_in(2), fits = !one_in(3);
		rl_limit limit = {.algorithm = (rl_algorithm) between(1, RL_ALGORITHMS), .period_us = S};
		uint64_t level = has_level ? (uint64_t) between(1, fits ? 1023 : RL_LEVEL_MAX) : 0;
		size_t n;

		seed = 9000000 + i;
		rl_state_begin(0, false, 0, 0, state);
		state[RL_STATE_BAN_END] = fits ? (uint64_t) between(1, (INT64_C(1) << 48) - 1)
									   : 1 + (test_random(&seed) >> between(1, 40));
		state[RL_STATE_BAN_LIMIT] = by_hand ? 0 : rl_state_ban_limit(&limit, 0);
		state[RL_STATE_EXPIRES] = state[RL_STATE_BAN_END];
		if (has_level) {
			state[0] |= level << RL_STATE_LEVEL_AT;
			state[RL_STATE_EXPIRES] += fits ? (uint64_t) (S * between(1, 3)) : test_random(&seed) >> between(0, 50);
			state[RL_STATE_FORGET] = state[RL_STATE_EXPIRES];
		}
		if (!rl_word_fold(&rl_shm, state, RL_STATE_HEAD_WORDS, 0, test_random(&seed), &terms, &word)) {
			check(!fits, "a ban that fits is a word");
			folds[0]++;
			continue;
		}
		folds[1]++;
		n = rl_word_unfold(&rl_shm, RL_FP_TAKEN | RL_FP_KIND | terms, word, 0, again, &ignored);
		check(n == RL_STATE_HEAD_WORDS && memcmp(again, state, n * sizeof *state) == 0,
			"a ban unfolds into what was folded");
	}
	printf("%u bans folded, %u did not\n", folds[1], folds[0]);
	check(folds[0] > 50000 && folds[1] > 100000, "bans of both kinds");
}

/* ---- Verdicts ---- */

/* A state around its edges: what ends or refills now, or within the span of the coarse clocks. */
static size_t random_edge(const rl_limit *limit, const rl_now *now, uint64_t *state)
{
	int64_t near_us = now->mono_us + between(-100000, 200000), end_us = (now->wall_us / S + between(0, 2)) * S;
	uint64_t *own = state + RL_STATE_HEAD_WORDS, count = (uint64_t) between(0, (int64_t) limit->limit), divisor;

	near_us = near_us > 0 ? near_us : 0;
	if (limit->limit > 1000) {
		count = limit->limit - (uint64_t) between(0, 9);
		count = count < RL_COUNTER_COUNT_MASK ? count : RL_COUNTER_COUNT_MASK;
	}
	if (limit->algorithm == RL_FIXED_WINDOW) {
		near_us -= near_us % RL_US_PER_MS;
	}
	rl_state_begin(1, false, count, near_us, state);
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			rl_window_write(RL_FIXED_WINDOW, (uint64_t) limit->period_us, (rl_window){near_us, count}, own);
			return RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS;
		case RL_CALENDAR_WINDOW:
			rl_window_write(RL_CALENDAR_WINDOW, limit->period, (rl_window){end_us, count}, own);
			return RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS;
		default:
			divisor = rl_bucket_divisor((uint64_t) limit->period_us, limit->rate);
			rl_bucket_write((rl_bucket_units){(uint64_t) limit->period_us, limit->rate}, 0, 0, own);
			own[RL_BUCKET_FRAC] = (uint64_t) between(0, (int64_t) (limit->rate / divisor) - 1) * divisor;
			own[RL_BUCKET_TAT] = (uint64_t) (near_us
				+ between(0, 1) * between(0, (int64_t) (limit->limit + 1) * limit->period_us) / (int64_t) limit->rate);
			return RL_STATE_HEAD_WORDS + RL_BUCKET_WORDS;
	}
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
	rl_name_hash name;
	unsigned i;

	restart();
	rl_clock_unfreeze();
	rl_worker_register();
	rl_name_hash_make(RL_SPACE_LIMITER, "verdict", strlen("verdict"), &name);
	if (name.shape == 0) {
		return; /* without AES there is no such verdict */
	}
	for (i = 0; i < 300000 && checks_broken == 0; i++) {
		rl_limit limit = test_limit(algorithms[i % 3], (uint32_t) (1 + i / 3 % 7), i % 2 ? 60 * S : S / 5);
		rl_key key = test_key(RL_SPACE_LIMITER, "verdict", 1);
		rl_position p = rl_shm_position(&rl_shm, &key, true);
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
		if (one_in(2) && limit.algorithm == RL_TOKEN_BUCKET) {
			rl_bucket_prepare(&limit);
		} else if (one_in(3) && limit.algorithm != RL_TOKEN_BUCKET) {
			/* Around the largest count of a word. */
			limit.limit = (UINT64_C(1) << RL_WORD_COUNT_BITS) - 3 + i / 3 % 7;
		}
		q = test_question(RL_OP_CONSUME, limit, 1);
		words = random_edge(&limit, &now[0], state);
		entry = rl_table_claim(&rl_shm, p, now[0].mono_us);
		if (!rl_word_fold(&rl_shm, state, words, 0, 0, &terms, &word)) {
			abort();
		}
		entry->pair = (rl_pair){p.fp | terms, word};
		now[0] = test_now();
		v = rl_limiter_verdict_int(&name, key.int_id, &limit);
		now[1] = test_now();
		d[0] = decide_at(&q, &now[0], state, words);
		d[1] = decide_at(&q, &now[1], state, words);
		if (v == RL_VERDICT_NONE) {
			check(entry->pair.b == word, "without a verdict nothing has changed");
			continue;
		}
		verdicts[i % 3]++;
		check((v >= RL_VERDICT_ADMITTED) == d[0].accepted || (v >= RL_VERDICT_ADMITTED) == d[1].accepted,
			"algorithm %u: verdict %u, the general way %u and %u", limit.algorithm, v, d[0].accepted, d[1].accepted);
		if (v == RL_VERDICT_REFUSED) {
			check(entry->pair.b == word, "a refusal has changed nothing");
		} else if (d[0].words == d[1].words && d[0].accepted && d[1].accepted
			&& memcmp(d[0].state + RL_STATE_HEAD_WORDS, d[1].state + RL_STATE_HEAD_WORDS,
				   (d[0].words - RL_STATE_HEAD_WORDS) * sizeof *state)
				== 0) {
			states[i % 3]++;
			check(rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, 0, again, &ignored) == d[0].words
					&& memcmp(again + RL_STATE_HEAD_WORDS, d[0].state + RL_STATE_HEAD_WORDS,
						   (d[0].words - RL_STATE_HEAD_WORDS) * sizeof *state)
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

/* ---- Terms ---- */

/* Words and terms of a damaged segment: no answer is out of its bounds, and a word of other terms is no state of the fast
 * path. */
static void test_garbage(void)
{
	rl_name_hash name;
	unsigned i;

	rl_name_hash_make(RL_SPACE_LIMITER, "garbage", strlen("garbage"), &name);
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
			rl_shm.terms[test_random(&seed) % RL_TERMS].a = rl_terms_what((rl_algorithm) (between(0, 7)
																			  | (one_in(2) ? RL_TERMS_BAN : 0)),
				(uint64_t) between(0, 2 * RL_PERIOD_MAX_US));
		}
		other = one_in(2) ? limit : random_limit();
		set_boundaries(&other, rl_clock_wall_us());
		if (name.shape != 0 && one_in(2)) {
			(void) rl_limiter_verdict_int(&name, key.int_id, &other);
		} else if (rl_limiter_fast(&key, &other, 1, &d)) {
			check(!rl_terms_are(&rl_shm, 0, other.algorithm, &other), "the first place of terms is of no limit");
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

int main(void)
{
	test_segment(RL_SHM_BYTES_MIN);
	test_histories();
	test_bans();
	test_verdicts();
	test_other_terms();
	test_garbage();
	return checks_report();
}
