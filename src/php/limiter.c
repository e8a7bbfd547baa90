#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "limit_object.h"
#include "result.h"
#include "src/shm/shm.h"
#include "wiring.h"

/* How often boundaries are worked out anew because the store's clock has passed them meanwhile. */
#define STALE_MAX 3

typedef struct {
	zend_string *name;
	bool own_store;
	rl_guard guard;        /* own_store: the way to it, but for on_failure, which is read when a question is asked */
	rl_question question;  /* with the limits: a question of this limiter changes only what it is about */
	bool needs_now;        /* a limit has boundaries, or a ban until one */
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* their names and zones; references */
	zend_object std;
} limiter_object;

static zend_object_handlers handlers;

static limiter_object *from_object(zend_object *object)
{
	return (limiter_object *) ((char *) object - XtOffsetOf(limiter_object, std));
}

static zend_object *create(zend_class_entry *ce)
{
	limiter_object *limiter = zend_object_alloc(sizeof(*limiter), ce);

	memset(limiter, 0, XtOffsetOf(limiter_object, std));
	zend_object_std_init(&limiter->std, ce);
	object_properties_init(&limiter->std, ce);
	limiter->std.handlers = &handlers;
	return &limiter->std;
}

static void release(zend_object *object)
{
	limiter_object *limiter = from_object(object);

	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name) {
			zend_string_release(limiter->limits[i].name);
		}
		if (limiter->limits[i].zone) {
			zend_string_release(limiter->limits[i].zone);
		}
	}
	if (limiter->name) {
		zend_string_release(limiter->name);
	}
	zend_object_std_dtor(object);
}

void php_ratelimit_limiter_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(limiter_object, std);
	handlers.free_obj = release;
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable; /* they have no properties to be compared by */
	php_ratelimit_ce_limiter->create_object = create;
}

/* ---- The constructor ---- */

static void add_limit(limiter_object *limiter, zend_object *object)
{
	php_ratelimit_limit *limit = &limiter->limits[limiter->question.n_limits];

	*limit = *php_ratelimit_limit_of(object);
	if (limit->name) {
		zend_string_addref(limit->name);
	}
	if (limit->zone) {
		zend_string_addref(limit->zone);
	}
	limiter->question.limits[limiter->question.n_limits++] = limit->limit;
	limiter->needs_now |= limit->limit.algorithm == RL_CALENDAR_WINDOW || limit->ban_period;
}

static bool add_limits(limiter_object *limiter, HashTable *limits)
{
	unsigned position = 0;
	zval *limit;

	if (zend_hash_num_elements(limits) < 1 || zend_hash_num_elements(limits) > RL_LIMITS_MAX) {
		php_ratelimit_invalid("$limits must be between 1 and %d limits, %" PRIu32 " given", RL_LIMITS_MAX,
			zend_hash_num_elements(limits));
		return false;
	}
	ZEND_HASH_FOREACH_VAL(limits, limit) {
		ZVAL_DEREF(limit);
		if (Z_TYPE_P(limit) != IS_OBJECT || Z_OBJCE_P(limit) != php_ratelimit_ce_limit) {
			php_ratelimit_invalid("$limits must hold only FrequencyLimit\\Limit, %s given at position %u",
				zend_zval_type_name(limit), position);
			return false;
		}
		add_limit(limiter, Z_OBJ_P(limit));
		position++;
	} ZEND_HASH_FOREACH_END();
	return true;
}

static bool open_store(limiter_object *limiter, const zend_string *dsn)
{
	rl_error e;

	if (!php_ratelimit_is_embedded_dsn(dsn) && !rl_redis_dsn_check(ZSTR_VAL(dsn), ZSTR_LEN(dsn), &e)) {
		php_ratelimit_invalid("$store must be \"shm:\" or the DSN of a Redis server: %s", e.message);
		return false;
	}
	limiter->guard = php_ratelimit_guard_to(dsn, &e);
	limiter->own_store = true;
	return true;
}

