#include "monitor.h"

#include "../limit/limit_object.h"
#include "listener.h"
#include "../result/result.h"
#include "src/shm/monitor/ban_list.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"

/* Redis' milliseconds are rounded up. */
#define ROUNDED_US RL_US_PER_MS

static bool keeps_callers(void)
{
	return RATELIMIT_G(top) && php_ratelimit_has_segment();
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
static bool monitor_note_ban(const php_ratelimit_seen *seen)
{
	const rl_decision *d = seen->d;

	if (d->reason != RL_BANNED || seen->passed || !seen->begins_ban) {
		return false;
	}
	if (keeps_callers()
		&& !rl_ban_list_put(php_ratelimit_name_id_of(seen->space, seen->key), seen->kind, seen->key, d->reset_after_us,
			d->level)
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
zend_never_inline void php_ratelimit_note_caller(rl_kind kind, rl_space space, const rl_key *key, const rl_meter *meter,
	const rl_limit_counts *limit)
{
	uint32_t weight = rl_sampler_next();

	if (RATELIMIT_G(top)) {
		rl_sketch_add(php_ratelimit_name_id_of(space, key), kind, key,
			limit ? 1 + rl_metrics_limit_slot(meter, limit) : 0, weight);
	}
}

/* Counts a decision, but for what depends on the limit. */
static void note_decision(const php_ratelimit_seen *seen)
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
rl_limit_counts *php_ratelimit_counts_of(php_ratelimit_monitor *monitor, const rl_meter *meter, const rl_question *q,
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
void php_ratelimit_note_limits(php_ratelimit_seen *seen, php_ratelimit_monitor *monitor, const rl_question *q,
	const php_ratelimit_limit *limits)
{
	const rl_decision *d = seen->d;
	rl_limit_counts *counts;

	note_decision(seen);
	if (EXPECTED(d->accepted) || d->reason == RL_STORE_UNAVAILABLE) {
		return;
	}
	counts = php_ratelimit_counts_of(monitor, seen->meter, q, limits, d->limit_index);
	rl_limit_counts_add(counts, RL_LIMIT_METER_REFUSED);
	if (monitor_note_ban(seen)) {
		rl_limit_counts_add(counts, RL_LIMIT_METER_BANNED);
	}
	php_ratelimit_note_refusal(seen->kind, seen->space, seen->key, seen->meter, counts);
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
	struct php_ratelimit_known_meter *known = &RATELIMIT_G(
		known_meters)[(unsigned) (hash ^ kind) % PHP_RATELIMIT_METERS_ROOM];

	if (EXPECTED(known->name && known->kind == kind && zend_string_equals(known->name, name)
			&& ++known->uses < PHP_RATELIMIT_METER_USES)) {
		return known->meter;
	}
	if (known->name) {
		free(known->name);
	}
	known->name = zend_string_init(ZSTR_VAL(name), ZSTR_LEN(name), true);
	known->kind = kind;
	known->uses = 0;
	known->meter = rl_metrics_of(kind, ZSTR_VAL(name), ZSTR_LEN(name));
	return known->meter;
}

rl_meter *php_ratelimit_meter_of(php_ratelimit_monitor *monitor, rl_kind kind, zend_string *name)
{
	if (UNEXPECTED(!monitor->meter) && php_ratelimit_has_segment()) {
		monitor->meter = known_meter(kind, name);
	}
	return monitor->meter;
}

/* ---- Attributes ---- */

void php_ratelimit_monitor_attribute_begin(php_ratelimit_monitor *monitor, zend_string *name)
{
	monitor->meter = known_meter(RL_KIND_ATTRIBUTE, name);
}

void php_ratelimit_monitor_attribute(php_ratelimit_monitor *monitor, zend_string *name, const rl_question *q,
	const rl_key *key, const rl_answer *a)
{
	php_ratelimit_seen seen = {
		.kind = RL_KIND_ATTRIBUTE,
		.meter = php_ratelimit_meter_of(monitor, RL_KIND_ATTRIBUTE, name),
		.key = key,
		.space = RL_SPACE_LIMITER,
		.d = &a->decision,
		.begins_ban = php_ratelimit_begins_ban(a),
		.passed = a->passed,
	};

	if (EXPECTED(seen.meter)) {
		php_ratelimit_note_limits(&seen, monitor, q, NULL);
		if (a->passed) {
			rl_meter_add(seen.meter, RL_METER_SHADOW, 1);
		}
	}
}

ZEND_COLD void php_ratelimit_monitor_attribute_failure(php_ratelimit_monitor *monitor, zend_string *name)
{
	rl_meter *meter = php_ratelimit_meter_of(monitor, RL_KIND_ATTRIBUTE, name);

	if (meter) {
		rl_meter_add(meter, RL_METER_ERRORS, 1);
	}
}

void php_ratelimit_monitor_share(php_ratelimit_monitor *limiter, php_ratelimit_monitor *attribute, zend_string *name)
{
	limiter->meter = php_ratelimit_meter_of(attribute, RL_KIND_ATTRIBUTE, name);
	limiter->is_attribute = true;
}

/* ---- Actions ---- */

static ZEND_COLD void listen_to_action(zend_string *action, const rl_key *key, uint32_t seconds,
	const rl_decision *decided)
{
	rl_decision d;
	php_ratelimit_event event;
	zval result;
	bool passed;

	rl_decision_copy(&d, decided);
	passed = php_ratelimit_pass(&d, RATELIMIT_G(enforce));
	if (!php_ratelimit_has_listener(d.reason)) {
		return;
	}
	php_ratelimit_result_of_window(&result, &d, (int64_t) seconds * RL_US_PER_SECOND);
	if (passed) {
		php_ratelimit_result_set_shadow(&result, zend_string_copy(action));
	}
	if (!d.accepted) {
		php_ratelimit_result_set_refused(&result, action, NULL);
	}
	php_ratelimit_event_init(&event, d.reason, key, &result);
	php_ratelimit_listener_call(&event);
}

static void refused_begin(php_ratelimit_refused *refused, zend_string *action);

/* Counts a refusal of the usual kind as a fast path does. Returns false if there is more to do. */
static bool refused_as_usual(zend_string *action, const rl_key *key, const rl_counter_question *q, const rl_decision *d)
{
	php_ratelimit_refused *refused = RATELIMIT_G(refused);

	if ((d->reason != RL_LIMITED && (d->reason != RL_BANNED || (q && q->ban != RL_BAN_NONE)))
		|| d->source == RL_FROM_LOCAL || RATELIMIT_G(each_decision)) {
		return false;
	}
	if (UNEXPECTED(RATELIMIT_G(refused_action) != action)) {
		refused_begin(refused, action);
	}
	if (rl_sampler_hit()) {
		php_ratelimit_refused_flush();
		php_ratelimit_note_caller(RL_KIND_ACTION, RL_SPACE_ACTION, key, refused->meter, NULL);
	}
	return true;
}

void php_ratelimit_monitor_action(zend_string *action, const rl_key *key, const rl_counter_question *q,
	uint32_t seconds, const rl_decision *d)
{
	php_ratelimit_seen seen = {.kind = RL_KIND_ACTION, .key = key, .space = RL_SPACE_ACTION, .d = d};

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
			php_ratelimit_note_refusal(seen.kind, seen.space, key, seen.meter, NULL);
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
		rl_ban_list_put(php_ratelimit_name_id_of(RL_SPACE_ACTION, key), RL_KIND_ACTION, key, left_us, 0);
	}
}

void php_ratelimit_monitor_unban(const rl_key *key)
{
	if (php_ratelimit_has_segment()) {
		rl_ban_list_forget(php_ratelimit_name_id_of(RL_SPACE_ACTION, key), key);
	}
}

void php_ratelimit_monitor_reset(const rl_key *key)
{
	if (php_ratelimit_has_segment()) {
		uint64_t name_id = php_ratelimit_name_id_of(RL_SPACE_ACTION, key);

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
	refused_add(RATELIMIT_G(refused));
}

static void refused_begin(php_ratelimit_refused *refused, zend_string *action)
{
	refused_add(refused);
	rl_sampler_look();
	if (RATELIMIT_G(refused_action)) {
		zend_string_release(RATELIMIT_G(refused_action));
	}
	RATELIMIT_G(refused_action) = zend_string_copy(action);
	refused->meter = rl_metrics_of(RL_KIND_ACTION, ZSTR_VAL(action), ZSTR_LEN(action));
	refused->name_id = refused->meter ? rl_subject_name_id(RL_SPACE_ACTION, ZSTR_VAL(action), ZSTR_LEN(action)) : 0;
}

void php_ratelimit_refused_slowly(zend_string *action, zend_long user)
{
	php_ratelimit_refused *refused = RATELIMIT_G(refused);

	if (RATELIMIT_G(refused_action) != action) {
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

void php_ratelimit_refused_end_request(void)
{
	php_ratelimit_refused *refused = RATELIMIT_G(refused);

	php_ratelimit_refused_flush();
	if (RATELIMIT_G(refused_action)) {
		zend_string_release(RATELIMIT_G(refused_action));
		RATELIMIT_G(refused_action) = NULL;
	}
	refused->meter = NULL;
}
