#include "monitor.h"

#include "../limit/limit_export.h"
#include "../limiter/limiter_object.h"
#include "listener.h"
#include "php_ratelimit.h"
#include "../result/result.h"
#include "src/shm/monitor/ban_list.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"

/* Redis' milliseconds are rounded up. */
#define ROUNDED_US RL_US_PER_MS

/* A decision, with what its counts need. */
typedef struct {
	rl_kind kind; /* of the name among refused and banned callers */
	rl_meter *meter;
	const rl_key *key;
	rl_space space; /* the same */
	const rl_decision *d;
	bool begins_ban; /* where the reason is RL_BANNED */
	bool passed;     /* it would have been refused */
} seen_decision;

static uint64_t name_id_of(rl_space space, const rl_key *key)
{
	return rl_subject_name_id(space, key->name, key->name_len);
}

static bool has_segment(void)
{
	return rl_shm_store() != NULL;
}

static bool keeps_callers(void)
{
	return RATELIMIT_G(top) && has_segment();
}

/* ---- Counts ---- */

/* Returns whether a refusal of a counter began a ban. Redis does not say so. A ban that began just now has all of its time
 * left, and the list does not have it. */
static bool counter_begins_ban(const rl_counter_question *q, const rl_decision *d)
{
	switch (d->source) {
		case RL_FROM_SHM:
		case RL_FROM_LOCAL:
			return d->ban_begun;
		case RL_FROM_REDIS:
			return (q->ban == RL_BAN_FOR && d->reset_after_us + ROUNDED_US >= q->ban_s * RL_US_PER_SECOND)
				|| (q->ban == RL_BAN_UNTIL && RATELIMIT_G(top));
		default:
			return false;
	}
}

/* Counts a ban that begins. Returns whether one does. */
static bool monitor_note_ban(const seen_decision *seen)
{
	const rl_decision *d = seen->d;

	if (d->reason != RL_BANNED || seen->passed || !seen->begins_ban) {
		return false;
	}
	if (keeps_callers()
		&& !rl_ban_list_put(name_id_of(seen->space, seen->key), seen->kind, seen->key, d->reset_after_us, d->level)
		&& d->source == RL_FROM_REDIS) {
		return false;
	}
	rl_meter_add(seen->meter, RL_METER_BANNED, 1);
	if (d->source == RL_FROM_REDIS) {
		rl_stat_add(RL_STAT_REDIS_BANS);
	}
	return true;
}

/* Notes a refusal among the callers that are refused most. limit: the counts of the limit; or NULL. */
static zend_never_inline void note_caller(rl_kind kind, rl_space space, const rl_key *key, const rl_meter *meter,
	const rl_limit_counts *limit)
{
	uint32_t weight = rl_sampler_next();

	if (RATELIMIT_G(top)) {
		rl_sketch_add(name_id_of(space, key), kind, key, limit ? 1 + rl_metrics_limit_slot(meter, limit) : 0, weight);
	}
}

/* Counts a refusal in the sampler, of which some are noted. */
static zend_always_inline void note_refusal(rl_kind kind, rl_space space, const rl_key *key, const rl_meter *meter,
	const rl_limit_counts *limit)
{
	php_ratelimit_refused_flush();
	if (UNEXPECTED(rl_sampler_hit())) {
		note_caller(kind, space, key, meter, limit);
	} else {
		(void) rl_sampler_counted(); /* it is counted already */
	}
}

/* Counts a decision, but for what depends on the limit. */
static void note_decision(const seen_decision *seen)
{
	const rl_decision *d = seen->d;

	if (d->source == RL_FROM_LOCAL || d->reason == RL_STORE_UNAVAILABLE) {
		rl_meter_add(seen->meter, RL_METER_FALLBACK, 1);
	}
	if (!d->accepted && !seen->passed) {
		rl_meter_add(seen->meter, RL_METER_REFUSED, 1);
		return;
	}
	rl_meter_add(seen->meter, RL_METER_ADMITTED, 1);
	if (!seen->passed && d->reason == RL_ACCEPTED && (int64_t) d->remaining * 10 < (int64_t) d->limit) {
		rl_meter_add(seen->meter, RL_METER_NEAR, 1);
	}
}

