#include "limiter_object.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "permit_object.h"
#include "store_config.h"

ZEND_METHOD(FrequencyLimit_Limiter, __construct)
{
	zend_string *name, *store = NULL;
	zval *limits;
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(name)
		Z_PARAM_ZVAL(limits)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(store)
	ZEND_PARSE_PARAMETERS_END();

	if (Z_TYPE_P(limits) != IS_ARRAY
		&& (Z_TYPE_P(limits) != IS_OBJECT || Z_OBJCE_P(limits) != php_ratelimit_ce_limit)) {
		zend_argument_type_error(2, "must be of type FrequencyLimit\\Limit|array, %s given",
			zend_zval_type_name(limits));
		RETURN_THROWS();
	}
	if (!php_ratelimit_limiter_init(limiter, name, limits, store)) {
		RETURN_THROWS();
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, named)
{
	zend_string *name;
	php_ratelimit_named *named;
	php_ratelimit_limiter *limiter;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	named = php_ratelimit_named_find(name);
	if (UNEXPECTED(!named)) {
		php_ratelimit_limiter_not_named(name);
		RETURN_THROWS();
	}
	limiter = php_ratelimit_limiter_of_named(named);
	if (limiter) {
		RETURN_OBJ(&limiter->std);
	}
}

/* Checks that no permits are leased. In Redis the used permits of such a limit look like those in some machine's batch.
 * So credit() and cancel() could return one that a machine has yet to use. */
static bool is_not_leased(const php_ratelimit_limiter *limiter)
{
	if (limiter->question.limits[0].lease) {
		php_ratelimit_invalid("$limits must not be leased() for credit(), reserve() and cancel(), leased(%" PRIu32
							  ") given",
			limiter->question.limits[0].lease + 1);
		return false;
	}
	return true;
}

/* Checks that no limit is a concurrent one, whose places only acquire() takes. method: for the message. */
static bool has_no_places(const php_ratelimit_limiter *limiter, const char *method)
{
	unsigned i = 0;

	if (UNEXPECTED(limiter->shadow) && !has_no_places(limiter->shadow, method)) {
		return false;
	}
	if (EXPECTED(!limiter->has_concurrent)) {
		return true;
	}
	while (limiter->question.limits[i].algorithm != RL_CONCURRENT) {
		i++;
	}
	php_ratelimit_invalid(
		"$limits must have no concurrent limit for %s(), one given at position %u: acquire() takes its places", method,
		i);
	return false;
}

/* Implements peek(), allow() and credit(): they take an identity and a cost. */
static php_ratelimit_limiter *ask_cost(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_answer *a)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, cost, &g);
	if (!limiter || !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key)
		|| (op == RL_OP_CREDIT && !is_not_leased(limiter)) || (op == RL_OP_CONSUME && !has_no_places(limiter, "allow"))
		|| !php_ratelimit_limiter_ask(limiter, g, &key, a)) {
		return NULL;
	}
	return limiter;
}

/* Throws for an argument that a leased limit does not have. */
static ZEND_COLD bool leased_has_no(const php_ratelimit_limiter *limiter, const char *argument)
{
	php_ratelimit_invalid("%s must be left out for a leased limit, leased(%" PRIu32 ") and another value given",
		argument, limiter->question.limits[0].lease + 1);
	return false;
}

/* Sets the question's share to leave, and the part of the cost that is enough. */
static bool set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least, bool at_least_is_null)
{
	rl_question *q = &limiter->question;

	if (!php_ratelimit_check_range("$leave", leave, 0, RL_LIMIT_MAX)
		|| (!at_least_is_null && !php_ratelimit_check_range("$atLeast", at_least, 1, q->cost))) {
		return false;
	}
	if (q->limits[0].lease) {
		return leased_has_no(limiter, leave > 0 ? "$leave" : "$atLeast");
	}
	q->leave = (uint32_t) leave;
	q->at_least = at_least_is_null || at_least == q->cost ? 0 : (uint32_t) at_least;
	return true;
}

static zend_always_inline bool set_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null)
{
	return EXPECTED(leave == 0 && at_least_is_null) || set_given_share(limiter, leave, at_least, at_least_is_null);
}