ZEND_METHOD(FrequencyLimit_Limiter, __construct)
{
	zend_string *name, *store = NULL;
	zval *limits;
	limiter_object *limiter = from_object(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(name)
		Z_PARAM_ZVAL(limits)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(store)
	ZEND_PARSE_PARAMETERS_END();

	if (limiter->name) {
		zend_throw_error(NULL, "A FrequencyLimit\\Limiter is constructed only once");
		RETURN_THROWS();
	}
	if (Z_TYPE_P(limits) != IS_ARRAY
			&& (Z_TYPE_P(limits) != IS_OBJECT || Z_OBJCE_P(limits) != php_ratelimit_ce_limit)) {
		zend_argument_type_error(2, "must be of type FrequencyLimit\\Limit|array, %s given", zend_zval_type_name(limits));
		RETURN_THROWS();
	}
	if (!php_ratelimit_check_bytes("$name", name, RL_NAME_MAX)) {
		RETURN_THROWS();
	}
	if (Z_TYPE_P(limits) == IS_OBJECT) {
		add_limit(limiter, Z_OBJ_P(limits));
	} else if (!add_limits(limiter, Z_ARRVAL_P(limits))) {
		RETURN_THROWS();
	}
	if (store && !open_store(limiter, store)) {
		RETURN_THROWS();
	}
	limiter->name = zend_string_copy(name);
}

/* ---- A question, from the limiter's state to the answer ---- */

static const rl_guard *guard_of(limiter_object *limiter)
{
	if (!limiter->own_store) {
		return php_ratelimit_guard();
	}
	limiter->guard.on_failure = RATELIMIT_G(on_failure);
	limiter->guard.retry_delay_us = (int64_t) RATELIMIT_G(retry_delay_ms) * RL_US_PER_MS;
	return &limiter->guard;
}

/* Does what every method begins with; NULL when an exception was thrown. */
static limiter_object *begin(zval *this, rl_op op, zend_long cost, const rl_guard **g)
{
	limiter_object *limiter = from_object(Z_OBJ_P(this));

	if (UNEXPECTED(!limiter->name)) {
		zend_throw_error(NULL, "The FrequencyLimit\\Limiter has not been constructed");
		return NULL;
	}
	if (!php_ratelimit_check_range("$cost", cost, 1, RL_LIMIT_MAX)) {
		return NULL;
	}
	*g = guard_of(limiter);
	if (!php_ratelimit_clock_agrees(*g)) {
		return NULL;
	}
	limiter->question.op = op;
	limiter->question.cost = (uint32_t) cost;
	return limiter;
}

static bool key_of(const limiter_object *limiter, zend_string *id, zend_long id_number, rl_key *key)
{
	key->space = RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	return php_ratelimit_identity("$id", id, id_number, key);
}

/* What depends on when is asked: the boundaries of the clock's windows around the moment that the question is about, and
 * the next boundary that a ban lasts until. */
static bool set_boundaries(limiter_object *limiter, int64_t now_us)
{
	rl_question *q = &limiter->question;
	int64_t about_us = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL ? q->at_us : now_us;
	php_ratelimit_windows windows;

	for (unsigned i = 0; i < q->n_limits; i++) {
		const php_ratelimit_limit *limit = &limiter->limits[i];

		if (limit->limit.algorithm == RL_CALENDAR_WINDOW) {
			if (!php_ratelimit_calendar_windows(limit->zone, limit->limit.period, about_us, &windows)) {
				return false;
			}
			q->limits[i].boundary[0] = windows.begin * RL_US_PER_SECOND;
			q->limits[i].boundary[1] = windows.end * RL_US_PER_SECOND;
			q->limits[i].boundary[2] = windows.next_end * RL_US_PER_SECOND;
		}
		if (limit->ban_period) {
			if (!php_ratelimit_calendar_windows(limit->zone, limit->ban_period, now_us, &windows)) {
				return false;
			}
			q->limits[i].ban_us = windows.end * RL_US_PER_SECOND;
		}
	}
	return true;
}

/* What came of a question, once it is no longer about boundaries that are over; false with an exception thrown. */
static bool settle(limiter_object *limiter, const rl_guard *g, const rl_key *key, rl_answer *a, rl_status status,
	rl_error *e)
{
	for (unsigned i = 0; UNEXPECTED(status == RL_STALE) && i < STALE_MAX; i++) {
		if (!set_boundaries(limiter, e->now_us)) {
			return false;
		}
		status = rl_guard_ask_again(g, key, &limiter->question, a, e);
	}
	if (EXPECTED(status == RL_OK)) {
		return true;
	}
	if (status == RL_STALE) {
		snprintf(e->message, sizeof(e->message), "The clock of the store jumps");
	}
	php_ratelimit_throw_store(status, key, e);
	return false;
}

/* Asks; false with an exception thrown. */
static bool ask(limiter_object *limiter, const rl_guard *g, const rl_key *key, rl_answer *a)
{
	rl_error e;

	if (limiter->needs_now && !set_boundaries(limiter, php_ratelimit_wall_us(g))) {
		return false;
	}
	return settle(limiter, g, key, a, rl_guard_ask(g, key, &limiter->question, a, &e), &e);
}

/* How long the window is that the headers tell: of a bucket, the time it takes to fill. */
static int64_t window_us(const rl_limit *limit)
{
	switch (limit->algorithm) {
		case RL_CALENDAR_WINDOW:
			return limit->boundary[1] - limit->boundary[0];
		case RL_TOKEN_BUCKET:
			return (int64_t) ((double) limit->period_us / limit->rate * limit->limit);
		default:
			return limit->period_us;
	}
}

static void make_result(zval *result, const limiter_object *limiter, const rl_decision *d)
{
	php_ratelimit_result_init(result, d, limiter->limits[d->limit_index].name,
		window_us(&limiter->question.limits[d->limit_index]));
}

/* ---- The methods ---- */

/* consume(), peek() and refund() take an identity and a cost. */
static limiter_object *ask_cost(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_answer *a)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1;
	limiter_object *limiter;
	const rl_guard *g;
	rl_key key;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR_OR_LONG(id, id_number)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	limiter = begin(ZEND_THIS, op, cost, &g);
	return limiter && key_of(limiter, id, id_number, &key) && ask(limiter, g, &key, a) ? limiter : NULL;
}

