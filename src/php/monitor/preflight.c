/* Implements Monitor::preflight(). */
#include "php_ratelimit.h"

#include "../base/arguments.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"
#include "src/redis/redis.h"
#include "../limiter/limiters_file.h"
#include "monitor_class.h"

#define IDENTITIES_MAX 1000000000

/* Clocks may differ by this much. */
#define CLOCKS_APART_US (1 * RL_US_PER_SECOND)

/* Bytes of shared memory for one identity in the table, of which at most half should be live (docs/operations.md, "How large"). */
#define TABLE_BYTES 72

typedef struct {
	zend_long identities;
	zval settings;  /* what is set wrongly */
	zval stores;    /* which stores cannot decide */
	HashTable seen; /* the stores that have been asked, by DSN */
} preflight;

/* Makes both kinds of decisions about an identity of this process alone. Each right of docs/redis.md has a part in one: the first
 * call of a window, another one, a refusal, a ban, and the reset, without which the ban ends after a second. */
static bool decides(rl_store *store, rl_error *e)
{
	rl_key key = {.space = RL_SPACE_ACTION, .is_int = true, .name = "ratelimit.preflight", .name_len = 19};
	rl_counter_question counter = {.seconds = 1, .limit = 2};
	rl_counter_command ban = {.op = RL_OP_BAN, .ban = RL_BAN_FOR, .ban_ms = 1000}, reset = {.op = RL_OP_RESET};
	rl_question q = {.op = RL_OP_CONSUME, .n_limits = 1, .cost = 1};
	rl_decision d;
	rl_answer a;
	bool found;

	key.int_id = rl_clock_true_us();
	q.limits[0] = (rl_limit){.algorithm = RL_FIXED_WINDOW, .limit = 1, .period_us = RL_US_PER_SECOND};
	for (int i = 0; i < 3; i++) {
		if (store->ops->count(store, &key, &counter, &d, e) != RL_OK) {
			return false;
		}
	}
	if (store->ops->command(store, &key, &ban, &found, e) != RL_OK
		|| store->ops->command(store, &key, &reset, &found, e) != RL_OK) {
		return false;
	}
	key.space = RL_SPACE_LIMITER;
	return store->ops->ask(store, &key, &q, &a, e) == RL_OK;
}

static void check_eviction(preflight *p, const rl_redis_eviction *eviction, const char *label)
{
	if (eviction->maxmemory > 0 && eviction->policy[0] && strcmp(eviction->policy, "noeviction") != 0
		&& strcmp(eviction->policy, "volatile-ttl") != 0) {
		add_next_index_str(&p->settings,
			strpprintf(0, "%s: it evicts bans when it is full (maxmemory-policy %s); set volatile-ttl or noeviction",
				label, eviction->policy));
	}
}

/* The last answer of the store has its clock. Bans until a moment, and calendar windows, follow it. */
static void check_clock(preflight *p, rl_store *store, const char *label)
{
	int64_t ahead_us = store->ops->wall_us(store) - rl_clock_wall_us();

	if (ahead_us > CLOCKS_APART_US || ahead_us < -CLOCKS_APART_US) {
		add_next_index_str(&p->settings,
			strpprintf(0, "%s: its clock is %.1F s %s this machine's; run NTP on both", label,
				(double) (ahead_us < 0 ? -ahead_us : ahead_us) / RL_US_PER_SECOND,
				ahead_us < 0 ? "behind" : "ahead of"));
	}
}

static void check_store(preflight *p, const zend_string *dsn)
{
	char label[512] = "shm:";
	rl_redis_eviction eviction;
	rl_guard g;
	rl_error e = {.message = ""};

	if (!zend_hash_str_add_empty_element(&p->seen, ZSTR_VAL(dsn), ZSTR_LEN(dsn))) {
		return;
	}
	g = php_ratelimit_guard_to(dsn, &e);
	if (php_ratelimit_is_embedded_dsn(dsn)) {
		if (!g.store) {
			add_next_index_string(&p->settings, "shm:: there is no shared memory; the error log has the reason");
		}
		return;
	}
	rl_redis_dsn_mask(ZSTR_VAL(dsn), ZSTR_LEN(dsn), label, sizeof(label));
	if (!g.store || !decides(g.store, &e) || rl_redis_store_inspect(g.store, &eviction, &e) != RL_OK) {
		add_next_index_string(&p->stores, e.message); /* it names the server */
		return;
	}
	check_eviction(p, &eviction, label);
	check_clock(p, g.store, label);
}

/* Returns about how many bytes of records an identity of the limiter has, once it is used up ("What one identity costs" in
 * docs/limiters.md). */
static uint64_t record_bytes(const php_ratelimit_named *named)
{
	uint64_t bytes = 48;

	for (unsigned i = 0; i < named->n_limits; i++) {
		const rl_limit *limit = &named->limits[i].limit;

		switch (limit->algorithm) {
			case RL_SLIDING_LOG:
				bytes += 16 + 5 * (uint64_t) limit->limit;
				break;
			case RL_CONCURRENT:
				bytes += 16 + 16 * (uint64_t) limit->limit;
				break;
			case RL_SLIDING_WINDOW:
				bytes += 144;
				break;
			default:
				bytes += 16;
		}
	}
	return bytes;
}

/* The records have half of the segment. */
static void check_room(preflight *p, const char *subject, uint64_t bytes_each)
{
	uint64_t needed = (uint64_t) p->identities * bytes_each;
	rl_shm_stats stats;

	rl_shm_stats_read(&stats);
	if (p->identities > 0 && stats.bytes < needed) {
		add_next_index_str(&p->settings,
			strpprintf(0,
				"%s: " ZEND_LONG_FMT " identities at a time take " ZEND_ULONG_FMT
				" MB of shared memory, which has " ZEND_ULONG_FMT " MB; set ratelimit.shm_size",
				subject, p->identities, (zend_ulong) ((needed >> 20) + 1), (zend_ulong) (stats.bytes >> 20)));
	}
}

static void check_named(const php_ratelimit_named *named, void *context)
{
	preflight *p = context;
	uint64_t records = 2 * record_bytes(named);

	if (named->store) {
		check_store(p, named->store);
	}
	if (php_ratelimit_is_embedded_dsn(named->store ? named->store : RATELIMIT_G(store_dsn)) && records > TABLE_BYTES) {
		check_room(p, ZSTR_VAL(named->name), records);
	}
}

ZEND_METHOD(FrequencyLimit_Monitor, preflight)
{
	preflight p = {0};
	zend_string *embedded;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(p.identities)
	ZEND_PARSE_PARAMETERS_END();
	if (!php_ratelimit_check_range("$identities", p.identities, 0, IDENTITIES_MAX)) {
		RETURN_THROWS();
	}
	php_ratelimit_guard(); /* applies changed settings */
	array_init(&p.settings);
	array_init(&p.stores);
	zend_hash_init(&p.seen, 4, NULL, NULL, false);
	php_ratelimit_add_warnings(&p.settings);
	/* Redis' fallback, and its caches. */
	embedded = zend_string_init("shm:", 4, false);
	check_store(&p, embedded);
	zend_string_release(embedded);
	check_room(&p, "ratelimit.shm_size", TABLE_BYTES);
	check_store(&p, RATELIMIT_G(store_dsn));
	php_ratelimit_named_each(check_named, &p);
	zend_hash_destroy(&p.seen);
	array_init_size(return_value, 2);
	add_assoc_zval(return_value, "settings", &p.settings);
	add_assoc_zval(return_value, "stores", &p.stores);
}