ZEND_METHOD(FrequencyLimit_Limiter, consume)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1, leave = 0, at_least = 0;
	bool at_least_is_null = true;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_CONSUME, cost, &g);
	if (!limiter || !set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key) || !has_no_places(limiter, "consume")
		|| !php_ratelimit_limiter_ask(limiter, g, &key, &a)) {
		RETURN_THROWS();
	}
	php_ratelimit_limiter_result(return_value, limiter, &a);
	if (UNEXPECTED(!a.decision.accepted)) {
		php_ratelimit_result_set_caller(return_value, ZEND_CALL_ARG(execute_data, 1));
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, allow)
{
	rl_answer a;

	if (ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CONSUME, &a)) {
		RETURN_BOOL(a.decision.accepted);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, acquire)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1, leave = 0, at_least = 0;
	zval *max_wait = NULL;
	bool at_least_is_null = true;
	int64_t max_wait_us = 0;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;

	ZEND_PARSE_PARAMETERS_START(1, 5)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
		Z_PARAM_NUMBER(max_wait)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_ACQUIRE, cost, &g);
	if (!limiter || (max_wait && !php_ratelimit_duration("$maxWait", max_wait, 0, &max_wait_us))
		|| !set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key)) {
		RETURN_THROWS();
	}
	if (max_wait_us > 0 && limiter->question.limits[0].lease) {
		leased_has_no(limiter, "$maxWait");
		RETURN_THROWS();
	}
	if (max_wait_us > 0 && !at_least_is_null) {
		php_ratelimit_invalid("$atLeast must be null with $maxWait above 0, " ZEND_LONG_FMT " given", at_least);
		RETURN_THROWS();
	}
	php_ratelimit_permit_acquire(return_value, limiter, g, &key, id, max_wait_us);
}

ZEND_METHOD(FrequencyLimit_Limiter, peek)
{
	rl_answer a;
	php_ratelimit_limiter *limiter = ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_PEEK, &a);

	if (limiter) {
		php_ratelimit_limiter_result(return_value, limiter, &a);
		if (UNEXPECTED(!a.decision.accepted)) {
			php_ratelimit_result_set_caller(return_value, ZEND_CALL_ARG(execute_data, 1));
		}
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, credit)
{
	rl_answer a;

	ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CREDIT, &a);
}

/* Implements unban() and reset(): they take an identity, and return whether there was a ban or a state. */
static void ask_found(INTERNAL_FUNCTION_PARAMETERS, rl_op op)
{
	zend_string *id;
	zend_long id_number = 0;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, 1, &g);
	if (!limiter || !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key)
		|| !php_ratelimit_limiter_ask(limiter, g, &key, &a)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(a.found);
}

ZEND_METHOD(FrequencyLimit_Limiter, unban)
{
	ask_found(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_UNBAN);
}

ZEND_METHOD(FrequencyLimit_Limiter, reset)
{
	ask_found(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RESET);
}

/* Throws for a number that is no duration of a ban. Such a number is often a unix time. */
static ZEND_COLD void not_a_ban(const zval *end)
{
	zend_string *message = php_ratelimit_no_duration("$end", end, RL_PERIOD_MIN_US);

	php_ratelimit_invalid("%s; a number is a duration, a moment is a DateTimeInterface", ZSTR_VAL(message));
	zend_string_release(message);
}

ZEND_METHOD(FrequencyLimit_Limiter, ban)
{
	zend_string *id;
	zend_long id_number = 0;
	zval *end;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_moment(&end, 2)) {
		RETURN_THROWS();
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_BAN, 1, &g);
	if (!limiter || !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key)) {
		RETURN_THROWS();
	}
	if (Z_TYPE_P(end) == IS_OBJECT) {
		limiter->question.ban = RL_BAN_UNTIL;
		if (!php_ratelimit_coming_moment("$end", end, php_ratelimit_wall_us(g), &limiter->question.ban_us)) {
			RETURN_THROWS();
		}
	} else {
		limiter->question.ban = RL_BAN_FOR;
		if (!php_ratelimit_to_duration(end, RL_PERIOD_MIN_US, &limiter->question.ban_us)) {
			not_a_ban(end);
			RETURN_THROWS();
		}
	}
	php_ratelimit_limiter_ask(limiter, g, &key, &a);
}

/* Checks that all limits have an algorithm that can keep future moments. */
static bool can_book(const php_ratelimit_limiter *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits && !limiter->storeless; i++) {
		rl_algorithm algorithm = limiter->question.limits[i].algorithm;

		if (algorithm != RL_CALENDAR_WINDOW && algorithm != RL_SLIDING_LOG) {
			php_ratelimit_invalid(
				"$limits must all be calendar or sliding-log limits for reserve() and cancel(), another algorithm given at position %u",
				i);
			return false;
		}
	}
	return true;
}

