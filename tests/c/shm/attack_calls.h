/* The calls of a victim (attack.c): decisions on each way, and what administers, lists and monitors the segment. */
#ifndef RL_TEST_ATTACK_CALLS_H
#define RL_TEST_ATTACK_CALLS_H

#include "src/core/algorithm/bucket.h"
#include "src/shm/monitor/ban_list.h"
#include "src/shm/machine/breaker_table.h"
#include "src/shm/store/counter_fast.h"
#include "src/shm/machine/deny_fast.h"
#include "src/shm/machine/held_places.h"
#include "src/shm/monitor/history.h"
#include "src/shm/machine/lease_entry.h"
#include "src/shm/store/limiter_fast.h"
#include "src/shm/monitor/metrics.h"
#include "src/shm/record/record_cache.h"
#include "src/shm/monitor/refusal_sketch.h"
#include "attack_guard.h"
#include "harness.h"

/* A single call begins: reads_test.c. */
#ifndef ATTACK_CALL
# define ATTACK_CALL()
#endif

#define IDENTITIES 40
#define S          RL_US_PER_SECOND

typedef struct {
	uint64_t calls, attached, refused, forks;
	uint32_t doing; /* an OP_* */
} progress;

enum {
	OP_COUNT,
	OP_PEEK,
	OP_RESET,
	OP_ASK,
	OP_MANY,
	OP_STATS,
	OP_FAST,
	OP_WORD,
	OP_DENY,
	OP_LEASE,
	OP_BREAKER,
	OP_GUARD,
	OP_MONITOR,
	OP_USUAL,
	OP_SINGLE,
	OP_PLACES,
	OP_LEAVE,
	OPS,
	OP_BUCKET = OPS
};

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return test_random(seed) % n;
}

/* What holds for every decision, whatever stands in the segment. */
static void check_decision(const rl_decision *d, unsigned n_limits)
{
	if (d->accepted != (d->reason == RL_ACCEPTED) || d->limit_index >= n_limits || d->remaining > d->limit
		|| d->retry_after_us < 0 || d->reset_after_us < 0) {
		abort();
	}
}

static rl_key any_key(uint64_t *seed, rl_space space)
{
	return test_key(space, "attacked", (int64_t) below(seed, IDENTITIES));
}

static void see_metrics(void *context, const rl_metrics *metrics)
{
	*(unsigned *) context += metrics->n_limits;
	if (metrics->name_len > RL_NAME_MAX || metrics->n_limits > RL_LIMIT_METER_SLOTS + 1) {
		abort();
	}
}

/* Counts, notes and lists what was decided. */
static void monitor(uint64_t *seed)
{
	static rl_sketch_row rows[16];
	static rl_ban_row bans[16];
	uint64_t lengths[RL_NETWORK_WORDS];
	rl_history_point points[RL_HISTORY_ROOM + 1];
	rl_key key = any_key(seed, RL_SPACE_ACTION);
	uint64_t name = rl_subject_name_id(key.space, key.name, key.name_len);
	rl_meter *meter = rl_metrics_of(RL_KIND_ACTION, key.name, key.name_len);
	unsigned limits = 0;
	size_t i, n;

	ATTACK_CALL();
	rl_meter_add(meter, RL_METER_REFUSED, 1);
	ATTACK_CALL();
	rl_limit_counts_add(rl_metrics_of_limit(meter, "limit", 5), RL_LIMIT_METER_REFUSED);
	ATTACK_CALL();
	rl_sketch_add(name, RL_KIND_ACTION, &key, 1, 1);
	ATTACK_CALL();
	rl_ban_list_put(name, RL_KIND_ACTION, &key, S, 1);
	if (below(seed, 8) == 0) {
		ATTACK_CALL();
		rl_ban_list_put_network(name, RL_KIND_LIMITER, &key, S, (unsigned) below(seed, 129));
	}
	ATTACK_CALL();
	if (rl_ban_list_network_lengths(lengths)) {
		ATTACK_CALL();
		rl_ban_list_network_left_us(name, &key);
	}
	if (below(seed, 4) == 0) {
		ATTACK_CALL();
		rl_sketch_forget(name, &key);
		ATTACK_CALL();
		rl_ban_list_forget(name, &key);
	}
	ATTACK_CALL();
	rl_metrics_each(see_metrics, &limits);
	ATTACK_CALL();
	n = rl_sketch_top(rows, 16);
	for (i = 0; i < n; i++) {
		if (rows[i].subject.name_len > RL_SUBJECT_NAME_MAX || rows[i].subject.id_len > RL_SUBJECT_ID_MAX) {
			abort();
		}
	}
	if (n > 16 || rl_ban_list_read(bans, 16, false) > 16 || rl_history_read(points) > RL_HISTORY_ROOM + 1) {
		abort();
	}
}

