/* Implements FrequencyLimit\Monitor: limiters(), top(), history() and bans(). */
#include "php_ratelimit.h"

#include "../base/arguments.h"
#include "../observe/monitor.h"
#include "monitor_class.h"
#include "src/shm/monitor/ban_list.h"
#include "src/shm/segment/clock.h"
#include "src/shm/monitor/history.h"
#include "src/shm/monitor/metrics.h"
#include "src/shm/monitor/refusal_sketch.h"
#include "../base/store_config.h"

#define ROWS_MAX 1000

/* Replaces the end of a text that was cut. */
#define ELLIPSIS "\xe2\x80\xa6"

const char *php_ratelimit_kind_name(rl_kind kind)
{
	static const char *const names[] = {"other", "limiter", "action", "attribute"};

	return names[kind <= RL_KIND_ATTRIBUTE ? kind : 0];
}

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Monitor, __construct)
{
	zend_throw_error(NULL, "FrequencyLimit\\Monitor has static methods only");
}

/* ---- limiters() ---- */

typedef struct {
	rl_metrics *rows;
	size_t n;
} metrics_list;

static void keep_metrics(void *context, const rl_metrics *metrics)
{
	metrics_list *list = context;

	if (list->n <= RL_NAMES_MAX) {
		list->rows[list->n++] = *metrics;
	}
}

static int compare_names(const rl_metrics *a, const rl_metrics *b)
{
	size_t length = MIN(a->name_len, b->name_len);
	int order = memcmp(a->name, b->name, length);

	return order != 0 ? order : a->name_len < b->name_len ? -1 : a->name_len > b->name_len;
}

/* Sorts the most refused first, and the count of all other names last. */
static int compare_metrics(const void *left, const void *right)
{
	const rl_metrics *a = left, *b = right;
	uint64_t refused_a = a->counts[RL_METER_REFUSED], refused_b = b->counts[RL_METER_REFUSED];

	if ((a->kind == RL_KIND_OTHER) != (b->kind == RL_KIND_OTHER)) {
		return a->kind == RL_KIND_OTHER ? 1 : -1;
	}
	if (refused_a != refused_b) {
		return refused_a < refused_b ? 1 : -1;
	}
	return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : compare_names(a, b);
}

rl_metrics *php_ratelimit_metrics_sorted(size_t *n)
{
	metrics_list list = {.rows = safe_emalloc(RL_NAMES_MAX + 1, sizeof(*list.rows), 0)};

	php_ratelimit_refused_flush();
	rl_metrics_each(keep_metrics, &list);
	qsort(list.rows, list.n, sizeof(*list.rows), compare_metrics);
	*n = list.n;
	return list.rows;
}

static void add_limit_counts(zval *row, const rl_metrics *metrics)
{
	zval limits;

	array_init_size(&limits, metrics->n_limits);
	for (unsigned i = 0; i < metrics->n_limits; i++) {
		const uint64_t *counts = metrics->limits[i].counts;
		zval limit;

		array_init_size(&limit, 4);
		if (metrics->limits[i].label_len > 0) {
			add_assoc_stringl(&limit, "name", metrics->limits[i].label, metrics->limits[i].label_len);
		} else {
			add_assoc_string(&limit, "name", "other");
		}
		add_assoc_long(&limit, "refused", (zend_long) counts[RL_LIMIT_METER_REFUSED]);
		add_assoc_long(&limit, "shadow", (zend_long) counts[RL_LIMIT_METER_SHADOW]);
		add_assoc_long(&limit, "banned", (zend_long) counts[RL_LIMIT_METER_BANNED]);
		add_next_index_zval(&limits, &limit);
	}
	add_assoc_zval(row, "limits", &limits);
}

ZEND_METHOD(FrequencyLimit_Monitor, limiters)
{
	static const char *const names[RL_METERS] = {NULL, "refused", "banned", "shadow", "near", "fallback", "errors"};
	rl_metrics *rows;
	size_t n;

	ZEND_PARSE_PARAMETERS_NONE();
	rows = php_ratelimit_metrics_sorted(&n);
	array_init_size(return_value, (uint32_t) n);
	for (size_t i = 0; i < n; i++) {
		zval row;

		array_init_size(&row, 10);
		add_assoc_string(&row, "kind", php_ratelimit_kind_name(rows[i].kind));
		if (rows[i].kind == RL_KIND_OTHER) {
			add_assoc_string(&row, "name", "other");
		} else {
			add_assoc_stringl(&row, "name", rows[i].name, rows[i].name_len);
		}
		if (rows[i].kind != RL_KIND_ACTION) {
			add_assoc_long(&row, "decisions", (zend_long) php_ratelimit_decisions(&rows[i]));
		}
		for (unsigned c = RL_METER_REFUSED; c < RL_METERS; c++) {
			add_assoc_long(&row, names[c], (zend_long) rows[i].counts[c]);
		}
		add_limit_counts(&row, &rows[i]);
		add_next_index_zval(return_value, &row);
	}
	efree(rows);
}

/* ---- Callers ---- */

/* Returns the length without a last character of UTF-8 that was cut. */
static size_t whole_characters(const char *text, size_t length)
{
	size_t begin = length - 1, wanted;

	while (begin > 0 && length - begin < 4 && ((unsigned char) text[begin] & 0xc0) == 0x80) {
		begin--;
	}
	wanted = (unsigned char) text[begin] >= 0xf0 ? 4
		: (unsigned char) text[begin] >= 0xe0    ? 3
		: (unsigned char) text[begin] >= 0xc0    ? 2
												 : 1;
	return begin > 0 && begin + wanted > length ? begin : length;
}

