/* Reads what a call brings for each of a limiter's limits: identities by labels (Limit::by()), costs by names. A function that
 * returns false has thrown an exception. */
#ifndef PHP_RATELIMIT_IDENTITIES_H
#define PHP_RATELIMIT_IDENTITIES_H

#include "../base/arguments.h"
#include "limiter_object.h"

/* The argument $id: an int, a string, or an array of them by labels. */
typedef struct {
	zend_string *string;
	zend_long number;
	HashTable *array;
} php_ratelimit_identities;

/* The argument $cost: an int, or an array of ints by the limits' names. */
struct php_ratelimit_cost {
	zend_long number;
	HashTable *array;
};

static zend_always_inline bool php_ratelimit_parse_identities(zval *arg, php_ratelimit_identities *ids)
{
	ids->array = NULL;
	if (EXPECTED(php_ratelimit_parse_identity(arg, &ids->string, &ids->number))) {
		return true;
	}
	if (Z_TYPE_P(arg) == IS_ARRAY) {
		ids->array = Z_ARRVAL_P(arg);
	}
	return ids->array != NULL;
}

/* Declares a parameter of type int|string|array that has identities, for ZEND_PARSE_PARAMETERS. */
#define PHP_RATELIMIT_PARAM_IDENTITIES(ids)                                                                            \
 Z_PARAM_PROLOGUE(0, 0);                                                                                               \
 if (UNEXPECTED(!php_ratelimit_parse_identities(_arg, &(ids)))) {                                                      \
  _expected_type = Z_EXPECTED_STRING_OR_LONG;                                                                          \
  _error_code = ZPP_ERROR_WRONG_ARG;                                                                                   \
  break;                                                                                                               \
 }

/* Declares a parameter of type int|array that is a cost. */
#define PHP_RATELIMIT_PARAM_COST(cost) Z_PARAM_ARRAY_HT_OR_LONG((cost).array, (cost).number)

/* Fills in the keys of labels. */
bool php_ratelimit_limiter_label_keys(const php_ratelimit_limiter *limiter, const php_ratelimit_identities *ids,
	rl_key keys[RL_LIMITS_MAX]);

/* Fills in the keys of a call: one, or one for each label. ids of the keys that are strings are borrowed. */
static zend_always_inline bool php_ratelimit_limiter_keys(const php_ratelimit_limiter *limiter,
	const php_ratelimit_identities *ids, rl_key keys[RL_LIMITS_MAX])
{
	if (EXPECTED(!ids->array && limiter->n_labels == 0)) {
		return php_ratelimit_limiter_key(limiter, "$id", ids->string, ids->number, keys);
	}
	return php_ratelimit_limiter_label_keys(limiter, ids, keys);
}

/* Does so for the labels that the call brings, at least one. Sets *n to their number. */
bool php_ratelimit_limiter_some_keys(const php_ratelimit_limiter *limiter, const php_ratelimit_identities *ids,
	rl_key keys[RL_LIMITS_MAX], unsigned *n);

/* Reads a cost of min (0 or 1) to RL_LIMIT_MAX into *one, or of each limit into costs; *costs_given: whether it is the latter. Of a
 * min of 1, an array may have zeros, but not only zeros. */
bool php_ratelimit_limiter_costs(const php_ratelimit_limiter *limiter, const php_ratelimit_cost *cost, zend_long min,
	uint64_t *one, uint64_t costs[RL_LIMITS_MAX], bool *costs_given);

/* Reads the costs of a call as most have them: of each limit, in their order, above 0. Sets *one to the cost that all have, or to 0.
 * Returns false for any other array, without an error. */
bool php_ratelimit_usual_costs(const php_ratelimit_limiter *limiter, HashTable *given, uint64_t costs[RL_LIMITS_MAX],
	uint64_t *one);

/* Gives a limiter its labels, after its limits and its name. */
bool php_ratelimit_limiter_set_labels(php_ratelimit_limiter *limiter);

#endif
