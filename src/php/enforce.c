#include "enforce.h"

#include "SAPI.h"
#include "ext/standard/md5.h"
#include "ext/standard/sha1.h"
#include "zend_attributes.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "access_rule.h"
#include "arguments.h"
#include "classes.h"
#include "client_address.h"
#include "limiter_object.h"
#include "permit_object.h"
#include "php_ratelimit.h"
#include "request.h"
#include "request_state.h"
#include "result.h"
#include "server_process.h"
#include "src/shm/limiter_fast.h"
#include "store_config.h"

/* The bound of nested resolver calls. A resolver that calls a limited function calls itself without end. Several fibers
 * may be in a resolver at a time, so the bound is not 1. */
#define ASKING_MAX 1000

/* ---- A function's limits, read once in a request ---- */

/* A cached function. The function itself is no place for it, because opcache shares it between processes. Its run-time
 * cache is none either: each object of a closure may have its own. */
struct _php_ratelimit_enforced {
	/* The key. The reference to the attributes prevents the reuse of their address. */
	HashTable *attributes;
	zend_class_entry *scope;
	const zend_string *function;
	bool need_login;
	bool by_path;         /* the request's path belongs to the name */
	zend_string *name;    /* the action, or the function's name */
	zend_string *count;   /* the name of the latest call's count; NULL: there was none */
	zend_string *path;    /* the path that it was made of, or NULL; a reference */
	rl_question question; /* complete but for what a permit holds */
	php_ratelimit_monitor monitor;
	/* With a ConcurrencyLimit, the limiter of the latest call's count, which permits refer to; NULL: none yet. The path of
	 * the request belongs to its name. */
	bool has_concurrent;
	php_ratelimit_limiter *limiter;
};

/* Returns memory for a function's limits. The thread keeps one piece, which has about 1.1 KB: the first piece of that size that a
 * request takes of PHP's memory is expensive. */
static php_ratelimit_enforced *enforced_new(void)
{
	php_ratelimit_enforced *spare = RATELIMIT_G(spare_enforced);

	RATELIMIT_G(spare_enforced) = NULL;
	return spare ? spare : pemalloc(sizeof(*spare), true);
}

static void enforced_free(php_ratelimit_enforced *enforced)
{
	if (RATELIMIT_G(spare_enforced)) {
		free(enforced);
	} else {
		RATELIMIT_G(spare_enforced) = enforced;
	}
}

static void enforce_release(php_ratelimit_enforced *enforced)
{
	if (!(GC_FLAGS(enforced->attributes) & GC_IMMUTABLE)) {
		zend_hash_release(enforced->attributes);
	}
	zend_string_release(enforced->name);
	if (enforced->count) {
		zend_string_release(enforced->count);
	}
	if (enforced->path) {
		zend_string_release(enforced->path);
	}
	if (enforced->limiter) {
		php_ratelimit_limiter_release(enforced->limiter);
	}
	enforced_free(enforced);
}

/* Returns a function's name as PHP's messages have it. A closure, and a method of an anonymous class, get file and
 * line. */
static zend_string *name_of(const zend_op_array *op_array)
{
	uint32_t kind = op_array->fn_flags & (ZEND_ACC_CLOSURE | ZEND_ACC_FAKE_CLOSURE);
	bool closure = kind == ZEND_ACC_CLOSURE, nowhere = closure;
	smart_str name = {0};

	if (closure) {
		smart_str_appends(&name, "{closure}");
	} else {
		if (op_array->scope) {
			/* The part of an anonymous class' name behind the NUL differs between processes. */
			smart_str_appends(&name, ZSTR_VAL(op_array->scope->name));
			smart_str_appends(&name, "::");
			nowhere = op_array->scope->ce_flags & ZEND_ACC_ANON_CLASS;
		}
		smart_str_append(&name, op_array->function_name);
	}
	if (nowhere) {
		smart_str_append_printf(&name, "@%s:%" PRIu32, ZSTR_VAL(op_array->filename), op_array->line_start);
	}
	smart_str_0(&name);
	return name.s;
}

static RL_FIRST void decide(php_ratelimit_enforced *enforced, zval *user, zval *permit);

