/* Makes the limiters of ratelimit.limiters, and answers for the identities that they exempt. */
#include "limiter_internal.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../limit/limit_object.h"
#include "../base/store_config.h"
#include "limiters_file.h"

/* Returns whether a limit of it has the default time zone, which a request may change. */
static bool named_has_default_zone(const php_ratelimit_named *named)
{
	for (unsigned i = 0; i < named->n_limits; i++) {
		if (!named->limits[i].zone && php_ratelimit_needs_zone(&named->limits[i])) {
			return true;
		}
	}
	return false;
}

/* Adds a limit of the default time zone. */
static bool add_with_default_zone(php_ratelimit_limiter *limiter, const php_ratelimit_limit *data)
{
	php_ratelimit_limit limit = *data;
	zend_string *zone = php_ratelimit_zone_name(NULL);

	if (!zone) {
		return false;
	}
	limit.zone = limiter->is_kept ? php_ratelimit_limiters_string(ZSTR_VAL(zone), ZSTR_LEN(zone)) : zone;
	php_ratelimit_limiter_add(limiter, &limit, limit.name);
	zend_string_release(zone);
	return true;
}

static bool add_named_limits(php_ratelimit_limiter *limiter, const php_ratelimit_named *named)
{
	for (unsigned i = 0; i < named->n_limits; i++) {
		const php_ratelimit_limit *limit = &named->limits[i];

		if (!limit->zone && php_ratelimit_needs_zone(limit)) {
			if (!add_with_default_zone(limiter, limit)) {
				return false;
			}
		} else {
			php_ratelimit_limiter_add(limiter, limit, limit->name);
		}
	}
	return true;
}

static php_ratelimit_limiter *named_make(php_ratelimit_named *named, bool is_kept)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make(is_kept);

	limiter->named = named;
	named->references++;
	if (!add_named_limits(limiter, named) || (named->store && !php_ratelimit_limiter_set_store(limiter, named->store))
		|| !php_ratelimit_limiter_finish(limiter, named->name, named->store)) {
		php_ratelimit_limiter_release(limiter);
		return NULL;
	}
	return limiter;
}

/* Makes the limiter of a section that has none yet. It is kept, unless it depends on more than the text of the file: a store of
 * its own is one of this request's settings. The names of labels are strings of the request. */
static zend_never_inline php_ratelimit_limiter *named_make_first(php_ratelimit_named *named)
{
	bool is_kept = !named->store && !named->limits[0].by;
	php_ratelimit_limiter *limiter = named_make(named, is_kept);

	if (limiter && is_kept) {
		if (named_has_default_zone(named)) {
			const char *zone = php_ratelimit_default_zone();

			named->default_zone = php_ratelimit_limiters_string(zone, strlen(zone));
		}
		named->limiter = php_ratelimit_limiter_copy(limiter);
	}
	return limiter;
}

/* Returns the limiter as the file has it, a reference; NULL with an exception thrown. The thread keeps it for later requests, if
 * it depends on the text of the file alone. */
static php_ratelimit_limiter *limiter_of_named(php_ratelimit_named *named)
{
	if (UNEXPECTED(!named->limiter)) {
		return named_make_first(named);
	}
	if (UNEXPECTED(named->default_zone) && strcmp(ZSTR_VAL(named->default_zone), php_ratelimit_default_zone()) != 0) {
		return named_make(named, false);
	}
	if (EXPECTED(!named->default_zone)) {
		php_ratelimit_named_note(named, named->limiter);
	}
	return php_ratelimit_limiter_use(named->limiter);
}

static ZEND_COLD void not_named(const char *where, const zend_string *name)
{
	const char *problem = php_ratelimit_limiters_problem(), *path = ZSTR_VAL(RATELIMIT_G(limiters_path));

	if (!path[0]) {
		php_ratelimit_invalid(
			"%s$name must be a limiter of Limiter::define(), or of the file of ratelimit.limiters, which is not "
			"set: \"%.64s\" given",
			where, ZSTR_VAL(name));
	} else if (problem) {
		php_ratelimit_invalid("%s$name must be a limiter of ratelimit.limiters, \"%.64s\" given; %s", where,
			ZSTR_VAL(name), problem);
	} else {
		php_ratelimit_invalid(
			"%s$name must be a limiter of %s, \"%.64s\" given: Limiter::define() has none of this name", where, path,
			ZSTR_VAL(name));
	}
}

