#include "limiter_object.h"

#include "arguments.h"
#include "classes.h"
#include "identities.h"
#include "permit_object.h"
#include "result.h"
#include "store_config.h"

static zend_object_handlers handlers;

static zend_object *limiter_create(zend_class_entry *ce)
{
	php_ratelimit_limiter *limiter = zend_object_alloc(sizeof(*limiter), ce);

	memset(limiter, 0, XtOffsetOf(php_ratelimit_limiter, std));
	zend_object_std_init(&limiter->std, ce);
	object_properties_init(&limiter->std, ce);
	limiter->std.handlers = &handlers;
	return &limiter->std;
}

static void limiter_release(zend_object *object)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(object);

	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name) {
			zend_string_release(limiter->limits[i].name);
		}
		if (limiter->limits[i].zone) {
			zend_string_release(limiter->limits[i].zone);
		}
		if (limiter->limits[i].by) {
			zend_string_release(limiter->limits[i].by);
		}
	}
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		zend_string_release(limiter->label_names[i]);
	}
	if (limiter->name) {
		zend_string_release(limiter->name);
		limiter->name = NULL; /* while a request's objects are freed, a permit may outlive it */
	}
	zend_object_std_dtor(object);
}

php_ratelimit_limiter *php_ratelimit_limiter_new(const char *name, size_t length, const rl_question *q)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(limiter_create(php_ratelimit_ce_limiter));

	limiter->name = zend_string_init(name, length, false);
	memcpy(&limiter->question, q, XtOffsetOf(rl_question, limits) + q->n_limits * sizeof(*q->limits));
	for (unsigned i = 0; i < q->n_limits; i++) {
		limiter->limits[i].limit = q->limits[i];
		limiter->has_concurrent |= q->limits[i].algorithm == RL_CONCURRENT;
	}
	return limiter;
}

void php_ratelimit_limiter_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(php_ratelimit_limiter, std);
	handlers.free_obj = limiter_release;
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable; /* they have no properties to compare */
	php_ratelimit_ce_limiter->create_object = limiter_create;
}

/* ---- The constructor's arguments ---- */

static void add_limit(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name)
{
	php_ratelimit_limit *limit = &limiter->limits[limiter->question.n_limits];

	*limit = *data;
	limit->name = name ? zend_string_copy(name) : NULL;
	if (limit->zone) {
		zend_string_addref(limit->zone);
	}
	if (limit->by) {
		zend_string_addref(limit->by);
	}
	limiter->question.limits[limiter->question.n_limits++] = limit->limit;
	limiter->needs_now |= limit->limit.algorithm == RL_CALENDAR_WINDOW || limit->ban_period;
	limiter->has_concurrent |= limit->limit.algorithm == RL_CONCURRENT;
}

/* Sets *name to the name of the limit under a key: the key, or the limit's own name; NULL if it has none. */
static bool name_of_element(zend_string *key, const php_ratelimit_limit *data, zend_string **name)
{
	*name = key ? key : data->name;
	if (!key) {
		return true;
	}
	if (!php_ratelimit_limit_check_name("The key of $limits, which is the limit's name,", key)) {
		return false;
	}
	if (data->name && !zend_string_equals(data->name, key)) {
		php_ratelimit_invalid("$limits['%s'] must have its key as its name, named('%s') given", ZSTR_VAL(key),
			ZSTR_VAL(data->name));
		return false;
	}
	return true;
}

/* Checks that no earlier limit has this name: Result::$name and the headers could not distinguish the two. */
static bool is_new_name(const php_ratelimit_limiter *limiter, const zend_string *name)
{
	for (unsigned i = 0; name && i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name && zend_string_equals(limiter->limits[i].name, name)) {
			php_ratelimit_invalid("$limits must have different names, '%s' given at positions %u and %u",
				ZSTR_VAL(name), i, limiter->question.n_limits);
			return false;
		}
	}
	return true;
}

/* Adds one element of the array $limits. */
static bool add_element(php_ratelimit_limiter *limiter, zend_string *key, zval *element)
{
	const php_ratelimit_limit *data;
	zend_string *name;

	ZVAL_DEREF(element);
	if (Z_TYPE_P(element) != IS_OBJECT || Z_OBJCE_P(element) != php_ratelimit_ce_limit) {
		php_ratelimit_invalid("$limits must hold only FrequencyLimit\\Limit, %s given at position %u",
			zend_zval_type_name(element), limiter->question.n_limits);
		return false;
	}
	data = php_ratelimit_limit_of(Z_OBJ_P(element));
	if (!data || !name_of_element(key, data, &name) || !is_new_name(limiter, name)) {
		return false;
	}
	add_limit(limiter, data, name);
	return true;
}

bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *one_or_more)
{
	HashTable *limits;
	zend_string *key;
	zval *element;

	if (Z_TYPE_P(one_or_more) == IS_OBJECT) {
		const php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(one_or_more));

		if (data) {
			add_limit(limiter, data, data->name);
		}
		return data != NULL;
	}
	limits = Z_ARRVAL_P(one_or_more);
	if (zend_hash_num_elements(limits) < 1 || zend_hash_num_elements(limits) > RL_LIMITS_MAX) {
		php_ratelimit_invalid("$limits must be between 1 and %d limits, %" PRIu32 " given", RL_LIMITS_MAX,
			zend_hash_num_elements(limits));
		return false;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(limits, key, element)
	{
		if (!add_element(limiter, key, element)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

bool php_ratelimit_limiter_check_lease(const php_ratelimit_limiter *limiter)
{
	const rl_question *q = &limiter->question;

	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].lease && (q->n_limits > 1 || q->limits[i].ban != RL_BAN_NONE)) {
			php_ratelimit_invalid(
				"$limits must be one limit without a ban when it is leased(), %s given at position %u",
				q->n_limits > 1 ? "one of several" : "one with a ban", i);
			return false;
		}
	}
	return true;
}

bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, const zend_string *dsn)
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

/* ---- Questions ---- */

const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter)
{
	const rl_guard *general = php_ratelimit_guard(); /* applies changed settings, which hold for all stores */

	if (!limiter->own_store) {
		return general;
	}
	php_ratelimit_guard_set(&limiter->guard);
	return &limiter->guard;
}

/* Gives the question a cost for each limit. */
static ZEND_COLD bool begin_costs(php_ratelimit_limiter *limiter, const php_ratelimit_cost *cost)
{
	bool costs_given;

	if (!php_ratelimit_limiter_costs(limiter, cost, 1, &limiter->question.cost, limiter->costs, &costs_given)) {
		return false;
	}
	limiter->question.costs = costs_given ? limiter->costs : NULL;
	return true;
}

php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, const php_ratelimit_cost *cost,
	const rl_guard **g)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(Z_OBJ_P(this));

	if (UNEXPECTED(!limiter->name)) {
		zend_throw_error(NULL, "The FrequencyLimit\\Limiter is empty: its constructor has not been called");
		return NULL;
	}
	if (EXPECTED(!cost->array)) {
		if (!php_ratelimit_check_range("$cost", cost->number, 1, RL_LIMIT_MAX)) {
			return NULL;
		}
		limiter->question.cost = (uint64_t) cost->number;
		limiter->question.costs = NULL;
	} else if (!begin_costs(limiter, cost)) {
		return NULL;
	}
	*g = php_ratelimit_limiter_guard(limiter);
	if (!php_ratelimit_clock_agrees(*g)) {
		return NULL;
	}
	limiter->question.op = op;
	limiter->question.leave = 0;
	limiter->question.at_least = 0;
	limiter->question.max_wait_us = 0;
	return limiter;
}

bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key)
{
	key->space = RL_SPACE_LIMITER;
	key->name = ZSTR_VAL(limiter->name);
	key->name_len = ZSTR_LEN(limiter->name);
	return php_ratelimit_identity(argument, id, id_number, key);
}

/* The boundaries are those of the clock's windows, and the next one that ends a ban. */
bool php_ratelimit_limiter_set_boundaries(const php_ratelimit_limiter *limiter, rl_question *q, int64_t now_us)
{
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

/* Finishes a question: asks again while its boundaries are over. Returns whether there is an answer. */
static bool finish_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a,
	rl_status status, rl_error *e)
{
	for (unsigned i = 0; UNEXPECTED(status == RL_STALE_BOUNDARIES) && i < PHP_RATELIMIT_STALE_MAX; i++) {
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, e->now_us)) {
			return false;
		}
		status = rl_guard_retry(g, key, &limiter->question, a, e);
	}
	if (EXPECTED(status == RL_OK)) {
		return true;
	}
	if (status == RL_STALE_BOUNDARIES) {
		snprintf(e->message, sizeof(e->message), "the store's clock changed during the call; try again");
	}
	php_ratelimit_throw_store(status, key, e);
	return false;
}

bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a)
{
	rl_question *q = &limiter->question;
	rl_held held[RL_LIMITS_MAX];
	rl_error e;

	/* The parts of earlier states go back by the permit's number, if a later one refuses. */
	if (UNEXPECTED(limiter->n_labels > 1) && q->op == RL_OP_CONSUME) {
		q->op = RL_OP_ACQUIRE;
		q->tag = php_ratelimit_permit_number();
		q->owner = 0;
		q->held = held;
	}
	if (limiter->needs_now
		&& !php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
		return false;
	}
	return finish_ask(limiter, g, key, a, rl_guard_ask(g, key, &limiter->question, a, &e), &e);
}

bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	rl_status *statuses;
	rl_error e;
	uint32_t i = 0;

	if (limiter->needs_now
		&& !php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
		return false;
	}
	statuses = safe_emalloc(n, sizeof(*statuses), 0);
	rl_guard_ask_many(g, keys, n, &limiter->question, a, statuses, &e);
	/* An identity has no answer if the clock passed a boundary. It gets a question of its own. */
	while (i < n && finish_ask(limiter, g, &keys[i], &a[i], statuses[i], &e)) {
		i++;
	}
	efree(statuses);
	return i == n;
}

/* Returns the length of the window for the headers. That of a bucket is the time in which it fills. A concurrent limit has
 * none. */
static int64_t window_us(const rl_limit *limit)
{
	switch (limit->algorithm) {
		case RL_CALENDAR_WINDOW:
			return limit->boundary[1] - limit->boundary[0];
		case RL_TOKEN_BUCKET:
			return MAX((int64_t) ((double) limit->period_us / limit->rate * limit->limit), 1);
		case RL_CONCURRENT:
			return 0;
		default:
			return limit->period_us;
	}
}

void php_ratelimit_limiter_result(zval *result, const php_ratelimit_limiter *limiter, const rl_answer *a)
{
	const rl_decision *d = &a->decision;
	php_ratelimit_policy policies[RL_LIMITS_MAX];
	unsigned n = limiter->question.n_limits;

	php_ratelimit_result_init(result, d, a->granted, a->wait_us, limiter->limits[d->limit_index].name,
		window_us(&limiter->question.limits[d->limit_index]));
	if (UNEXPECTED(!d->accepted)) {
		php_ratelimit_result_set_subject(result, limiter->name);
	}
	if (EXPECTED(n == 1)) {
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const rl_limit *limit = &limiter->question.limits[i];

		policies[i] = (php_ratelimit_policy){limiter->limits[i].name, limit->limit, window_us(limit)};
	}
	php_ratelimit_result_add_policies(result, policies, n);
}
