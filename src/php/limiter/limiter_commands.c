/* Implements the methods of Limiter that change the state of an identity without a decision: ban(), unban(), reset(). */
#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "identities.h"
#include "limiter_object.h"
#include "src/shm/monitor/ban_list.h"
#include "../base/store_config.h"
#include "zend_exceptions.h"

static const php_ratelimit_cost cost_of_one = {.number = 1};

/* Asks unban(), reset() or ban() about the state of one label. */
static bool ask_label(const php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, bool *found)
{
	const rl_question *all = &limiter->question;
	rl_question q;
	rl_answer a = {.found = false}; /* a ban finds nothing */
	rl_error e;
	rl_status status;

	memcpy(&q, all, offsetof(rl_question, limits));
	q.n_keys = 1;
	q.n_limits = 0;
	for (unsigned i = 0; i < all->n_limits; i++) {
		if (key->name == ZSTR_VAL(limiter->label_names[all->limits[i].identity])) {
			q.limits[q.n_limits] = all->limits[i];
			q.limits[q.n_limits++].identity = 0;
		}
	}
	status = rl_guard_ask(g, key, &q, &a, &e);
	if (UNEXPECTED(status != RL_OK)) {
		php_ratelimit_throw_store(status, key, &e);
		return false;
	}
	*found |= a.found;
	php_ratelimit_monitor_command(limiter, &q, key);
	return true;
}

/* Asks unban(), reset() or ban() about the state of each key. *found: whether there was a ban or a state in any. */
static bool ask_each(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, unsigned n, bool *found)
{
	rl_answer a = {.found = false}; /* a ban finds nothing */
	unsigned k = 0;

	*found = false;
	if (EXPECTED(limiter->n_labels <= 1)) {
		bool done = php_ratelimit_limiter_ask(limiter, g, keys, &a);

		*found = done && a.found;
		return done;
	}
	while (k < n && ask_label(limiter, g, &keys[k], found)) {
		k++;
	}
	return k == n;
}

/* Lifts the bans of networks. Returns whether there was one. */
static bool unban_networks(const php_ratelimit_limiter *limiter, const rl_key *keys, unsigned n)
{
	php_ratelimit_network network;
	bool found = false;

	for (unsigned k = 0; rl_ban_list_has_networks() && k < n; k++) {
		if (!keys[k].is_int && memchr(keys[k].id, '/', keys[k].id_len)
			&& php_ratelimit_network_parse(keys[k].id, keys[k].id_len, &network)) {
			found |= php_ratelimit_monitor_unban_network(limiter, &keys[k], &network);
		}
	}
	return found;
}

/* Bans networks, on this machine. Throws if a key is none, or has no room. */
static bool ban_networks(const php_ratelimit_limiter *limiter, const rl_key *keys, unsigned n)
{
	php_ratelimit_network networks[RL_LIMITS_MAX];

	for (unsigned k = 0; k < n; k++) {
		if (keys[k].is_int || !memchr(keys[k].id, '/', keys[k].id_len)
			|| !php_ratelimit_network_parse(keys[k].id, keys[k].id_len, &networks[k])) {
			php_ratelimit_invalid("$id must be a network with network: true, as \"203.0.113.0/24\"");
			return false;
		}
	}
	for (unsigned k = 0; k < n; k++) {
		if (!php_ratelimit_monitor_ban_network(limiter, &keys[k], &networks[k])) {
			zend_throw_exception(php_ratelimit_ce_store_exception,
				"The shared memory of this machine has no room for the ban of a network", RL_UNAVAILABLE);
			return false;
		}
	}
	return true;
}

/* Implements unban() and reset(): they take an identity, and return whether there was a ban or a state. */
static void ask_found(INTERNAL_FUNCTION_PARAMETERS, rl_op op)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	bool found = false, network;
	unsigned n;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost_of_one, &g);
	if (!limiter || !php_ratelimit_limiter_some_keys(limiter, &ids, keys, &n)) {
		RETURN_THROWS();
	}
	network = unban_networks(limiter, keys, n);
	if (!ask_each(limiter, g, keys, n, &found)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(found || network);
}

ZEND_METHOD(FrequencyLimit_Limiter, unban)
{
	ask_found(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_UNBAN);
}

ZEND_METHOD(FrequencyLimit_Limiter, reset)
{
	ask_found(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RESET);
}

ZEND_METHOD(FrequencyLimit_Limiter, ban)
{
	php_ratelimit_identities ids = {0};
	zval *end;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	unsigned n;
	bool found, network = false;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_ZVAL(end)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(network)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_ban_end(&end, 2, PHP_RATELIMIT_BAN_END)) {
		RETURN_THROWS();
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_BAN, &cost_of_one, &g);
	if (!limiter || !php_ratelimit_limiter_some_keys(limiter, &ids, keys, &n)
		|| !php_ratelimit_ban_end("$end", end, php_ratelimit_wall_us(g), &limiter->question.ban,
			&limiter->question.ban_us)) {
		RETURN_THROWS();
	}
	if (network) {
		ban_networks(limiter, keys, n);
	} else {
		ask_each(limiter, g, keys, n, &found);
	}
}