php_ratelimit_limiter *php_ratelimit_limiter_by_name(const char *where, zend_string *name)
{
	php_ratelimit_named *named = php_ratelimit_named_find(name);
	HashTable *all = RATELIMIT_G(limiters)->defined;
	php_ratelimit_limiter *defined;

	if (EXPECTED(named)) {
		return limiter_of_named(named);
	}
	defined = all ? zend_hash_find_ptr(all, name) : NULL;
	if (UNEXPECTED(!defined)) {
		not_named(where, name);
		return NULL;
	}
	return php_ratelimit_limiter_copy(defined);
}

static bool list_has(const php_ratelimit_list *list, const rl_key *key)
{
	char digits[MAX_LENGTH_OF_LONG + 1], *end = digits + sizeof(digits) - 1;
	const char *id = key->id;
	size_t length = key->id_len;

	if (key->is_int) {
		id = zend_print_long_to_buf(end, (zend_long) key->int_id);
		length = (size_t) (end - id);
	}
	for (size_t i = 0; i < list->n_ids; i++) {
		if (ZSTR_LEN(list->ids[i]) == length && memcmp(ZSTR_VAL(list->ids[i]), id, length) == 0) {
			return true;
		}
	}
	for (size_t i = 0; key->is_int && i < list->n_ranges; i++) {
		if (key->int_id >= list->ranges[i][0] && key->int_id <= list->ranges[i][1]) {
			return true;
		}
	}
	return list->networks.n > 0 && php_ratelimit_networks_contain(&list->networks, id, length);
}

static void answer_exempt(const rl_question *q, rl_answer *a)
{
	*a = (rl_answer){
		.decision = {.reason = RL_ACCEPTED,
			.source = RL_FROM_EXEMPT,
			.accepted = true,
			.limit = q->limits[0].limit,
			.remaining = q->limits[0].limit},
		.found = true,
		.granted = q->cost,
	};
}

/* Refuses as a ban by hand does. A peek is no decision that counts. */
static void answer_refused(php_ratelimit_limiter *limiter, unsigned label, int64_t left_us, rl_answer *a)
{
	const rl_question *q = &limiter->question;
	unsigned i = 0;

	while (i < q->n_limits - 1u && q->limits[i].identity != label) {
		i++;
	}
	*a = (rl_answer){.decision = {.reason = RL_BANNED,
						 .source = RL_FROM_REFUSE,
						 .limit_index = (uint8_t) i,
						 .limit = q->limits[i].limit,
						 .retry_after_us = left_us,
						 .reset_after_us = left_us}};
	if (q->op != RL_OP_PEEK && !limiter->monitor.silent) {
		rl_stat_add(RL_STAT_REFUSALS);
	}
	php_ratelimit_limiter_pass_shadow(limiter, a);
}

bool php_ratelimit_limiter_answer_listed(php_ratelimit_limiter *limiter, const rl_key *keys, rl_answer *a)
{
	const php_ratelimit_named *named = limiter->named;
	rl_question *q = &limiter->question;
	int64_t left_us = 0;
	unsigned label = 0;
	bool is_exempt;

	if (!rl_op_is_decision(q->op)) {
		return false;
	}
	is_exempt = named && list_has(&named->exempt, keys);
	if (!is_exempt && named && list_has(&named->refuse, keys)) {
		left_us = RL_PERIOD_MAX_US;
	}
	for (; !is_exempt && left_us == 0 && label < MAX(limiter->n_labels, 1); label += left_us == 0) {
		left_us = php_ratelimit_monitor_networks_left_us(limiter, &keys[label]);
	}
	if (!is_exempt && left_us == 0) {
		return false;
	}
	/* The headers have the length of a calendar's window. */
	if (limiter->needs_now) {
		php_ratelimit_limiter_set_boundaries(limiter, q, php_ratelimit_wall_us(php_ratelimit_guard()));
	}
	if (is_exempt) {
		answer_exempt(q, a);
	} else {
		answer_refused(limiter, label, left_us, a);
	}
	return true;
}
