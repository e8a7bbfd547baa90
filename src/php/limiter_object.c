#include "limiter_object.h"

#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "identities.h"
#include "limit_export.h"
#include "limiter_export.h"
#include "permit_object.h"
#include "result.h"
#include "src/guard/failure_policy.h"
#include "src/guard/together.h"
#include "store_config.h"

static zend_object_handlers handlers;

static zend_object *limiter_create(zend_class_entry *ce)
{
	php_ratelimit_limiter *limiter = zend_object_alloc(sizeof(*limiter), ce);

	memset(limiter, 0, XtOffsetOf(php_ratelimit_limiter, question.limits));
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
		if (limiter->limits[i].steps) {
			zend_string_release(limiter->limits[i].steps);
		}
	}
	for (unsigned i = 0; i < limiter->n_labels; i++) {
		zend_string_release(limiter->label_names[i]);
	}
	for (unsigned i = 0; i < limiter->n_nones; i++) {
		if (limiter->nones[i].name) {
			zend_string_release(limiter->nones[i].name);
		}
		if (limiter->nones[i].by) {
			zend_string_release(limiter->nones[i].by);
		}
	}
	if (limiter->store) {
		zend_string_release(limiter->store);
	}
	if (limiter->shadow) {
		OBJ_RELEASE(&limiter->shadow->std);
		limiter->shadow = NULL;
	}
	if (limiter->named) {
		php_ratelimit_named_release(limiter->named);
		limiter->named = NULL;
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
		limiter->limits[i] = (php_ratelimit_limit){.limit = q->limits[i]};
		limiter->has_concurrent |= q->limits[i].algorithm == RL_CONCURRENT;
		limiter->question.carries |= q->limits[i].carry > 0;
	}
	return limiter;
}

/* Makes a limiter without limits admit every call. It has one limit for its Results, of this name or NULL, and the embedded
 * store, whose clock may be frozen. */
static void make_storeless(php_ratelimit_limiter *limiter, int64_t limit, int64_t window_us, zend_string *name)
{
	limiter->limits[0] = (php_ratelimit_limit){.name = name ? zend_string_copy(name) : NULL};
	limiter->question.n_limits = 1;
	limiter->question.limits[0] = (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = limit, .period_us = window_us};
	limiter->guard = (rl_guard){.store = rl_shm_store()};
	limiter->own_store = true;
	limiter->storeless = true;
	limiter->needs_now = true;
}

php_ratelimit_limiter *php_ratelimit_limiter_storeless(int64_t limit, int64_t window_us, zend_string *name)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(limiter_create(php_ratelimit_ce_limiter));

	limiter->name = zend_string_init(ZEND_STRL("Permit::of()"), false);
	make_storeless(limiter, limit, window_us, name);
	return limiter;
}

void php_ratelimit_limiter_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(php_ratelimit_limiter, std);
	handlers.free_obj = limiter_release;
	handlers.clone_obj = NULL;
	php_ratelimit_limiter_set_handlers(&handlers);
	php_ratelimit_ce_limiter->create_object = limiter_create;
}

/* ---- The constructor's arguments ---- */

/* Returns the limiter of the shadow limits. */
static php_ratelimit_limiter *shadow_of(php_ratelimit_limiter *limiter)
{
	if (!limiter->shadow) {
		limiter->shadow = php_ratelimit_limiter_of(limiter_create(php_ratelimit_ce_limiter));
		limiter->shadow->is_shadow = true;
	}
	return limiter->shadow;
}

/* Keeps the name and the label of a Limit::none(): calls may bring a cost and an identity for it. */
static void add_none(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name)
{
	unsigned i = limiter->n_nones++;

	limiter->nones[i].name = name ? zend_string_copy(name) : NULL;
	limiter->nones[i].by = data->by ? zend_string_copy(data->by) : NULL;
}

