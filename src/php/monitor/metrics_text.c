/* Implements Monitor::metrics(): the OpenMetrics text format 1.0. */
#include "php_ratelimit.h"

#include "zend_smart_str.h"

#include "../observe/monitor.h"
#include "monitor_class.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"

/* The bytes of one value. */
#define NUMBER_BYTES 64

typedef struct {
	const char *name, *help;
} counter_family;

static void append_family(smart_str *out, const char *name, const char *type, const char *unit, const char *help)
{
	smart_str_append_printf(out, "# TYPE ratelimit_%s %s\n", name, type);
	if (unit) {
		smart_str_append_printf(out, "# UNIT ratelimit_%s %s\n", name, unit);
	}
	smart_str_append_printf(out, "# HELP ratelimit_%s %s\n", name, help);
}

/* Returns the length of the UTF-8 character at the begin of a text; 0: it is none. */
static size_t utf8_length(const unsigned char *at, size_t left)
{
	size_t n = at[0] < 0x80             ? 1
		: at[0] >= 0xc2 && at[0] < 0xe0 ? 2
		: (at[0] & 0xf0) == 0xe0        ? 3
		: at[0] >= 0xf0 && at[0] < 0xf5 ? 4
										: 0;

	if (n > left || (n == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)))
		|| (n == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))) {
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	return n;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Appends a label. Control characters, and bytes that are not UTF-8, are written as \xNN; so is the backslash of a text that looks
 * like one, so that two names never have the same label. */
static void append_label(smart_str *out, const char *name, const char *value, size_t length)
{
	smart_str_append_printf(out, "%s=\"", name);
	while (length > 0) {
		unsigned char c = (unsigned char) *value;
		size_t n = utf8_length((const unsigned char *) value, length);

		if (n == 0 || c < 0x20 || c == 0x7f
			|| (c == '\\' && length >= 4 && value[1] == 'x' && is_hex(value[2]) && is_hex(value[3]))) {
			smart_str_append_printf(out, "\\\\x%02x", c);
			n = 1;
		} else if (c == '\\' || c == '"') {
			smart_str_appendc(out, '\\');
			smart_str_appendc(out, (char) c);
		} else {
			smart_str_appendl(out, value, n);
		}
		value += n;
		length -= n;
	}
	smart_str_appendc(out, '"');
}

static void append_count(smart_str *out, uint64_t value)
{
	smart_str_append_printf(out, "} %" PRIu64 "\n", value);
}

/* ---- Totals ---- */

static void append_total(smart_str *out, const char *name, const char *store, uint64_t value)
{
	smart_str_append_printf(out, "ratelimit_%s_total{store=\"%s\"", name, store);
	append_count(out, value);
}

static void append_totals(smart_str *out, const rl_shm_stats *stats)
{
	const uint64_t *counts = stats->counts;

	append_family(out, "decisions", "counter", NULL, "Decisions of this machine, by where they were taken.");
	append_total(out, "decisions", "shm", stats->decisions);
	append_total(out, "decisions", "redis", counts[RL_STAT_REDIS_DECISIONS]);
	append_total(out, "decisions", "cache", counts[RL_STAT_CACHED]);
	append_total(out, "decisions", "lease", counts[RL_STAT_LEASED]);
	append_family(out, "refusals", "counter", NULL, "Refusals of this machine, by where they were decided.");
	append_total(out, "refusals", "shm", counts[RL_STAT_REFUSALS]);
	append_total(out, "refusals", "redis", counts[RL_STAT_REDIS_REFUSALS]);
	append_total(out, "refusals", "cache", counts[RL_STAT_CACHED]);
	append_family(out, "bans", "counter", NULL, "Bans that began on this machine.");
	append_total(out, "bans", "shm", counts[RL_STAT_BANS]);
	append_total(out, "bans", "redis", counts[RL_STAT_REDIS_BANS]);
	append_family(out, "errors", "counter", NULL, "Decisions that a store could not take.");
	append_total(out, "errors", "shm", counts[RL_STAT_ERRORS]);
	append_total(out, "errors", "redis", counts[RL_STAT_REDIS_ERRORS]);
	append_family(out, "fallbacks", "counter", NULL, "Decisions that were taken by ratelimit.on_failure.");
	smart_str_append_printf(out, "ratelimit_fallbacks_total %" PRIu64 "\n", counts[RL_STAT_FALLBACKS]);
	append_family(out, "evictions", "counter", NULL, "Live states that gave their room to another identity.");
	smart_str_append_printf(out, "ratelimit_evictions_total %" PRIu64 "\n", counts[RL_STAT_EVICTIONS]);
	append_family(out, "bans_evicted", "counter", NULL, "Running bans among them.");
	smart_str_append_printf(out, "ratelimit_bans_evicted_total %" PRIu64 "\n", counts[RL_STAT_BANS_EVICTED]);
}

static void append_gauge(smart_str *out, const char *name, const char *unit, const char *help, uint64_t value)
{
	append_family(out, name, "gauge", unit, help);
	smart_str_append_printf(out, "ratelimit_%s %" PRIu64 "\n", name, value);
}

static void append_segment(smart_str *out, const rl_shm_stats *stats)
{
	append_gauge(out, "segment_bytes", "bytes", "Size of the shared memory; 0: there is none.", stats->bytes);
	append_gauge(out, "slots", NULL, "Identities that the table has room for.", stats->slots);
	append_gauge(out, "slots_used", NULL, "Slots of the table that were ever used.", stats->slots_used);
	append_gauge(out, "records_bytes", "bytes", "Room for states that are larger than a slot.", stats->records);
	append_gauge(out, "records_used_bytes", "bytes", "The part of that room that is handed out.", stats->records_used);
	append_gauge(out, "workers", NULL, "Threads and processes that have decided and are alive.", stats->workers);
}

/* Returns the number of stats()['warnings']. */
static unsigned count_warnings(void)
{
	zval warnings;
	unsigned n;

	array_init(&warnings);
	php_ratelimit_add_warnings(&warnings);
	n = zend_hash_num_elements(Z_ARRVAL(warnings));
	zval_ptr_dtor(&warnings);
	return n;
}

/* ---- Names ---- */

static void append_metric_name(smart_str *out, const rl_metrics *row)
{
	smart_str_append_printf(out, "kind=\"%s\",", php_ratelimit_kind_name(row->kind));
	append_label(out, "name", row->kind == RL_KIND_OTHER ? "other" : row->name,
		row->kind == RL_KIND_OTHER ? strlen("other") : row->name_len);
}

static void append_names(smart_str *out, const rl_metrics *rows, size_t n)
{
	static const counter_family families[RL_METERS] = {
		{"limiter_decisions", "Decisions by name, but for actions."},
		{"limiter_refusals", "Refusals by name."},
		{"limiter_bans", "Bans begun by name."},
		{"limiter_shadow_refusals", "Calls that a shadow limit would have refused, by name."},
		{"limiter_near_misses", "Calls admitted with less than a tenth of the limit left, by name."},
		{"limiter_fallbacks", "Decisions by ratelimit.on_failure, by name."},
		{"limiter_errors", "Calls that got a StoreException instead of a decision, by name."},
	};

	for (unsigned c = 0; c < RL_METERS; c++) {
		append_family(out, families[c].name, "counter", NULL, families[c].help);
		for (size_t i = 0; i < n; i++) {
			if (c == RL_METER_ADMITTED && rows[i].kind == RL_KIND_ACTION) {
				continue;
			}
			smart_str_append_printf(out, "ratelimit_%s_total{", families[c].name);
			append_metric_name(out, &rows[i]);
			append_count(out, c == RL_METER_ADMITTED ? php_ratelimit_decisions(&rows[i]) : rows[i].counts[c]);
		}
	}
}

static void append_limits(smart_str *out, const rl_metrics *rows, size_t n)
{
	static const counter_family families[RL_LIMIT_METERS] = {
		{"limit_refusals", "Refusals by name and limit."},
		{"limit_shadow_refusals", "Calls that a shadow limit would have refused, by name and limit."},
		{"limit_bans", "Bans begun by name and limit."},
	};

	for (unsigned c = 0; c < RL_LIMIT_METERS; c++) {
		append_family(out, families[c].name, "counter", NULL, families[c].help);
		for (size_t i = 0; i < n; i++) {
			for (unsigned l = 0; l < rows[i].n_limits; l++) {
				smart_str_append_printf(out, "ratelimit_%s_total{", families[c].name);
				append_metric_name(out, &rows[i]);
				smart_str_appendc(out, ',');
				/* No limit has an empty label: that of all others. */
				append_label(out, "limit", rows[i].limits[l].label, rows[i].limits[l].label_len);
				append_count(out, rows[i].limits[l].counts[c]);
			}
		}
	}
}

/* ---- Redis servers ---- */

/* The bound of servers: each node of a cluster is one. */
#define SERVERS_MAX 512

typedef struct {
	rl_breaker_info *rows;
	size_t n;
} server_list;

static void keep_server(void *context, const rl_breaker *server)
{
	server_list *list = context;
	rl_breaker_info *row = &list->rows[list->n];

	if (list->n == SERVERS_MAX) {
		return;
	}
	rl_breaker_snapshot(server, row);
	/* A process may have a place of its own for a server, beside the one in the segment; and two DSNs differ in a password. */
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->rows[i].facts.label, row->facts.label) == 0) {
			return;
		}
	}
	list->n++;
}