/* ---- Limits ---- */

/* Returns the counts of limit i. limits: with their names; NULL: they have none. */
static rl_limit_counts *counts_of(php_ratelimit_monitor *monitor, const rl_meter *meter, const rl_question *q,
	const php_ratelimit_limit *limits, unsigned i)
{
	if (EXPECTED(monitor->limits[i])) {
		return monitor->limits[i];
	}
	if (limits && limits[i].name) {
		monitor->limits[i] = rl_metrics_of_limit(meter, ZSTR_VAL(limits[i].name), ZSTR_LEN(limits[i].name));
	} else {
		php_ratelimit_limit limit = limits ? limits[i] : (php_ratelimit_limit){.limit = q->limits[i]};
		zend_string *text = php_ratelimit_limit_to_text(&limit);

		monitor->limits[i] = rl_metrics_of_limit(meter, ZSTR_VAL(text), ZSTR_LEN(text));
		zend_string_release(text);
	}
	return monitor->limits[i];
}

/* Counts a decision about limits. */
static void note_limits(seen_decision *seen, php_ratelimit_monitor *monitor, const rl_question *q,
	const php_ratelimit_limit *limits)
{
	const rl_decision *d = seen->d;
	rl_limit_counts *counts;

	note_decision(seen);
	if (EXPECTED(d->accepted) || d->reason == RL_STORE_UNAVAILABLE) {
		return;
	}
	counts = counts_of(monitor, seen->meter, q, limits, d->limit_index);
	rl_limit_counts_add(counts, RL_LIMIT_METER_REFUSED);
	if (monitor_note_ban(seen)) {
		rl_limit_counts_add(counts, RL_LIMIT_METER_BANNED);
	}
	note_refusal(seen->kind, seen->space, seen->key, seen->meter, counts);
}

/* ---- Limiters ---- */

void php_ratelimit_known_meters_free(php_ratelimit_known_meters known)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_METERS_ROOM; i++) {
		free(known[i].name);
	}
}

/* Returns the counts of a name. The thread keeps them for the next request. */
static rl_meter *known_meter(rl_kind kind, zend_string *name)
{
	zend_ulong hash = ZSTR_HASH(name);
	unsigned i = (unsigned) (hash ^ kind) % PHP_RATELIMIT_METERS_ROOM;
	php_ratelimit_known_meters *known = &RATELIMIT_G(known_meters);

	if (EXPECTED((*known)[i].name && (*known)[i].kind == kind && zend_string_equals((*known)[i].name, name)
			&& ++(*known)[i].uses < PHP_RATELIMIT_METER_USES)) {
		return (*known)[i].meter;
	}
	if ((*known)[i].name) {
		free((*known)[i].name);
	}
	(*known)[i].name = zend_string_init(ZSTR_VAL(name), ZSTR_LEN(name), true);
	(*known)[i].kind = kind;
	(*known)[i].uses = 0;
	(*known)[i].meter = rl_metrics_of(kind, ZSTR_VAL(name), ZSTR_LEN(name));
	return (*known)[i].meter;
}

static rl_meter *meter_of(php_ratelimit_monitor *monitor, rl_kind kind, zend_string *name)
{
	if (UNEXPECTED(!monitor->meter) && has_segment()) {
		monitor->meter = known_meter(kind, name);
	}
	return monitor->meter;
}

static rl_kind kind_of(const php_ratelimit_limiter *limiter)
{
	return limiter->monitor.is_attribute ? RL_KIND_ATTRIBUTE : RL_KIND_LIMITER;
}