/* Makes a limit's window a minute that began a second ago. */
static void set_minute(rl_limit *limit, int64_t wall_us)
{
	limit->period = RL_MINUTE;
	limit->boundary[0] = wall_us - S;
	limit->boundary[1] = wall_us + 59 * S;
	limit->boundary[2] = wall_us + 119 * S;
}

static rl_question any_question(uint64_t *seed)
{
	static const rl_op ops[] = {RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_PEEK, RL_OP_BAN, RL_OP_RESERVE,
		RL_OP_CANCEL};
	static const uint32_t limits[] = {1, 3, 10, 100, 1000, 9000};
	rl_question q = {.op = ops[below(seed, sizeof ops / sizeof ops[0])], .n_limits = (uint8_t) (1 + below(seed, 3))};
	int64_t wall_us = rl_clock_wall_us();
	unsigned i;

	/* A booking is for one log. */
	if (q.op == RL_OP_RESERVE || q.op == RL_OP_CANCEL) {
		q.n_limits = 1;
	}
	q.cost = (uint32_t) (1 + below(seed, 4) * below(seed, 40));
	q.at_us = wall_us + (int64_t) below(seed, 100) * S;
	if (q.op == RL_OP_BAN) {
		q.ban = RL_BAN_FOR;
		q.ban_us = (int64_t) (1 + below(seed, 60)) * S;
	}
	for (i = 0; i < q.n_limits; i++) {
		rl_algorithm algorithm = (rl_algorithm) (1 + below(seed, RL_ALGORITHMS));
		rl_limit *l = &q.limits[i];

		*l = test_limit(q.n_limits == 1 && q.op != RL_OP_CONSUME && q.op != RL_OP_PEEK ? RL_SLIDING_LOG : algorithm,
			limits[below(seed, sizeof limits / sizeof limits[0])], (int64_t) (1 + below(seed, 3600)) * S);
		if (l->algorithm == RL_CALENDAR_WINDOW) {
			l->period_us = 0;
			set_minute(l, wall_us);
		}
		l->ban = below(seed, 3) == 0 ? RL_BAN_FOR : RL_BAN_NONE;
		l->ban_us = 30 * S;
		if (q.cost > l->limit) {
			q.cost = l->limit;
		}
	}
	return q;
}

static void ask(rl_store *store, uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_question q = any_question(seed);
	rl_answer a;
	rl_error e;

	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK && rl_op_is_decision(q.op)) {
		check_decision(&a.decision, q.n_limits);
	}
}

/* Decides by a one-word state, on each of its ways. */
static void word(rl_store *store, uint64_t *seed)
{
	static const rl_algorithm algorithms[] = {RL_FIXED_WINDOW, RL_CALENDAR_WINDOW, RL_TOKEN_BUCKET};
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_question q = any_question(seed);
	rl_limit *l = &q.limits[0];
	rl_name_hash name;
	rl_decision d;
	rl_answer a;
	rl_error e;

	*l = test_limit(algorithms[below(seed, 3)], 100, below(seed, 2) == 0 ? 60 * S : 3600 * S);
	if (l->algorithm == RL_CALENDAR_WINDOW) {
		set_minute(l, rl_clock_wall_us());
	}
	q = test_question(RL_OP_CONSUME, *l, 1);
	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
	ATTACK_CALL();
	if (rl_limiter_fast(&key, l, 1 + below(seed, 3), &d)) {
		check_decision(&d, 1);
	}
	rl_name_hash_make(RL_SPACE_LIMITER, key.name, key.name_len, &name);
	if (name.shape != 0) {
		ATTACK_CALL();
		(void) rl_limiter_verdict_int(&name, key.int_id, l);
	}
}

