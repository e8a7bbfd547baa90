#include "php_ratelimit.h"

#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "result.h"
#include "src/compiler.h"
#include "../base/optional_string.h"

/* The HTTP status of a LimitExceeded. */
#define CODE 429

/* The second one is for a Result with names or several limits, and for one that no decision made: it has more to free. */
static php_ratelimit_lazy_handlers handlers, handlers_of_more;

/* The names of reasons and sources, by rl_reason and rl_source. */
static zend_string *reason_names[RL_STORE_UNAVAILABLE + 1];
static zend_string *source_names[RL_FROM_REFUSE + 1];

#define RESULT_BYTES (sizeof(php_ratelimit_result) + (PHP_RATELIMIT_RESULT_PROPERTIES - 1) * sizeof(zval))

/* Makes an object without its fields and properties, which the caller fills in. The class is final: emalloc() is faster
 * with a constant size. several: with room for what each limit has left. */
static zend_always_inline php_ratelimit_result *create_bare(zend_class_entry *ce,
	const php_ratelimit_lazy_handlers *with, bool several)
{
	php_ratelimit_result *result = UNEXPECTED(several)
		? emalloc(RESULT_BYTES + RL_LIMITS_MAX * sizeof(php_ratelimit_left))
		: emalloc(RESULT_BYTES);

	zend_object_std_init(&result->std, ce);
	GC_ADD_FLAGS(&result->std, GC_NOT_COLLECTABLE);
	result->std.handlers = &with->of_object;
	return result;
}

/* Makes the object of a Result that no decision made: other code may write its properties. */
static zend_object *result_create(zend_class_entry *ce)
{
	php_ratelimit_result *result = create_bare(ce, &handlers_of_more, false);

	memset(result, 0, offsetof(php_ratelimit_result, std));
	object_properties_init(&result->std, ce);
	return &result->std;
}

/* Frees a Result without names. Its properties hold at most one reference, to a case of an enum, which has others. Code that
 * writes a readonly property does so through the table of properties. */
static RL_HOT void result_free(zend_object *object)
{
	zval *reason = OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_REASON);

	if (UNEXPECTED(object->properties || (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED))) {
		zend_object_std_dtor(object);
	} else if (!Z_ISUNDEF_P(reason)) {
		zval_ptr_dtor_nogc(reason);
	}
}

static zend_always_inline void policy_addref(const php_ratelimit_policy *policy)
{
	(void) php_ratelimit_string_copy(policy->name);
	(void) php_ratelimit_string_copy(policy->unit);
}

static zend_always_inline void policy_delref(const php_ratelimit_policy *policy)
{
	php_ratelimit_string_release(policy->name);
	php_ratelimit_string_release(policy->unit);
}

static zend_never_inline void free_more(php_ratelimit_result_more *more)
{
	for (unsigned i = 0; i < more->n_policies; i++) {
		policy_delref(&more->policies[i]);
	}
	if (more->policies) {
		pefree(more->policies, more->is_kept);
	}
	php_ratelimit_string_release(more->subject);
	pefree(more, more->is_kept);
}

void php_ratelimit_policies_release(php_ratelimit_result_more *policies)
{
	if (--policies->references == 0) {
		free_more(policies);
	}
}

/* Returns whether a property has a reference that result_free() does not know. */
static zend_always_inline bool has_own_values(zend_object *object)
{
	return Z_REFCOUNTED_P(OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_NAME))
		|| Z_REFCOUNTED_P(OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_SHADOW))
		|| Z_REFCOUNTED_P(OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_LIMITS));
}

static void result_release(zend_object *object)
{
	php_ratelimit_result *result = php_ratelimit_result_of(object);

	policy_delref(&result->policy);
	if (result->more) {
		php_ratelimit_policies_release(result->more);
	}
	if (EXPECTED(result->decision.exists && !has_own_values(object))) {
		result_free(object);
	} else {
		zend_object_std_dtor(object);
	}
}