/* Returns whether a limiter differs from one of its name on the general store, among refused and banned callers. */
static bool is_elsewhere(const php_ratelimit_limiter *limiter)
{
	return limiter->store && !limiter->monitor.is_attribute
		&& !zend_string_equals(limiter->store, RATELIMIT_G(store_dsn));
}

static rl_kind caller_kind_of(const php_ratelimit_limiter *limiter)
{
	return is_elsewhere(limiter) ? RL_KIND_ELSEWHERE : kind_of(limiter);
}

static rl_space caller_space_of(const php_ratelimit_limiter *limiter)
{
	return is_elsewhere(limiter) ? RL_SUBJECT_ELSEWHERE : RL_SPACE_LIMITER;
}

void php_ratelimit_monitor_begin(php_ratelimit_limiter *limiter)
{
	if (limiter->may_be_lone) {
		php_ratelimit_limiter_hash_name(limiter);
	}
	(void) meter_of(&limiter->monitor, kind_of(limiter), limiter->name);
}

static bool is_counted(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_RESERVE || op == RL_OP_ACQUIRE;
}

/* Returns the time that a ban by hand lasts. */
static int64_t given_ban_us(const rl_question *q)
{
	return q->ban == RL_BAN_UNTIL ? q->ban_us - rl_clock_wall_us() : q->ban_us;
}

void php_ratelimit_monitor_command(const php_ratelimit_limiter *limiter, const rl_question *q, const rl_key *key)
{
	uint64_t name_id;

	if (!has_segment() || limiter->is_shadow || limiter->monitor.silent) {
		return;
	}
	name_id = name_id_of(caller_space_of(limiter), key);
	if (q->op == RL_OP_BAN && !limiter->storeless && RATELIMIT_G(top)) {
		rl_ban_list_put(name_id, caller_kind_of(limiter), key, given_ban_us(q), 0);
	}
	if (q->op == RL_OP_UNBAN || q->op == RL_OP_RESET) {
		rl_ban_list_forget(name_id, key);
	}
	if (q->op == RL_OP_RESET) {
		rl_sketch_forget(name_id, key);
	}
}

/* Returns the key of a network: its text in the place of the identity. */
static rl_key network_key(const rl_key *key, const php_ratelimit_network *network, unsigned bits,
	char text[PHP_RATELIMIT_ADDRESS_BYTES])
{
	rl_key of_network = *key;

	of_network.id = text;
	of_network.id_len = php_ratelimit_network_text(network, bits, text);
	return of_network;
}

bool php_ratelimit_monitor_ban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network)
{
	char text[PHP_RATELIMIT_ADDRESS_BYTES];
	rl_key of_network = network_key(key, network, network->bits, text);

	return limiter->is_shadow || limiter->storeless
		|| rl_ban_list_put_network(name_id_of(caller_space_of(limiter), key), caller_kind_of(limiter), &of_network,
			given_ban_us(&limiter->question), network->bits);
}

int64_t php_ratelimit_monitor_networks_left_us(const php_ratelimit_limiter *limiter, const rl_key *key)
{
	uint64_t lengths[RL_NETWORK_WORDS], name_id;
	php_ratelimit_network network;
	int64_t left_us = 0;

	if (key->is_int || limiter->is_shadow || !rl_ban_list_network_lengths(lengths)
		|| !php_ratelimit_network_parse(key->id, key->id_len, &network)) {
		return 0;
	}
	name_id = name_id_of(caller_space_of(limiter), key);
	for (unsigned bits = network.is_v4 ? 96 : 0; bits <= network.bits; bits++) {
		if (lengths[bits / 64] >> bits % 64 & 1) {
			char text[PHP_RATELIMIT_ADDRESS_BYTES];
			rl_key of_network = network_key(key, &network, bits, text);

			left_us = MAX(left_us, rl_ban_list_network_left_us(name_id, &of_network));
		}
	}
	return left_us;
}

