#include "php_ratelimit.h"

#include "ext/date/php_date.h"

#include "../base/arguments.h"
#include "../base/calendar.h"
#include "../base/class_entries.h"
#include "../limit/limit_object.h"
#include "../result/result.h"
#include "../observe/monitor.h"
#include "src/guard/deny_cache.h"
#include "src/shm/store/counter_fast.h"
#include "src/shm/machine/deny_fast.h"
#include "../base/store_config.h"

static zend_always_inline void set_action(rl_key *key, const char *action, size_t action_len)
{
	key->space = RL_SPACE_ACTION;
	key->name = action;
	key->name_len = action_len;
}

/* Fills in a question without a ban. */
static zend_always_inline void set_question(rl_counter_question *q, zend_long time, zend_long number)
{
	q->seconds = (uint32_t) time;
	q->limit = (uint32_t) number;
	q->ban = RL_BAN_NONE;
	q->ban_s = 0;
	q->verdict_only = false;
	q->lease = 0;
}

/* Checks the arguments of doHandle() and check() one after the other: a valid one costs one comparison. */
static zend_always_inline bool counter_question(rl_key *key, rl_counter_question *q, const zend_string *action,
	zend_long time, zend_long number, HashTable *expire)
{
	if (UNEXPECTED(!php_ratelimit_check_range("$time", time, 1, RL_SECONDS_MAX)
			|| !php_ratelimit_check_range("$number", number, 1, RL_COUNTER_MAX))) {
		return false;
	}
	set_action(key, ZSTR_VAL(action), ZSTR_LEN(action));
	set_question(q, time, number);
	if (EXPECTED(!expire || zend_hash_num_elements(expire) == 0)) {
		return true;
	}
	return php_ratelimit_expire(expire, php_ratelimit_guard(), q);
}

/* rl_guard_count() or rl_guard_peek() */
typedef rl_status (
	*counter_asker)(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e);

/* Returns whether a decision is an ordinary admission, which is not counted by name. */
static zend_always_inline bool is_nothing_to_count(const rl_decision *d)
{
	return EXPECTED(d->reason == RL_ACCEPTED && d->source != RL_FROM_LOCAL && !RATELIMIT_G(each_decision));
}

/* Concludes a question to the guard. counts: a decision of it, or its failure, is counted by name. q: the counter's; NULL:
 * isActionAllowed()'s. Returns false, with an exception thrown, if there is no answer. */
static bool conclude_action(rl_status status, const rl_error *e, bool counts, zend_string *action, const rl_key *key,
	const rl_counter_question *q, uint32_t seconds, rl_decision *d)
{
	if (UNEXPECTED(status != RL_OK)) {
		php_ratelimit_throw_store(status, key, e);
		if (counts) {
			php_ratelimit_monitor_action_failure(key);
		}
		return false;
	}
	if (counts && !is_nothing_to_count(d)) {
		php_ratelimit_monitor_action(action, key, q, seconds, d);
	}
	return true;
}

/* Asks the guard. Returns false, with an exception thrown, if there is no decision. */
static zend_never_inline bool decide_guarded(counter_asker ask, zend_string *action, const rl_key *key,
	const rl_counter_question *q, rl_decision *d)
{
	const rl_guard *g = php_ratelimit_guard();
	rl_error e;

	return php_ratelimit_clock_agrees(g)
		&& conclude_action(ask(g, key, q, d, &e), &e, ask == rl_guard_count, action, key, q, q->seconds, d);
}

/* Runs doHandle() past its fast paths. */
static zend_never_inline void handle_slowly(zend_string *action, const rl_key *key, rl_counter_question *q,
	zval *return_value)
{
	bool enforced = RATELIMIT_G(enforce); /* the listener may change it */
	rl_decision d;

	q->verdict_only = !RATELIMIT_G(each_decision);
	if (EXPECTED(decide_guarded(rl_guard_count, action, key, q, &d))) {
		RETVAL_BOOL(d.accepted || !enforced);
	}
}

