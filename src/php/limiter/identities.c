#include "identities.h"

#include "zend_smart_str.h"

/* Returns the key of an array's element as a string, a new reference: PHP makes an int of '7'. */
static zend_string *key_string(zend_string *key, zend_ulong index)
{
	return key ? zend_string_copy(key) : zend_long_to_str((zend_long) index);
}

/* ---- Labels ---- */

static int label_index(const php_ratelimit_limiter *limiter, const zend_string *label)
{
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		if (zend_string_equals(limiter->labels[i], label)) {
			return (int) i;
		}
	}
	return -1;
}

/* Returns whether calls may bring an identity for the label, which no limit counts: that of a Limit::none(), or any label if the
 * limiter has nothing else. */
static bool label_is_unused(const php_ratelimit_limiter *limiter, const zend_string *label)
{
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		if (limiter->nones[i].by && zend_string_equals(limiter->nones[i].by, label)) {
			return true;
		}
	}
	return limiter->storeless;
}

/* Makes the name of the keys of a label: the label, a 0 byte and the limiter's name. */
static bool add_label(php_ratelimit_limiter *limiter, zend_string *label)
{
	size_t most = RL_NAME_MAX - ZSTR_LEN(label) - 1;

	if (ZSTR_LEN(limiter->name) > most) {
		php_ratelimit_invalid("$name must be between 1 and %zu bytes long beside by('%s'), %zu given", most,
			ZSTR_VAL(label), ZSTR_LEN(limiter->name));
		return false;
	}
	limiter->labels[limiter->n_labels] = label;
	limiter->label_names[limiter->n_labels++] = zend_string_concat3(ZSTR_VAL(label), ZSTR_LEN(label), "", 1,
		ZSTR_VAL(limiter->name), ZSTR_LEN(limiter->name));
	return true;
}

/* Checks that no limit beside a shadow limit has a label: its name space is that of the labels, or that of the shadows. */
static bool check_shadows(const php_ratelimit_limiter *limiter)
{
	const php_ratelimit_limiter *both[] = {limiter, limiter->shadow};

	for (unsigned n = 0; n < 2 && both[n] && (limiter->is_shadow || limiter->shadow); n++) {
		for (unsigned i = 0; i < both[n]->question.n_limits; i++) {
			if (both[n]->limits[i].by) {
				php_ratelimit_invalid("$limits must have no by() beside shadow(), by('%s') given: use two limiters",
					ZSTR_VAL(both[n]->limits[i].by));
				return false;
			}
		}
	}
	return true;
}

bool php_ratelimit_limiter_set_labels(php_ratelimit_limiter *limiter)
{
	rl_question *q = &limiter->question;

	if (!check_shadows(limiter)) {
		return false;
	}

	for (unsigned i = 0; i < q->n_limits; i++) {
		zend_string *label = limiter->limits[i].by;
		int index;

		if ((label != NULL) != (limiter->limits[0].by != NULL)) {
			php_ratelimit_invalid("$limits must all have by(), or none of them: the limit at position %u has %s", i,
				label ? "one" : "none");
			return false;
		}
		if (!label) {
			continue;
		}
		index = label_index(limiter, label);
		if (index < 0) {
			index = (int) limiter->n_labels;
			if (!add_label(limiter, label)) {
				return false;
			}
		}
		q->limits[i].identity = (unsigned) index;
	}
	q->n_keys = limiter->n_labels;
	return true;
}

/* Returns the labels for a message: by('tenant'), by('user'). */
static ZEND_COLD zend_string *labels_text(const php_ratelimit_limiter *limiter)
{
	smart_str s = {0};

	for (unsigned i = 0; i < limiter->n_labels; i++) {
		smart_str_appends(&s, i > 0 ? ", by('" : "by('");
		smart_str_append(&s, limiter->labels[i]);
		smart_str_appends(&s, "')");
	}
	return smart_str_extract(&s);
}

