#include "enforce.h"

#include "SAPI.h"
#include "ext/standard/md5.h"
#include "ext/standard/sha1.h"
#include "zend_exceptions.h"

#include "access_rule.h"
#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../request/client_address.h"
#include "attribute_cache.h"
#include "attribute_hook.h"
#include "conclude.h"
#include "../limiter/limiter_internal.h"
#include "../limiter/limiter_object.h"
#include "named_limiters.h"
#include "../permit/permit_object.h"
#include "../request/request.h"
#include "src/shm/monitor/ban_list.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/limiter_fast.h"
#include "../base/store_config.h"
#include "../base/optional_string.h"

/* The bound of nested resolver calls. A resolver that calls a limited function calls itself without end. Several fibers
 * may be in a resolver at a time, so the bound is not 1. */
#define ASKING_MAX 1000

/* ---- The identity ---- */

/* Sets user to the id that the application's resolver returns: an int, a string or null. Returns false with an
 * exception thrown. */
static bool ask_resolver(zval *user)
{
	php_ratelimit_enforcer *enforcer = RATELIMIT_G(enforcer);
	const php_ratelimit_request *request = php_ratelimit_current_request();

	ZVAL_NULL(user);
	if (UNEXPECTED(!request)) {
		php_ratelimit_warn_no_request();
		return !EG(exception);
	}
	if (!php_ratelimit_callback_exists(&request->resolver)) {
		return true;
	}
	if (UNEXPECTED(enforcer->asking >= ASKING_MAX)) {
		zend_throw_error(NULL,
			"The resolver of FrequencyLimit\\Request::identifyBy() calls a function that is limited, which asks "
			"the resolver again");
		return false;
	}
	enforcer->asking++;
	php_ratelimit_callback_call(&request->resolver, user, NULL, 0);
	enforcer->asking--;
	if (UNEXPECTED(EG(exception))) {
		zval_ptr_dtor(user); /* the exception may be that of a destructor, behind the return */
		return false;
	}
	if (Z_ISREF_P(user)) {
		zend_unwrap_reference(user);
	}
	if (EXPECTED(Z_TYPE_P(user) == IS_LONG || Z_TYPE_P(user) == IS_STRING || Z_TYPE_P(user) == IS_NULL)) {
		return true;
	}
	zend_type_error("The resolver of FrequencyLimit\\Request::identifyBy() must return int|string|null, %s returned",
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
		php_ratelimit_string_release(enforced->count);
		php_ratelimit_string_release(enforced->path);
		enforced->count = make_count(enforced, path);
		enforced->path = php_ratelimit_string_copy(path);
	}
	return zend_string_copy(enforced->count);
}

/* ---- A call of one window on the embedded store ---- */

/* Returns whether the latest call's place is that of this one. user: null, or what the resolver has returned. */
static zend_always_inline bool is_same_place(const php_ratelimit_kept_place *kept, const php_ratelimit_request *request,
	const zval *user)
{
	return php_ratelimit_served_is(&request->served, kept->version)
		&& (kept->is_user ? Z_TYPE_P(user) == IS_LONG && Z_LVAL_P(user) == kept->user : Z_TYPE_P(user) == IS_NULL);
}

/* Admits a call, where that is all that there is to do. Its decision goes straight to where Request::lastResult() reads it. */
static zend_always_inline bool admit_at(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	rl_position position)
{
	const rl_limit *limit = &enforced->question.limits[0];

	if (UNEXPECTED(!enforced->monitor.meter)
		|| (UNEXPECTED(!rl_limiter_admit(position, limit, &request->last.decision))
			&& !rl_limiter_admit_by_record(position, limit, &request->last.decision))) {
		return false;
	}
	(void) php_ratelimit_monitor_passed(&enforced->monitor, RL_OP_CONSUME, &request->last.decision);
	request->last.granted = 1;
	request->last.n = 1;
	request->last.policies[0] = enforced->policy;
	return true;
}

/* Admits a call whose path, client and user are those of the function's latest call. */
static zend_always_inline bool admit_again(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const zval *user)
{
	return EXPECTED(RATELIMIT_G(embedded)) && EXPECTED(is_same_place(&enforced->kept, request, user))
		&& EXPECTED(admit_at(enforced, request, enforced->kept.position));
}

/* Returns whether a call's count is one window on the embedded store, and no decision needs more. */
static zend_always_inline bool is_one_window(const php_ratelimit_enforced *enforced,
	const php_ratelimit_request *request)
{
	return RATELIMIT_G(embedded) && request && enforced->question.n_limits == 1;
}