/* Reads a function's limits. Returns NULL if it has none, or with an exception thrown. */
static RL_FIRST php_ratelimit_enforced *read_function(const zend_op_array *op_array)
{
	php_ratelimit_access_rule rule;
	php_ratelimit_enforced *enforced = NULL;
	zend_string *error;

	rl_expect_code((const void *) decide, 24);
	rl_limiter_expect();
	rl_limiter_expect_fast();
	php_ratelimit_look_for_server_objects();
	error = php_ratelimit_access_rule_read(&rule, op_array->attributes, op_array->scope, true);
	if (error) {
		if (!EG(exception)) {
			php_ratelimit_invalid("#[%s]: %s", php_ratelimit_attribute_classes[rule.latest].name, ZSTR_VAL(error));
		}
		zend_string_release(error);
	} else if (rule.n_limits > 0) {
		enforced = enforced_new();
		enforced->attributes = op_array->attributes;
		if (!(GC_FLAGS(enforced->attributes) & GC_IMMUTABLE)) {
			GC_ADDREF(enforced->attributes);
		}
		enforced->scope = op_array->scope;
		enforced->function = op_array->function_name;
		enforced->need_login = rule.need_login;
		enforced->by_path = rule.action == NULL;
		enforced->name = rule.action ? zend_string_copy(rule.action) : name_of(op_array);
		enforced->count = NULL;
		enforced->path = NULL;
		memset(&enforced->question, 0, offsetof(rl_question, limits));
		memset(&enforced->monitor, 0, sizeof(enforced->monitor));
		enforced->has_concurrent = rule.has_concurrent;
		enforced->limiter = NULL;
		enforced->question.op = rule.has_concurrent ? RL_OP_ACQUIRE : RL_OP_CONSUME;
		enforced->question.cost = 1;
		enforced->question.n_limits = (uint8_t) rule.n_limits;
		memcpy(enforced->question.limits, rule.limits, rule.n_limits * sizeof(*rule.limits));
	}
	php_ratelimit_access_rule_release(&rule);
	return enforced;
}

/* Returns read_function()'s result from the cache, valid until user code runs. */
static RL_FIRST php_ratelimit_enforced *function_of(const zend_op_array *op_array)
{
	uintptr_t hash = (uintptr_t) op_array->attributes >> 4 ^ (uintptr_t) op_array->scope >> 5
		^ (uintptr_t) op_array->function_name >> 3;
	php_ratelimit_enforced **place =
		&RATELIMIT_G(enforcer).functions[(hash ^ hash >> 6 ^ hash >> 12) % PHP_RATELIMIT_ENFORCED_ROOM];
	php_ratelimit_enforced *enforced = *place;

	if (EXPECTED(enforced && enforced->attributes == op_array->attributes && enforced->scope == op_array->scope
			&& enforced->function == op_array->function_name)) {
		return enforced;
	}
	enforced = read_function(op_array);
	if (enforced) {
		/* The check comes only now: constant expressions may have run user code, which fills places. */
		if (*place) {
			enforce_release(*place);
		}
		*place = enforced;
	}
	return enforced;
}

static void forget_functions(php_ratelimit_enforcer *enforcer)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_ENFORCED_ROOM; i++) {
		if (enforcer->functions[i]) {
			enforce_release(enforcer->functions[i]);
			enforcer->functions[i] = NULL;
		}
	}
}

void php_ratelimit_enforcer_begin_request(php_ratelimit_enforcer *enforcer)
{
	/* Their strings and limiters were memory of the last request. */
	for (unsigned i = 0; i < PHP_RATELIMIT_ENFORCED_ROOM; i++) {
		if (UNEXPECTED(enforcer->functions[i])) {
			enforced_free(enforcer->functions[i]);
		}
	}
	memset(enforcer, 0, sizeof(*enforcer));
}

void php_ratelimit_enforcer_clear(php_ratelimit_enforcer *enforcer)
{
	forget_functions(enforcer);
	enforcer->asking = 0;
}

/* ---- The identity ---- */

/* Calls the resolver of a request. It holds the Closure meanwhile, because the resolver may set another one. */
static void call_resolver(php_ratelimit_request *request, zval *user)
{
	php_ratelimit_enforcer *enforcer = &RATELIMIT_G(enforcer);
	zend_fcall_info_cache cache = request->resolver_cache;
	zend_fcall_info call = {.size = sizeof(call), .retval = user};
	zval closure;

	ZVAL_COPY(&closure, &request->resolver);
	ZVAL_COPY_VALUE(&call.function_name, &closure);
	enforcer->asking++;
	zend_call_function(&call, &cache);
	enforcer->asking--;
	zval_ptr_dtor(&closure);
}

/* Sets user to the id that the application's resolver returns: an int, a string or null. Returns false with an
 * exception thrown. */