static void append_server(smart_str *out, const char *family, const char *suffix, const rl_breaker_info *server)
{
	smart_str_append_printf(out, "ratelimit_%s%s{", family, suffix);
	append_label(out, "server", server->facts.label, strlen(server->facts.label));
}

static void append_breakers(smart_str *out, const server_list *servers)
{
	append_family(out, "redis_breaker", "stateset", NULL, "The circuit breaker of a Redis server.");
	for (size_t i = 0; i < servers->n; i++) {
		for (unsigned s = RL_BREAKER_CLOSED; s <= RL_BREAKER_HALF_OPEN; s++) {
			append_server(out, "redis_breaker", "", &servers->rows[i]);
			smart_str_append_printf(out, ",ratelimit_redis_breaker=\"%s\"", php_ratelimit_breaker_states[s]);
			append_count(out, servers->rows[i].state == s);
		}
	}
	append_family(out, "redis_failures", "counter", NULL, "Requests to a Redis server that failed.");
	for (size_t i = 0; i < servers->n; i++) {
		append_server(out, "redis_failures", "_total", &servers->rows[i]);
		append_count(out, servers->rows[i].facts.failures);
	}
}

/* Appends the bound of a bucket in seconds, in its shortest form. */
static void append_bound(smart_str *out, int64_t us)
{
	char digits[NUMBER_BYTES];
	size_t n = (size_t) snprintf(digits, sizeof(digits), "%" PRId64 ".%06" PRId64, us / RL_US_PER_SECOND,
		us % RL_US_PER_SECOND);

	while (digits[n - 1] == '0' && digits[n - 2] != '.') {
		n--;
	}
	smart_str_append_printf(out, ",le=\"%.*s\"", (int) n, digits);
}