static void add_limit(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name)
{
	php_ratelimit_limit *limit;

	if (data->limit.algorithm == PHP_RATELIMIT_NONE) {
		add_none(limiter, data, name);
		return;
	}
	if (UNEXPECTED(data->shadow) && !limiter->is_shadow) {
		limiter = shadow_of(limiter);
	}
	limit = &limiter->limits[limiter->question.n_limits];

	*limit = *data;
	limit->name = name ? zend_string_copy(name) : NULL;
	if (limit->zone) {
		zend_string_addref(limit->zone);
	}
	if (limit->by) {
		zend_string_addref(limit->by);
	}
	if (limit->steps) {
		zend_string_addref(limit->steps);
	}
	limiter->question.limits[limiter->question.n_limits++] = limit->limit;
	limiter->question.carries |= limit->limit.carry > 0;
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
	if (limiter->shadow && !is_new_name(limiter->shadow, name)) {
		return false;
	}
	for (unsigned i = 0; name && i < limiter->question.n_limits; i++) {
		if (limiter->limits[i].name && zend_string_equals(limiter->limits[i].name, name)) {
			php_ratelimit_invalid("$limits must have different names, '%s' given at positions %u and %u",
				ZSTR_VAL(name), i, limiter->question.n_limits);
			return false;
		}
	}
	return true;
}

/* Adds one element of the array $limits, and sets *name to its name, or NULL. */
static bool add_element(php_ratelimit_limiter *limiter, zend_string *key, zval *element, zend_string **name)
{
	const php_ratelimit_limit *data;

	ZVAL_DEREF(element);
	if (Z_TYPE_P(element) != IS_OBJECT || Z_OBJCE_P(element) != php_ratelimit_ce_limit) {
		php_ratelimit_invalid("$limits must hold only FrequencyLimit\\Limit, %s given at position %u",
			zend_zval_type_name(element), limiter->question.n_limits);
		return false;
	}
	data = php_ratelimit_limit_of(Z_OBJ_P(element));
	if (!data || !name_of_element(key, data, name) || !is_new_name(limiter, *name)) {
		return false;
	}
	add_limit(limiter, data, *name);
	return true;
}

/* Makes a limiter storeless if all of its limits are Limit::none(). name: of the first of them, or NULL. */
static void finish_limits(php_ratelimit_limiter *limiter, zend_string *name)
{
	if (limiter->question.n_limits == 0 && !limiter->shadow) {
		make_storeless(limiter, RL_LIMIT_MAX, PHP_RATELIMIT_NO_WINDOW, name);
	}
}

/* Copies the limits: one Limit, or an array of 1 to 8. */
static bool limiter_set_limits(php_ratelimit_limiter *limiter, zval *one_or_more)
{
	HashTable *limits;
	zend_string *key, *name, *first_name = NULL;
	zval *element;

	if (Z_TYPE_P(one_or_more) == IS_OBJECT) {
		const php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(one_or_more));

		if (data) {
			add_limit(limiter, data, data->name);
			finish_limits(limiter, data->name);
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
		if (!add_element(limiter, key, element, &name)) {
			return false;
		}
		first_name = first_name ? first_name : name;
	}
	ZEND_HASH_FOREACH_END();
	finish_limits(limiter, first_name);
	return true;
}

/* Checks that a leased limit is the only one and has no ban. */
static bool limiter_check_lease(const php_ratelimit_limiter *limiter)
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

static bool limiter_set_store(php_ratelimit_limiter *limiter, zend_string *dsn)
{
	rl_error e;

	if (!php_ratelimit_is_embedded_dsn(dsn) && !rl_redis_dsn_check(ZSTR_VAL(dsn), ZSTR_LEN(dsn), &e)) {
		php_ratelimit_invalid("$store must be \"shm:\" or the DSN of a Redis server: %s", e.message);
		return false;
	}
	limiter->guard = php_ratelimit_guard_to(dsn, &e);
	limiter->own_store = true;
	limiter->store = zend_string_copy(dsn);
	return true;
}