static bool ask_resolver(zval *user)
{
	php_ratelimit_request *request;

	ZVAL_NULL(user);
	if (!SG(request_info).request_method && !RATELIMIT_G(requests).is_server) {
		php_ratelimit_look_at_server_variables();
	}
	request = php_ratelimit_current_request();
	if (UNEXPECTED(!request)) {
		php_ratelimit_warn_no_request();
		return !EG(exception);
	}
	if (Z_ISUNDEF(request->resolver)) {
		return true;
	}
	if (UNEXPECTED(RATELIMIT_G(enforcer).asking >= ASKING_MAX)) {
		zend_throw_error(NULL,
			"The resolver of FrequencyLimit\\AccessLimit::identifyBy() calls a function that is limited, which asks "
			"the resolver again");
		return false;
	}
	call_resolver(request, user);
	if (UNEXPECTED(EG(exception))) {
		return false;
	}
	if (Z_ISREF_P(user)) {
		zend_unwrap_reference(user);
	}
	if (EXPECTED(Z_TYPE_P(user) == IS_LONG || Z_TYPE_P(user) == IS_STRING || Z_TYPE_P(user) == IS_NULL)) {
		return true;
	}
	zend_type_error(
		"The resolver of FrequencyLimit\\AccessLimit::identifyBy() must return int|string|null, %s returned",
		zend_zval_type_name(user));
	zval_ptr_dtor(user);
	return false;
}

/* Memory for an identity that this file builds. */
typedef struct {
	zend_string *string;
	char text[PHP_RATELIMIT_CLIENT_BYTES];
} identity;

/* Sets the key's identity to "ip:" and the client's address. */
static void set_client(rl_key *key, identity *who, php_ratelimit_request *request)
{
	key->is_int = false;
	key->int_id = 0;
	if (EXPECTED(request && !request->address)) {
		key->id = php_ratelimit_served_client(&request->served, &key->id_len);
	} else {
		memcpy(who->text, "ip:", 3);
		key->id = who->text;
		key->id_len = 3 + php_ratelimit_client_address(request, who->text + 3);
	}
}

/* Sets the key's identity: the user's id, or "ip:" and the client's address. A user's id that begins with "ip:" or "id:" gets
 * "id:" in front. */
static bool set_identity(rl_key *key, identity *who, zval *user, php_ratelimit_request *request)
{
	who->string = NULL;
	if (Z_TYPE_P(user) == IS_LONG) {
		return php_ratelimit_identity("the user's id", NULL, Z_LVAL_P(user), key);
	}
	if (Z_TYPE_P(user) == IS_STRING) {
		const zend_string *id = Z_STR_P(user);

		if (strncmp(ZSTR_VAL(id), "ip:", 3) == 0 || strncmp(ZSTR_VAL(id), "id:", 3) == 0) {
			who->string = zend_string_concat2("id:", 3, ZSTR_VAL(id), ZSTR_LEN(id));
		} else {
			who->string = zend_string_copy(Z_STR_P(user));
		}
		return php_ratelimit_identity("the user's id", who->string, 0, key);
	}
	set_client(key, who, request);
	return true;
}

/* ---- The count's name ---- */

/* Returns the request's path, borrowed; NULL when there is none. */
static zend_string *path_of(php_ratelimit_request *request)
{
	if (UNEXPECTED(request->path)) {
		return request->path;
	}
	return SG(request_info).request_method ? php_ratelimit_served_path(&request->served) : NULL;
}

/* Returns the digest of a name and a path, which are too long for a name: a new string. */
static ZEND_COLD zend_string *digest_of(const zend_string *name, const zend_string *path)
{
	zend_string *digest = zend_string_alloc(5 + 2 * 20, false);
	PHP_SHA1_CTX context;
	unsigned char bytes[20];

	PHP_SHA1Init(&context);
	PHP_SHA1Update(&context, (const unsigned char *) ZSTR_VAL(name), ZSTR_LEN(name));
	if (path) {
		PHP_SHA1Update(&context, (const unsigned char *) " ", 1);
		PHP_SHA1Update(&context, (const unsigned char *) ZSTR_VAL(path), ZSTR_LEN(path));
	}
	PHP_SHA1Final(bytes, &context);
	memcpy(ZSTR_VAL(digest), "sha1:", 5);
	make_digest_ex(ZSTR_VAL(digest) + 5, bytes, sizeof(bytes));
	return digest;
}