void php_ratelimit_result_startup(void (*set)(php_ratelimit_lazy_handlers *handlers))
{
	static const char *const reasons[] = {"Accepted", "Limited", "Banned", "TooExpensive", "StoreUnavailable"};
	static const char *const sources[] = {"shm", "redis", "local", "cache", "lease", "exempt", "refuse"};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		reason_names[i] = zend_string_init_interned(reasons[i], strlen(reasons[i]), true);
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		source_names[i] = zend_string_init_interned(sources[i], strlen(sources[i]), true);
	}
	set(&handlers);
	handlers.of_object.offset = offsetof(php_ratelimit_result, std);
	handlers.of_object.clone_obj = NULL;
	handlers.of_object.free_obj = result_free;
	handlers_of_more = handlers;
	handlers_of_more.of_object.free_obj = result_release;
	php_ratelimit_ce_result->create_object = result_create;
}

/* Looks a case up once in a request: the class keeps the object until the request ends. */
zend_object *php_ratelimit_reason_case(rl_reason reason)
{
	zend_object **known = &RATELIMIT_G(reasons)[reason];

	if (UNEXPECTED(!*known)) {
		*known = zend_enum_get_case(php_ratelimit_ce_reason, reason_names[reason]);
	}
	return *known;
}

rl_reason php_ratelimit_reason_number(zend_object *reason)
{
	const zend_string *name = Z_STR_P(zend_enum_fetch_case_name(reason));
	unsigned i = RL_ACCEPTED;

	while (i < RL_STORE_UNAVAILABLE && !zend_string_equals(name, reason_names[i])) {
		i++;
	}
	return (rl_reason) i;
}

/* Marks the properties as not made. Unrolled, each is one store. */
static zend_always_inline void clear_properties(zend_object *object)
{
	RL_UNROLL(16)
	for (unsigned i = PHP_RATELIMIT_RESULT_ACCEPTED; i < PHP_RATELIMIT_RESULT_PROPERTIES; i++) {
		zval *property = OBJ_PROP_NUM(object, i);

		ZVAL_UNDEF(property);
		Z_PROP_FLAG_P(property) = 0;
	}
}

/* Gives a part its own n policies. */
static void copy_policies(php_ratelimit_result_more *more, const php_ratelimit_policy *policies, unsigned n)
{
	more->n_policies = (uint8_t) n;
	more->policies = safe_pemalloc(n, sizeof(*policies), 0, more->is_kept);
	memcpy(more->policies, policies, n * sizeof(*policies));
	for (unsigned i = 0; i < n; i++) {
		policy_addref(&policies[i]);
	}
}

static php_ratelimit_result_more *new_more(bool is_kept)
{
	php_ratelimit_result_more *more = pemalloc(sizeof(*more), is_kept);

	*more = (php_ratelimit_result_more){.references = 1, .is_kept = is_kept};
	return more;
}

php_ratelimit_result_more *php_ratelimit_policies_new(const php_ratelimit_policy *policies, unsigned n, bool is_kept)
{
	php_ratelimit_result_more *more = new_more(is_kept);

	copy_policies(more, policies, n);
	return more;
}

void php_ratelimit_result_share_policies(zval *object, php_ratelimit_result_more *policies)
{
	php_ratelimit_result *result = php_ratelimit_result_of(Z_OBJ_P(object));

	if (UNEXPECTED(result->more)) {
		copy_policies(result->more, policies->policies, policies->n_policies);
		return;
	}
	policies->references++;
	result->more = policies;
	result->std.handlers = &handlers_of_more.of_object;
}

/* Returns the part that few Results have, for a change. */
static zend_never_inline php_ratelimit_result_more *need_more(php_ratelimit_result *result)
{
	php_ratelimit_result_more *shared = result->more;

	if (shared && shared->references == 1) {
		return shared;
	}
	result->more = new_more(false);
	result->std.handlers = &handlers_of_more.of_object;
	if (shared) {
		copy_policies(result->more, shared->policies, shared->n_policies);
		php_ratelimit_policies_release(shared);
	}
	return result->more;
}

void php_ratelimit_result_own_strings(php_ratelimit_result *result)
{
	policy_addref(&result->policy);
	result->std.handlers = &handlers_of_more.of_object;
}