/* Runs doHandle() with any arguments: parses them, and tries the fast path of any hash and any ban. */
static zend_never_inline void do_handle(INTERNAL_FUNCTION_PARAMETERS)
{
	zend_string *action;
	zend_long user, time, number;
	HashTable *expire = NULL;
	rl_key key;
	rl_counter_question q;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		Z_PARAM_STR(action)
		PHP_RATELIMIT_PARAM_USER(user)
		Z_PARAM_LONG(time)
		Z_PARAM_LONG(number)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(expire)
	ZEND_PARSE_PARAMETERS_END();

	key.is_int = true;
	key.int_id = user;
	if (UNEXPECTED(!php_ratelimit_check_bytes("$action", action, RL_NAME_MAX)
			|| !php_ratelimit_check_range("$userId", user, 1, ZEND_LONG_MAX)
			|| !counter_question(&key, &q, action, time, number, expire))) {
		RETURN_THROWS();
	}
	if (EXPECTED(RATELIMIT_G(embedded))) {
		rl_fast_result answer = rl_counter_fast(&key, q.limit, q.ban != RL_BAN_NONE);

		if (EXPECTED(answer != RL_FAST_UNKNOWN)) {
			RETVAL_BOOL(answer == RL_FAST_ADMITTED);
			if (answer == RL_FAST_REFUSED) {
				php_ratelimit_refused_fast(action, user);
			}
			return;
		}
	} else if (RATELIMIT_G(has_deny_cache)
		&& rl_deny_fast(&key, rl_deny_counter_key(RATELIMIT_G(guard)->store->id, &q),
			RATELIMIT_G(guard)->deny_cache_us)) {
		php_ratelimit_refused_fast(action, user);
		RETURN_FALSE;
	}
	handle_slowly(action, &key, &q, return_value);
}

#ifdef RL_HASH_HAS_AES
/* Returns true for four arguments of the right types and ranges, without an $expire: those of the inline fast paths. It
 * reads them in the call's frame, so that all stays in registers. Any other call goes through the parser, which reports
 * its errors. */
static zend_always_inline bool has_usual_arguments(const zend_execute_data *execute_data)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);

	return EXPECTED(ZEND_NUM_ARGS() == 4
			   || (ZEND_NUM_ARGS() == 5 && Z_TYPE(args[4]) == IS_ARRAY
				   && zend_hash_num_elements(Z_ARRVAL(args[4])) == 0))
		&& EXPECTED(Z_TYPE(args[0]) == IS_STRING && Z_TYPE(args[1]) == IS_LONG && Z_TYPE(args[2]) == IS_LONG
			&& Z_TYPE(args[3]) == IS_LONG)
		&& EXPECTED(Z_STRLEN(args[0]) - 1 < RL_NAME_MAX && Z_LVAL(args[1]) >= 1
			&& (zend_ulong) Z_LVAL(args[2]) - 1 < RL_SECONDS_MAX && (zend_ulong) Z_LVAL(args[3]) - 1 < RL_COUNTER_MAX);
}

/* Continues after a fast path, with arguments that has_usual_arguments() has checked: no second parse, and no second try. */
static zend_never_inline void handle_usual_slowly(const zend_execute_data *execute_data, zval *return_value)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	rl_key key;
	rl_counter_question q;

	set_action(&key, Z_STRVAL(args[0]), Z_STRLEN(args[0]));
	key.is_int = true;
	key.int_id = Z_LVAL(args[1]);
	set_question(&q, Z_LVAL(args[2]), Z_LVAL(args[3]));
	handle_slowly(Z_STR(args[0]), &key, &q, return_value);
}