/* Completes a limiter that has its limits: names it and its shadow, and gives it the labels of its limits. One with shadow limits alone is itself the shadow. */
static bool limiter_finish_shadow(php_ratelimit_limiter *limiter, zend_string *name, zend_string *store)
{
	php_ratelimit_limiter *shadow = limiter->shadow;

	if (UNEXPECTED(shadow)) {
		if (!limiter_check_lease(shadow)) {
			return false;
		}
		if (limiter->question.n_limits == 0) {
			limiter->shadow = NULL;
			shadow->store = limiter->store;
			shadow->own_store = limiter->own_store;
			shadow->guard = limiter->guard;
			shadow->named = limiter->named;
			shadow->n_nones = limiter->n_nones;
			memcpy(shadow->nones, limiter->nones, sizeof(shadow->nones));
			memcpy(limiter, shadow, XtOffsetOf(php_ratelimit_limiter, std));
			memset(shadow, 0, XtOffsetOf(php_ratelimit_limiter, question.limits));
			OBJ_RELEASE(&shadow->std);
		} else {
			if (store && !limiter_set_store(shadow, store)) {
				return false;
			}
			shadow->name = zend_string_copy(name);
		}
	}
	limiter->name = zend_string_copy(name);
	if (!php_ratelimit_limiter_set_labels(limiter)) {
		zend_string_release(limiter->name);
		limiter->name = NULL; /* it stays empty */
		return false;
	}
	return true;
}

bool php_ratelimit_limiter_init(php_ratelimit_limiter *limiter, zend_string *name, zval *limits, zend_string *store)
{
	if (limiter->name || limiter->question.n_limits || limiter->shadow) {
		zend_throw_error(NULL, "A FrequencyLimit\\Limiter cannot be constructed twice: make a new one");
		return false;
	}
	if (!php_ratelimit_check_bytes("$name", name, RL_NAME_MAX) || (store && !limiter_set_store(limiter, store))
		|| !limiter_set_limits(limiter, limits) || !limiter_check_lease(limiter)) {
		return false;
	}
	return limiter_finish_shadow(limiter, name, store);
}

php_ratelimit_limiter *php_ratelimit_limiter_of_named(php_ratelimit_named *named)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_of(limiter_create(php_ratelimit_ce_limiter));

	limiter->named = named;
	named->references++;
	for (unsigned i = 0; i < named->n_limits; i++) {
		php_ratelimit_limit limit = named->limits[i];

		if (!limit.zone && php_ratelimit_needs_zone(&limit)) {
			limit.zone = php_ratelimit_zone_name(NULL);
			if (!limit.zone) {
				OBJ_RELEASE(&limiter->std);
				return NULL;
			}
			add_limit(limiter, &limit, limit.name);
			zend_string_release(limit.zone);
		} else {
			add_limit(limiter, &limit, limit.name);
		}
	}
	if (named->store && !limiter_set_store(limiter, named->store)) {
		OBJ_RELEASE(&limiter->std);
		return NULL;
	}
	if (!limiter_finish_shadow(limiter, named->name, named->store)) {
		OBJ_RELEASE(&limiter->std);
		return NULL;
	}
	return limiter;
}

bool php_ratelimit_limiter_take_over(php_ratelimit_limiter *limiter, php_ratelimit_limiter *other)
{
	bool is_empty = !limiter->question.n_limits;

	if (is_empty) {
		memcpy(limiter, other, XtOffsetOf(php_ratelimit_limiter, std));
		memset(other, 0, XtOffsetOf(php_ratelimit_limiter, std));
	} else {
		zend_throw_error(NULL, "A FrequencyLimit\\Limiter cannot be constructed twice: make a new one");
	}
	OBJ_RELEASE(&other->std);
	return is_empty;
}

ZEND_COLD void php_ratelimit_limiter_not_named(const zend_string *name)
{
	const char *problem = php_ratelimit_limiters_problem(), *path = ZSTR_VAL(RATELIMIT_G(limiters_path));

	if (!path[0]) {
		php_ratelimit_invalid(
			"$name must be a limiter of the file of ratelimit.limiters, which is not set: \"%.64s\" given",
			ZSTR_VAL(name));
	} else if (problem) {
		php_ratelimit_invalid("$name must be a limiter of ratelimit.limiters, \"%.64s\" given; %s", ZSTR_VAL(name),
			problem);
	} else {
		php_ratelimit_invalid("$name must be a limiter of %s, \"%.64s\" given", path, ZSTR_VAL(name));
	}
}

/* ---- Exempt identities ---- */