bool php_ratelimit_monitor_unban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network)
{
	char text[PHP_RATELIMIT_ADDRESS_BYTES];
	rl_key of_network = network_key(key, network, network->bits, text);
	uint64_t name_id = name_id_of(caller_space_of(limiter), key);
	bool found = rl_ban_list_network_left_us(name_id, &of_network) > 0;

	if (found) {
		rl_ban_list_forget(name_id, &of_network);
	}
	return found;
}

/* Returns whether the refusal of a ban began it. An answer of this machine's cache does not. */
static bool answer_begins_ban(const rl_answer *a)
{
	return a->decision.reason == RL_BANNED && a->decision.source != RL_FROM_CACHE && a->decision.source != RL_FROM_LEASE
		&& a->found;
}

/* Counts a call that one of the limits or a running ban refused, in the usual way. Returns false if there is more to do. */
static zend_always_inline bool monitor_refused(const php_ratelimit_limiter *limiter, const rl_key *key,
	const rl_answer *a)
{
	const php_ratelimit_monitor *monitor = &limiter->monitor;
	const rl_decision *d = &a->decision;
	rl_limit_counts *counts;

	if (UNEXPECTED(limiter->question.op != RL_OP_CONSUME
			|| (d->reason != RL_LIMITED && (d->reason != RL_BANNED || answer_begins_ban(a)))
			|| d->source == RL_FROM_LOCAL || a->shadow > 0 || RATELIMIT_G(each_decision) || monitor->silent)) {
		return false;
	}
	counts = monitor->limits[d->limit_index];
	if (UNEXPECTED(!counts)) {
		return false;
	}
	rl_meter_add(monitor->meter, RL_METER_REFUSED, 1);
	rl_limit_counts_add(counts, RL_LIMIT_METER_REFUSED);
	note_refusal(caller_kind_of(limiter), caller_space_of(limiter),
		key + limiter->question.limits[d->limit_index].identity, monitor->meter, counts);
	return true;
}

static zend_never_inline void monitor_any(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow && !a->passed ? limiter->shadow : limiter;
	seen_decision seen = {
		.kind = caller_kind_of(limiter),
		.space = caller_space_of(limiter),
		.d = &a->decision,
	};

	if (limiter->monitor.silent) {
		return;
	}
	if (!is_counted(limiter->question.op)) {
		php_ratelimit_monitor_command(limiter, &limiter->question, key);
		return;
	}
	key += limiter->question.limits[a->decision.limit_index].identity;
	seen.key = key;
	seen.begins_ban = answer_begins_ban(a);
	seen.meter = meter_of(&limiter->monitor, kind_of(limiter), limiter->name);
	seen.passed = a->passed;
	if (EXPECTED(seen.meter)) {
		note_limits(&seen, &limiter->monitor, &limiter->question, limiter->limits);
		if (a->shadow > 0) {
			rl_meter_add(seen.meter, RL_METER_SHADOW, 1);
			rl_limit_counts_add(counts_of(&shadow->monitor, seen.meter, &shadow->question, shadow->limits,
									a->shadow - 1u),
				RL_LIMIT_METER_SHADOW);
		}
	}
}

void php_ratelimit_monitor_answer(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a)
{
	if (!monitor_refused(limiter, key, a)) {
		monitor_any(limiter, key, a);
	}
}

ZEND_COLD void php_ratelimit_monitor_failure(php_ratelimit_limiter *limiter, const rl_key *key)
{
	if (limiter->monitor.silent) {
		return;
	}
	if (is_counted(limiter->question.op)) {
		rl_meter *meter = meter_of(&limiter->monitor, kind_of(limiter), limiter->name);

		if (meter) {
			rl_meter_add(meter, RL_METER_ERRORS, 1);
		}
	} else if (limiter->question.op == RL_OP_RESET) {
		php_ratelimit_monitor_command(limiter, &limiter->question, key);
	}
}