/* Admits another call of one window on the embedded store, and keeps its place. version: of the path and the client that the key is
 * made of. */
static bool admit_first(php_ratelimit_enforced *enforced, php_ratelimit_request *request, const rl_key *key,
	const zval *user, uint64_t version)
{
	php_ratelimit_kept_place *kept = &enforced->kept;

	kept->position = rl_limiter_position(key);
	kept->is_user = Z_TYPE_P(user) == IS_LONG;
	kept->user = kept->is_user ? Z_LVAL_P(user) : 0;
	kept->version = EXPECTED(Z_TYPE_P(user) != IS_STRING) ? version : PHP_RATELIMIT_NO_VERSION;
	if (!enforced->monitor.meter) {
		php_ratelimit_monitor_attribute_begin(&enforced->monitor, enforced->name);
	}
	return admit_at(enforced, request, kept->position);
}

/* ---- Any call ---- */

/* Decides on the fast path of the embedded store. */
static bool ask_fast(const php_ratelimit_enforced *enforced, const rl_key *key, rl_decision *d)
{
	const rl_question *q = &enforced->question;
	rl_usual_call call = {.limits = q->limits, .n = q->n_limits, .cost = 1};

	if (UNEXPECTED(!RATELIMIT_G(embedded))) {
		return false;
	}
	return EXPECTED(q->n_limits == 1)
		? rl_limiter_fast(key, &q->limits[0], 1, d)
		: rl_limiter_fast_several(key, &rl_limiter_no_name, rl_limiter_needs_wall(q), &call, d);
}

/* Makes the listener's event of a decision. Returns false if there is no listener for it. */
static bool make_event(php_ratelimit_event *event, const php_ratelimit_enforced *enforced, const rl_key *key,
	const rl_decision *d, const zval *user)
{
	zval result;

	if (EXPECTED(!php_ratelimit_has_listener(d->reason))) {
		return false;
	}
	php_ratelimit_enforced_result(&result, enforced, d, user);
	php_ratelimit_event_init(event, d->reason, key, &result);
	return true;
}

/* Lets a refusal pass because of ratelimit.enforce=0. The listener's event and Request::lastResult() name the limit that would have
 * refused, as those of a Limiter do. */
static ZEND_COLD void pass_unenforced(php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_key *key, rl_answer *a)
{
	php_ratelimit_limiter *limiter = php_ratelimit_enforced_limiter(enforced, key->name, key->name_len);
	php_ratelimit_event event;

	php_ratelimit_limiter_pass_shadow(limiter, a);
	php_ratelimit_monitor_answer(limiter, key, a);
	php_ratelimit_conclude_by(limiter, request, a, NULL,
		php_ratelimit_limiter_event(&event, limiter, key, a) ? &event : NULL);
	php_ratelimit_limiter_release(limiter);
}

static zend_never_inline void ask_store(php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_guard *g, const rl_key *key, const zval *user)
{
	php_ratelimit_event event;
	rl_answer a;
	rl_error e;
	rl_status status;

	a.passed = false;
	a.found = false; /* the fast path begins no ban */
	if (EXPECTED(ask_fast(enforced, key, &a.decision))) {
		if (EXPECTED(php_ratelimit_monitor_passed(&enforced->monitor, RL_OP_CONSUME, &a.decision))) {
			php_ratelimit_conclude(enforced, request, &a.decision, user, NULL);
			return;
		}
	} else {
		status = rl_guard_ask(g, key, &enforced->question, &a, &e);
		if (UNEXPECTED(status != RL_OK)) {
			php_ratelimit_monitor_attribute_failure(&enforced->monitor, enforced->name);
			php_ratelimit_throw_store(status, key, &e);
			return;
		}
		if (UNEXPECTED(!a.decision.accepted) && !RATELIMIT_G(enforce)) {
			pass_unenforced(enforced, request, key, &a);
			return;
		}
	}
	php_ratelimit_monitor_attribute(&enforced->monitor, enforced->name, &enforced->question, key, &a);
	php_ratelimit_conclude(enforced, request, &a.decision, user,
		make_event(&event, enforced, key, &a.decision, user) ? &event : NULL);
}

/* ---- A call that holds a place ---- */