static bool is_exempt(const php_ratelimit_named *named, const rl_key *key)
{
	char digits[MAX_LENGTH_OF_LONG + 1], *end = digits + sizeof(digits) - 1;
	const char *id = key->id;
	size_t length = key->id_len;

	if (key->is_int) {
		id = zend_print_long_to_buf(end, (zend_long) key->int_id);
		length = (size_t) (end - id);
	}
	for (size_t i = 0; i < named->n_exempt_ids; i++) {
		if (ZSTR_LEN(named->exempt_ids[i]) == length && memcmp(ZSTR_VAL(named->exempt_ids[i]), id, length) == 0) {
			return true;
		}
	}
	return named->exempt_networks.n > 0 && php_ratelimit_networks_contain(&named->exempt_networks, id, length);
}

/* Answers a question about an exempt identity, without the store: nothing counts, and everything passes. Returns false if the
 * identity is not exempt. */
static zend_never_inline bool answer_exempt(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a)
{
	const rl_question *q = &limiter->question;

	if (!rl_op_is_decision(q->op) || !is_exempt(limiter->named, key)) {
		return false;
	}
	/* The headers have the length of a calendar's window. */
	if (limiter->needs_now) {
		php_ratelimit_limiter_set_boundaries(limiter, (rl_question *) q, php_ratelimit_wall_us(php_ratelimit_guard()));
	}
	*a = (rl_answer){
		.decision = {.reason = RL_ACCEPTED,
			.source = RL_FROM_EXEMPT,
			.accepted = true,
			.limit = q->limits[0].limit,
			.remaining = q->limits[0].limit},
		.found = true,
		.granted = q->cost,
	};
	return true;
}

static zend_always_inline bool has_exempt(const php_ratelimit_limiter *limiter)
{
	return limiter->named && (limiter->named->n_exempt_ids > 0 || limiter->named->exempt_networks.n > 0);
}

/* ---- Questions ---- */

const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter)
{
	const rl_guard *general = php_ratelimit_guard(); /* applies changed settings, which hold for all stores */

	bool has_policy = limiter->named && limiter->named->has_policy;

	if (EXPECTED(!limiter->own_store && !has_policy)) {
		return general;
	}
	if (limiter->own_store) {
		php_ratelimit_guard_set(&limiter->guard);
	} else {
		limiter->guard = *general;
	}
	if (has_policy) {
		limiter->guard.on_failure = limiter->named->on_failure;
	}
	return &limiter->guard;
}

