#include "php_ratelimit.h"

#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "classes.h"
#include "result.h"

/* The declared properties, in the order of the stub: they are filled in by number, which readonly lets us do. */
enum {
	PROP_ACCEPTED,
	PROP_REASON,
	PROP_LIMIT,
	PROP_REMAINING,
	PROP_RETRY_AFTER,
	PROP_RESET_AFTER,
	PROP_NAME,
	PROP_STORE,
};

/* The headers are whole numbers: they are made of what was decided, not of the floats that PHP was told. */
typedef struct {
	int64_t retry_after_us;
	int64_t reset_after_us;
	int64_t window_us;
	zend_object std;
} php_ratelimit_result;

static zend_object_handlers handlers;

/* By rl_reason and rl_source. */
static zend_string *reason_names[RL_STORE_UNAVAILABLE + 1];
static zend_string *source_names[RL_FROM_CACHE + 1];

static php_ratelimit_result *from_object(zend_object *object)
{
	return (php_ratelimit_result *) ((char *) object - XtOffsetOf(php_ratelimit_result, std));
}

static zend_object *create(zend_class_entry *ce)
{
	php_ratelimit_result *result = zend_object_alloc(sizeof(*result), ce);

	zend_object_std_init(&result->std, ce);
	object_properties_init(&result->std, ce);
	result->std.handlers = &handlers;
	return &result->std;
}

void php_ratelimit_result_startup(void)
{
	static const char *const reasons[] = {"Accepted", "Limited", "Banned", "TooExpensive", "StoreUnavailable"};
	static const char *const sources[] = {"shm", "redis", "local", "cache"};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		reason_names[i] = zend_string_init_interned(reasons[i], strlen(reasons[i]), true);
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		source_names[i] = zend_string_init_interned(sources[i], strlen(sources[i]), true);
	}
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(php_ratelimit_result, std);
	handlers.clone_obj = NULL;
	php_ratelimit_ce_result->create_object = create;
}

void php_ratelimit_result_init(zval *return_value, const rl_decision *d, zend_string *name, int64_t window_us)
{
	php_ratelimit_result *result;
	zend_object *object;

	object_init_ex(return_value, php_ratelimit_ce_result);
	object = Z_OBJ_P(return_value);
	result = from_object(object);
	result->retry_after_us = d->retry_after_us;
	result->reset_after_us = d->reset_after_us;
	result->window_us = window_us;

	ZVAL_BOOL(OBJ_PROP_NUM(object, PROP_ACCEPTED), d->accepted);
	ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, PROP_REASON),
		zend_enum_get_case(php_ratelimit_ce_reason, reason_names[d->reason]));
	ZVAL_LONG(OBJ_PROP_NUM(object, PROP_LIMIT), (zend_long) d->limit);
	ZVAL_LONG(OBJ_PROP_NUM(object, PROP_REMAINING), (zend_long) d->remaining);
	if (d->retry_after_us == RL_NEVER) {
		ZVAL_NULL(OBJ_PROP_NUM(object, PROP_RETRY_AFTER));
	} else {
		ZVAL_DOUBLE(OBJ_PROP_NUM(object, PROP_RETRY_AFTER), (double) d->retry_after_us / 1e6);
	}
	ZVAL_DOUBLE(OBJ_PROP_NUM(object, PROP_RESET_AFTER), (double) d->reset_after_us / 1e6);
	if (name) {
		ZVAL_STR_COPY(OBJ_PROP_NUM(object, PROP_NAME), name);
	} else {
		ZVAL_NULL(OBJ_PROP_NUM(object, PROP_NAME));
	}
	ZVAL_INTERNED_STR(OBJ_PROP_NUM(object, PROP_STORE), source_names[d->source]);
}

static int64_t ceil_seconds(int64_t us)
{
	return us / RL_US_PER_SECOND + (us % RL_US_PER_SECOND > 0);
}