/* ---- Attributes ---- */

void php_ratelimit_monitor_attribute_begin(php_ratelimit_monitor *monitor, zend_string *name)
{
	monitor->meter = known_meter(RL_KIND_ATTRIBUTE, name);
}

void php_ratelimit_monitor_attribute(php_ratelimit_monitor *monitor, zend_string *name, const rl_question *q,
	const rl_key *key, const rl_answer *a)
{
	seen_decision seen = {
		.kind = RL_KIND_ATTRIBUTE,
		.meter = meter_of(monitor, RL_KIND_ATTRIBUTE, name),
		.key = key,
		.space = RL_SPACE_LIMITER,
		.d = &a->decision,
		.begins_ban = answer_begins_ban(a),
		.passed = a->passed,
	};

	if (EXPECTED(seen.meter)) {
		note_limits(&seen, monitor, q, NULL);
		if (a->passed) {
			rl_meter_add(seen.meter, RL_METER_SHADOW, 1);
		}
	}
}

ZEND_COLD void php_ratelimit_monitor_attribute_failure(php_ratelimit_monitor *monitor, zend_string *name)
{
	rl_meter *meter = meter_of(monitor, RL_KIND_ATTRIBUTE, name);

	if (meter) {
		rl_meter_add(meter, RL_METER_ERRORS, 1);
	}
}

void php_ratelimit_monitor_share(php_ratelimit_monitor *limiter, php_ratelimit_monitor *attribute, zend_string *name)
{
	limiter->meter = meter_of(attribute, RL_KIND_ATTRIBUTE, name);
	limiter->is_attribute = true;
}

/* ---- Actions ---- */

static ZEND_COLD void listen_to_action(zend_string *action, const rl_key *key, uint32_t seconds,
	const rl_decision *decided)
{
	rl_decision d = *decided;
	bool passed = php_ratelimit_pass(&d, RATELIMIT_G(enforce));
	php_ratelimit_event event;
	zval result;

	if (!php_ratelimit_has_listener(d.reason)) {
		return;
	}
	php_ratelimit_result_init(&result, &d, d.accepted, 0, NULL, (int64_t) seconds * RL_US_PER_SECOND);
	if (passed) {
		php_ratelimit_result_set_shadow(&result, zend_string_copy(action));
	}
	if (!d.accepted) {
		php_ratelimit_result_set_subject(&result, action);
	}
	php_ratelimit_event_init(&event, d.reason, key, &result);
	php_ratelimit_listener_call(&event);
}

static void refused_begin(php_ratelimit_refused *refused, zend_string *action);

/* Counts a refusal of the usual kind as a fast path does. Returns false if there is more to do. */
static bool refused_as_usual(zend_string *action, const rl_key *key, const rl_counter_question *q, const rl_decision *d)
{
	php_ratelimit_refused *refused = &RATELIMIT_G(refused);

	if ((d->reason != RL_LIMITED && (d->reason != RL_BANNED || (q && q->ban != RL_BAN_NONE)))
		|| d->source == RL_FROM_LOCAL || RATELIMIT_G(each_decision)) {
		return false;
	}
	if (UNEXPECTED(refused->action != action)) {
		refused_begin(refused, action);
	}
	if (rl_sampler_hit()) {
		php_ratelimit_refused_flush();
		note_caller(RL_KIND_ACTION, RL_SPACE_ACTION, key, refused->meter, NULL);
	}
	return true;
}