static void add_text(zval *row, const char *key, const char *text, size_t length, bool is_cut)
{
	if (!is_cut) {
		add_assoc_stringl(row, key, text, length);
		return;
	}
	add_assoc_str(row, key, zend_string_concat2(text, whole_characters(text, length), ELLIPSIS, sizeof(ELLIPSIS) - 1));
}

static bool is_limiter(const rl_subject *subject)
{
	return subject->kind == RL_KIND_LIMITER || subject->kind == RL_KIND_ELSEWHERE;
}

/* Returns the bytes in front of the name itself: a label and a NUL, of limits with identities of their own; 0: there are none. */
static size_t label_bytes(const rl_subject *subject)
{
	return subject->label_len > 0 && subject->label_len < subject->name_len ? subject->label_len + 1u : 0;
}

static void add_subject(zval *row, const rl_subject *subject)
{
	size_t skipped = label_bytes(subject);

	add_assoc_string(row, "kind",
		php_ratelimit_kind_name(is_limiter(subject) ? RL_KIND_LIMITER : (rl_kind) subject->kind));
	add_text(row, "name", subject->name + skipped, subject->name_len - skipped, subject->name_cut);
	if (skipped > 0) {
		add_assoc_stringl(row, "by", subject->name, skipped - 1);
	} else {
		add_assoc_null(row, "by");
	}
	if (subject->is_int) {
		add_assoc_long(row, "identity", (zend_long) subject->int_id);
	} else {
		add_text(row, "identity", subject->id, subject->id_len, subject->id_cut);
	}
	add_assoc_bool(row, "elsewhere", subject->kind == RL_KIND_ELSEWHERE);
}

static double unix_time(int64_t wall_us)
{
	return (double) wall_us / RL_US_PER_SECOND;
}

static void add_limit_name(zval *row, const rl_sketch_row *hitter)
{
	char label[RL_LIMIT_LABEL_MAX];
	size_t length = 0;

	if (hitter->limit > 0 && is_limiter(&hitter->subject) && !hitter->subject.name_cut) {
		size_t skipped = label_bytes(&hitter->subject);
		const rl_meter *meter = rl_metrics_of(RL_KIND_LIMITER, hitter->subject.name + skipped,
			hitter->subject.name_len - skipped);

		length = meter ? rl_metrics_limit_label(meter, hitter->limit - 1, label) : 0;
	}
	if (length > 0) {
		add_assoc_stringl(row, "limit", label, length);
	} else {
		add_assoc_null(row, "limit");
	}
}

/* Reads the argument $count. Returns 0 with an exception thrown. */
static size_t rows_wanted(INTERNAL_FUNCTION_PARAMETERS, zend_long count)
{
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(count)
	ZEND_PARSE_PARAMETERS_END_EX(return 0);

	php_ratelimit_guard(); /* the first use */
	return php_ratelimit_check_range("$count", count, 1, ROWS_MAX) ? (size_t) count : 0;
}

ZEND_METHOD(FrequencyLimit_Monitor, top)
{
	size_t room = rows_wanted(INTERNAL_FUNCTION_PARAM_PASSTHRU, 10), n;
	rl_sketch_row *rows;

	if (room == 0) {
		RETURN_THROWS();
	}
	rows = safe_emalloc(room, sizeof(*rows), 0);
	n = RATELIMIT_G(top) ? rl_sketch_top(rows, room) : 0;
	array_init_size(return_value, (uint32_t) n);
	for (size_t i = 0; i < n; i++) {
		zval row;

		array_init_size(&row, 9);
		add_subject(&row, &rows[i].subject);
		add_assoc_long(&row, "refusals", (zend_long) rows[i].refusals);
		add_assoc_long(&row, "error", (zend_long) rows[i].error);
		add_limit_name(&row, &rows[i]);
		add_assoc_double(&row, "last", unix_time(rows[i].last_us));
		add_next_index_zval(return_value, &row);
	}
	efree(rows);
}

ZEND_METHOD(FrequencyLimit_Monitor, bans)
{
	size_t room = rows_wanted(INTERNAL_FUNCTION_PARAM_PASSTHRU, 100), n;
	rl_ban_row *rows;

	if (room == 0) {
		RETURN_THROWS();
	}
	rows = safe_emalloc(room, sizeof(*rows), 0);
	n = rl_ban_list_read(rows, room, !RATELIMIT_G(top));
	array_init_size(return_value, (uint32_t) n);
	for (size_t i = 0; i < n; i++) {
		zval row;

		array_init_size(&row, 7);
		add_subject(&row, &rows[i].subject);
		add_assoc_double(&row, "end", unix_time(rl_clock_wall_us() + rows[i].left_us));
		add_assoc_long(&row, "level", (zend_long) rows[i].level);
		add_next_index_zval(return_value, &row);
	}
	efree(rows);
}

/* ---- history() ---- */

ZEND_METHOD(FrequencyLimit_Monitor, history)
{
	static const char *const names[RL_TOTALS] = {"decisions", "refused", "banned", "fallback", "errors"};
	rl_history_point points[RL_HISTORY_ROOM + 1];
	size_t n;

	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_guard(); /* the first use */
	n = rl_history_read(points);
	array_init_size(return_value, (uint32_t) n);
	for (size_t i = 0; i + 1 < n; i++) {
		zval row;

		array_init_size(&row, 7);
		add_assoc_double(&row, "time", unix_time(points[i].wall_us));
		add_assoc_double(&row, "seconds", (double) (points[i + 1].us - points[i].us) / RL_US_PER_SECOND);
		for (unsigned t = 0; t < RL_TOTALS; t++) {
			add_assoc_long(&row, names[t], (zend_long) (points[i + 1].totals[t] - points[i].totals[t]));
		}
		add_next_index_zval(return_value, &row);
	}
}
