/* One-word states (shm/table/state_word.h) at their bounds: every number that fits folds, and any other is a record. Buckets of all sizes are
 * decided as the general way decides. */
#include "state_word.h"

#define MARK UINT64_C(0x5eed)

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
	if (one_in(2)) {
		rl_bucket_prepare(&limit);
	}
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
		rl_position p;
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
		p = rl_shm_position(&rl_shm, &key, true);
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
			check(rl_word_unfold(&rl_shm, entry->pair.a, entry->pair.b, now.mono_us, state, &ignored) == next_words
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

		check(rl_word_unfold(&rl_shm, fp, word, 0, again, &ignored) == words, "the words of an unfolded state");
		if (rl_limit_state_algorithm(state + RL_STATE_HEAD_WORDS) == RL_FIXED_WINDOW) {
			check(memcmp(state, again, words * sizeof *state) == 0, "an unfolded fixed window");
		} else {
			check(memcmp(state + RL_STATE_HEAD_WORDS, again + RL_STATE_HEAD_WORDS,
					  (words - RL_STATE_HEAD_WORDS) * sizeof *state)
					== 0,
				"an unfolded limit state");
		}
	}
	return done;
}

static bool fixed_folds(uint64_t count, uint64_t end_us)
{
	uint64_t state[RL_WORD_STATE_WORDS];

	rl_state_begin(1, false, count, (int64_t) end_us, state);
	rl_window_write(RL_FIXED_WINDOW, S, (rl_window){(int64_t) end_us, count}, state + RL_STATE_HEAD_WORDS);
	return folds(state, RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS);
}

static bool calendar_folds(uint64_t count, uint64_t end_us)
{
	uint64_t state[RL_WORD_STATE_WORDS];

	rl_state_begin(1, false, count, 0, state);
	rl_window_write(RL_CALENDAR_WINDOW, RL_DAY, (rl_window){(int64_t) end_us, count}, state + RL_STATE_HEAD_WORDS);
	return folds(state, RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS);
}

static bool bucket_folds(uint64_t rate, uint64_t frac, uint64_t tat_us, uint64_t period_us)
{
	uint64_t state[RL_WORD_STATE_WORDS], *own = state + RL_STATE_HEAD_WORDS;

	rl_state_begin(1, false, 0, (int64_t) (tat_us + (frac > 0)), state);
	rl_limit_state_begin(RL_TOKEN_BUCKET, period_us, RL_BUCKET_WORDS, 0, 0, own);
	own[RL_BUCKET_RATE] = rate;
	own[RL_BUCKET_TAT] = tat_us;
	own[RL_BUCKET_FRAC] = frac;
	return folds(state, RL_STATE_HEAD_WORDS + RL_BUCKET_WORDS);
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
	const size_t words = RL_STATE_HEAD_WORDS + RL_WINDOW_WORDS;
	uint64_t plain[RL_WORD_STATE_WORDS] = {0}, other[RL_WORD_STATE_WORDS + RL_NOTE_WORDS] = {0};
	unsigned i;

	restart();
	check(fixed_folds(0xffffff, RL_COUNTER_END_MAX_MS * 1000) && fixed_folds(0x40000, 7000),
		"the largest fixed window folds");
	check(!fixed_folds(0x1000000, 7000) && !fixed_folds(1, (RL_COUNTER_END_MAX_MS + 1) * 1000) && !fixed_folds(1, 7001)
			&& !fixed_folds(1, (uint64_t) -1000),
		"a larger one does not, nor one that ends within a millisecond");
	check(calendar_folds(0xffffff, ((UINT64_C(1) << 34) - 1) * S) && calendar_folds(7, S),
		"the largest calendar window folds");
	check(!calendar_folds(0x1000000, S) && !calendar_folds(1, (UINT64_C(1) << 34) * S) && !calendar_folds(1, S + 1)
			&& !calendar_folds(1, (uint64_t) -S),
		"a larger one does not, nor one that ends within a second");
	test_bucket_bounds();
	rl_state_begin(1, false, 5, 7000, plain);
	rl_window_write(RL_FIXED_WINDOW, S, (rl_window){7000, 5}, plain + RL_STATE_HEAD_WORDS);
	check(folds(plain, words), "a plain state folds");
	for (i = 0; i < 3; i++) {
		memcpy(other, plain, sizeof plain);
		other[0] |= i == 0 ? UINT64_C(1) << RL_STATE_LEVEL_AT : i == 1 ? 2 : 0;
		other[RL_STATE_BAN_END] = i == 2;
		check(!folds(other, words), "a state with a level, another limit, a ban does not fold: %u", i);
	}
	for (i = 0; i < 4; i++) {
		uint64_t *own = other + RL_STATE_HEAD_WORDS;

		memcpy(other, plain, sizeof plain);
		own[0] |= i == 0 ? UINT64_C(1) << RL_LIMIT_STATE_MARK_AT : i == 1 ? UINT64_C(1) << 32 : 0;
		own[RL_LIMIT_STATE_TAG] = i == 2 ? 4 : i == 3 ? UINT64_C(1) << RL_LIMIT_STATE_NOTES_AT : 0;
		check(!folds(other, words), "a limit state with a mark, a number, a tag, a note does not fold: %u", i);
	}
	memcpy(other, plain, sizeof plain);
	other[0] = rl_state_head(1, false, 9);
	check(!folds(other, words), "a state that claims other permits than its window does not fold");
}

/* Takes ten permits on the fast paths in turns, and checks that each was counted once. */
static void take_ten(const char *name, const rl_limit *limit, uint64_t before)
{
	rl_question q = test_question(RL_OP_CONSUME, *limit, 1), peek = test_question(RL_OP_PEEK, *limit, 0);
	rl_key key = test_key(RL_SPACE_LIMITER, name, 1);
	rl_name_hash hash;
	rl_answer a;
	unsigned i;

	rl_name_hash_make(RL_SPACE_LIMITER, name, strlen(name), &hash);
	for (i = 0; i < 10; i++) {
		if (i % 2 == 0 && hash.shape != 0 ? rl_limiter_verdict_int(&hash, key.int_id, limit) == RL_VERDICT_NONE
										  : !rl_limiter_fast(&key, limit, 1, &a.decision)) {
			test_ask(name, 1, &q, &a);
		}
	}
	test_ask(name, 1, &peek, &a);
	check(a.decision.remaining == limit->limit - before - 10 && a.decision.reset_after_us <= 3600 * S + RL_US_PER_MS,
		"%lu remain, reset after %ld", (unsigned long) a.decision.remaining, (long) a.decision.reset_after_us);
}

/* The count that outgrows its bits does not touch the end: the state is a record, also on the way of a verdict, until the window is over. */
static void test_a_count_outgrows_its_word(void)
{
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 17000000, 3600 * S);
	rl_question q = test_question(RL_OP_CONSUME, limit, RL_COUNTER_COUNT_MASK - 4);
	rl_answer a;

	rl_clock_unfreeze();
	test_ask("many", 1, &q, &a);
	check((entry_of("many", 1)->pair.a & RL_FP_TERMS) != 0, "16,777,211 permits are a word");
	take_ten("many", &limit, RL_COUNTER_COUNT_MASK - 4);
	check(rl_fp_has_record(entry_of("many", 1)->pair.a), "16,777,221 permits are a record");
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
	test_units();
	test_bounds();
	test_a_count_outgrows_its_word();
	test_birth();
	test_no_record();
	test_terms_are_used_up();
	return checks_report();
}
