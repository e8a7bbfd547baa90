/* Each kept limiter is known by all that it was made of: its name and its one limit. So none is ever stale, and applications of one
 * pool share only what is the same. */
#include "limiter_object.h"

#include "limiter_internal.h"
#include "limiters_file.h"

#define SETS_LOG2 4
_Static_assert(PHP_RATELIMIT_KEPT_SETS == 1 << SETS_LOG2, "the upper bits of a tag number them");

/* The fields of a limit that a limiter is known by come first: the boundaries behind them are those of a moment. */
_Static_assert(offsetof(rl_limit, boundary) == 5 * sizeof(uint64_t), "has_same_numbers() compares all of them");

/* Returns whether the limit has nothing but its algorithm, its numbers, and perhaps a time zone. */
static zend_always_inline bool is_keepable(const php_ratelimit_limit *data)
{
	uint64_t more = (uintptr_t) data->name | (uintptr_t) data->by | (uintptr_t) data->unit | data->ban_period
		| (uint64_t) data->limit.ban | data->leased | data->shadow;

	return EXPECTED(data->limit.algorithm >= RL_FIXED_WINDOW && data->limit.algorithm < RL_CONCURRENT && more == 0);
}

static zend_always_inline uint64_t kept_tag(zend_string *name, const php_ratelimit_limit *data)
{
	uint64_t hash = ZSTR_HASH(name);

	hash = (hash ^ data->limit.limit) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 32 ^ (uint64_t) data->limit.period_us ^ data->limit.period << 48 ^ data->limit.rate << 16)
		* UINT64_C(0xd6e8feb86659fd93);
	return hash ^ (uint64_t) data->limit.algorithm;
}

/* Field by field: the wider loads of memcmp() would wait for the stores that have just made the limit. Neither has labels. */
static zend_always_inline bool has_same_numbers(const rl_limit *a, const rl_limit *b)
{
	return a->algorithm == b->algorithm && a->limit == b->limit && a->period_us == b->period_us && a->rate == b->rate
		&& a->period == b->period;
}

static zend_always_inline bool is_made_of(const php_ratelimit_limiter *limiter, const zend_string *name,
	const php_ratelimit_limit *data)
{
	return zend_string_equals(limiter->name, name) && has_same_numbers(&limiter->question.limits[0], &data->limit)
		&& (EXPECTED(!data->zone)
			|| (data->anchor == limiter->limits[0].anchor && zend_string_equals(data->zone, limiter->limits[0].zone)));
}

/* Makes the limiter of a name and a limit for more than this request. */
static php_ratelimit_limiter *make_kept(const zend_string *name, const php_ratelimit_limit *data)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_make(true);
	zend_string *own = zend_string_init(ZSTR_VAL(name), ZSTR_LEN(name), true);
	php_ratelimit_limit limit = *data;

	if (limit.zone) {
		limit.zone = php_ratelimit_limiters_string(ZSTR_VAL(limit.zone), ZSTR_LEN(limit.zone));
	}
	php_ratelimit_limiter_add(limiter, &limit, NULL);
	/* One plain limit has nothing that could be wrong. */
	php_ratelimit_limiter_finish(limiter, own, NULL);
	zend_string_release(own);
	return limiter;
}

static void forget_limiter(php_ratelimit_kept_limiter *kept)
{
	php_ratelimit_limiter *limiter = kept->limiter;

	kept->limiter = NULL;
	if (limiter) {
		php_ratelimit_limiter_release(limiter);
	}
}

/* Looks at all of a set. A tag that it does not have replaces the one that was used longer ago. Its limiter is kept when it is
 * made the next time, so that names of single callers cost nothing. */
static zend_never_inline php_ratelimit_limiter *search_set(php_ratelimit_kept_limiter *set, uint64_t tag,
	const zend_string *name, const php_ratelimit_limit *data)
{
	php_ratelimit_kept_limiter first = set[0];

	if (first.tag != tag) {
		bool is_new = set[1].tag != tag;

		if (is_new) {
			forget_limiter(&set[1]);
			set[1].tag = tag;
		}
		set[0] = set[1];
		set[1] = first;
		if (is_new) {
			return NULL;
		}
	}
	if (!set[0].limiter) {
		set[0].limiter = make_kept(name, data);
	}
	return is_made_of(set[0].limiter, name, data) ? php_ratelimit_limiter_use(set[0].limiter) : NULL;
}

php_ratelimit_limiter *php_ratelimit_limiter_kept(zend_string *name, zend_object *limit)
{
	const php_ratelimit_limit *data = php_ratelimit_limit_data(limit);
	php_ratelimit_kept_limiter *set;
	uint64_t tag;

	if (UNEXPECTED(ZSTR_LEN(name) - 1 >= RL_NAME_MAX || !is_keepable(data))) {
		return NULL;
	}
	tag = kept_tag(name, data);
	set = RATELIMIT_G(kept_limiters)->sets[tag >> (64 - SETS_LOG2)];
	if (UNEXPECTED(set[0].tag != tag || !set[0].limiter || !is_made_of(set[0].limiter, name, data))) {
		return search_set(set, tag, name, data);
	}
	return php_ratelimit_limiter_use(set[0].limiter);
}

void php_ratelimit_kept_limiters_free(php_ratelimit_kept_limiters *kept)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_KEPT_SETS; i++) {
		forget_limiter(&kept->sets[i][0]);
		forget_limiter(&kept->sets[i][1]);
	}
}
