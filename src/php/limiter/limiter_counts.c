/* Counts the decisions of a Limiter, and keeps the bans of networks. */
#include "limiter_internal.h"

#include "src/shm/segment/clock.h"

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
	(void) php_ratelimit_meter_of(&limiter->monitor, kind_of(limiter), limiter->name);
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

	if (!php_ratelimit_has_segment() || limiter->is_shadow || limiter->monitor.silent) {
		return;
	}
	name_id = php_ratelimit_name_id_of(caller_space_of(limiter), key);
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
		|| rl_ban_list_put_network(php_ratelimit_name_id_of(caller_space_of(limiter), key), caller_kind_of(limiter),
			&of_network, given_ban_us(&limiter->question), network->bits);
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
	name_id = php_ratelimit_name_id_of(caller_space_of(limiter), key);
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
	uint64_t name_id = php_ratelimit_name_id_of(caller_space_of(limiter), key);
	bool found = rl_ban_list_network_left_us(name_id, &of_network) > 0;

	if (found) {
		rl_ban_list_forget(name_id, &of_network);
	}
	return found;
}

bool php_ratelimit_monitor_refused(const php_ratelimit_limiter *limiter, const rl_key *key, const rl_decision *d)
{
	const php_ratelimit_monitor *monitor = &limiter->monitor;
	rl_limit_counts *counts;

	if (UNEXPECTED((d->reason != RL_LIMITED && d->reason != RL_BANNED) || d->source == RL_FROM_LOCAL
			|| RATELIMIT_G(each_decision) || monitor->silent)) {
		return false;
	}
	counts = monitor->limits[d->limit_index];
	if (UNEXPECTED(!counts)) {
		return false;
	}
	rl_meter_add(monitor->meter, RL_METER_REFUSED, 1);
	rl_limit_counts_add(counts, RL_LIMIT_METER_REFUSED);
	php_ratelimit_note_refusal(caller_kind_of(limiter), caller_space_of(limiter),
		key + limiter->question.limits[d->limit_index].identity, monitor->meter, counts);
	return true;
}

static zend_never_inline void monitor_any(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow && !a->passed ? limiter->shadow : limiter;
	php_ratelimit_seen seen = {
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
	seen.begins_ban = php_ratelimit_begins_ban(a);
	seen.meter = php_ratelimit_meter_of(&limiter->monitor, kind_of(limiter), limiter->name);
	seen.passed = a->passed;
	if (EXPECTED(seen.meter)) {
		php_ratelimit_note_limits(&seen, &limiter->monitor, &limiter->question, limiter->limits);
		if (a->shadow > 0) {
			rl_meter_add(seen.meter, RL_METER_SHADOW, 1);
			rl_limit_counts_add(php_ratelimit_counts_of(&shadow->monitor, seen.meter, &shadow->question, shadow->limits,
									a->shadow - 1u),
				RL_LIMIT_METER_SHADOW);
		}
	}
}

void php_ratelimit_monitor_answer(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a)
{
	bool is_usual = limiter->question.op == RL_OP_CONSUME && a->shadow == 0 && !php_ratelimit_begins_ban(a);

	if (!is_usual || !php_ratelimit_monitor_refused(limiter, key, &a->decision)) {
		monitor_any(limiter, key, a);
	}
}

ZEND_COLD void php_ratelimit_monitor_failure(php_ratelimit_limiter *limiter, const rl_key *key)
{
	if (limiter->monitor.silent) {
		return;
	}
	if (is_counted(limiter->question.op)) {
		rl_meter *meter = php_ratelimit_meter_of(&limiter->monitor, kind_of(limiter), limiter->name);

		if (meter) {
			rl_meter_add(meter, RL_METER_ERRORS, 1);
		}
	} else if (limiter->question.op == RL_OP_RESET) {
		php_ratelimit_monitor_command(limiter, &limiter->question, key);
	}
}