static RL_TARGET_AES void do_handle_embedded(INTERNAL_FUNCTION_PARAMETERS)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);

	if (has_usual_arguments(execute_data)) {
		rl_fast_result answer = rl_counter_fast_aes(Z_STRVAL(args[0]), Z_STRLEN(args[0]), Z_LVAL(args[1]),
			(uint32_t) Z_LVAL(args[3]), false);

		if (EXPECTED(answer == RL_FAST_ADMITTED)) {
			RETURN_TRUE;
		}
		if (EXPECTED(answer == RL_FAST_REFUSED)) {
			RETVAL_FALSE;
			php_ratelimit_refused_fast(Z_STR(args[0]), Z_LVAL(args[1]));
			return;
		}
		handle_usual_slowly(execute_data, return_value);
		return;
	}
	do_handle(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static RL_TARGET_AES void do_handle_cached(INTERNAL_FUNCTION_PARAMETERS)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);

	if (has_usual_arguments(execute_data)) {
		rl_key key = {.name = Z_STRVAL(args[0]), .name_len = Z_STRLEN(args[0]), .int_id = Z_LVAL(args[1])};
		rl_counter_question q = {.seconds = (uint32_t) Z_LVAL(args[2]), .limit = (uint32_t) Z_LVAL(args[3])};

		if (rl_deny_fast(&key, rl_deny_counter_key(RATELIMIT_G(guard)->store->id, &q),
				RATELIMIT_G(guard)->deny_cache_us)) {
			php_ratelimit_refused_fast(Z_STR(args[0]), Z_LVAL(args[1]));
			RETURN_FALSE;
		}
		handle_usual_slowly(execute_data, return_value);
		return;
	}
	do_handle(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
#endif

ZEND_METHOD(FrequencyLimit, doHandle)
{
#ifdef RL_HASH_HAS_AES
	if (EXPECTED(RATELIMIT_G(fast_path_aes))) {
		do_handle_embedded(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		return;
	}
	if (RATELIMIT_G(has_deny_cache)) {
		do_handle_cached(INTERNAL_FUNCTION_PARAM_PASSTHRU);
		return;
	}
#endif
	do_handle(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Runs check() and peek(): the same arguments, and a Result. */
static void ask_facts(INTERNAL_FUNCTION_PARAMETERS, counter_asker ask)
{
	zend_string *action, *id;
	zend_long id_number = 0, time, number;
	HashTable *expire = NULL;
	rl_key key;
	rl_counter_question q;
	rl_decision d;
	bool enforced, passed;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		Z_PARAM_STR(action)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_LONG(time)
		Z_PARAM_LONG(number)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(expire)
	ZEND_PARSE_PARAMETERS_END();

	enforced = RATELIMIT_G(enforce); /* the listener may change it */
	if (!php_ratelimit_check_bytes("$action", action, RL_NAME_MAX)
		|| !php_ratelimit_identity("$id", id, id_number, &key)
		|| !counter_question(&key, &q, action, time, number, expire) || !decide_guarded(ask, action, &key, &q, &d)) {
		RETURN_THROWS();
	}
	passed = php_ratelimit_pass(&d, enforced);
	php_ratelimit_result_of_window(return_value, &d, (int64_t) time * RL_US_PER_SECOND);
	if (UNEXPECTED(passed)) {
		php_ratelimit_result_set_shadow(return_value, zend_string_copy(action));
	}
	if (UNEXPECTED(!d.accepted)) {
		php_ratelimit_result_set_refused(return_value, action, ZEND_CALL_ARG(execute_data, 2));
	}
}

ZEND_METHOD(FrequencyLimit, check)
{
	ask_facts(INTERNAL_FUNCTION_PARAM_PASSTHRU, rl_guard_count);
}

ZEND_METHOD(FrequencyLimit, peek)
{
	ask_facts(INTERNAL_FUNCTION_PARAM_PASSTHRU, rl_guard_peek);
}

/* Asks about isActionAllowed()'s state: a limiter's state, with one sliding log. */
static bool ask_log(rl_op op, zend_string *action, const rl_key *key, zend_long period, zend_long max_count,
	rl_answer *a)
{
	const rl_guard *g = php_ratelimit_guard();
	rl_question q;
	rl_error e;

	if (!php_ratelimit_clock_agrees(g)) {
		return false;
	}
	memset(&q, 0, offsetof(rl_question, limits));
	q.op = op;
	q.n_limits = 1;
	q.cost = 1;
	q.limits[0] = (rl_limit){
		.algorithm = RL_SLIDING_LOG,
		.limit = (uint64_t) max_count,
		.period_us = (int64_t) period * RL_US_PER_SECOND,
	};
	return conclude_action(rl_guard_ask(g, key, &q, a, &e), &e, op == RL_OP_CONSUME, action, key, NULL,
		(uint32_t) period, &a->decision);
}

ZEND_METHOD(FrequencyLimit, isActionAllowed)
{
	zend_string *id, *action;
	zend_long id_number = 0, period, max_count;
	bool peek = false, enforced;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_STR(action)
		Z_PARAM_LONG(period)
		Z_PARAM_LONG(max_count)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(peek)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_identity("$userId", id, id_number, &key)
		|| !php_ratelimit_check_bytes("$actionKey", action, RL_NAME_MAX)
		|| !php_ratelimit_check_range("$period", period, 1, RL_SECONDS_MAX)
		|| !php_ratelimit_check_range("$maxCount", max_count, 1, RL_LOG_LIMIT_MAX)) {
		RETURN_THROWS();
	}
	key.space = RL_SPACE_ALLOWED;
	key.name = ZSTR_VAL(action);
	key.name_len = ZSTR_LEN(action);
	enforced = RATELIMIT_G(enforce); /* the listener may change it */
	if (!ask_log(peek ? RL_OP_PEEK : RL_OP_CONSUME, action, &key, period, max_count, &a)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(a.decision.accepted || !enforced);
}

/* Carries a command out on the counter of an action and an identity. Returns false, with an exception thrown. */
static bool command(const rl_key *key, const rl_counter_command *c, bool *found)
{
	const rl_guard *g = php_ratelimit_guard();
	rl_error e;
	rl_status status;

	if (!php_ratelimit_clock_agrees(g)) {
		return false;
	}
	status = rl_guard_command(g, key, c, found, &e);
	if (UNEXPECTED(status != RL_OK)) {
		php_ratelimit_throw_store(status, key, &e);
		return false;
	}
	return true;
}

static bool action_key(rl_key *key, const zend_string *action, zend_string *id, zend_long id_number)
{
	set_action(key, ZSTR_VAL(action), ZSTR_LEN(action));
	return php_ratelimit_check_bytes("$action", action, RL_NAME_MAX)
		&& php_ratelimit_identity("$id", id, id_number, key);
}

ZEND_METHOD(FrequencyLimit, ban)
{
	zend_string *action, *id;
	zend_long id_number = 0;
	zval *end;
	rl_key key;
	rl_counter_command c = {.op = RL_OP_BAN};
	int64_t us;
	bool found;

	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(action)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_ban_end(&end, 3, PHP_RATELIMIT_BAN_END) || !action_key(&key, action, id, id_number)
		|| !php_ratelimit_ban_end("$end", end, php_ratelimit_wall_us(php_ratelimit_guard()), &c.ban, &us)) {
		RETURN_THROWS();
	}
	c.ban_ms = (us + RL_US_PER_MS - 1) / RL_US_PER_MS;
	if (command(&key, &c, &found)) {
		php_ratelimit_monitor_ban(&key, c.ban == RL_BAN_UNTIL ? us - rl_clock_wall_us() : us);
	}
}

ZEND_METHOD(FrequencyLimit, unban)
{
	zend_string *action, *id;
	zend_long id_number = 0;
	rl_key key;
	bool found = false;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(action)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
	ZEND_PARSE_PARAMETERS_END();

	if (!action_key(&key, action, id, id_number) || !command(&key, &(rl_counter_command){.op = RL_OP_UNBAN}, &found)) {
		RETURN_THROWS();
	}
	php_ratelimit_monitor_unban(&key);
	RETURN_BOOL(found);
}

ZEND_METHOD(FrequencyLimit, reset)
{
	zend_string *action, *id;
	zend_long id_number = 0;
	const rl_guard *g;
	rl_key key;
	rl_answer a;
	rl_error e;
	rl_status status;
	bool counted = false, log_reset;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(action)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
	ZEND_PARSE_PARAMETERS_END();

	if (!action_key(&key, action, id, id_number)) {
		RETURN_THROWS();
	}
	php_ratelimit_monitor_reset(&key);
	g = php_ratelimit_guard();
	if (!php_ratelimit_clock_agrees(g)) {
		RETURN_THROWS();
	}
	status = rl_guard_command(g, &key, &(rl_counter_command){.op = RL_OP_RESET}, &counted, &e);
	key.space = RL_SPACE_ALLOWED;
	/* Resets both, also if the first one fails, so that the fallback's state is reset as a whole. The limit is one that
	 * leaves the state as it is. */
	log_reset = ask_log(RL_OP_RESET, action, &key, RL_SECONDS_MAX, RL_LOG_LIMIT_MAX, &a);
	if (UNEXPECTED(status != RL_OK)) {
		php_ratelimit_throw_store(status, &key, &e);
		RETURN_THROWS();
	}
	if (UNEXPECTED(!log_reset)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(counted || a.found);
}
