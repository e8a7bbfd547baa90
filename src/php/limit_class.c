#include "php_ratelimit.h"

#include "ext/date/php_date.h"
#include "zend_enum.h"
#include "zend_exceptions.h"

#include "arguments.h"
#include "classes.h"
#include "limit_object.h"
#include "src/shm/clock.h"

typedef struct {
	php_ratelimit_limit data;
	zend_object std;
} limit_object;

static zend_object_handlers handlers;

static limit_object *from_object(zend_object *object)
{
	return (limit_object *) ((char *) object - XtOffsetOf(limit_object, std));
}

php_ratelimit_limit *php_ratelimit_limit_of(zend_object *object)
{
	php_ratelimit_limit *data = &from_object(object)->data;

	if (EXPECTED(data->limit.algorithm)) {
		return data;
	}
	zend_throw_error(NULL, "The FrequencyLimit\\Limit is empty: make it by a factory method, as Limit::fixedWindow()");
	return NULL;
}

static zend_object *limit_create(zend_class_entry *ce)
{
	limit_object *object = zend_object_alloc(sizeof(*object), ce);

	memset(&object->data, 0, sizeof(object->data));
	zend_object_std_init(&object->std, ce);
	object_properties_init(&object->std, ce);
	object->std.handlers = &handlers;
	return &object->std;
}

static zend_object *copy(zend_object *old)
{
	zend_object *new = limit_create(old->ce);
	php_ratelimit_limit *data = &from_object(new)->data;

	*data = from_object(old)->data;
	if (data->name) {
		zend_string_addref(data->name);
	}
	if (data->zone) {
		zend_string_addref(data->zone);
	}
	if (data->by) {
		zend_string_addref(data->by);
	}
	zend_objects_clone_members(new, old);
	return new;
}

static void limit_release(zend_object *object)
{
	php_ratelimit_limit *data = &from_object(object)->data;

	if (data->name) {
		zend_string_release(data->name);
	}
	if (data->zone) {
		zend_string_release(data->zone);
	}
	if (data->by) {
		zend_string_release(data->by);
	}
	zend_object_std_dtor(object);
}

void php_ratelimit_limit_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(limit_object, std);
	handlers.free_obj = limit_release;
	handlers.clone_obj = copy;
	handlers.compare = zend_objects_not_comparable; /* they have no properties to compare */
	php_ratelimit_ce_limit->create_object = limit_create;
}

/* Returns the core's number of a case of Period: both are in the order of the stub. */
static rl_period period_of(zend_object *period)
{
	static const char *const values[] = {"minute", "hour", "day", "week", "month"};
	const char *value = Z_STRVAL_P(zend_enum_fetch_case_value(period));
	unsigned i = 0;

	while (i < RL_MONTH - RL_MINUTE && strcmp(value, values[i]) != 0) {
		i++;
	}
	return (rl_period) (RL_MINUTE + i);
}

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Limit, __construct)
{
	zend_throw_error(NULL, "A FrequencyLimit\\Limit is made by a factory method, as Limit::fixedWindow()");
}

/* Makes the Limit that a factory method returns, with its algorithm and its number. */
static php_ratelimit_limit *limit_make(zval *return_value, rl_algorithm algorithm, zend_long limit)
{
	php_ratelimit_limit *data;

	object_init_ex(return_value, php_ratelimit_ce_limit);
	data = &from_object(Z_OBJ_P(return_value))->data;
	data->limit.algorithm = algorithm;
	data->limit.limit = (uint64_t) limit;
	return data;
}

/* Makes the copy of $this that a with-method changes and returns. Returns NULL with an Error thrown, if $this is
 * empty. */
static php_ratelimit_limit *make_copy(zval *return_value, zval *this)
{
	if (!php_ratelimit_limit_of(Z_OBJ_P(this))) {
		return NULL;
	}
	RETVAL_OBJ(copy(Z_OBJ_P(this)));
	return &from_object(Z_OBJ_P(return_value))->data;
}

/* Implements the factory methods of the four algorithms that take a number and a time. */
static void windowed(INTERNAL_FUNCTION_PARAMETERS, rl_algorithm algorithm, int64_t max)
{
	zend_long limit;
	zval *seconds;
	int64_t period_us;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_LONG(limit)
		Z_PARAM_NUMBER(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$limit", limit, 1, max)
		|| !php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &period_us)) {
		RETURN_THROWS();
	}
	limit_make(return_value, algorithm, limit)->limit.period_us = period_us;
}