/* Decides usual calls of several limits, which are those of the identity, and the parts of a question about several keys. */
static void usual(rl_store *store, uint64_t *seed)
{
	static const rl_algorithm kinds[] = {RL_FIXED_WINDOW, RL_TOKEN_BUCKET, RL_SLIDING_LOG, RL_SLIDING_WINDOW};
	rl_key key = test_key(RL_SPACE_LIMITER, "usual", (int64_t) below(seed, 12));
	rl_limit limits[] = {test_limit(kinds[key.int_id % 4], 1000, 60 * S),
		test_limit(kinds[key.int_id / 4 % 4], 9000, 3600 * S)};
	rl_question q = test_question(below(seed, 2) ? RL_OP_ACQUIRE : RL_OP_PEEK, limits[0], 1);
	rl_held held;
	rl_decision d;
	rl_answer a;
	rl_error e;

	for (unsigned i = 0; i < 8; i++) {
		ATTACK_CALL();
		if (rl_limiter_fast_several(&key, &rl_limiter_no_name, false,
				&(rl_usual_call){.limits = limits, .n = 2, .cost = 1}, &d)) {
			check_decision(&d, 2);
		}
	}
	key.name = "part";
	key.name_len = 4;
	q.part = RL_PART_TENTATIVE;
	q.held = &held;
	q.tag = 2 * (1 + below(seed, 4));
	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
}

/* Decides calls of one limit at a place: by a word, by a record that counts more than a word, and against a ban. */
static void single(rl_store *store, uint64_t *seed)
{
	rl_key key = {.space = RL_SPACE_LIMITER, .name = "single", .name_len = 6};
	rl_limit few = test_limit(RL_FIXED_WINDOW, 3, 60 * S), many = test_limit(RL_FIXED_WINDOW, 100000000, 60 * S);
	rl_question q;
	rl_name_hash name;
	rl_decision d;
	rl_answer a;
	rl_error e;
	char id[16];

	key.id = id;
	key.id_len = (size_t) snprintf(id, sizeof id, "id %u", (unsigned) below(seed, IDENTITIES));
	rl_name_hash_make(RL_SPACE_LIMITER, key.name, key.name_len, &name);
	if (name.shape != 0) {
		ATTACK_CALL();
		(void) rl_limiter_verdict_string(&name, key.id, key.id_len, &few);
	}
	ATTACK_CALL();
	if (rl_limiter_admit(rl_limiter_position(&key), &few, &d)) {
		check_decision(&d, 1);
	}
	few.ban = RL_BAN_FOR;
	few.ban_us = S / 100;
	q = test_question(RL_OP_CONSUME, few, 1);
	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
	ATTACK_CALL();
	if (rl_limiter_fast(&key, &few, 1, &d)) {
		check_decision(&d, 1);
	}
	key.name = "SINGLE";
	q = test_question(RL_OP_CONSUME, many, 20000000);
	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
	ATTACK_CALL();
	if (rl_limiter_admit_by_record(rl_limiter_position(&key), &many, &d)) {
		check_decision(&d, 1);
	}
}

/* Notes places in another store, forgets them, and looks for those of dead workers. */
static void places(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_held_place held = {.key = &key, .store_id = {7, 8}, .number = below(seed, 20), .for_us = 30 * S};
	rl_dead_place found = {.slot = 0};

	ATTACK_CALL();
	switch (below(seed, 4)) {
		case 0:
			rl_held_place_forget(&held);
			break;
		case 1:
			rl_held_place_abandon(&held);
			break;
		default:
			rl_held_place_note(&held);
	}
	ATTACK_CALL();
	(void) rl_dead_places_are_due(held.store_id);
	ATTACK_CALL();
	if (rl_dead_place_find(held.store_id, &found)) {
		ATTACK_CALL();
		rl_dead_place_forget(held.store_id, &found);
	}
}

