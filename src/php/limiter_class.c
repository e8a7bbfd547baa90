#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "identities.h"
#include "limiter_single.h"
#include "permit_object.h"
#include "store_config.h"

/* Fetches into the cache what a decision of this limiter reads. */
static zend_always_inline void expect_limiter(const php_ratelimit_limiter *limiter)
{
	__builtin_prefetch(limiter, 1);
	__builtin_prefetch(&limiter->question.limits[0]);
	__builtin_prefetch(limiter->name);
	__builtin_prefetch(limiter->monitor.meter, 1);
}

/* Gives the object of a constructor the limiter that this thread keeps for a name and one limit. Returns false, and has done
 * nothing, if it keeps none, or for any other call. */
static zend_always_inline bool construct_kept(const zend_execute_data *execute_data)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	php_ratelimit_limiter *limiter;

	if (ZEND_NUM_ARGS() != 2 || Z_TYPE(args[0]) != IS_STRING || Z_TYPE(args[1]) != IS_OBJECT
		|| Z_OBJCE(args[1]) != php_ratelimit_ce_limit || !php_ratelimit_limiter_has_none(Z_OBJ(EX(This)))) {
		return false;
	}
	limiter = php_ratelimit_limiter_kept(Z_STR(args[0]), Z_OBJ(args[1]));
	if (UNEXPECTED(!limiter)) {
		return false;
	}
	expect_limiter(limiter);
	php_ratelimit_limiter_fill(Z_OBJ(EX(This)), limiter);
	return true;
}

static zend_never_inline void construct_any(INTERNAL_FUNCTION_PARAMETERS)
{
	zend_string *name, *store = NULL;
	zval *limits;

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
	if (!php_ratelimit_limiter_init(Z_OBJ_P(ZEND_THIS), name, limits, store)) {
		RETURN_THROWS();
	}
}

