/* Starts and stops the module, and answers phpinfo(). All other code is in src/. */
#include "php_ratelimit.h"

#include "SAPI.h"
#include "ext/standard/info.h"
#include "php_ini.h"

#include "src/php/attribute/attribute_cache.h"
#include "src/php/attribute/attribute_hook.h"
#include "src/php/attribute/uncaught.h"
#include "src/php/attribute/unresolved_attribute.h"
#include "src/php/base/calendar.h"
#include "src/php/base/numbers.h"
#include "src/php/base/store_config.h"
#include "src/php/limiter/limiter_object.h"
#include "src/php/limiter/limiters_file.h"
#include "src/php/module/module.h"
#include "src/php/observe/listener.h"
#include "src/php/observe/monitor.h"
#include "src/php/permit/permit_object.h"
#include "src/php/request/client_address.h"
#include "src/php/request/server_variables.h"
#include "src/php/request/request.h"
#include "src/php/result/result.h"
#include "src/redis/net/tls.h"
#include "src/redis/redis.h"
#include "src/shm/store/shm.h"

/* The memory of the modules of a thread. */
typedef struct php_ratelimit_memory {
	php_ratelimit_limiters limiters; /* first: it begins a cache line */
	php_ratelimit_enforcer enforcer;
	php_ratelimit_kept_limiters kept_limiters;
	rl_failure_policy failure_policy;
	rl_guard guard;
	php_ratelimit_numbers numbers;
	php_ratelimit_sources sources;
	php_ratelimit_networks trusted_proxies;
	php_ratelimit_enforced_lines enforced_lines;
	php_ratelimit_known_meters known_meters;
	php_ratelimit_calendar calendar;
	php_ratelimit_zone_names zone_names;
	/* Of a request: its begin sets all of it to 0. It frees nothing: what code behind the end of the last request has left there is
	 * freed already. */
	struct {
		php_ratelimit_requests requests;
		php_ratelimit_refused refused;
		php_ratelimit_listener listener;
		php_ratelimit_sent sent;
		php_ratelimit_uncaught uncaught;
		php_ratelimit_unresolved unresolved;
		zend_object *reasons[RL_STORE_UNAVAILABLE + 1];
	} request;
} php_ratelimit_memory;

static PHP_GINIT_FUNCTION(ratelimit)
{
	void *aligned;
	php_ratelimit_memory *memory;

#if defined(ZTS) && defined(COMPILE_DL_RATELIMIT)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	if (posix_memalign(&aligned, 64, sizeof(*memory)) != 0) {
		zend_error_noreturn(E_CORE_ERROR, "ratelimit: out of memory");
	}
	memory = memset(aligned, 0, sizeof(*memory));
	*ratelimit_globals = (zend_ratelimit_globals){
		.memory = memory,
		.redis = rl_redis_pool_new(),
		.limiters = &memory->limiters,
		.enforcer = &memory->enforcer,
		.kept_limiters = &memory->kept_limiters,
		.failure_policy = &memory->failure_policy,
		.guard = &memory->guard,
		.refused = &memory->request.refused,
		.requests = &memory->request.requests,
		.numbers = &memory->numbers,
		.sources = &memory->sources,
		.trusted_proxies = &memory->trusted_proxies,
		.listener = &memory->request.listener,
		.sent = &memory->request.sent,
		.uncaught = &memory->request.uncaught,
		.unresolved = &memory->request.unresolved,
		.enforced_lines = &memory->enforced_lines,
		.known_meters = memory->known_meters,
		.reasons = memory->request.reasons,
		.calendar = &memory->calendar,
		.zone_names = &memory->zone_names,
	};
	php_ratelimit_limiters_init(&memory->limiters);
}

static PHP_GSHUTDOWN_FUNCTION(ratelimit)
{
	rl_redis_pool_free(ratelimit_globals->redis);
	php_ratelimit_kept_limiters_free(ratelimit_globals->kept_limiters); /* before their strings */
	php_ratelimit_limiters_free(ratelimit_globals->limiters);
	php_ratelimit_known_meters_free(ratelimit_globals->known_meters);
	free(ratelimit_globals->enforcer->spare);
	php_ratelimit_networks_free(ratelimit_globals->trusted_proxies);
	php_ratelimit_enforced_lines_free(ratelimit_globals->enforced_lines);
	free(ratelimit_globals->memory);
	rl_shm_leave_thread();
}

