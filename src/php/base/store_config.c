#include "store_config.h"

#include "zend_exceptions.h"

#include "class_entries.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "src/redis/redis.h"

bool php_ratelimit_is_embedded_dsn(const zend_string *dsn)
{
	return zend_string_equals_literal(dsn, "shm:");
}

bool php_ratelimit_check_dsn(const zend_string *dsn, char reason[PHP_RATELIMIT_REASON_BYTES])
{
	rl_error e;

	if (php_ratelimit_is_embedded_dsn(dsn) || rl_redis_dsn_check(ZSTR_VAL(dsn), ZSTR_LEN(dsn), &e)) {
		return true;
	}
	snprintf(reason, PHP_RATELIMIT_REASON_BYTES, "must be \"shm:\" or the DSN of a Redis server: %s", e.message);
	return false;
}

zend_string *php_ratelimit_masked_dsn(const zend_string *dsn)
{
	char masked[512];

	rl_redis_dsn_mask(ZSTR_VAL(dsn), ZSTR_LEN(dsn), masked, sizeof(masked));
	return zend_string_init(masked, strlen(masked), false);
}

static void guard_set_options(rl_guard *g, const rl_redis_options *o)
{
	g->retry_delay_us = (int64_t) o->retry_delay_ms * RL_US_PER_MS;
	g->ask_timeout_us = (int64_t) (o->connect_timeout_ms + o->timeout_ms) * RL_US_PER_MS;
	g->deny_cache_us = o->deny_cache_ms == RL_REDIS_DENY_CACHE_WINDOW ? INT64_MAX
																	  : (int64_t) o->deny_cache_ms * RL_US_PER_MS;
	g->auto_lease = o->auto_lease;
}

rl_guard php_ratelimit_guard_to(const zend_string *dsn, rl_error *e)
{
	rl_guard guard = {.policy = *RATELIMIT_G(failure_policy)};

	e->message[0] = '\0';
	guard_set_options(&guard, &rl_redis_default_options);
	if (php_ratelimit_is_embedded_dsn(dsn)) {
		guard.store = rl_shm_store();
		return guard;
	}
	guard.store = rl_redis_pool_store(RATELIMIT_G(redis), ZSTR_VAL(dsn), ZSTR_LEN(dsn), ZSTR_VAL(RATELIMIT_G(prefix)),
		ZSTR_LEN(RATELIMIT_G(prefix)), e);
	if (guard.store) {
		rl_redis_server_name server = rl_redis_store_server(guard.store);

		guard_set_options(&guard, rl_redis_store_options(guard.store));
		guard.breaker = rl_breaker_name_of(server.id, strlen(server.id), server.label);
	}
	return guard;
}

void php_ratelimit_apply_config(void)
{
	rl_error e;

	php_ratelimit_first_use();
	/* The prefix is also that of the stores that limiters name themselves. */
	rl_redis_pool_set_prefix(RATELIMIT_G(redis), ZSTR_VAL(RATELIMIT_G(prefix)), ZSTR_LEN(RATELIMIT_G(prefix)));
	*RATELIMIT_G(guard) = php_ratelimit_guard_to(RATELIMIT_G(store_dsn), &e);
	RATELIMIT_G(each_decision) = !RATELIMIT_G(enforce) || RATELIMIT_G(has_listener);
	rl_stat_counts_as = RATELIMIT_G(enforce) ? RL_STAT_DECIDED : RL_STAT_PASSED;
	RATELIMIT_G(embedded) = rl_guard_is_embedded(RATELIMIT_G(guard)) && !RATELIMIT_G(each_decision);
	RATELIMIT_G(fast_path_aes) = RATELIMIT_G(embedded) && rl_shm_uses_aes();
	RATELIMIT_G(has_deny_cache) = RATELIMIT_G(guard)->store && !rl_guard_is_embedded(RATELIMIT_G(guard))
		&& rl_shm_store() && RATELIMIT_G(guard)->deny_cache_us > 0 && !RATELIMIT_G(each_decision);
	RATELIMIT_G(config_applied) = true;
}

int64_t php_ratelimit_wall_us(const rl_guard *g)
{
	return g->store ? g->store->ops->wall_us(g->store) : rl_clock_wall_us();
}

bool php_ratelimit_clock_agrees(const rl_guard *g)
{
	if (EXPECTED(!rl_clock_is_frozen()) || !g->store || g->store == rl_shm_store()) {
		return true;
	}
	zend_throw_exception(php_ratelimit_ce_store_exception,
		"The clock is frozen, and Redis has a clock of its own: use the store \"shm:\" in tests that freeze the clock",
		0);
	return false;
}

ZEND_COLD void php_ratelimit_throw_store(rl_status status, const rl_key *key, const rl_error *e)
{
	if (EG(exception)) {
		return;
	}
	if (status == RL_WRONG_TYPE) {
		zend_string *id = key->is_int ? zend_long_to_str((zend_long) key->int_id)
									  : zend_string_init(key->id, key->id_len, false);

		/* A label and a 0 byte precede the limiter's name. */
		size_t skip = key->space == RL_SPACE_LABEL ? strlen(key->name) + 1 : 0;

		zend_throw_exception_ex(php_ratelimit_ce_store_exception, status,
			"The key of \"%.*s\", identity \"%s\", has a value that ratelimit did not write: %s",
			(int) (key->name_len - skip), key->name + skip, ZSTR_VAL(id), e->message);
		zend_string_release(id);
	} else {
		zend_throw_exception(php_ratelimit_ce_store_exception, e->message, status);
	}
}