static ZEND_COLD bool wrong_identities(const php_ratelimit_limiter *limiter, const char *format, const char *given)
{
	zend_string *labels = labels_text(limiter);

	php_ratelimit_invalid(format, ZSTR_VAL(labels), given);
	zend_string_release(labels);
	return false;
}

static void begin_key(const php_ratelimit_limiter *limiter, unsigned label, rl_key *key)
{
	key->space = RL_SPACE_LABEL;
	key->name = ZSTR_VAL(limiter->label_names[label]);
	key->name_len = ZSTR_LEN(limiter->label_names[label]);
}

/* Reads one element of $id into its label's key. Sets *index to that label; -1: no limit counts it. */
static bool read_identity(const php_ratelimit_limiter *limiter, zend_string *label, zval *value, rl_key *keys,
	int *index)
{
	zend_string *string = NULL;
	zend_long number = 0;

	*index = label_index(limiter, label);
	if (*index < 0 && !label_is_unused(limiter, label)) {
		return wrong_identities(limiter, "$id must have identities for %s only, one for '%.64s' given",
			ZSTR_VAL(label));
	}
	ZVAL_DEREF(value);
	if (!php_ratelimit_parse_identity(value, &string, &number)) {
		php_ratelimit_invalid("$id['%s'] must be an int or a string, %s given", ZSTR_VAL(label),
			zend_zval_type_name(value));
		return false;
	}
	if (string && (ZSTR_LEN(string) < 1 || ZSTR_LEN(string) > RL_NAME_MAX)) {
		php_ratelimit_invalid("$id['%s'] must be between 1 and %d bytes long, %zu given", ZSTR_VAL(label), RL_NAME_MAX,
			ZSTR_LEN(string));
		return false;
	}
	if (*index < 0) {
		return true;
	}
	begin_key(limiter, (unsigned) *index, &keys[*index]);
	return php_ratelimit_identity("$id", string, number, &keys[*index]);
}

/* Reads an element of $id as most calls have it: of this label, an int or a short string. Returns false where it is another one. */
static zend_always_inline bool read_usual_identity(const php_ratelimit_limiter *limiter, unsigned label,
	const zend_string *key, const zval *value, rl_key *keys)
{
	if (label >= limiter->n_labels || !key || !zend_string_equals(limiter->labels[label], key)) {
		return false;
	}
	if (EXPECTED(Z_TYPE_P(value) == IS_LONG)) {
		begin_key(limiter, label, &keys[label]);
		keys[label].is_int = true;
		keys[label].int_id = Z_LVAL_P(value);
		return true;
	}
	if (Z_TYPE_P(value) != IS_STRING || Z_STRLEN_P(value) - 1 >= RL_NAME_MAX) {
		return false;
	}
	begin_key(limiter, label, &keys[label]);
	return php_ratelimit_identity("$id", Z_STR_P(value), 0, &keys[label]);
}

/* Reads $id, an array, into the keys of all labels. Sets the bits of *found for those that it has. */
static bool read_identities(const php_ratelimit_limiter *limiter, HashTable *ids, rl_key keys[RL_LIMITS_MAX],
	unsigned *found)
{
	zend_ulong number;
	zend_string *key;
	zval *value;
	unsigned next = 0;

	*found = 0;
	if (limiter->n_labels == 0 && !limiter->storeless) {
		php_ratelimit_invalid("$id must be an int or a string, an array given: the limits of the limiter have no by()");
		return false;
	}
	ZEND_HASH_FOREACH_KEY_VAL(ids, number, key, value) {
		if (EXPECTED(read_usual_identity(limiter, next, key, value, keys))) {
			*found |= 1u << next++;
			continue;
		}
		zend_string *label = key_string(key, number);
		int index;
		bool valid = read_identity(limiter, label, value, keys, &index);

		zend_string_release(label);
		if (!valid) {
			return false;
		}
		*found |= index < 0 ? 0 : 1u << index;
	}
	ZEND_HASH_FOREACH_END();
	if (limiter->storeless) { /* no store gets it */
		*keys = (rl_key){.space = RL_SPACE_LIMITER,
			.is_int = true,
			.name = ZSTR_VAL(limiter->name),
			.name_len = ZSTR_LEN(limiter->name)};
	}
	return true;
}