/* Returns "App\Comments::add /comment", without a path "App\Comments::add", and a digest of a longer one: a new reference. */
static zend_string *make_count(const php_ratelimit_enforced *enforced, const zend_string *path)
{
	zend_string *name = enforced->name;

	if (ZSTR_LEN(name) + (path ? 1 + ZSTR_LEN(path) : 0) > RL_NAME_MAX) {
		return digest_of(name, path);
	}
	return path ? zend_string_concat3(ZSTR_VAL(name), ZSTR_LEN(name), " ", 1, ZSTR_VAL(path), ZSTR_LEN(path))
				: zend_string_copy(name);
}

/* Returns the name of the call's count, a new reference. The function keeps it until another path comes. */
static zend_string *count_of(php_ratelimit_enforced *enforced, php_ratelimit_request *request)
{
	zend_string *path = enforced->by_path && request ? path_of(request) : NULL;

	if (UNEXPECTED(!enforced->count || enforced->path != path)) {
		if (enforced->count) {
			zend_string_release(enforced->count);
		}
		if (enforced->path) {
			zend_string_release(enforced->path);
		}
		enforced->count = make_count(enforced, path);
		enforced->path = path ? zend_string_copy(path) : NULL;
	}
	return zend_string_copy(enforced->count);
}

/* Makes a Result of a decision about these limits. */
static void make_result(zval *result, const rl_decision *d, const php_ratelimit_policy *policies, unsigned n)
{
	php_ratelimit_result_init(result, d, d->accepted, 0, NULL, policies[d->limit_index].window_us);
	if (n > 1) {
		php_ratelimit_result_add_policies(result, policies, n);
	}
}

static void write_policies(php_ratelimit_policy *policies, const rl_question *q)
{
	for (unsigned i = 0; i < q->n_limits; i++) {
		const rl_limit *limit = &q->limits[i];

		policies[i] = (php_ratelimit_policy){NULL, limit->limit,
			limit->algorithm == RL_CONCURRENT ? 0 : limit->period_us};
	}
}

static void keep_last(php_ratelimit_request *request, const rl_question *q, const rl_decision *d)
{
	request->last = *d;
	request->n_last = q->n_limits;
	write_policies(request->last_policies, q);
}

bool php_ratelimit_enforce_last(zval *result)
{
	const php_ratelimit_request *request = php_ratelimit_current_request();

	if (!request || request->n_last == 0) {
		return false;
	}
	make_result(result, &request->last, request->last_policies, request->n_last);
	return true;
}

static ZEND_COLD void enforce_refuse(const php_ratelimit_enforced *enforced, const rl_decision *d, const zval *user)
{
	php_ratelimit_policy policies[RL_LIMITS_MAX] = {{NULL, 0, 0}};
	zval result;

	write_policies(policies, &enforced->question);
	make_result(&result, d, policies, enforced->question.n_limits);
	php_ratelimit_result_set_subject(&result, enforced->name);
	php_ratelimit_result_set_caller(&result, user);
	php_ratelimit_throw_limit_exceeded(Z_OBJ(result));
	zval_ptr_dtor(&result);
}

/* Keeps an accepted decision for AccessLimit::lastResult(), and throws a refused one. */
static RL_FIRST void conclude(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_decision *d, const zval *user)
{
	if (EXPECTED(request)) {
		keep_last(request, &enforced->question, d);
	}
	if (UNEXPECTED(!d->accepted)) {
		enforce_refuse(enforced, d, user);
	}
}

static void ask_store(php_ratelimit_enforced *enforced, php_ratelimit_request *request, const rl_guard *g,
	const rl_key *key, const zval *user)
{
	rl_answer a;
	rl_error e;
	rl_status status;

	a.passed = false;
	if (EXPECTED(RATELIMIT_G(embedded_limiters) && enforced->question.n_limits == 1
			&& rl_limiter_fast(key, &enforced->question.limits[0], 1, &a.decision))) {
		if (EXPECTED(php_ratelimit_monitor_passed(&enforced->monitor, RL_OP_CONSUME, &a.decision))) {
			conclude(enforced, request, &a.decision, user);
			return;
		}
	} else {
		status = rl_guard_ask(g, key, &enforced->question, &a, &e);
		if (UNEXPECTED(status != RL_OK)) {
			php_ratelimit_throw_store(status, key, &e);
			php_ratelimit_monitor_attribute_failure(&enforced->monitor, enforced->name);
			return;
		}
		a.passed = php_ratelimit_pass(&a.decision, RATELIMIT_G(enforce));
	}
	php_ratelimit_monitor_attribute(&enforced->monitor, enforced->name, &enforced->question, key, &a);
	if (EXPECTED(!EG(exception))) {
		conclude(enforced, request, &a.decision, user);
	}
}