ZEND_METHOD(FrequencyLimit_Limit, fixedWindow)
{
	windowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_FIXED_WINDOW, RL_LIMIT_MAX);
}

ZEND_METHOD(FrequencyLimit_Limit, slidingLog)
{
	windowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_SLIDING_LOG, RL_LOG_LIMIT_MAX);
}

ZEND_METHOD(FrequencyLimit_Limit, slidingWindow)
{
	windowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_SLIDING_WINDOW, RL_LIMIT_MAX);
}

ZEND_METHOD(FrequencyLimit_Limit, concurrent)
{
	windowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_CONCURRENT, RL_LOG_LIMIT_MAX);
}

ZEND_METHOD(FrequencyLimit_Limit, calendar)
{
	zend_long limit;
	zend_object *period;
	zend_string *timezone = NULL, *zone;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_LONG(limit)
		Z_PARAM_OBJ_OF_CLASS(period, php_ratelimit_ce_period)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(timezone)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$limit", limit, 1, RL_LIMIT_MAX)) {
		RETURN_THROWS();
	}
	zone = php_ratelimit_zone_name(timezone);
	if (!zone) {
		if (!EG(exception)) {
			php_ratelimit_invalid("$timezone must be a time zone that DateTimeZone takes, \"%.64s\" given",
				timezone ? ZSTR_VAL(timezone) : "");
		}
		RETURN_THROWS();
	}
	data = limit_make(return_value, RL_CALENDAR_WINDOW, limit);
	data->limit.period = period_of(period);
	data->zone = zone;
}

/* Returns whether a bucket of this size takes more than ten years to fill: burst * period_us > RL_PERIOD_MAX_US * rate.
 * The products have up to 89 bits. */
static bool fills_too_slowly(int64_t burst, int64_t period_us, int64_t rate)
{
	return (unsigned __int128) burst * (unsigned __int128) period_us
		> (unsigned __int128) RL_PERIOD_MAX_US * (unsigned __int128) rate;
}

ZEND_METHOD(FrequencyLimit_Limit, tokenBucket)
{
	zend_long rate, burst = 0;
	zval *seconds;
	bool burst_is_null = true;
	int64_t period_us;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_LONG(rate)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG_OR_NULL(burst, burst_is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (burst_is_null) {
		burst = rate;
	}
	if (!php_ratelimit_check_range("$rate", rate, 1, RL_LIMIT_MAX)
		|| !php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &period_us)
		|| !php_ratelimit_check_range("$burst", burst, 1, RL_LIMIT_MAX)) {
		RETURN_THROWS();
	}
	if (fills_too_slowly(burst, period_us, rate)) {
		php_ratelimit_invalid("$burst must fill within %" PRId64 " seconds, " ZEND_LONG_FMT
							  " given, which at $rate " ZEND_LONG_FMT " takes longer",
			RL_SECONDS_MAX, burst, rate);
		RETURN_THROWS();
	}
	data = limit_make(return_value, RL_TOKEN_BUCKET, burst);
	data->limit.rate = (uint64_t) rate;
	data->limit.period_us = period_us;
}

/* Makes the copy that ban() or banUntil() changes. A concurrent limit has no ban: its refusal depends on how long others hold
 * their places. given: the argument, for the message. */
static php_ratelimit_limit *make_banning_copy(zval *return_value, zval *this, const char *argument, const zval *given)
{
	php_ratelimit_limit *data = php_ratelimit_limit_of(Z_OBJ_P(this));

	if (data && data->limit.algorithm == RL_CONCURRENT) {
		zend_string *shown = Z_TYPE_P(given) == IS_OBJECT ? zend_string_copy(Z_OBJCE_P(given)->name)
														  : zval_get_string((zval *) given);

		php_ratelimit_invalid("%s must not be set on a concurrent limit, which has no ban: %s given", argument,
			ZSTR_VAL(shown));
		zend_string_release(shown);
		return NULL;
	}
	return data ? make_copy(return_value, this) : NULL;
}