/* Throws for an int or a string as the identity of limits with labels. */
static ZEND_COLD bool not_an_array(const php_ratelimit_limiter *limiter)
{
	return wrong_identities(limiter, "$id must be an array with the identities for %s, %s given", "one identity");
}

bool php_ratelimit_limiter_label_keys(const php_ratelimit_limiter *limiter, const php_ratelimit_identities *ids,
	rl_key keys[RL_LIMITS_MAX])
{
	unsigned found;

	if (!ids->array) {
		return not_an_array(limiter);
	}
	if (!read_identities(limiter, ids->array, keys, &found)) {
		return false;
	}
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		if (!(found >> i & 1)) {
			return wrong_identities(limiter, "$id must have the identities for %s, none for '%.64s' given",
				ZSTR_VAL(limiter->labels[i]));
		}
	}
	return true;
}

bool php_ratelimit_limiter_some_keys(const php_ratelimit_limiter *limiter, const php_ratelimit_identities *ids,
	rl_key keys[RL_LIMITS_MAX], unsigned *n)
{
	unsigned found;

	*n = 1;
	if (EXPECTED(!ids->array)) {
		return php_ratelimit_limiter_keys(limiter, ids, keys);
	}
	if (!read_identities(limiter, ids->array, keys, &found)) {
		return false;
	}
	if (limiter->storeless) {
		return true;
	}
	if (found == 0) {
		return wrong_identities(limiter, "$id must have an identity for %s, %s given", "none");
	}
	*n = 0;
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		if (found >> i & 1) {
			keys[(*n)++] = keys[i];
		}
	}
	return true;
}

/* ---- Costs ---- */

static int limit_index(const php_ratelimit_limiter *limiter, const zend_string *name)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name && zend_string_equals(limiter->limits[i].name, name)) {
			return (int) i;
		}
	}
	return -1;
}

/* Returns whether calls may bring a cost under the name, which no limit counts: that of a Limit::none(), or any name if the
 * limiter has nothing else. */
static bool name_is_unused(const php_ratelimit_limiter *limiter, const zend_string *name)
{
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		if (limiter->nones[i].name && zend_string_equals(limiter->nones[i].name, name)) {
			return true;
		}
	}
	return limiter->storeless;
}

/* Reads one element of $cost into its limit's cost. Sets the limit's bit of *found. */
static bool read_cost(const php_ratelimit_limiter *limiter, zend_string *name, zval *value,
	uint64_t costs[RL_LIMITS_MAX], unsigned *found)
{
	int index = limit_index(limiter, name);

	if (index < 0 && !name_is_unused(limiter, name)) {
		php_ratelimit_invalid("$cost must have costs by the names of the limits, one for '%.64s' given, which is none",
			ZSTR_VAL(name));
		return false;
	}
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) != IS_LONG) {
		php_ratelimit_invalid("$cost['%s'] must be an int, %s given", ZSTR_VAL(name), zend_zval_type_name(value));
		return false;
	}
	if (Z_LVAL_P(value) < 0 || Z_LVAL_P(value) > RL_LIMIT_MAX) {
		php_ratelimit_invalid("$cost['%s'] must be between 0 and %" PRId64 ", " ZEND_LONG_FMT " given", ZSTR_VAL(name),
			RL_LIMIT_MAX, Z_LVAL_P(value));
		return false;
	}
	if (index < 0 && limiter->storeless && !*found) {
		index = 0; /* Result::$granted has it */
	}
	if (index >= 0) {
		costs[index] = (uint64_t) Z_LVAL_P(value);
		*found |= 1u << index;
	}
	return true;
}

