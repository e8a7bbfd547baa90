#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "identities.h"
#include "limiter_object.h"
#include "../base/store_config.h"

/* Gives the object of a constructor the limiter that this thread keeps for a name and one limit. Returns false, and has done
 * nothing, if it keeps none, or for any other call. */
static zend_always_inline bool construct_kept(const zend_execute_data *execute_data)
{
	const zval *args = ZEND_CALL_ARG(execute_data, 1);
	php_ratelimit_limiter *limiter;

	if ((ZEND_NUM_ARGS() != 2 && (ZEND_NUM_ARGS() != 3 || Z_TYPE(args[2]) != IS_NULL)) || Z_TYPE(args[0]) != IS_STRING
		|| Z_TYPE(args[1]) != IS_OBJECT || Z_OBJCE(args[1]) != php_ratelimit_ce_limit
		|| php_ratelimit_limiter_of(Z_OBJ(EX(This)))->name) {
		return false;
	}
	limiter = php_ratelimit_limiter_kept(Z_STR(args[0]), Z_OBJ(args[1]));
	if (UNEXPECTED(!limiter)) {
		return false;
	}
	php_ratelimit_limiter_object_of(Z_OBJ(EX(This)))->limiter = limiter;
	return true;
}

/* Constructs any limiter. limits: one Limit, or an array of 1 to 8. A string key is the name of its limit. All names differ. store: a
 * DSN; NULL: the general one. */
static zend_never_inline void construct_any(INTERNAL_FUNCTION_PARAMETERS)
{
	php_ratelimit_limiter_object *object = php_ratelimit_limiter_object_of(Z_OBJ_P(ZEND_THIS));
	php_ratelimit_limiter *limiter;
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
	if (object->limiter->name) {
		zend_throw_error(NULL, "A FrequencyLimit\\Limiter cannot be constructed twice: make a new one");
		RETURN_THROWS();
	}
	if (!php_ratelimit_check_bytes("$name", name, RL_NAME_MAX)) {
		RETURN_THROWS();
	}
	limiter = php_ratelimit_limiter_make(false);
	if ((store && !php_ratelimit_limiter_set_store(limiter, store))
		|| !php_ratelimit_limiter_set_limits(limiter, limits) || !php_ratelimit_limiter_finish(limiter, name, store)) {
		php_ratelimit_limiter_release(limiter);
		RETURN_THROWS();
	}
	object->limiter = limiter;
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, __construct)
{
	if (UNEXPECTED(!construct_kept(execute_data))) {
		construct_any(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

/* Implements named() where it does not return the latest limiter again. */
static zend_never_inline void find_limiter(INTERNAL_FUNCTION_PARAMETERS)
{
	zend_string *name;
	php_ratelimit_limiter *limiter;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_by_name("", name);
	if (EXPECTED(limiter)) {
		php_ratelimit_limiter_to_object(return_value, limiter);
	}
}

/* Returns the limiter that named() returned last, if it has the name that this call gives and its file still has it; otherwise
 * NULL. */
static zend_always_inline php_ratelimit_limiter *latest_limiter(const zend_execute_data *execute_data)
{
	const php_ratelimit_latest *latest = &RATELIMIT_G(limiters)->latest;
	const zval *name = ZEND_CALL_ARG(execute_data, 1);

	if (UNEXPECTED(ZEND_NUM_ARGS() != 1 || Z_TYPE_P(name) != IS_STRING || Z_STRLEN_P(name) != latest->length
			|| memcmp(Z_STRVAL_P(name), latest->name, latest->length) != 0)) {
		return NULL;
	}
	if (php_ratelimit_look_is_due(latest->look_at_ms)) {
		php_ratelimit_named_look();
	}
	return latest->limiter;
}

RL_HOT ZEND_METHOD(FrequencyLimit_Limiter, named)
{
	php_ratelimit_limiter *limiter = latest_limiter(execute_data);

	if (EXPECTED(limiter)) {
		php_ratelimit_limiter_to_object(return_value, php_ratelimit_limiter_use(limiter));
	} else {
		find_limiter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, define)
{
	zval *object;
	php_ratelimit_limiter *limiter;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_OBJECT_OF_CLASS(object, php_ratelimit_ce_limiter)
	ZEND_PARSE_PARAMETERS_END();

	limiter = php_ratelimit_limiter_of(Z_OBJ_P(object));
	if (UNEXPECTED(!limiter->name)) {
		php_ratelimit_limiter_is_missing();
		RETURN_THROWS();
	}
	php_ratelimit_limiter_define(limiter);
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
	if (!limiter || !php_ratelimit_limiter_keys(limiter, &ids, keys)
		|| (op == RL_OP_CONSUME && !php_ratelimit_has_no_places(limiter, "allow"))
		|| !php_ratelimit_limiter_ask(limiter, g, keys, a)) {
		return NULL;
	}
	if (op == RL_OP_CONSUME) {
		php_ratelimit_limiter_listen(limiter, keys, a);
	}
	return limiter;
}

void php_ratelimit_limiter_consume(INTERNAL_FUNCTION_PARAMETERS)
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
	if (!limiter || !php_ratelimit_set_share(limiter, leave, at_least, at_least_is_null)
		|| !php_ratelimit_limiter_keys(limiter, &ids, keys) || !php_ratelimit_has_no_places(limiter, "consume")
		|| !php_ratelimit_limiter_ask(limiter, g, keys, &a)) {
		RETURN_THROWS();
	}
	php_ratelimit_limiter_result(return_value, limiter, &a, ZEND_CALL_ARG(execute_data, 1));
	php_ratelimit_limiter_listen(limiter, keys, &a);
}

void php_ratelimit_limiter_allow(INTERNAL_FUNCTION_PARAMETERS)
{
	rl_answer a;

	if (ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CONSUME, &a)) {
		RETURN_BOOL(a.decision.accepted);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, peek)
{
	rl_answer a;
	php_ratelimit_limiter *limiter = ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_PEEK, &a);

	if (limiter) {
		php_ratelimit_limiter_result(return_value, limiter, &a, ZEND_CALL_ARG(execute_data, 1));
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, credit)
{
	rl_answer a;

	ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CREDIT, &a);
}

/* ---- consumeMany(): one limiter, many identities ---- */

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

		php_ratelimit_limiter_result(&result, limiter, &answers[i++], NULL);
		if (string) {
			zend_hash_add_new(Z_ARRVAL_P(results), string, &result);
		} else {
			zend_hash_index_add_new(Z_ARRVAL_P(results), index, &result);
		}
	}
	ZEND_HASH_FOREACH_END();
}

/* Calls the listener with each answer. All events are made first: the listener may ask this limiter, and change what the keys
 * borrow. */
static ZEND_COLD void listen_to_each(php_ratelimit_limiter *limiter, const rl_key *keys, const rl_answer *answers,
	uint32_t n)
{
	php_ratelimit_event *events = safe_emalloc(n, sizeof(*events), 0);
	uint32_t n_events = 0;

	for (uint32_t i = 0; i < n; i++) {
		n_events += php_ratelimit_limiter_event(&events[n_events], limiter, &keys[i], &answers[i]);
	}
	for (uint32_t i = 0; i < n_events; i++) {
		php_ratelimit_listener_call(&events[i]);
	}
	efree(events);
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
	if (!limiter || !php_ratelimit_has_no_places(limiter, "consumeMany") || !has_no_labels(limiter)) {
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
		if (UNEXPECTED(RATELIMIT_G(each_decision))) {
			listen_to_each(limiter, keys, answers, n);
		}
	}
	efree(keys);
	efree(answers);
}