/* Implements reserve() and cancel(): they take an identity, a moment and a cost. */
static php_ratelimit_limiter *ask_moment(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_answer *a)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1;
	zval *at;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key key;
	int64_t *at_us;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		PHP_RATELIMIT_PARAM_IDENTITY(id, id_number)
		Z_PARAM_ZVAL(at)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	if (!php_ratelimit_parse_moment(&at, 2)) {
		return NULL;
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, cost, &g);
	if (!limiter || !php_ratelimit_limiter_key(limiter, "$id", id, id_number, &key) || !can_book(limiter)
		|| !is_not_leased(limiter)) {
		return NULL;
	}
	at_us = &limiter->question.at_us;
	if (!(op == RL_OP_RESERVE ? php_ratelimit_coming_moment("$at", at, php_ratelimit_wall_us(g), at_us)
							  : php_ratelimit_moment("$at", at, at_us))) {
		return NULL;
	}
	return php_ratelimit_limiter_ask(limiter, g, &key, a) ? limiter : NULL;
}

ZEND_METHOD(FrequencyLimit_Limiter, reserve)
{
	rl_answer a;
	php_ratelimit_limiter *limiter = ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RESERVE, &a);

	if (limiter) {
		php_ratelimit_limiter_result(return_value, limiter, &a);
		if (UNEXPECTED(!a.decision.accepted)) {
			php_ratelimit_result_set_caller(return_value, ZEND_CALL_ARG(execute_data, 1));
		}
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, cancel)
{
	rl_answer a;

	if (ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CANCEL, &a)) {
		RETURN_BOOL(a.found);
	}
}

/* Fills in the key of one identity of consumeMany(). */
static bool key_of_element(const php_ratelimit_limiter *limiter, zval *id, uint32_t position, rl_key *key)
{
	char argument[32];

	snprintf(argument, sizeof(argument), "$ids (position %" PRIu32 ")", position);
	ZVAL_DEREF(id);
	switch (Z_TYPE_P(id)) {
		case IS_LONG:
			return php_ratelimit_limiter_key(limiter, argument, NULL, Z_LVAL_P(id), key);
		case IS_STRING:
			return php_ratelimit_limiter_key(limiter, argument, Z_STR_P(id), 0, key);
		default:
			php_ratelimit_invalid("%s must be an int or a string, %s given", argument, zend_zval_type_name(id));
			return false;
	}
}

static void results_of(zval *results, HashTable *ids, const php_ratelimit_limiter *limiter, const rl_answer *answers)
{
	uint32_t i = 0;
	zend_ulong index;
	zend_string *string;

	array_init_size(results, zend_hash_num_elements(ids));
	ZEND_HASH_FOREACH_KEY(ids, index, string) {
		zval result;

		php_ratelimit_limiter_result(&result, limiter, &answers[i++]);
		if (string) {
			zend_hash_add_new(Z_ARRVAL_P(results), string, &result);
		} else {
			zend_hash_index_add_new(Z_ARRVAL_P(results), index, &result);
		}
	}
	ZEND_HASH_FOREACH_END();
}

ZEND_METHOD(FrequencyLimit_Limiter, consumeMany)
{
	HashTable *ids;
	zend_long cost = 1;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	zval *id;
	uint32_t n, i = 0;
	rl_key *keys;
	rl_answer *answers;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ARRAY_HT(ids)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_CONSUME, cost, &g);
	if (!limiter || !has_no_places(limiter, "consumeMany")) {
		RETURN_THROWS();
	}
	n = zend_hash_num_elements(ids);
	if (n == 0) {
		RETURN_EMPTY_ARRAY();
	}
	keys = safe_emalloc(n, sizeof(*keys), 0);
	answers = safe_emalloc(n, sizeof(*answers), 0);
	ZEND_HASH_FOREACH_VAL(ids, id) {
		if (!key_of_element(limiter, id, i, &keys[i])) {
			break;
		}
		i++;
	}
	ZEND_HASH_FOREACH_END();
	if (i == n && php_ratelimit_limiter_ask_many(limiter, g, keys, n, answers)) {
		results_of(return_value, ids, limiter, answers);
	}
	efree(keys);
	efree(answers);
}
