#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_modules.h"
#include "zend_exceptions.h"

#include "time_zone.h"

/* The distance between two samples of a zone's offsets. Bisection finds a change between two samples. Two changes
 * between them that cancel out stay unseen; no zone has ever had such a pair. */
#define LOOK (INT64_C(6) * 3600)

/* No change moves a zone's clock by as much: some skipped a day. */
#define JUMP_MAX (INT64_C(27) * 3600)

/* ---- The offset at a moment ---- */

void php_ratelimit_call_date(zend_function *method, zend_object *object, zval *result, zval *argument)
{
	zend_execute_data *call = zend_vm_stack_push_call_frame(ZEND_CALL_TOP_FUNCTION | ZEND_CALL_HAS_THIS, method,
		argument != NULL, object);

	if (argument) {
		ZVAL_COPY(ZEND_CALL_ARG(call, 1), argument);
	}
	call->prev_execute_data = EG(current_execute_data);
	EG(current_execute_data) = call;
	ZVAL_NULL(result);
	method->internal_function.handler(call, result);
	EG(current_execute_data) = call->prev_execute_data;
	zend_vm_stack_free_args(call);
	zend_vm_stack_free_call_frame(call);
	if (UNEXPECTED(EG(exception))) {
		zval_ptr_dtor(result);
		ZVAL_UNDEF(result);
		if (EG(current_execute_data) && EG(current_execute_data)->func
			&& ZEND_USER_CODE(EG(current_execute_data)->func->common.type)) {
			zend_throw_exception_internal(NULL);
		}
	}
}

zend_string *php_ratelimit_format_date(zend_object *date, const char *format)
{
	zend_class_entry *ce = instanceof_function(date->ce, php_date_get_immutable_ce()) ? php_date_get_immutable_ce()
																					  : php_date_get_date_ce();
	zval argument, result;

	ZVAL_STRING(&argument, format);
	php_ratelimit_call_date(zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("format")), date, &result, &argument);
	zval_ptr_dtor(&argument);
	return Z_TYPE(result) == IS_STRING ? Z_STR(result) : NULL;
}

static void construct(zval *object, zend_class_entry *ce, zval *argument)
{
	zval nothing;

	object_init_ex(object, ce);
	php_ratelimit_call_date(ce->constructor, Z_OBJ_P(object), &nothing, argument);
}

bool php_ratelimit_zone_open(php_ratelimit_zone *zone, zend_string *name)
{
	zend_class_entry *zone_ce = php_date_get_timezone_ce(), *date_ce = php_date_get_date_ce();
	zval argument;

	ZVAL_UNDEF(&zone->date);
	ZVAL_STR(&argument, name);
	construct(&zone->timezone, zone_ce, &argument);
	if (!EG(exception)) {
		ZVAL_STR(&argument, zend_string_init("@0", 2, false));
		construct(&zone->date, date_ce, &argument);
		zval_ptr_dtor(&argument);
	}
	zone->offset = zend_hash_str_find_ptr(&zone_ce->function_table, ZEND_STRL("getoffset"));
	zone->set = zend_hash_str_find_ptr(&date_ce->function_table, ZEND_STRL("settimestamp"));
	return !EG(exception);
}

void php_ratelimit_zone_close(php_ratelimit_zone *zone)
{
	zval_ptr_dtor(&zone->timezone);
	zval_ptr_dtor(&zone->date);
}

int64_t php_ratelimit_zone_offset(php_ratelimit_zone *zone, int64_t t)
{
	zval argument, result;

	ZVAL_LONG(&argument, (zend_long) t);
	php_ratelimit_call_date(zone->set, Z_OBJ(zone->date), &result, &argument);
	zval_ptr_dtor(&result);
	php_ratelimit_call_date(zone->offset, Z_OBJ(zone->timezone), &result, &zone->date);
	return Z_TYPE(result) == IS_LONG ? Z_LVAL(result) : 0;
}

/* Moves two moments to both sides of a change: one has the offset, the other has not. */
static void zone_narrow(php_ratelimit_zone *zone, int64_t offset, int64_t *same, int64_t *other)
{
	while (*other - *same > 1 || *same - *other > 1) {
		int64_t middle = *same + (*other - *same) / 2;

		*(php_ratelimit_zone_offset(zone, middle) == offset ? same : other) = middle;
	}
}

int64_t php_ratelimit_zone_change_after(php_ratelimit_zone *zone, int64_t from, int64_t to)
{
	int64_t offset = php_ratelimit_zone_offset(zone, from);

	for (int64_t same = from; same < to;) {
		int64_t other = MIN(same + LOOK, to);

		if (php_ratelimit_zone_offset(zone, other) == offset) {
			same = other;
			continue;
		}
		zone_narrow(zone, offset, &same, &other);
		return other;
	}
	return to + 1;
}