static void append_latencies(smart_str *out, const server_list *servers)
{
	char number[NUMBER_BYTES];

	append_family(out, "redis_latency_seconds", "histogram", "seconds",
		"The time of a request that a Redis server answered.");
	for (size_t i = 0; i < servers->n; i++) {
		const rl_breaker_info *server = &servers->rows[i];
		uint64_t sum = 0;

		for (unsigned b = 0; b <= RL_LATENCY_BOUNDS; b++) {
			sum += server->facts.latencies[b];
			append_server(out, "redis_latency_seconds", "_bucket", server);
			if (b < RL_LATENCY_BOUNDS) {
				append_bound(out, rl_latency_bounds_us[b]);
			} else {
				smart_str_appends(out, ",le=\"+Inf\"");
			}
			append_count(out, sum);
		}
		append_server(out, "redis_latency_seconds", "_count", server);
		append_count(out, sum);
		append_server(out, "redis_latency_seconds", "_sum", server);
		snprintf(number, sizeof(number), "%" PRIu64 ".%09" PRIu64, server->facts.latency_sum_ns / 1000000000u,
			server->facts.latency_sum_ns % 1000000000u);
		smart_str_append_printf(out, "} %s\n", number);
	}
}

static void append_info(smart_str *out, const rl_shm_stats *stats)
{
	zend_string *store = php_ratelimit_masked_dsn(RATELIMIT_G(store_dsn));

	append_family(out, "build", "info", NULL, "The version, the store in use, and the kind of the shared memory.");
	smart_str_append_printf(out, "ratelimit_build_info{version=\"%s\",segment=\"%s\",", PHP_RATELIMIT_VERSION,
		stats->kind);
	append_label(out, "store", ZSTR_VAL(store), ZSTR_LEN(store));
	append_count(out, 1);
	zend_string_release(store);
}

ZEND_METHOD(FrequencyLimit_Monitor, metrics)
{
	smart_str out = {0};
	server_list servers = {0};
	rl_shm_stats stats;
	rl_metrics *rows;
	size_t n;

	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_guard(); /* the first use */
	rows = php_ratelimit_metrics_sorted(&n);
	rl_shm_stats_read(&stats);
	servers.rows = safe_emalloc(SERVERS_MAX + 1, sizeof(*servers.rows), 0);
	rl_breakers_each(keep_server, &servers);
	append_info(&out, &stats);
	append_totals(&out, &stats);
	append_segment(&out, &stats);
	append_gauge(&out, "config_warnings", NULL, "Mistakes in the configuration; ratelimit check prints them.",
		count_warnings());
	append_names(&out, rows, n);
	append_limits(&out, rows, n);
	append_breakers(&out, &servers);
	append_latencies(&out, &servers);
	smart_str_appends(&out, "# EOF\n");
	efree(servers.rows);
	efree(rows);
	RETURN_STR(smart_str_extract(&out));
}