php_ratelimit_result *php_ratelimit_result_make(zval *return_value, const rl_decision *d, uint64_t granted,
	int64_t wait_us)
{
	php_ratelimit_result *result = create_bare(php_ratelimit_ce_result, &handlers, d->n_left > 1);
	zend_object *object = &result->std;

	ZVAL_OBJ(return_value, object);
	result->decision.exists = true;
	result->decision.accepted = d->accepted;
	result->decision.reason = (uint8_t) d->reason;
	result->decision.source = (uint8_t) d->source;
	result->decision.limit_index = d->limit_index;
	result->decision.n_left = d->n_left;
	result->decision.is_enforced = RATELIMIT_G(enforce);
	result->decision.level = d->level;
	result->decision.remaining = d->remaining;
	result->decision.retry_after_us = d->retry_after_us;
	result->decision.reset_after_us = d->reset_after_us;
	result->granted = granted;
	result->more = NULL;
	clear_properties(object);
	if (UNEXPECTED(d->n_left > 1)) {
		php_ratelimit_left *left = php_ratelimit_result_lefts(result);

		for (unsigned i = 0; i < d->n_left; i++) {
			left[i] = (php_ratelimit_left){d->left[i].remaining, d->left[i].reset_after_us};
		}
	}
	ZVAL_BOOL(OBJ_PROP_NUM(object, PHP_RATELIMIT_RESULT_ACCEPTED), d->accepted);
	if (UNEXPECTED(wait_us != 0)) {
		need_more(result)->wait_us = wait_us;
	}
	return result;
}

ZEND_COLD void php_ratelimit_result_set_shadow(zval *result, zend_string *shadow)
{
	Z_OBJ_P(result)->handlers = &handlers_of_more.of_object;
	ZVAL_STR(OBJ_PROP_NUM(Z_OBJ_P(result), PHP_RATELIMIT_RESULT_SHADOW), shadow);
}

zend_string *php_ratelimit_source_name(unsigned source)
{
	return source < sizeof(source_names) / sizeof(*source_names) ? source_names[source] : NULL;
}

rl_answer php_ratelimit_result_answer(zend_object *object, int64_t *window_us)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);

	*window_us = result->policy.window_us;
	return (rl_answer){
		.decision = {.reason = result->decision.reason,
			.source = result->decision.source,
			.accepted = result->decision.accepted,
			.limit_index = result->decision.limit_index,
			.level = result->decision.level,
			.limit = result->policy.limit,
			.remaining = result->decision.remaining,
			.retry_after_us = result->decision.retry_after_us,
			.reset_after_us = result->decision.reset_after_us},
		.granted = result->granted,
		.wait_us = result->more ? result->more->wait_us : 0,
	};
}

void php_ratelimit_result_add_policies(zval *object, const php_ratelimit_policy *policies, unsigned n)
{
	copy_policies(need_more(php_ratelimit_result_of(Z_OBJ_P(object))), policies, n);
}

void php_ratelimit_result_owns_property(zend_object *object)
{
	object->handlers = &handlers_of_more.of_object;
}

void php_ratelimit_result_set_refused(zval *object, zend_string *subject, const zval *id)
{
	php_ratelimit_result_more *more = need_more(php_ratelimit_result_of(Z_OBJ_P(object)));

	more->subject = zend_string_copy(subject);
	more->has_caller = id && Z_TYPE_P(id) == IS_LONG;
	more->caller = more->has_caller ? Z_LVAL_P(id) : 0;
}

/* ---- LimitExceeded ---- */

/* Appends the subject: of "login" by 7 */
static void append_subject(smart_str *s, const php_ratelimit_result *result)
{
	const php_ratelimit_result_more *more = result->more;

	if (more && more->subject) {
		smart_str_appends(s, " of \"");
		smart_str_append(s, more->subject);
		smart_str_appendc(s, '"');
	}
	if (more && more->has_caller) {
		smart_str_appends(s, " by ");
		smart_str_append_long(s, more->caller);
	}
}

zend_string *php_ratelimit_wire_name(const php_ratelimit_result *result, unsigned i)
{
	zend_string *name = php_ratelimit_result_policy(result, i)->name;

	if (name) {
		return zend_string_copy(name);
	}
	return i > 0 ? strpprintf(0, "default-%u", i + 1) : zend_string_init("default", 7, false);
}