static zend_never_inline void ask_for_place(php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_guard *g, rl_key *key, const zval *user, zval *permit)
{
	php_ratelimit_limiter *limiter = php_ratelimit_enforced_limiter(enforced, key->name, key->name_len);
	zend_string *id = key->is_int ? NULL : zend_string_init(key->id, key->id_len, false);
	php_ratelimit_event event;
	zval acquired;

	key->name = ZSTR_VAL(limiter->name);
	key->id = id ? ZSTR_VAL(id) : NULL;
	ZVAL_UNDEF(&acquired);
	php_ratelimit_permit_acquire(&acquired, limiter, g, key, id, 0);
	if (EXPECTED(Z_TYPE(acquired) == IS_OBJECT)) {
		const rl_answer *a = &php_ratelimit_permit_of(Z_OBJ(acquired))->answer;

		bool heard = php_ratelimit_limiter_event(&event, limiter, key, a);

		if (UNEXPECTED(a->passed)) {
			php_ratelimit_conclude_by(limiter, request, a, NULL, heard ? &event : NULL);
		} else {
			php_ratelimit_conclude(enforced, request, &a->decision, user, heard ? &event : NULL);
		}
		if (EXPECTED(!EG(exception)) && permit) {
			ZVAL_COPY(permit, &acquired);
		}
	}
	zval_ptr_dtor(&acquired);
	php_ratelimit_string_release(id);
	php_ratelimit_limiter_release(limiter);
}

/* Admits a call of a named limiter with one window on the embedded store. */
static bool admit_named(php_ratelimit_enforced *enforced, php_ratelimit_request *request, const rl_key *key,
	const zval *user, uint64_t version)
{
	if (!enforced->names || !RATELIMIT_G(embedded) || !request || rl_ban_list_has_networks()) {
		return false;
	}
	if (is_same_place(&enforced->kept, request, user)) {
		return admit_at(enforced, request, enforced->kept.position);
	}
	return admit_first(enforced, request, key, user, version);
}

/* request: NULL: the call belongs to none. */
static zend_never_inline void decide(php_ratelimit_enforced *enforced, php_ratelimit_request *request, zval *user,
	const php_ratelimit_call *call)
{
	const rl_guard *g = php_ratelimit_guard();
	uint64_t version;
	zend_string *count;
	identity who;
	rl_key key;

	if (UNEXPECTED(rl_clock_frozen.frozen) && !php_ratelimit_clock_agrees(g)) {
		return;
	}
	version = request ? php_ratelimit_served_version(&request->served) : PHP_RATELIMIT_NO_VERSION;
	/* A reference: a call within this one may set another count. */
	count = count_of(enforced, request);
	key.space = RL_SPACE_LIMITER;
	key.name = ZSTR_VAL(count);
	key.name_len = ZSTR_LEN(count);
	if (set_identity(&key, &who, user, request)) {
		if (UNEXPECTED(enforced->named)) {
			if (php_ratelimit_named_limiters_look(enforced, call->function, &key)
				&& !admit_named(enforced, request, &key, user, version)) {
				php_ratelimit_named_limiters_decide(enforced, request, &key, call);
			}
		} else if (UNEXPECTED(enforced->has_concurrent)) {
			ask_for_place(enforced, request, g, &key, user, call->permit);
		} else if (!(is_one_window(enforced, request) && !is_same_place(&enforced->kept, request, user)
					   && admit_first(enforced, request, &key, user, version))) {
			ask_store(enforced, request, g, &key, user);
		}
	}
	php_ratelimit_string_release(who.string);
	zend_string_release(count);
}

/* Decides a call of a function that needs a user, or of a request whose users are known. */
static zend_never_inline void enforce_for_user(const php_ratelimit_call *call)
{
	php_ratelimit_enforced *enforced;
	php_ratelimit_request *request;
	zval user;

	if (!ask_resolver(&user)) {
		return;
	}
	/* These lookups are necessary: the resolver may have called a function that took the place in the cache, and may have begun
	 * a request. */
	enforced = php_ratelimit_enforced_of(call->function, call->of_class);
	if (UNEXPECTED(!enforced)) {
		zval_ptr_dtor(&user);
		return;
	}
	request = php_ratelimit_current_request();
	if (UNEXPECTED(enforced->need_login && Z_TYPE(user) == IS_NULL)) {
		zend_throw_exception_ex(php_ratelimit_ce_login_required, 401, "\"%s\" requires a user who is logged in",
			ZSTR_VAL(enforced->name));
	} else if (UNEXPECTED(!request) || UNEXPECTED(enforced->named) || !admit_again(enforced, request, &user)) {
		decide(enforced, request, &user, call);
	}
	zval_ptr_dtor(&user);
}