/* Reads an element of $cost as most calls have it: of this limit, within its bounds. Returns false where it is another one. */
static zend_always_inline bool read_usual_cost(const php_ratelimit_limiter *limiter, unsigned limit,
	const zend_string *key, const zval *value, uint64_t costs[RL_LIMITS_MAX])
{
	if (limit >= limiter->question.n_limits || !key || !limiter->limits[limit].name
		|| !zend_string_equals(limiter->limits[limit].name, key) || Z_TYPE_P(value) != IS_LONG
		|| (zend_ulong) Z_LVAL_P(value) > RL_LIMIT_MAX) {
		return false;
	}
	costs[limit] = (uint64_t) Z_LVAL_P(value);
	return true;
}

bool php_ratelimit_usual_costs(const php_ratelimit_limiter *limiter, HashTable *given, uint64_t costs[RL_LIMITS_MAX],
	uint64_t *one)
{
	unsigned n = 0;
	bool differ = false;
	zend_string *key;
	zval *value;

	ZEND_HASH_FOREACH_STR_KEY_VAL(given, key, value)
	{
		if (UNEXPECTED(!read_usual_cost(limiter, n, key, value, costs)) || UNEXPECTED(costs[n] == 0)) {
			return false;
		}
		differ = differ || costs[n] != costs[0];
		n++;
	}
	ZEND_HASH_FOREACH_END();
	*one = differ ? 0 : costs[0];
	return n == limiter->question.n_limits;
}

static bool read_costs(const php_ratelimit_limiter *limiter, HashTable *given, uint64_t costs[RL_LIMITS_MAX])
{
	unsigned found = 0, next = 0;
	zend_ulong number;
	zend_string *key;
	zval *value;

	ZEND_HASH_FOREACH_KEY_VAL(given, number, key, value) {
		if (EXPECTED(read_usual_cost(limiter, next, key, value, costs))) {
			found |= 1u << next++;
			continue;
		}
		zend_string *name = key_string(key, number);
		bool valid = read_cost(limiter, name, value, costs, &found);

		zend_string_release(name);
		if (!valid) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	if (EXPECTED(found == (1u << limiter->question.n_limits) - 1)) {
		return true;
	}
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		if (found >> i & 1) {
			continue;
		}
		if (limiter->storeless) {
			costs[i] = 1;
			continue;
		}
		if (limiter->limits[i].name) {
			php_ratelimit_invalid("$cost must have a cost for each limit, none for '%s' given",
				ZSTR_VAL(limiter->limits[i].name));
		} else {
			php_ratelimit_invalid("$cost can be an array only where each limit has a name, none at position %u given: "
								  "use named(), or a string key",
				i);
		}
		return false;
	}
	return true;
}

bool php_ratelimit_limiter_costs(const php_ratelimit_limiter *limiter, const php_ratelimit_cost *cost, zend_long min,
	uint64_t *one, uint64_t costs[RL_LIMITS_MAX], bool *costs_given)
{
	uint64_t all = 0;

	*costs_given = false;
	if (EXPECTED(!cost->array)) {
		*one = (uint64_t) cost->number;
		return php_ratelimit_check_range("$cost", cost->number, min, RL_LIMIT_MAX);
	}
	if (limiter->shadow) {
		php_ratelimit_invalid("$cost must be an int where a limit is a shadow() beside others, an array given");
		return false;
	}
	if (!read_costs(limiter, cost->array, costs)) {
		return false;
	}
	*one = costs[0];
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		all |= costs[i];
		*costs_given |= costs[i] != costs[0];
	}
	if (all == 0 && min > 0 && !limiter->storeless) {
		php_ratelimit_invalid("$cost must have a cost above 0 for a limit, only 0 given");
		return false;
	}
	return true;
}
