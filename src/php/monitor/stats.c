/* Implements Monitor::stats(). */
#include "php_ratelimit.h"

#include "src/shm/store/shm.h"
#include "../base/store_config.h"
#include "../limiter/limiters_file.h"
#include "monitor_class.h"

const char *const php_ratelimit_breaker_states[] = {"closed", "open", "half-open"};

void php_ratelimit_add_warnings(zval *list)
{
	for (unsigned i = 0; php_ratelimit_config_warning_at(i); i++) {
		add_next_index_string(list, php_ratelimit_config_warning_at(i));
	}
	if (php_ratelimit_limiters_problem()) {
		add_next_index_str(list, strpprintf(0, "ratelimit.limiters: %s", php_ratelimit_limiters_problem()));
	}
}

static void add_server(void *list, const rl_breaker *server)
{
	rl_breaker_info breaker;
	zval one;

	rl_breaker_snapshot(server, &breaker);
	array_init_size(&one, 5);
	add_assoc_string(&one, "server", breaker.facts.label);
	add_assoc_string(&one, "state", php_ratelimit_breaker_states[breaker.state]);
	add_assoc_double(&one, "since", (double) breaker.since_us / RL_US_PER_SECOND);
	add_assoc_long(&one, "failures", (zend_long) breaker.facts.failures);
	add_assoc_double(&one, "latency", (double) breaker.facts.latency_ns / 1e9);
	add_next_index_zval(list, &one);
}

ZEND_METHOD(FrequencyLimit_Monitor, stats)
{
	rl_shm_stats stats;
	zval servers, warnings;

	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_guard(); /* the first use */
	rl_shm_stats_read(&stats);
	array_init_size(return_value, 23);
	add_assoc_str(return_value, "store", php_ratelimit_masked_dsn(RATELIMIT_G(store_dsn)));
	add_assoc_string(return_value, "segment", stats.kind);
	add_assoc_long(return_value, "bytes", (zend_long) stats.bytes);
	add_assoc_long(return_value, "slots", (zend_long) stats.slots);
	add_assoc_long(return_value, "slots_used", (zend_long) stats.slots_used);
	add_assoc_long(return_value, "records", (zend_long) stats.records);
	add_assoc_long(return_value, "records_used", (zend_long) stats.records_used);
	add_assoc_long(return_value, "decisions", (zend_long) stats.decisions);
	add_assoc_long(return_value, "refusals", (zend_long) stats.counts[RL_STAT_REFUSALS]);
	add_assoc_long(return_value, "bans", (zend_long) stats.counts[RL_STAT_BANS]);
	add_assoc_long(return_value, "evictions", (zend_long) stats.counts[RL_STAT_EVICTIONS]);
	add_assoc_long(return_value, "bans_evicted", (zend_long) stats.counts[RL_STAT_BANS_EVICTED]);
	add_assoc_long(return_value, "errors", (zend_long) stats.counts[RL_STAT_ERRORS]);
	add_assoc_long(return_value, "redis_decisions", (zend_long) stats.counts[RL_STAT_REDIS_DECISIONS]);
	add_assoc_long(return_value, "redis_refusals", (zend_long) stats.counts[RL_STAT_REDIS_REFUSALS]);
	add_assoc_long(return_value, "redis_errors", (zend_long) stats.counts[RL_STAT_REDIS_ERRORS]);
	add_assoc_long(return_value, "fallbacks", (zend_long) stats.counts[RL_STAT_FALLBACKS]);
	add_assoc_long(return_value, "permits_owed", (zend_long) stats.counts[RL_STAT_OWED]);
	add_assoc_long(return_value, "permits_told", (zend_long) stats.counts[RL_STAT_OWED_TOLD]);
	add_assoc_long(return_value, "permits_lost", (zend_long) stats.counts[RL_STAT_OWED_LOST]);
	add_assoc_long(return_value, "cached", (zend_long) stats.counts[RL_STAT_CACHED]);
	add_assoc_long(return_value, "leased", (zend_long) stats.counts[RL_STAT_LEASED]);
	add_assoc_long(return_value, "places_unnoted", (zend_long) stats.counts[RL_STAT_UNNOTED]);
	add_assoc_long(return_value, "workers", (zend_long) stats.workers);
	array_init(&servers);
	rl_breakers_each(add_server, &servers);
	add_assoc_zval(return_value, "servers", &servers);
	array_init(&warnings);
	php_ratelimit_add_warnings(&warnings);
	add_assoc_zval(return_value, "warnings", &warnings);
}