RL_FIRST_PAGE(17) ZEND_METHOD(FrequencyLimit_Limiter, __construct)
{
	if (UNEXPECTED(!construct_kept(execute_data))) {
		construct_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

/* Implements named() where it does not return the latest limiter again. */
static RL_FIRST zend_never_inline void find_limiter(INTERNAL_FUNCTION_PARAMETERS)
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
	if (EXPECTED(limiter)) {
		php_ratelimit_limiter_to_object(return_value, limiter);
	}
}

/* Returns the limiter that named() returned last, if it has the name that this call gives and its file still has it; otherwise
 * NULL. */
static zend_always_inline php_ratelimit_limiter *latest_limiter(const zend_execute_data *execute_data)
{
	const php_ratelimit_latest *latest = &RATELIMIT_G(limiters).latest;
	const zval *name = ZEND_CALL_ARG(execute_data, 1);

	if (UNEXPECTED(ZEND_NUM_ARGS() != 1 || Z_TYPE_P(name) != IS_STRING || Z_STRLEN_P(name) != latest->length
			|| !php_ratelimit_same_bytes(Z_STRVAL_P(name), latest->name, latest->length))) {
		return NULL;
	}
	if (php_ratelimit_look_is_due(latest->look_at_ms)) {
		php_ratelimit_named_look();
	}
	return latest->limiter;
}

RL_FIRST_PAGE_BEGIN ZEND_METHOD(FrequencyLimit_Limiter, named)
{
	php_ratelimit_limiter *limiter = latest_limiter(execute_data);

	if (EXPECTED(limiter)) {
		if (UNEXPECTED(!RATELIMIT_G(methods).expects)) {
			php_ratelimit_expect_decision();
		}
		expect_limiter(limiter);
		php_ratelimit_limiter_to_object(return_value, php_ratelimit_limiter_use(limiter));
	} else {
		find_limiter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
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

/* Checks that no limit has carry(): a window that has not come has no known carry. given: a method or an argument that needs it. */
static bool has_no_carry(const php_ratelimit_limiter *limiter, const char *given)
{
	unsigned i = 0;

	if (UNEXPECTED(limiter->shadow) && !has_no_carry(limiter->shadow, given)) {
		return false;
	}
	if (EXPECTED(!limiter->question.carries)) {
		return true;
	}
	while (limiter->question.limits[i].carry == 0) {
		i++;
	}
	php_ratelimit_invalid("$limits must have no carry() for %s, carry(%" PRIu64 ") given at position %u", given,
		limiter->question.limits[i].carry, i);
	return false;
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
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];

	ZEND_PARSE_PARAMETERS_START(1, 2)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost, &g);
	if (!limiter || !php_ratelimit_limiter_keys(limiter, &ids, keys) || (op == RL_OP_CREDIT && !is_not_leased(limiter))
		|| (op == RL_OP_CONSUME && !has_no_places(limiter, "allow"))
		|| !php_ratelimit_limiter_ask(limiter, g, keys, a)) {
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

/* Checks that the limits share one identity. given: an argument or a method that needs it. */
static bool has_one_label(const php_ratelimit_limiter *limiter, const char *given)
{
	if (EXPECTED(limiter->n_labels <= 1)) {
		return true;
	}
	php_ratelimit_invalid("$limits must share one identity for %s, by('%s') and by('%s') given", given,
		ZSTR_VAL(limiter->labels[0]), ZSTR_VAL(limiter->labels[1]));
	return false;
}

/* Checks that all limits have the same cost: of several costs there is no part. */
static bool has_one_cost(const php_ratelimit_limiter *limiter)
{
	if (EXPECTED(!limiter->question.costs)) {
		return true;
	}
	php_ratelimit_invalid(
		"$atLeast must be null with a cost for each limit, an array of costs and another value given");
	return false;
}

/* Returns the string of the one identity that a call brings; NULL: it is an int, or there are several. */
static zend_string *identity_string_of(const php_ratelimit_identities *ids, const rl_key *key)
{
	zval *value;

	if (EXPECTED(!ids->array)) {
		return ids->string;
	}
	ZEND_HASH_FOREACH_VAL(ids->array, value) {
		ZVAL_DEREF(value);
		if (zend_hash_num_elements(ids->array) == 1 && !key->is_int) {
			return Z_STR_P(value);
		}
	}
	ZEND_HASH_FOREACH_END();
	return NULL;
}

/* Sets the question's share to leave, and the part of the cost that is enough. */
static bool set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least, bool at_least_is_null)
{
	rl_question *q = &limiter->question;

	if (!php_ratelimit_check_range("$leave", leave, 0, RL_LIMIT_MAX)
		|| (!at_least_is_null && !q->costs && !php_ratelimit_check_range("$atLeast", at_least, 1, (int64_t) q->cost))) {
		return false;
	}
	if (!at_least_is_null && (!has_one_label(limiter, "$atLeast") || !has_one_cost(limiter))) {
		return false;
	}
	if (q->limits[0].lease) {
		return leased_has_no(limiter, leave > 0 ? "$leave" : "$atLeast");
	}
	q->leave = (uint64_t) leave;
	q->at_least = at_least_is_null || (uint64_t) at_least == q->cost ? 0 : (uint64_t) at_least;
	return true;
}

static zend_always_inline bool set_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null)
{
	return EXPECTED(leave == 0 && at_least_is_null) || set_given_share(limiter, leave, at_least, at_least_is_null);
}

/* Implements consume() past the fast path: a function of its own, so that the fast path needs no room for all of this. */
static zend_never_inline void consume_any(INTERNAL_FUNCTION_PARAMETERS)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zend_long leave = 0, at_least = 0;
	bool at_least_is_null = true;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_CONSUME, &cost, &g);
	if (!limiter || !set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_keys(limiter, &ids, keys) || !has_no_places(limiter, "consume")
		|| !php_ratelimit_limiter_ask(limiter, g, keys, &a)) {
		RETURN_THROWS();
	}
	php_ratelimit_limiter_result(return_value, limiter, &a);
	if (UNEXPECTED(!a.decision.accepted)) {
		php_ratelimit_result_set_caller(return_value, ZEND_CALL_ARG(execute_data, 1));
	}
}

RL_FIRST_PAGE(07) ZEND_METHOD(FrequencyLimit_Limiter, consume)
{
	if (UNEXPECTED(!php_ratelimit_single_consume(execute_data, return_value))
		&& !php_ratelimit_labelled_consume(execute_data, return_value)) {
		consume_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS)
{
	rl_answer a;
	bool allowed;

	if (EXPECTED(php_ratelimit_single_allow(execute_data, &allowed))) {
		RETURN_BOOL(allowed);
	}
	if (ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CONSUME, &a)) {
		RETURN_BOOL(a.decision.accepted);
	}
}