static void log_line(const char *line)
{
	php_log_err(line);
}

/* Makes the segment of a process whose ratelimit.shm_path cannot be used, as if that setting were empty: a wrong path must
 * not refuse every call of a site. reason: why it cannot be used. */
static ZEND_COLD bool start_segment_without_file(rl_shm_options *options, const char *reason)
{
	char message[512];

	options->path = NULL;
	if (!rl_shm_startup(options, message, sizeof(message))) {
		return false;
	}
	php_ratelimit_config_warning(
		"cannot use the file of the shared memory: %s. Counts are kept in memory without a file instead, which only this "
		"process and its workers share (ratelimit.on_failure=local)",
		reason);
	if (message[0]) {
		zend_error(E_CORE_WARNING, "ratelimit: %s", message);
	}
	return true;
}

static void start_segment(void)
{
	bool has_path = ZSTR_LEN(RATELIMIT_G(shm_path)) > 0
		&& !zend_string_equals_literal(RATELIMIT_G(shm_path), PHP_RATELIMIT_PRIVATE);
	char message[512] = "";
	rl_shm_options options = {
		.bytes = (size_t) RATELIMIT_G(shm_size),
		.path = has_path ? ZSTR_VAL(RATELIMIT_G(shm_path)) : NULL,
		/* FPM's master reloads by exec'ing itself: without this each deploy would end all bans. */
		.keep_over_exec = php_ratelimit_is_fpm(),
	};

	if (rl_shm_startup(&options, message, sizeof(message))) {
		if (message[0]) {
			zend_error(E_CORE_WARNING, "ratelimit: %s", message);
		}
		return;
	}
	if (has_path && RATELIMIT_G(failure_policy)->on_failure == RL_ON_FAILURE_LOCAL
		&& start_segment_without_file(&options, message)) {
		return;
	}
	php_ratelimit_config_warning("cannot set up the shared memory: %s. %s (ratelimit.on_failure=%s)", message,
		php_ratelimit_without_memory(), php_ratelimit_on_failure_name());
}

/* Returns whether this process makes workers later, which begin with its memory. */
static bool makes_workers(void)
{
	return php_ratelimit_is_fpm() || strcmp(sapi_module.name, "apache2handler") == 0
		|| strcmp(sapi_module.name, "litespeed") == 0;
}