ZEND_METHOD(FrequencyLimit_Limit, ban)
{
	zval *seconds;
	int64_t ban_us;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_NUMBER(seconds)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_duration("$seconds", seconds, RL_PERIOD_MIN_US, &ban_us)) {
		RETURN_THROWS();
	}
	data = make_banning_copy(return_value, ZEND_THIS, "$seconds", seconds);
	if (!data) {
		RETURN_THROWS();
	}
	data->limit.ban = RL_BAN_FOR;
	data->limit.ban_us = ban_us;
	data->ban_period = 0;
}

ZEND_METHOD(FrequencyLimit_Limit, banUntil)
{
	zval *end;
	int64_t ban_us = 0;
	rl_period period = 0;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(end)
	ZEND_PARSE_PARAMETERS_END();

	if (Z_TYPE_P(end) == IS_OBJECT && Z_OBJCE_P(end) == php_ratelimit_ce_period) {
		period = period_of(Z_OBJ_P(end));
	} else if (Z_TYPE_P(end) == IS_OBJECT && instanceof_function(Z_OBJCE_P(end), php_date_get_interface_ce())) {
		int64_t latest_us = rl_clock_wall_us() + RL_PERIOD_MAX_US;

		if (!php_ratelimit_moment("$end", end, &ban_us)) {
			RETURN_THROWS();
		}
		if (ban_us > latest_us) {
			php_ratelimit_invalid("$end must be at most %" PRId64 ", ten years from now, %" PRId64 " given",
				latest_us / RL_US_PER_SECOND, ban_us / RL_US_PER_SECOND);
			RETURN_THROWS();
		}
	} else {
		zend_argument_type_error(1, "must be of type FrequencyLimit\\Period|DateTimeInterface, %s given",
			zend_zval_type_name(end));
		RETURN_THROWS();
	}
	data = make_banning_copy(return_value, ZEND_THIS, "$end", end);
	if (!data) {
		RETURN_THROWS();
	}
	data->limit.ban = RL_BAN_UNTIL;
	data->limit.ban_us = ban_us;
	data->ban_period = period;
	if (period && !data->zone) {
		data->zone = php_ratelimit_zone_name(NULL);
	}
}

bool php_ratelimit_limit_check_name(const char *argument, const zend_string *name)
{
	if (!php_ratelimit_check_bytes(argument, name, RL_LIMIT_NAME_MAX)) {
		return false;
	}
	for (size_t i = 0; i < ZSTR_LEN(name); i++) {
		if (ZSTR_VAL(name)[i] < 0x20 || ZSTR_VAL(name)[i] > 0x7e) {
			php_ratelimit_invalid("%s must be printable ASCII, byte 0x%02x given at %zu", argument,
				(unsigned char) ZSTR_VAL(name)[i], i);
			return false;
		}
	}
	return true;
}

ZEND_METHOD(FrequencyLimit_Limit, named)
{
	zend_string *name;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_limit_check_name("$name", name)) {
		RETURN_THROWS();
	}
	data = make_copy(return_value, ZEND_THIS);
	if (!data) {
		RETURN_THROWS();
	}
	if (data->name) {
		zend_string_release(data->name);
	}
	data->name = zend_string_copy(name);
}

ZEND_METHOD(FrequencyLimit_Limit, by)
{
	zend_string *identity;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(identity)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_limit_check_name("$identity", identity)) {
		RETURN_THROWS();
	}
	data = make_copy(return_value, ZEND_THIS);
	if (!data) {
		RETURN_THROWS();
	}
	if (data->by) {
		zend_string_release(data->by);
	}
	data->by = zend_string_copy(identity);
}

ZEND_METHOD(FrequencyLimit_Limit, leased)
{
	zend_long permits;
	php_ratelimit_limit *data;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(permits)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_ratelimit_check_range("$permits", permits, 1, RL_COUNTER_MAX)) {
		RETURN_THROWS();
	}
	data = make_copy(return_value, ZEND_THIS);
	if (!data) {
		RETURN_THROWS();
	}
	if (data->limit.algorithm != RL_FIXED_WINDOW && data->limit.algorithm != RL_CALENDAR_WINDOW) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
		php_ratelimit_invalid("$permits can be leased of a fixed or calendar window only, " ZEND_LONG_FMT
							  " of another algorithm given",
			permits);
		RETURN_THROWS();
	}
	/* The lease comes on top of the permit of the call that takes the batch. */
	data->limit.lease = (uint32_t) permits - 1;
}