int64_t php_ratelimit_zone_same_since(php_ratelimit_zone *zone, int64_t from, int64_t to)
{
	int64_t offset = php_ratelimit_zone_offset(zone, to);

	for (int64_t same = to; same > from;) {
		int64_t other = MAX(same - LOOK, from);

		if (php_ratelimit_zone_offset(zone, other) == offset) {
			same = other;
			continue;
		}
		zone_narrow(zone, offset, &same, &other);
		return same;
	}
	return from;
}

int64_t php_ratelimit_zone_first_at(php_ratelimit_zone *zone, int64_t local)
{
	/* Up to here the clock has shown earlier times only. */
	for (int64_t t = local - php_ratelimit_zone_offset(zone, local) - JUMP_MAX;;) {
		int64_t at = local - php_ratelimit_zone_offset(zone, t), change = php_ratelimit_zone_change_after(zone, t, at);

		if (change > at) {
			return at;
		}
		if (change + php_ratelimit_zone_offset(zone, change) >= local) {
			return change;
		}
		t = change;
	}
}

/* ---- Names ---- */

/* Returns a zone's name as the worker has cached it, a new string; NULL: it has not. */
static zend_string *cached_zone_name(const char *given, size_t length)
{
	const php_ratelimit_zone_names *names = RATELIMIT_G(zone_names);

	for (uint32_t i = 0; i < PHP_RATELIMIT_ZONES_ROOM; i++) {
		if (names->entries[i].given[0] && strcmp(names->entries[i].given, given) == 0 && strlen(given) == length) {
			return zend_string_init(names->entries[i].name, strlen(names->entries[i].name), false);
		}
	}
	return NULL;
}

static void cache_zone_name(const char *given, size_t length, const zend_string *name)
{
	php_ratelimit_zone_names *names = RATELIMIT_G(zone_names);

	if (length < PHP_RATELIMIT_ZONE_BYTES && ZSTR_LEN(name) < PHP_RATELIMIT_ZONE_BYTES) {
		memcpy(names->entries[names->next].given, given, length + 1);
		memcpy(names->entries[names->next].name, ZSTR_VAL(name), ZSTR_LEN(name) + 1);
		names->next = (names->next + 1) % PHP_RATELIMIT_ZONES_ROOM;
	}
}

/* Returns a zone's name by PHP's date classes. */
static zend_string *find_zone_name(zend_string *given)
{
	zval timezone, argument, result;
	zend_class_entry *ce = php_date_get_timezone_ce();

	ZVAL_STR(&argument, given);
	ZVAL_UNDEF(&result);
	construct(&timezone, ce, &argument);
	if (EG(exception)) {
		zend_clear_exception();
	} else {
		php_ratelimit_call_date(zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("getname")), Z_OBJ(timezone),
			&result, NULL);
	}
	zval_ptr_dtor(&timezone);
	return Z_TYPE(result) == IS_STRING ? Z_STR(result) : NULL;
}

/* The module that has the default time zone. */
static const zend_module_entry *date_module;

void php_ratelimit_zones_startup(void)
{
	date_module = zend_hash_str_find_ptr(&module_registry, ZEND_STRL("date"));
}

const char *php_ratelimit_default_zone(void)
{
#ifdef ZTS
	const zend_date_globals *date = TSRMG_BULK(*date_module->globals_id_ptr, zend_date_globals *);
#else
	const zend_date_globals *date = date_module->globals_ptr;
#endif
	if (date->timezone && date->timezone[0]) {
		return date->timezone;
	}
	return date->default_timezone && date->default_timezone[0] ? date->default_timezone : "UTC";
}

/* Returns the default zone's name by PHP's date extension, which reads the zone's file once in a request. */
static zend_string *find_default_zone_name(void)
{
	timelib_tzinfo *info = get_timezone_info();

	return info ? zend_string_init(info->name, strlen(info->name), false) : NULL;
}

zend_string *php_ratelimit_zone_name(zend_string *given)
{
	const char *text = given ? ZSTR_VAL(given) : php_ratelimit_default_zone();
	size_t length = given ? ZSTR_LEN(given) : strlen(text);
	zend_string *name = cached_zone_name(text, length);

	if (!name) {
		name = given ? find_zone_name(given) : find_default_zone_name();
		if (name) {
			cache_zone_name(text, length, name);
		}
	}
	return name;
}