ZEND_METHOD(FrequencyLimit_Limiter, consume)
{
	rl_answer a;
	limiter_object *limiter = ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CONSUME, &a);

	if (limiter) {
		make_result(return_value, limiter, &a.decision);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, peek)
{
	rl_answer a;
	limiter_object *limiter = ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_PEEK, &a);

	if (limiter) {
		make_result(return_value, limiter, &a.decision);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, refund)
{
	rl_answer a;

	ask_cost(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_REFUND, &a);
}

/* unban() and reset() take an identity, and tell whether there was one. */
static void ask_found(INTERNAL_FUNCTION_PARAMETERS, rl_op op)
{
	zend_string *id;
	zend_long id_number = 0;
	limiter_object *limiter;
	const rl_guard *g;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR_OR_LONG(id, id_number)
	ZEND_PARSE_PARAMETERS_END();

	limiter = begin(ZEND_THIS, op, 1, &g);
	if (!limiter || !key_of(limiter, id, id_number, &key) || !ask(limiter, g, &key, &a)) {
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

ZEND_METHOD(FrequencyLimit_Limiter, ban)
{
	zend_string *id;
	zend_long id_number = 0;
	zval *end;
	limiter_object *limiter;
	const rl_guard *g;
	rl_key key;
	rl_answer a;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR_OR_LONG(id, id_number)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_parse_moment(&end, 2)) {
		RETURN_THROWS();
	}
	limiter = begin(ZEND_THIS, RL_OP_BAN, 1, &g);
	if (!limiter || !key_of(limiter, id, id_number, &key)) {
		RETURN_THROWS();
	}
	if (Z_TYPE_P(end) == IS_OBJECT) {
		limiter->question.ban = RL_BAN_UNTIL;
		if (!php_ratelimit_coming_moment("$end", end, php_ratelimit_wall_us(g), &limiter->question.ban_us)) {
			RETURN_THROWS();
		}
	} else {
		limiter->question.ban = RL_BAN_FOR;
		if (!php_ratelimit_duration("$end", end, RL_PERIOD_MIN_US, &limiter->question.ban_us)) {
			RETURN_THROWS();
		}
	}
	ask(limiter, g, &key, &a);
}

/* Only a calendar window and a log know of moments to come. */
static bool can_book(const limiter_object *limiter)
{
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		rl_algorithm algorithm = limiter->question.limits[i].algorithm;

		if (algorithm != RL_CALENDAR_WINDOW && algorithm != RL_SLIDING_LOG) {
			php_ratelimit_invalid("$limits must all be calendar or sliding-log limits for a moment to be booked, one of another"
				" kind given at position %u", i);
			return false;
		}
	}
	return true;
}

