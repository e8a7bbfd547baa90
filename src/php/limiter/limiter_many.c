/* Implements consumeMany(): one limiter, many identities. */
#include "../base/arguments.h"
#include "identities.h"
#include "limiter_checks.h"
#include "limiter_object.h"

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