void php_ratelimit_monitor_action(zend_string *action, const rl_key *key, const rl_counter_question *q,
	uint32_t seconds, const rl_decision *d)
{
	seen_decision seen = {.kind = RL_KIND_ACTION, .key = key, .space = RL_SPACE_ACTION, .d = d};

	if (EXPECTED(refused_as_usual(action, key, q, d))) {
		return;
	}
	seen.passed = !d->accepted && !RATELIMIT_G(enforce);
	if (!d->accepted || d->source == RL_FROM_LOCAL || d->reason == RL_STORE_UNAVAILABLE) {
		seen.meter = rl_metrics_of(RL_KIND_ACTION, key->name, key->name_len);
	}
	if (EXPECTED(seen.meter)) {
		note_decision(&seen);
		if (seen.passed) {
			rl_meter_add(seen.meter, RL_METER_SHADOW, 1);
		} else if (!d->accepted && d->reason != RL_STORE_UNAVAILABLE) {
			if (q) {
				seen.begins_ban = counter_begins_ban(q, d);
				(void) monitor_note_ban(&seen);
			}
			note_refusal(seen.kind, seen.space, key, seen.meter, NULL);
		}
	}
	if (UNEXPECTED(RATELIMIT_G(each_decision))) {
		listen_to_action(action, key, seconds, d);
	}
}

ZEND_COLD void php_ratelimit_monitor_action_failure(const rl_key *key)
{
	rl_meter *meter = rl_metrics_of(RL_KIND_ACTION, key->name, key->name_len);

	if (meter) {
		rl_meter_add(meter, RL_METER_ERRORS, 1);
	}
}

void php_ratelimit_monitor_ban(const rl_key *key, int64_t left_us)
{
	if (keeps_callers()) {
		rl_ban_list_put(name_id_of(RL_SPACE_ACTION, key), RL_KIND_ACTION, key, left_us, 0);
	}
}

void php_ratelimit_monitor_unban(const rl_key *key)
{
	if (has_segment()) {
		rl_ban_list_forget(name_id_of(RL_SPACE_ACTION, key), key);
	}
}

void php_ratelimit_monitor_reset(const rl_key *key)
{
	if (has_segment()) {
		uint64_t name_id = name_id_of(RL_SPACE_ACTION, key);

		rl_ban_list_forget(name_id, key);
		rl_sketch_forget(name_id, key);
	}
}

/* ---- The fast path's refusals ---- */

static zend_always_inline void refused_add(const php_ratelimit_refused *refused)
{
	uint32_t n = rl_sampler_counted();

	if (n > 0 && refused->meter) {
		rl_meter_add(refused->meter, RL_METER_REFUSED, n);
	}
}

void php_ratelimit_refused_flush(void)
{
	refused_add(&RATELIMIT_G(refused));
}

static void refused_begin(php_ratelimit_refused *refused, zend_string *action)
{
	refused_add(refused);
	rl_sampler_look();
	if (refused->action) {
		zend_string_release(refused->action);
	}
	refused->action = zend_string_copy(action);
	refused->meter = rl_metrics_of(RL_KIND_ACTION, ZSTR_VAL(action), ZSTR_LEN(action));
	refused->name_id = refused->meter ? rl_subject_name_id(RL_SPACE_ACTION, ZSTR_VAL(action), ZSTR_LEN(action)) : 0;
}

void php_ratelimit_refused_slowly(zend_string *action, zend_long user)
{
	php_ratelimit_refused *refused = &RATELIMIT_G(refused);

	if (refused->action != action) {
		refused_begin(refused, action);
		if (!rl_sampler_hit()) {
			return;
		}
	}
	refused_add(refused);
	if (EXPECTED(RATELIMIT_G(top) && refused->name_id != 0)) {
		rl_sampler_note(refused->name_id, ZSTR_VAL(action), ZSTR_LEN(action), user);
	} else {
		(void) rl_sampler_next();
	}
}

void php_ratelimit_refused_begin_request(void)
{
	RATELIMIT_G(refused).action = NULL;
}

void php_ratelimit_refused_end_request(void)
{
	php_ratelimit_refused *refused = &RATELIMIT_G(refused);

	php_ratelimit_refused_flush();
	if (refused->action) {
		zend_string_release(refused->action);
		refused->action = NULL;
	}
	refused->meter = NULL;
}