/* Returns a new string: the reason for a refusal, in a sentence for developers. */
static ZEND_COLD zend_string *refusal_message(zend_object *object)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);
	int64_t seconds = php_ratelimit_ceil_seconds(result->decision.retry_after_us);
	zend_string *name = php_ratelimit_wire_name(result, result->decision.limit_index);
	smart_str s = {0};

	if (result->decision.reason == RL_STORE_UNAVAILABLE) {
		smart_str_appends(&s, "Cannot check the limit");
		append_subject(&s, result);
		smart_str_append_printf(&s, ": the store is unavailable, try again in %" PRId64 " s", seconds);
	} else if (result->decision.retry_after_us == RL_NEVER) {
		smart_str_appends(&s, "Too expensive a call");
		append_subject(&s, result);
		smart_str_append_printf(&s, ": the limit \"%s\" is %" PRIu64 ", so that it never passes", ZSTR_VAL(name),
			(uint64_t) result->policy.limit);
	} else if (result->policy.window_us == 0 && result->decision.reason == RL_LIMITED) {
		smart_str_appends(&s, "Too many calls at once");
		append_subject(&s, result);
		smart_str_append_printf(&s, ": the limit \"%s\" is %" PRIu64 ", a place comes free in at most %" PRId64 " s",
			ZSTR_VAL(name), (uint64_t) result->policy.limit, seconds);
	} else {
		smart_str_appends(&s, "Too many calls");
		append_subject(&s, result);
		smart_str_append_printf(&s,
			result->decision.reason == RL_BANNED
				? ": banned by the limit \"%s\" (%" PRIu64 "), the ban ends in %" PRId64 " s"
				: ": the limit \"%s\" is %" PRIu64 ", a call passes again in %" PRId64 " s",
			ZSTR_VAL(name), (uint64_t) result->policy.limit, seconds);
	}
	zend_string_release(name);
	return smart_str_extract(&s);
}

static zval *result_property(zend_object *exception)
{
	const zend_property_info *info = zend_hash_str_find_ptr(&php_ratelimit_ce_limit_exceeded->properties_info,
		ZEND_STRL("result"));

	return OBJ_PROP(exception, info->offset);
}

zend_object *php_ratelimit_result_of_exception(zend_object *exception)
{
	return Z_OBJ_P(result_property(exception));
}

ZEND_COLD void php_ratelimit_throw_limit_exceeded(zend_object *result)
{
	zend_string *message = refusal_message(result);
	zend_object *exception = zend_throw_exception(php_ratelimit_ce_limit_exceeded, ZSTR_VAL(message), CODE);

	ZVAL_OBJ_COPY(result_property(exception), result);
	zend_string_release(message);
}

ZEND_METHOD(FrequencyLimit_LimitExceeded, __construct)
{
	zend_object *exception = Z_OBJ_P(ZEND_THIS);
	zend_string *message = NULL;
	zval *result;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_OBJECT_OF_CLASS(result, php_ratelimit_ce_result)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(message)
	ZEND_PARSE_PARAMETERS_END();

	if (php_ratelimit_result_of(Z_OBJ_P(result))->decision.accepted) {
		php_ratelimit_invalid("$result must be a refused Result, an accepted one given");
		RETURN_THROWS();
	}
	/* This is first: a readonly property accepts one write, and a second call changes nothing. */
	zend_update_property(php_ratelimit_ce_limit_exceeded, exception, ZEND_STRL("result"), result);
	if (EG(exception)) {
		RETURN_THROWS();
	}
	message = message ? zend_string_copy(message) : refusal_message(Z_OBJ_P(result));
	zend_update_property_str(zend_ce_exception, exception, ZEND_STRL("message"), message);
	zend_update_property_long(zend_ce_exception, exception, ZEND_STRL("code"), CODE);
	zend_string_release(message);
}

ZEND_METHOD(FrequencyLimit_Result, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(FrequencyLimit_Result, ensureAccepted)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_NONE();
	if (EXPECTED(php_ratelimit_result_of(object)->decision.accepted)) {
		RETURN_OBJ_COPY(object);
	}
	php_ratelimit_throw_limit_exceeded(object);
}

void php_ratelimit_result_of_limits(zval *result, const rl_decision *d, uint64_t granted,
	const php_ratelimit_policy *policies, unsigned n)
{
	php_ratelimit_result_init(result, d, granted, 0, &policies[d->limit_index]);
	if (n > 1) {
		php_ratelimit_result_add_policies(result, policies, n);
	}
}