static void count(rl_store *store, uint64_t *seed, bool peek)
{
	rl_key key = any_key(seed, RL_SPACE_ACTION);
	rl_counter_question q = {.seconds = (uint32_t) (1 + below(seed, 3600)),
		.limit = (uint32_t) (1 + below(seed, 1000)),
		.ban = below(seed, 3) == 0 ? RL_BAN_FOR : RL_BAN_NONE,
		.ban_s = 60};
	rl_decision d;
	rl_error e;

	ATTACK_CALL();
	if ((peek ? store->ops->peek : store->ops->count)(store, &key, &q, &d, &e) == RL_OK) {
		check_decision(&d, 1);
	}
}

static void fast(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_ACTION);

	ATTACK_CALL();
	(void) rl_counter_fast(&key, (uint32_t) (1 + below(seed, 1000)), below(seed, 2));
#ifdef RL_HASH_HAS_AES
	if (rl_shm.hash_kind == RL_HASH_AES) {
		ATTACK_CALL();
		(void) rl_counter_fast_aes(key.name, key.name_len, key.int_id, 10, below(seed, 2));
	}
#endif
}

static void deny(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_position p = rl_deny_position_of(&key, (rl_deny_key){1, 2}, true);
	int64_t now_us = rl_segment_us(&rl_shm, rl_clock_true_us());
	rl_deny_entry entry = {.end_us = now_us + 10 * S, .at_us = now_us, .retry_us = now_us + 10 * S};

	ATTACK_CALL();
	(void) rl_deny_lookup(p, &entry);
	ATTACK_CALL();
	(void) rl_deny_fast(&key, (rl_deny_key){1, 2}, 60 * S);
	ATTACK_CALL();
	rl_deny_store(p, &entry);
	if (below(seed, 8) == 0) {
		ATTACK_CALL();
		rl_deny_invalidate(&key);
	}
}

static void lease(uint64_t *seed)
{
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_lease_now now = rl_lease_now_read();
	rl_lease_position p = rl_lease_position_of(&key, (rl_deny_key){3, 4}, now.epoch);
	rl_lease_entry seen;

	ATTACK_CALL();
	(void) rl_lease_entry_take(p, (uint32_t) below(seed, 5), below(seed, 2), &seen);
	ATTACK_CALL();
	rl_lease_entry_put(p, 10, now.now_us + S);
}

static void see_breaker(void *context, const rl_breaker *breaker)
{
	char reason[RL_BREAKER_REASON_MAX];
	rl_breaker_facts facts;

	rl_breaker_read(breaker, &facts);
	rl_breaker_get_reason(breaker, reason);
	*(size_t *) context += strlen(facts.label) + strlen(reason);
}

static void breaker(uint64_t *seed)
{
	char dsn[32];
	size_t letters = 0;
	rl_breaker_name name;
	rl_breaker *place;
	rl_breaker_words words;

	snprintf(dsn, sizeof dsn, "redis://%u", (unsigned) below(seed, 4));
	name = rl_breaker_name_of(dsn, strlen(dsn), dsn);
	ATTACK_CALL();
	place = rl_breaker_place(&name, rl_shm_now_us());
	if (place != NULL && rl_breaker_load(place, name.id, &words)) {
		(void) rl_breaker_cas(place, &words, below(seed, 3), words.since_us + 1);
		rl_breaker_add_failure(place);
		rl_breaker_add_answer(place, 1, 1000);
		rl_breaker_set_reason(place, dsn);
	}
	ATTACK_CALL();
	rl_breakers_each(see_breaker, &letters);
}

static void guarded(uint64_t *seed)
{
	rl_space space = below(seed, 2) ? RL_SPACE_LIMITER : RL_SPACE_ACTION;
	rl_key keys[] = {any_key(seed, space), any_key(seed, space), any_key(seed, space), any_key(seed, space)};

	ATTACK_CALL();
	guard_call(keys, seed);
}