static PHP_MINIT_FUNCTION(ratelimit)
{
	php_ratelimit_ini_startup(type, module_number);
	php_ratelimit_classes_startup();
	php_ratelimit_numbers_startup();
	rl_breaker_report = log_line;
	if (RATELIMIT_G(attributes)) {
		php_ratelimit_attribute_hook_startup();
	}
	php_ratelimit_requests_startup();
	php_ratelimit_uncaught_startup();
	start_segment();
	if (makes_workers()) {
		php_ratelimit_limiters_startup();
	}
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(ratelimit)
{
	php_ratelimit_attribute_hook_shutdown();
	php_ratelimit_uncaught_shutdown();
	php_ratelimit_requests_shutdown();
	rl_shm_shutdown();
	UNREGISTER_INI_ENTRIES();
	php_ratelimit_config_warnings_free();
	return SUCCESS;
}

static PHP_RINIT_FUNCTION(ratelimit)
{
#if defined(ZTS) && defined(COMPILE_DL_RATELIMIT)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(&RATELIMIT_G(memory)->request, 0, sizeof(RATELIMIT_G(memory)->request));
	RATELIMIT_G(permits) = NULL;
	RATELIMIT_G(refused_action) = NULL;
	RATELIMIT_G(misuse_lines) = NULL;
	RATELIMIT_G(limiters)->defined = NULL;
	RATELIMIT_G(enforced_lines)->used = 0;
	RATELIMIT_G(requests)->is_active = true;
	if (UNEXPECTED(RATELIMIT_G(has_listener))) {
		RATELIMIT_G(has_listener) = false;
		php_ratelimit_config_changed();
	}
	php_ratelimit_enforcer_begin_request();
	/* Preloading is a request, too, but of FPM's master, which must be able to hand the segment on. */
	if (SG(server_context) != NULL || !php_ratelimit_is_fpm()) {
		rl_shm_enter_worker();
	}
	return SUCCESS;
}

/* Drops the application's resolvers and its listener. A destructor of one may set others, which then end, too: behind the request
 * PHP calls no destructor, but ends the worker. The bound is for one that does so for ever. */
static void clear_callbacks(void)
{
	for (int rounds = 0; rounds < 100; rounds++) {
		php_ratelimit_requests_clear();
		php_ratelimit_listener_clear();
		if (EXPECTED(!RATELIMIT_G(has_listener) && !php_ratelimit_callback_exists(&RATELIMIT_G(requests)->own.resolver)
				&& !RATELIMIT_G(requests)->begun)) {
			break;
		}
	}
}

static PHP_RSHUTDOWN_FUNCTION(ratelimit)
{
	php_ratelimit_unresolved_end();
	clear_callbacks();
	php_ratelimit_uncaught_clear();
	php_ratelimit_sent_clear();
	php_ratelimit_enforcer_clear();
	/* This comes after all that may free an object: its destructor may acquire permits. */
	php_ratelimit_permits_end_request();
	php_ratelimit_limiters_end_request();
	php_ratelimit_misuse_end_request();
	return SUCCESS;
}

/* A session's handler may decide after this module's end of the request. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(ratelimit)
{
	php_ratelimit_refused_end_request();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(ratelimit)
{
	rl_shm_stats stats;
	char line[128];
	zend_string *store = php_ratelimit_masked_dsn(RATELIMIT_G(store_dsn));

	php_info_print_table_start();
	php_info_print_table_row(2, "ratelimit", "enabled");
	php_info_print_table_row(2, "Version", PHP_RATELIMIT_VERSION);
	php_info_print_table_row(2, "hiredis", rl_redis_client_version());
	php_info_print_table_row(2, "TLS", rl_redis_has_tls() ? "yes" : "no");
	php_info_print_table_row(2, "Store", ZSTR_VAL(store));
	zend_string_release(store);
	php_ratelimit_guard(); /* the first use */
	rl_shm_stats_read(&stats);
	php_info_print_table_row(2, "Segment", stats.kind);
	for (unsigned i = 0; php_ratelimit_config_warning_at(i); i++) {
		php_info_print_table_row(2, "Warning", php_ratelimit_config_warning_at(i));
	}
	snprintf(line, sizeof(line), "%" PRIu64 " bytes", stats.bytes);
	php_info_print_table_row(2, "Segment size", line);
	snprintf(line, sizeof(line), "%" PRIu64 " of %" PRIu64 " (%.1F %%)", stats.slots_used, stats.slots,
		stats.slots ? 100.0 * (double) stats.slots_used / (double) stats.slots : 0.0);
	php_info_print_table_row(2, "Slots ever used", line);
	snprintf(line, sizeof(line), "%" PRIu64 " of %" PRIu64 " bytes", stats.records_used, stats.records);
	php_info_print_table_row(2, "Records in use", line);
	snprintf(line, sizeof(line), "%" PRIu64, stats.decisions);
	php_info_print_table_row(2, "Decisions", line);
	snprintf(line, sizeof(line), "%" PRIu64, stats.counts[RL_STAT_REFUSALS]);
	php_info_print_table_row(2, "Refusals", line);
	snprintf(line, sizeof(line), "%" PRIu64, stats.counts[RL_STAT_EVICTIONS]);
	php_info_print_table_row(2, "Evictions", line);
	php_info_print_table_end();

	DISPLAY_INI_ENTRIES();
}

/* clang-format off: tables of macros that end without a comma */
static const zend_module_dep dependencies[] = {
	ZEND_MOD_REQUIRED("date") ZEND_MOD_REQUIRED("json") ZEND_MOD_REQUIRED("spl") ZEND_MOD_END};

zend_module_entry ratelimit_module_entry = {STANDARD_MODULE_HEADER_EX, NULL, dependencies, "ratelimit", NULL,
	PHP_MINIT(ratelimit), PHP_MSHUTDOWN(ratelimit), PHP_RINIT(ratelimit), PHP_RSHUTDOWN(ratelimit),
	PHP_MINFO(ratelimit), PHP_RATELIMIT_VERSION, PHP_MODULE_GLOBALS(ratelimit), PHP_GINIT(ratelimit),
	PHP_GSHUTDOWN(ratelimit), ZEND_MODULE_POST_ZEND_DEACTIVATE_N(ratelimit), STANDARD_MODULE_PROPERTIES_EX};
/* clang-format on */

#ifdef COMPILE_DL_RATELIMIT
# ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
# endif
ZEND_GET_MODULE(ratelimit)
#endif