/* ---- A call that holds a place ---- */

static bool has_name(const php_ratelimit_limiter *limiter, const char *name, size_t length)
{
	return ZSTR_LEN(limiter->name) == length && memcmp(ZSTR_VAL(limiter->name), name, length) == 0;
}

/* Returns the limiter of this name, a new reference. The function keeps the latest one. */
static php_ratelimit_limiter *limiter_of(php_ratelimit_enforced *enforced, const char *name, size_t length)
{
	php_ratelimit_limiter *limiter = enforced->limiter;

	if (UNEXPECTED(!limiter || !has_name(limiter, name, length))) {
		if (limiter) {
			php_ratelimit_limiter_release(limiter);
		}
		limiter = enforced->limiter = php_ratelimit_limiter_new(name, length, &enforced->question);
		php_ratelimit_monitor_share(&limiter->monitor, &enforced->monitor, enforced->name);
	}
	return php_ratelimit_limiter_copy(limiter);
}

static void ask_for_place(php_ratelimit_enforced *enforced, php_ratelimit_request *request, const rl_guard *g,
	rl_key *key, const zval *user, zval *permit)
{
	php_ratelimit_limiter *limiter = limiter_of(enforced, key->name, key->name_len);
	zend_string *id = key->is_int ? NULL : zend_string_init(key->id, key->id_len, false);
	zval acquired;

	key->name = ZSTR_VAL(limiter->name);
	key->id = id ? ZSTR_VAL(id) : NULL;
	ZVAL_UNDEF(&acquired);
	php_ratelimit_permit_acquire(&acquired, limiter, g, key, id, 0);
	if (EXPECTED(Z_TYPE(acquired) == IS_OBJECT && !EG(exception))) {
		conclude(enforced, request, &php_ratelimit_permit_of(Z_OBJ(acquired))->answer.decision, user);
		if (EXPECTED(!EG(exception)) && permit) {
			ZVAL_COPY(permit, &acquired);
		}
	}
	zval_ptr_dtor(&acquired);
	if (id) {
		zend_string_release(id);
	}
	php_ratelimit_limiter_release(limiter);
}

static RL_FIRST void decide(php_ratelimit_enforced *enforced, zval *user, zval *permit)
{
	const rl_guard *g = php_ratelimit_guard();
	php_ratelimit_request *request = php_ratelimit_current_request();
	zend_string *count;
	identity who;
	rl_key key;

	if (!php_ratelimit_clock_agrees(g)) {
		return;
	}
	/* A reference: a call within this one may set another count. */
	count = count_of(enforced, request);
	key.space = RL_SPACE_LIMITER;
	key.name = ZSTR_VAL(count);
	key.name_len = ZSTR_LEN(count);
	if (set_identity(&key, &who, user, request)) {
		if (UNEXPECTED(enforced->has_concurrent)) {
			ask_for_place(enforced, request, g, &key, user, permit);
		} else {
			ask_store(enforced, request, g, &key, user);
		}
	}
	if (who.string) {
		zend_string_release(who.string);
	}
	zend_string_release(count);
}

RL_FIRST void php_ratelimit_enforce(const zend_execute_data *frame, zval *permit)
{
	const zend_op_array *op_array;
	php_ratelimit_enforced *enforced;
	zval user;

	if (!RATELIMIT_G(attributes) || !frame || !frame->func || !ZEND_USER_CODE(frame->func->type)
		|| !frame->func->op_array.attributes) {
		return;
	}
	op_array = &frame->func->op_array;
	if (!function_of(op_array) || !ask_resolver(&user)) {
		return;
	}
	/* This second lookup is necessary: the resolver may have called a function that took the place in the cache. */
	enforced = function_of(op_array);
	if (UNEXPECTED(!enforced)) {
		return;
	}
	if (UNEXPECTED(enforced->need_login && Z_TYPE(user) == IS_NULL)) {
		zend_throw_exception_ex(php_ratelimit_ce_login_required, 401, "\"%s\" requires a user who is logged in",
			ZSTR_VAL(enforced->name));
	} else {
		decide(enforced, &user, permit);
	}
	zval_ptr_dtor(&user);
	if (UNEXPECTED(CG(compiler_options) & ZEND_COMPILE_PRELOAD)) {
		/* opcache is about to move the attributes, and ignores references to them. */
		forget_functions(&RATELIMIT_G(enforcer));
	}
}