static void administer(rl_store *store, unsigned op, uint64_t *seed)
{
	rl_key keys[3] = {any_key(seed, RL_SPACE_LIMITER), any_key(seed, RL_SPACE_LIMITER), any_key(seed, RL_SPACE_ACTION)};
	rl_question q = any_question(seed);
	rl_status statuses[3];
	rl_answer answers[3];
	rl_shm_stats stats;
	rl_error e;
	bool found;

	switch (op) {
		case OP_RESET:
			ATTACK_CALL();
			(void) store->ops->command(store, &keys[2], &(rl_counter_command){.op = RL_OP_RESET}, &found, &e);
			break;
		case OP_MANY:
			ATTACK_CALL();
			(void) store->ops->ask_many(store, keys, 2, (const rl_question *[2]){&q, &q}, answers, statuses, &e);
			break;
		case OP_STATS:
			ATTACK_CALL();
			rl_shm_stats_read(&stats);
			break;
		default:
			ATTACK_CALL();
			rl_shm_leave_thread();
			break;
	}
}

/* Decides by the word of a bucket, whose numbers take 64 or 128 bits. The limit has its units, or finds them in the terms. */
static void decide_bucket(progress *mine, uint64_t *seed)
{
	rl_store *store = rl_shm_store();
	rl_key key = any_key(seed, RL_SPACE_LIMITER);
	rl_limit limit = test_limit(RL_TOKEN_BUCKET, 1000, 60 * S);
	rl_name_hash name;
	rl_question q;
	rl_decision d;
	rl_answer a;
	rl_error e;
	unsigned i;

	__atomic_store_n(&mine->doing, OP_BUCKET, __ATOMIC_RELAXED);
	if (key.int_id % 4 != 0) {
		limit.rate = UINT64_C(1) << 17;
		limit.period_us = 3600 * S + 1;
		limit.limit = UINT64_MAX / (uint64_t) limit.period_us + 1;
	}
	if (below(seed, 2) == 0) {
		rl_bucket_prepare(&limit);
	}
	/* What has become a record begins again as a word. */
	q = test_question(RL_OP_RESET, limit, 1);
	ATTACK_CALL();
	(void) store->ops->ask(store, &key, &q, &a, &e);
	q.op = RL_OP_CONSUME;
	ATTACK_CALL();
	if (store->ops->ask(store, &key, &q, &a, &e) == RL_OK) {
		check_decision(&a.decision, 1);
	}
	rl_name_hash_make(RL_SPACE_LIMITER, key.name, key.name_len, &name);
	for (i = 0; i < 100; i++) {
		ATTACK_CALL();
		if (rl_limiter_fast(&key, &limit, 1, &d)) {
			check_decision(&d, 1);
		}
		if (name.shape != 0) {
			ATTACK_CALL();
			(void) rl_limiter_verdict_int(&name, key.int_id, &limit);
		}
	}
	__atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);
}

static void one_call(progress *mine, uint64_t *seed)
{
	rl_store *store = rl_shm_store();
	unsigned op = (unsigned) below(seed, OPS);

	/* Most calls are decisions; the rest is rare, as in life. */
	if (op >= OP_MANY && below(seed, 4) != 0) {
		op = below(seed, 3) != 0 ? OP_ASK : OP_GUARD;
	}
	__atomic_store_n(&mine->doing, op, __ATOMIC_RELAXED);
	switch (op) {
		case OP_COUNT:
		case OP_PEEK:
			count(store, seed, op == OP_PEEK);
			break;
		case OP_ASK:
			ask(store, seed);
			break;
		case OP_FAST:
			fast(seed);
			break;
		case OP_WORD:
			word(store, seed);
			break;
		case OP_DENY:
			deny(seed);
			break;
		case OP_LEASE:
			lease(seed);
			break;
		case OP_BREAKER:
			breaker(seed);
			break;
		case OP_GUARD:
			guarded(seed);
			break;
		case OP_MONITOR:
			monitor(seed);
			break;
		case OP_USUAL:
			usual(store, seed);
			break;
		case OP_SINGLE:
			single(store, seed);
			break;
		case OP_PLACES:
			places(seed);
			break;
		default:
			administer(store, op, seed);
			break;
	}
	__atomic_fetch_add(&mine->calls, 1, __ATOMIC_RELAXED);
}

#endif