/* Implements acquire() past the fast path. */
static zend_never_inline void acquire_slowly(INTERNAL_FUNCTION_PARAMETERS)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zend_long leave = 0, at_least = 0;
	zval *max_wait = NULL;
	bool at_least_is_null = true;
	int64_t max_wait_us = 0;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];

	ZEND_PARSE_PARAMETERS_START(1, 5)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
		Z_PARAM_NUMBER(max_wait)
		Z_PARAM_LONG(leave)
		Z_PARAM_LONG_OR_NULL(at_least, at_least_is_null)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_ACQUIRE, &cost, &g);
	if (!limiter || (max_wait && !php_ratelimit_duration("$maxWait", max_wait, 0, &max_wait_us))
		|| !set_share(limiter, leave, at_least, at_least_is_null) || !php_ratelimit_limiter_keys(limiter, &ids, keys)
		|| (max_wait_us > 0
			&& !(has_one_label(limiter, "$maxWait above 0") && has_no_carry(limiter, "$maxWait above 0")))) {
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
	php_ratelimit_permit_acquire(return_value, limiter, g, keys, identity_string_of(&ids, keys), max_wait_us);
}

ZEND_METHOD(FrequencyLimit_Limiter, acquire)
{
	if (UNEXPECTED(!php_ratelimit_single_acquire(execute_data, return_value))) {
		acquire_slowly(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
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

static const php_ratelimit_cost cost_of_one = {.number = 1};

/* Asks unban(), reset() or ban() about the state of one label. */
static bool ask_label(const php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, bool *found)
{
	const rl_question *all = &limiter->question;
	rl_question q;
	rl_answer a;
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
	rl_answer a;
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

/* Implements unban() and reset(): they take an identity, and return whether there was a ban or a state. */
static void ask_found(INTERNAL_FUNCTION_PARAMETERS, rl_op op)
{
	php_ratelimit_identities ids = {0};
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	bool found = false;
	unsigned n;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost_of_one, &g);
	if (!limiter || !php_ratelimit_limiter_some_keys(limiter, &ids, keys, &n)
		|| !ask_each(limiter, g, keys, n, &found)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(found);
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
	bool found;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_moment(&end, 2)) {
		RETURN_THROWS();
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_BAN, &cost_of_one, &g);
	if (!limiter || !php_ratelimit_limiter_some_keys(limiter, &ids, keys, &n)
		|| !php_ratelimit_ban_end("$end", end, php_ratelimit_wall_us(g), &limiter->question.ban,
			&limiter->question.ban_us)) {
		RETURN_THROWS();
	}
	ask_each(limiter, g, keys, n, &found);
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
	php_ratelimit_identities ids = {0};
	php_ratelimit_cost cost = {.number = 1};
	zval *at;
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	rl_key keys[RL_LIMITS_MAX];
	int64_t *at_us;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		PHP_RATELIMIT_PARAM_IDENTITIES(ids)
		Z_PARAM_ZVAL(at)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	if (!php_ratelimit_parse_moment(&at, 2)) {
		return NULL;
	}
	limiter = php_ratelimit_limiter_begin(ZEND_THIS, op, &cost, &g);
	if (!limiter || !php_ratelimit_limiter_keys(limiter, &ids, keys) || !can_book(limiter) || !is_not_leased(limiter)
		|| !has_no_carry(limiter, op == RL_OP_RESERVE ? "reserve()" : "cancel()")
		|| !has_one_label(limiter, op == RL_OP_RESERVE ? "reserve()" : "cancel()")) {
		return NULL;
	}
	at_us = &limiter->question.at_us;
	if (!(op == RL_OP_RESERVE ? php_ratelimit_coming_moment("$at", at, php_ratelimit_wall_us(g), at_us)
							  : php_ratelimit_moment("$at", at, at_us))) {
		return NULL;
	}
	return php_ratelimit_limiter_ask(limiter, g, keys, a) ? limiter : NULL;
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

/* Checks that the limits have no labels: consumeMany() takes one identity for each call. */
static bool has_no_labels(const php_ratelimit_limiter *limiter)
{
	if (EXPECTED(limiter->n_labels == 0)) {
		return true;
	}
	php_ratelimit_invalid("$limits must have no by() for consumeMany(), by('%s') given", ZSTR_VAL(limiter->labels[0]));
	return false;
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

static void results_of(zval *results, HashTable *ids, php_ratelimit_limiter *limiter, const rl_answer *answers)
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
	php_ratelimit_cost cost = {.number = 1};
	php_ratelimit_limiter *limiter;
	const rl_guard *g;
	zval *id;
	uint32_t n, i = 0;
	rl_key *keys;
	rl_answer *answers;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ARRAY_HT(ids)
		Z_PARAM_OPTIONAL
		PHP_RATELIMIT_PARAM_COST(cost)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_begin(ZEND_THIS, RL_OP_CONSUME, &cost, &g);
	if (!limiter || !has_no_places(limiter, "consumeMany") || !has_no_labels(limiter)) {
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