ZEND_METHOD(FrequencyLimit_Result, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(FrequencyLimit_Result, ensureAccepted)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS), *exception;
	php_ratelimit_result *result = from_object(object);
	zend_property_info *info;
	zval *name = OBJ_PROP_NUM(object, PROP_NAME);
	const char *shown;

	ZEND_PARSE_PARAMETERS_NONE();
	if (EXPECTED(Z_TYPE_P(OBJ_PROP_NUM(object, PROP_ACCEPTED)) == IS_TRUE)) {
		RETURN_OBJ_COPY(object);
	}
	shown = Z_TYPE_P(name) == IS_STRING ? Z_STRVAL_P(name) : "limit";
	if (result->retry_after_us == RL_NEVER) {
		exception = zend_throw_exception_ex(php_ratelimit_ce_limit_exceeded, 429,
			"Too expensive for \"%s\" (" ZEND_LONG_FMT "): never passes", shown,
			Z_LVAL_P(OBJ_PROP_NUM(object, PROP_LIMIT)));
	} else {
		exception = zend_throw_exception_ex(php_ratelimit_ce_limit_exceeded, 429,
			"Too often for \"%s\" (" ZEND_LONG_FMT "): passes again in %" PRId64 " s", shown,
			Z_LVAL_P(OBJ_PROP_NUM(object, PROP_LIMIT)), ceil_seconds(result->retry_after_us));
	}
	info = zend_hash_str_find_ptr(&php_ratelimit_ce_limit_exceeded->properties_info, ZEND_STRL("result"));
	ZVAL_OBJ_COPY(OBJ_PROP(exception, info->offset), object);
}

/* A structured field's string (RFC 8941): what is not printable ASCII cannot be in it, and a name has nothing else. */
static void append_sf_string(smart_str *s, const zval *name)
{
	const char *p = Z_TYPE_P(name) == IS_STRING ? Z_STRVAL_P(name) : "default";

	smart_str_appendc(s, '"');
	for (; *p; p++) {
		if (*p == '"' || *p == '\\') {
			smart_str_appendc(s, '\\');
		}
		smart_str_appendc(s, *p);
	}
	smart_str_appendc(s, '"');
}

static void append_parameter(smart_str *s, const char *key, int64_t value)
{
	smart_str_appends(s, key);
	smart_str_append_printf(s, "%" PRId64, value);
}

ZEND_METHOD(FrequencyLimit_Result, headers)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);
	php_ratelimit_result *result = from_object(object);
	bool accepted = Z_TYPE_P(OBJ_PROP_NUM(object, PROP_ACCEPTED)) == IS_TRUE;
	bool again = !accepted && result->retry_after_us != RL_NEVER;
	int64_t retry_s = MAX(ceil_seconds(result->retry_after_us), 1);
	smart_str policy = {0}, state = {0};

	ZEND_PARSE_PARAMETERS_NONE();
	append_sf_string(&policy, OBJ_PROP_NUM(object, PROP_NAME));
	append_parameter(&policy, ";q=", Z_LVAL_P(OBJ_PROP_NUM(object, PROP_LIMIT)));
	append_parameter(&policy, ";w=", MAX(ceil_seconds(result->window_us), 1));

	/* The draft wants no Retry-After that is earlier than t. */
	append_sf_string(&state, OBJ_PROP_NUM(object, PROP_NAME));
	append_parameter(&state, ";r=", Z_LVAL_P(OBJ_PROP_NUM(object, PROP_REMAINING)));
	append_parameter(&state, ";t=", again ? retry_s : ceil_seconds(result->reset_after_us));

	array_init_size(return_value, 3);
	add_assoc_str(return_value, "RateLimit-Policy", smart_str_extract(&policy));
	add_assoc_str(return_value, "RateLimit", smart_str_extract(&state));
	if (again) {
		zend_string *seconds = zend_strpprintf(0, "%" PRId64, retry_s);

		add_assoc_str(return_value, "Retry-After", seconds);
	}
}