/* Gives the question a cost for each limit. */
static ZEND_COLD bool begin_costs(php_ratelimit_limiter *limiter, const php_ratelimit_cost *cost, zend_long min)
{
	bool costs_given;

	if (!php_ratelimit_limiter_costs(limiter, cost, min, &limiter->question.cost, limiter->costs, &costs_given)) {
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
		if (!php_ratelimit_check_range("$cost", cost->number, op == RL_OP_PEEK ? 0 : 1, RL_LIMIT_MAX)) {
			return NULL;
		}
		limiter->question.cost = (uint64_t) cost->number;
		limiter->question.costs = NULL;
	} else if (!begin_costs(limiter, cost, op == RL_OP_PEEK ? 0 : 1)) {
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
	key->space = UNEXPECTED(limiter->is_shadow) ? RL_SPACE_SHADOW : RL_SPACE_LIMITER;
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
			if (!php_ratelimit_calendar_windows(limit->zone, limit->limit.period, limit->anchor, about_us, &windows)) {
				return false;
			}
			q->limits[i].boundary[0] = windows.begin * RL_US_PER_SECOND;
			q->limits[i].boundary[1] = windows.end * RL_US_PER_SECOND;
			q->limits[i].boundary[2] = windows.next_end * RL_US_PER_SECOND;
		}
		if (limit->ban_period) {
			if (!php_ratelimit_calendar_windows(limit->zone, limit->ban_period, 0, now_us, &windows)) {
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

/* Answers without a store: the call passes, and nothing is kept. */
static ZEND_COLD void answer_storeless(const rl_question *q, rl_answer *a)
{
	memset(a, 0, sizeof(*a));
	a->decision.reason = RL_ACCEPTED;
	a->decision.accepted = true;
	a->decision.limit = q->limits[0].limit;
	a->decision.remaining = q->limits[0].limit;
	a->granted = q->cost;
}

/* ---- Shadow limits ---- */

/* Returns whether the shadow limits have a part in a question of this kind. A permit has a permit of theirs. */
static bool shadow_takes_part(const php_ratelimit_limiter *shadow, rl_op op)
{
	if (op == RL_OP_ACQUIRE || op == RL_OP_BAN || op == RL_OP_UNBAN
		|| (shadow->question.limits[0].lease && op != RL_OP_CONSUME && op != RL_OP_PEEK && op != RL_OP_RESET)) {
		return false;
	}
	for (unsigned i = 0; (op == RL_OP_RESERVE || op == RL_OP_CANCEL) && i < shadow->question.n_limits; i++) {
		if (shadow->question.limits[i].algorithm != RL_CALENDAR_WINDOW
			&& shadow->question.limits[i].algorithm != RL_SLIDING_LOG) {
			return false;
		}
	}
	return true;
}

const rl_guard *php_ratelimit_limiter_begin_shadow(php_ratelimit_limiter *shadow, const rl_question *q, rl_key *key)
{
	shadow->question.op = q->op;
	shadow->question.cost = q->cost;
	shadow->question.at_us = q->at_us;
	shadow->question.leave = 0;
	shadow->question.at_least = 0;
	shadow->question.max_wait_us = 0;
	shadow->monitor.silent = true;
	key->space = RL_SPACE_SHADOW;
	return php_ratelimit_limiter_guard(shadow);
}

/* Asks the shadow limits the limiter's question. A failure of their store, or of their question, is no failure of the call. */
static zend_never_inline void judge_shadow(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow;
	rl_key of_shadow = *key;
	rl_answer answer;
	const rl_guard *g;

	if (!shadow_takes_part(shadow, limiter->question.op)) {
		return;
	}
	g = php_ratelimit_limiter_begin_shadow(shadow, &limiter->question, &of_shadow);
	if (php_ratelimit_limiter_ask(shadow, g, &of_shadow, &answer)) {
		a->shadow = answer.shadow;
	} else {
		zend_clear_exception();
	}
}

/* Lets a refused decision pass, if no limit of the limiter is enforced. */
static void pass_shadow(const php_ratelimit_limiter *limiter, rl_answer *a)
{
	const rl_question *q = &limiter->question;

	if (rl_op_is_decision(q->op) && php_ratelimit_pass(&a->decision, RATELIMIT_G(enforce) && !limiter->is_shadow)) {
		a->shadow = a->decision.reason == RL_STORE_UNAVAILABLE ? 0 : a->decision.limit_index + 1;
		a->passed = true;
		a->granted = q->costs ? q->costs[a->decision.limit_index] : q->cost;
		a->wait_us = 0;
	}
}

/* ---- Asking ---- */

/* Does what a question needs beside its store: shadow limits and ratelimit.enforce=0. */
static zend_never_inline void ask_shadow(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a)
{
	if (limiter->shadow) {
		judge_shadow(limiter, key, a);
	}
	pass_shadow(limiter, a);
}

/* Asks about limits with identities of their own. A consume takes the parts of their states as a permit, so that those of earlier
 * ones go back by its number if a later one refuses. */
static zend_never_inline bool ask_together(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys,
	rl_answer *a)
{
	rl_question *q = &limiter->question;
	rl_held held[RL_LIMITS_MAX];
	rl_error e;
	bool done;

	if (q->op != RL_OP_CONSUME) {
		return finish_ask(limiter, g, keys, a, rl_together_ask(g, keys, q, a, &e), &e);
	}
	q->op = RL_OP_ACQUIRE;
	q->tag = php_ratelimit_permit_number();
	q->owner = 0;
	q->held = held;
	done = finish_ask(limiter, g, keys, a, rl_together_ask(g, keys, q, a, &e), &e);
	q->op = RL_OP_CONSUME;
	q->held = NULL;
	return done;
}

static zend_always_inline bool ask_limits(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a)
{
	rl_error e;
	rl_status status;

	if (limiter->needs_now) {
		if (limiter->storeless) {
			answer_storeless(&limiter->question, a);
			return true;
		}
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
			return false;
		}
	}
	if (UNEXPECTED(limiter->n_labels > 1)) {
		return ask_together(limiter, g, key, a);
	}
	status = rl_guard_ask(g, key, &limiter->question, a, &e);
	return EXPECTED(status == RL_OK) || finish_ask(limiter, g, key, a, status, &e);
}

bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a)
{
	if (UNEXPECTED(has_exempt(limiter)) && answer_exempt(limiter, key, a)) {
		return true;
	}
	if (UNEXPECTED(!ask_limits(limiter, g, key, a))) {
		php_ratelimit_monitor_failure(limiter, key);
		return false;
	}
	a->shadow = 0;
	a->passed = false;
	if (UNEXPECTED(limiter->shadow || limiter->is_shadow || RATELIMIT_G(each_decision))) {
		ask_shadow(limiter, key, a);
	} else if (EXPECTED(php_ratelimit_monitor_passed(&limiter->monitor, limiter->question.op, &a->decision))) {
		return true;
	}
	if (EXPECTED(limiter->question.op != RL_OP_ACQUIRE)) {
		php_ratelimit_monitor_answer(limiter, key, a);
	}
	return true;
}

/* Asks about the identities that are not exempt, in one question, and answers for the others. */
static bool ask_many_but_exempt(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	php_ratelimit_named *named = limiter->named;
	rl_key *asked = safe_emalloc(n, sizeof(*asked), 0);
	rl_answer *answers = safe_emalloc(n, sizeof(*answers), 0);
	uint32_t *places = safe_emalloc(n, sizeof(*places), 0), n_asked = 0;
	bool done;

	for (uint32_t i = 0; i < n; i++) {
		if (!answer_exempt(limiter, &keys[i], &a[i])) {
			asked[n_asked] = keys[i];
			places[n_asked++] = i;
		}
	}
	limiter->named = NULL; /* those that are left are not exempt */
	done = n_asked == 0 || php_ratelimit_limiter_ask_many(limiter, g, asked, n_asked, answers);
	limiter->named = named;
	for (uint32_t i = 0; done && i < n_asked; i++) {
		a[places[i]] = answers[i];
	}
	efree(places);
	efree(answers);
	efree(asked);
	return done;
}

/* Asks the shadow limits about n identities. */
static void judge_shadow_many(const php_ratelimit_limiter *limiter, const rl_key *keys, uint32_t n, rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow;
	rl_answer *answers = safe_emalloc(n, sizeof(*answers), 0);
	rl_key *of_shadow = safe_emalloc(n, sizeof(*of_shadow), 0);
	const rl_guard *g = NULL;

	for (uint32_t i = 0; i < n; i++) {
		of_shadow[i] = keys[i];
		g = php_ratelimit_limiter_begin_shadow(shadow, &limiter->question, &of_shadow[i]);
	}
	if (php_ratelimit_limiter_ask_many(shadow, g, of_shadow, n, answers)) {
		for (uint32_t i = 0; i < n; i++) {
			a[i].shadow = answers[i].shadow;
		}
	} else {
		zend_clear_exception();
	}
	efree(of_shadow);
	efree(answers);
}

static bool ask_limits_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	rl_status *statuses;
	rl_error e;
	uint32_t i = 0;

	if (limiter->storeless) {
		for (; i < n; i++) {
			answer_storeless(&limiter->question, &a[i]);
		}
		return true;
	}
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

bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	if (UNEXPECTED(has_exempt(limiter))) {
		return ask_many_but_exempt(limiter, g, keys, n, a);
	}
	if (UNEXPECTED(!ask_limits_many(limiter, g, keys, n, a))) {
		php_ratelimit_monitor_failure(limiter, &keys[0]);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		a[i].shadow = 0;
		a[i].passed = false;
	}
	if (UNEXPECTED(limiter->shadow)) {
		judge_shadow_many(limiter, keys, n, a);
	}
	for (uint32_t i = 0; i < n; i++) {
		pass_shadow(limiter, &a[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		php_ratelimit_monitor_answer(limiter, &keys[i], &a[i]);
	}
	return true;
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
	if (UNEXPECTED(a->shadow)) {
		const php_ratelimit_limit *limit =
			&(limiter->shadow && !a->passed ? limiter->shadow : limiter)->limits[a->shadow - 1];

		php_ratelimit_result_set_shadow(result,
			limit->name ? zend_string_copy(limit->name) : php_ratelimit_limit_to_text(limit));
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