/* reserve() and cancel() take an identity, a moment and a cost. */
static limiter_object *ask_moment(INTERNAL_FUNCTION_PARAMETERS, rl_op op, rl_answer *a)
{
	zend_string *id;
	zend_long id_number = 0, cost = 1;
	zval *at;
	limiter_object *limiter;
	const rl_guard *g;
	rl_key key;
	int64_t *at_us;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR_OR_LONG(id, id_number)
		Z_PARAM_ZVAL(at)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END_EX(return NULL);

	if (!php_ratelimit_parse_moment(&at, 2)) {
		return NULL;
	}
	limiter = begin(ZEND_THIS, op, cost, &g);
	if (!limiter || !key_of(limiter, id, id_number, &key) || !can_book(limiter)) {
		return NULL;
	}
	at_us = &limiter->question.at_us;
	if (!(op == RL_OP_RESERVE ? php_ratelimit_coming_moment("$at", at, php_ratelimit_wall_us(g), at_us)
			: php_ratelimit_moment("$at", at, at_us))) {
		return NULL;
	}
	return ask(limiter, g, &key, a) ? limiter : NULL;
}

ZEND_METHOD(FrequencyLimit_Limiter, reserve)
{
	rl_answer a;
	limiter_object *limiter = ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_RESERVE, &a);

	if (limiter) {
		make_result(return_value, limiter, &a.decision);
	}
}

ZEND_METHOD(FrequencyLimit_Limiter, cancel)
{
	rl_answer a;

	if (ask_moment(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_OP_CANCEL, &a)) {
		RETURN_BOOL(a.found);
	}
}

/* One identity of consumeMany(). */
static bool key_of_element(const limiter_object *limiter, zval *id, uint32_t position, rl_key *key)
{
	char argument[32];

	snprintf(argument, sizeof(argument), "$ids (position %" PRIu32 ")", position);
	key->space = RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	ZVAL_DEREF(id);
	switch (Z_TYPE_P(id)) {
		case IS_LONG:
			return php_ratelimit_identity(argument, NULL, Z_LVAL_P(id), key);
		case IS_STRING:
			return php_ratelimit_identity(argument, Z_STR_P(id), 0, key);
		default:
			php_ratelimit_invalid("%s must be an int or a string, %s given", argument, zend_zval_type_name(id));
			return false;
	}
}

static void results_of(zval *results, HashTable *ids, const limiter_object *limiter, const rl_answer *answers)
{
	uint32_t i = 0;
	zend_ulong index;
	zend_string *string;

	array_init_size(results, zend_hash_num_elements(ids));
	ZEND_HASH_FOREACH_KEY(ids, index, string) {
		zval result;

		make_result(&result, limiter, &answers[i++].decision);
		if (string) {
			zend_hash_add_new(Z_ARRVAL_P(results), string, &result);
		} else {
			zend_hash_index_add_new(Z_ARRVAL_P(results), index, &result);
		}
	} ZEND_HASH_FOREACH_END();
}

ZEND_METHOD(FrequencyLimit_Limiter, consumeMany)
{
	HashTable *ids;
	zend_long cost = 1;
	limiter_object *limiter;
	const rl_guard *g;
	zval *id;
	uint32_t n, i = 0;
	rl_key *keys = NULL;
	rl_answer *answers = NULL;
	rl_status *statuses = NULL;
	rl_error e;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ARRAY_HT(ids)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(cost)
	ZEND_PARSE_PARAMETERS_END();

	limiter = begin(ZEND_THIS, RL_OP_CONSUME, cost, &g);
	if (!limiter) {
		RETURN_THROWS();
	}
	n = zend_hash_num_elements(ids);
	if (n == 0) {
		RETURN_EMPTY_ARRAY();
	}
	keys = safe_emalloc(n, sizeof(*keys), 0);
	answers = safe_emalloc(n, sizeof(*answers), 0);
	statuses = safe_emalloc(n, sizeof(*statuses), 0);
	ZEND_HASH_FOREACH_VAL(ids, id) {
		if (!key_of_element(limiter, id, i, &keys[i])) {
			goto out;
		}
		i++;
	} ZEND_HASH_FOREACH_END();
	if (limiter->needs_now && !set_boundaries(limiter, php_ratelimit_wall_us(g))) {
		goto out;
	}
	rl_guard_ask_many(g, keys, n, &limiter->question, answers, statuses, &e);
	for (i = 0; i < n; i++) {
		/* Those that the clock's passing a boundary has left without an answer are asked again one by one. */
		if (!settle(limiter, g, &keys[i], &answers[i], statuses[i], &e)) {
			goto out;
		}
	}
	results_of(return_value, ids, limiter, answers);
out:
	efree(keys);
	efree(answers);
	efree(statuses);
}
