/* Gives a new Limiter its limits, its store and its name, by the constructor's arguments. */
#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "identities.h"
#include "src/core/algorithm/bucket.h"
#include "src/core/limit/limit_mark.h"
#include "src/shm/store/limiter_fast.h"
#include "../base/store_config.h"
#include "../base/optional_string.h"

/* Returns the limiter of the shadow limits. */
static php_ratelimit_limiter *shadow_of(php_ratelimit_limiter *limiter)
{
	if (!limiter->shadow) {
		limiter->shadow = php_ratelimit_limiter_make(limiter->is_kept);
		limiter->shadow->is_shadow = true;
	}
	return limiter->shadow;
}

/* Keeps the name and the label of a Limit::none(): calls may bring a cost and an identity for it. */
static void add_none(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name)
{
	unsigned i = limiter->n_nones++;

	limiter->nones[i].name = php_ratelimit_string_copy(name);
	limiter->nones[i].by = php_ratelimit_string_copy(data->by);
}

/* Sets the boundaries of a calendar window from the thread's cache. The fast path checks them against its clock. */
static void set_latest_boundaries(const php_ratelimit_limit *data, rl_limit *limit)
{
	php_ratelimit_windows windows;

	if (php_ratelimit_calendar_latest(data->zone, limit->period, data->anchor, &windows)) {
		php_ratelimit_limit_set_windows(limit, &windows);
	}
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
			php_ratelimit_limit_set_windows(&q->limits[i], &windows);
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

void php_ratelimit_limiter_add(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data, zend_string *name)
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
	limit->name = name;
	php_ratelimit_limit_addref(limit);
	limit->window_us = php_ratelimit_limit_window_us(&limit->limit);
	limiter->question.limits[limiter->question.n_limits] = limit->limit;
	if (limit->limit.algorithm == RL_CALENDAR_WINDOW) {
		set_latest_boundaries(limit, &limiter->question.limits[limiter->question.n_limits]);
	}
	limiter->question.n_limits++;
	limiter->needs_now |= limit->limit.algorithm == RL_CALENDAR_WINDOW || limit->ban_period;
	limiter->has_concurrent |= limit->limit.algorithm == RL_CONCURRENT;
	limiter->question.leased |= limit->leased;
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
	php_ratelimit_limiter_add(limiter, data, name);
	return true;
}

/* Makes a limiter storeless, since all of its limits are Limit::none(). Its results have the first name of them. */
static void finish_nones(php_ratelimit_limiter *limiter)
{
	unsigned i = 0;

	while (i < limiter->n_nones - 1u && !limiter->nones[i].name) {
		i++;
	}
	php_ratelimit_limiter_make_storeless(limiter, RL_LIMIT_MAX, PHP_RATELIMIT_NO_WINDOW, limiter->nones[i].name);
}

/* Copies the limits: one Limit, or an array of 1 to 8. */
bool php_ratelimit_limiter_set_limits(php_ratelimit_limiter *limiter, zval *one_or_more)
{
	HashTable *limits;
	zend_string *key;
	zval *element;

	if (Z_TYPE_P(one_or_more) == IS_OBJECT) {
		const php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(one_or_more));

		if (data) {
			php_ratelimit_limiter_add(limiter, data, data->name);
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

bool php_ratelimit_limiter_set_store(php_ratelimit_limiter *limiter, zend_string *dsn)
{
	char reason[PHP_RATELIMIT_REASON_BYTES];
	rl_error e;

	if (!php_ratelimit_check_dsn(dsn, reason)) {
		php_ratelimit_invalid("$store %s", reason);
		return false;
	}
	limiter->guard = php_ratelimit_guard_to(dsn, &e);
	limiter->own_store = true;
	limiter->store = zend_string_copy(dsn);
	return true;
}

/* Returns whether the limiter has limits of one identity, and nothing beside them that takes part in a decision. A store of its own is
 * the embedded one. */
static bool is_usual(const php_ratelimit_limiter *limiter)
{
	return limiter->question.n_limits > 0 && !limiter->shadow && !limiter->is_shadow && !limiter->storeless
		&& (!limiter->own_store || rl_guard_is_embedded(&limiter->guard)) && !php_ratelimit_limiter_has_lists(limiter)
		&& limiter->n_labels == 0 && !limiter->has_concurrent;
}

static void mark_limits(php_ratelimit_limiter *limiter)
{
	const char *names[RL_LIMITS_MAX], *zones[RL_LIMITS_MAX];

	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		names[i] = limiter->limits[i].name ? ZSTR_VAL(limiter->limits[i].name) : NULL;
		zones[i] = limiter->limits[i].zone ? ZSTR_VAL(limiter->limits[i].zone) : NULL;
	}
	rl_limits_mark(limiter->question.limits, names, zones, limiter->question.n_limits);
}

bool php_ratelimit_limiter_finish(php_ratelimit_limiter *limiter, zend_string *name, zend_string *store)
{
	php_ratelimit_limiter *shadow = limiter->shadow;

	if (UNEXPECTED(shadow)) {
		if (limiter->question.n_limits == 0) {
			limiter->shadow = NULL;
			shadow->store = limiter->store;
			shadow->own_store = limiter->own_store;
			shadow->guard = limiter->guard;
			shadow->named = limiter->named;
			shadow->n_nones = limiter->n_nones;
			memcpy(shadow->nones, limiter->nones, sizeof(shadow->nones));
			memcpy(limiter, shadow, sizeof(*limiter));
			memset(shadow, 0, offsetof(php_ratelimit_limiter, question.limits));
			shadow->references = 1;
			shadow->is_kept = limiter->is_kept;
			php_ratelimit_limiter_release(shadow);
		} else {
			if (store && !php_ratelimit_limiter_set_store(shadow, store)) {
				return false;
			}
			shadow->name = zend_string_copy(name);
			mark_limits(shadow);
		}
	}
	if (limiter->question.n_limits == 0) {
		finish_nones(limiter);
	}
	limiter->name = zend_string_copy(name);
	if (!php_ratelimit_limiter_set_labels(limiter)) {
		return false;
	}
	mark_limits(limiter);
	limiter->is_usual = is_usual(limiter);
	if (limiter->is_usual) {
		limiter->needs_hash = true;
		if (rl_shm_is_settled()) {
			php_ratelimit_limiter_hash_name(limiter);
		}
		if (limiter->question.n_limits == 1 && limiter->question.limits[0].algorithm == RL_TOKEN_BUCKET) {
			rl_bucket_prepare(&limiter->question.limits[0]);
		}
	}
	return true;
}