/* Admits a call of a request whose users are not known. A function that needs a user has no place for such calls. */
static zend_always_inline bool admit_nobody(const php_ratelimit_enforced *enforced)
{
	php_ratelimit_request *request = php_ratelimit_current_request();
	zval nobody;

	ZVAL_NULL(&nobody);
	return EXPECTED(request) && !php_ratelimit_callback_exists(&request->resolver)
		&& admit_again(enforced, request, &nobody);
}

/* Returns whether the identities of a function are all its own arguments. */
static bool needs_no_identity(const php_ratelimit_enforced *enforced)
{
	return enforced->named && !enforced->need_login && !php_ratelimit_named_limiters_need_identity(enforced);
}

/* Decides any other call. */
static zend_never_inline void enforce_slowly(const php_ratelimit_call *call)
{
	php_ratelimit_enforced *enforced = php_ratelimit_enforced_of(call->function, call->of_class);
	php_ratelimit_request *request;
	zval nobody;

	if (!enforced) {
		return;
	}
	request = php_ratelimit_current_request();
	if (UNEXPECTED(!request || php_ratelimit_callback_exists(&request->resolver) || enforced->need_login)
		&& !needs_no_identity(enforced)) {
		enforce_for_user(call);
	} else {
		ZVAL_NULL(&nobody);
		decide(enforced, request, &nobody, call);
	}
	if (UNEXPECTED(CG(compiler_options) & ZEND_COMPILE_PRELOAD)) {
		/* opcache is about to move the attributes, and ignores references to them. */
		php_ratelimit_enforcer_forget();
	}
}

/* Returns whether a call of a method that its class limits is within another one on the same object. */
static bool is_nested(const zend_execute_data *frame)
{
	const zend_class_entry *class = frame->func->op_array.scope;

	for (const zend_execute_data *outer = frame->prev_execute_data; outer; outer = outer->prev_execute_data) {
		const zend_function *function = outer->func;

		if (function && ZEND_USER_CODE(function->type)
			&& function->common.scope == class && php_ratelimit_is_limited_member(&function->op_array)
			&& (Z_TYPE(outer->This) != IS_OBJECT || Z_TYPE(frame->This) != IS_OBJECT
				|| Z_OBJ(outer->This) == Z_OBJ(frame->This))) {
			return true;
		}
	}
	return false;
}

/* Returns whether a frame is that of a function that may have one of the attributes. */
static zend_always_inline bool may_be_limited(const zend_execute_data *frame)
{
	return RATELIMIT_G(attributes) && frame && frame->func && ZEND_USER_CODE(frame->func->type);
}

void php_ratelimit_enforce(const zend_execute_data *frame, zval *permit)
{
	const zend_op_array *function;
	const php_ratelimit_enforced *enforced;

	if (!may_be_limited(frame) || !frame->func->op_array.attributes) {
		return;
	}
	function = &frame->func->op_array;
	if (UNEXPECTED(!SG(request_info).request_method)) {
		php_ratelimit_look_at_server_variables();
	}
	enforced = php_ratelimit_enforced_cached(function, false);
	if (UNEXPECTED(!enforced) || UNEXPECTED(!admit_nobody(enforced))) {
		enforce_slowly(&(php_ratelimit_call){frame, function, false, permit});
	}
}

void php_ratelimit_enforce_named(const zend_execute_data *frame, zval *permit, bool of_class)
{
	const zend_op_array *function;
	const php_ratelimit_enforced *enforced;

	if (!may_be_limited(frame)) {
		return;
	}
	function = &frame->func->op_array;
	of_class = of_class && EXPECTED(function->scope) && !is_nested(frame);
	if (!function->attributes && !of_class) {
		return;
	}
	if (UNEXPECTED(!SG(request_info).request_method)) {
		php_ratelimit_look_at_server_variables();
	}
	enforced = php_ratelimit_enforced_cached(function, of_class);
	if (UNEXPECTED(!enforced) || UNEXPECTED(enforced->names != php_ratelimit_named_version(RATELIMIT_G(limiters)))
		|| UNEXPECTED(rl_ban_list_has_networks()) || UNEXPECTED(!admit_nobody(enforced))) {
		enforce_slowly(&(php_ratelimit_call){frame, function, of_class, permit});
	}
}
