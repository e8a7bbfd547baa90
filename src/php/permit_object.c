#include "permit_object.h"

#include "zend_exceptions.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "classes.h"
#include "result.h"
#include "src/shm/clock.h"
#include "store_config.h"

/* The pauses between two questions of an acquire that waits for a place: they grow from the first one to the last. */
#define PAUSE_FIRST_US (1 * RL_US_PER_MS)
#define PAUSE_LAST_US  (50 * RL_US_PER_MS)

static zend_object_handlers handlers;

/* Counts the forks that lead to this process: a child shares no permit with its parent. One for the process. */
static unsigned generation = 1;

static void permit_count_fork(void)
{
	generation++;
}

/* ---- Numbers ---- */

/* Draws the first of a process' numbers, so that those of two processes are far apart. */
static ZEND_COLD uint64_t permit_seed(void)
{
	uint64_t seed;

	if (getentropy(&seed, sizeof(seed)) != 0) {
		seed = ((uint64_t) rl_clock_wall_us() << 20 ^ (uint64_t) getpid()) * UINT64_C(0x9e3779b97f4a7c15) >> 8;
	}
	return seed & RL_TAG_MASK;
}

uint64_t php_ratelimit_permit_number(void)
{
	php_ratelimit_permits *permits = &RATELIMIT_G(permits);

	if (UNEXPECTED(permits->generation != generation)) {
		permits->generation = generation;
		permits->number = permit_seed();
	}
	do {
		permits->number = (permits->number + 1) & RL_TAG_MASK;
	} while (permits->number == 0);
	return permits->number;
}

/* ---- The list ---- */

static void permit_open(php_ratelimit_permit *permit)
{
	php_ratelimit_permit **first = &RATELIMIT_G(permits).first;

	permit->next = *first;
	permit->at = first;
	if (permit->next) {
		permit->next->at = &permit->next;
	}
	*first = permit;
	permit->live = true;
}

void php_ratelimit_permit_close(php_ratelimit_permit *permit)
{
	*permit->at = permit->next;
	if (permit->next) {
		permit->next->at = permit->at;
	}
	permit->live = false;
}

php_ratelimit_permit *php_ratelimit_permit_live(zval *this)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(Z_OBJ_P(this));

	return permit->live && permit->generation == generation ? permit : NULL;
}

/* ---- What a permit holds ---- */

/* Copies the limits of the limiter into a question: the limiter's own may be in use while a permit ends. */
static void permit_question(const php_ratelimit_permit *permit, rl_question *q, rl_op op, uint64_t cost,
	const uint64_t *costs, int64_t renew_us)
{
	const rl_question *limiter = &permit->limiter->question;

	memset(q, 0, XtOffsetOf(rl_question, limits));
	memcpy(q->limits, limiter->limits, limiter->n_limits * sizeof(*q->limits));
	q->op = op;
	q->n_limits = limiter->n_limits;
	q->n_keys = limiter->n_keys;
	q->carries = limiter->carries;
	q->cost = cost;
	q->costs = costs;
	q->renew_us = renew_us;
	q->held = permit->held;
}

static bool permit_has_store(const php_ratelimit_permit *permit, const rl_guard *g)
{
	uint64_t id[2];

	rl_guard_store_id(g, id);
	return id[0] == permit->store_id[0] && id[1] == permit->store_id[1];
}

/* Asks again while the boundaries of a clock's windows are over, as for other questions. */
static rl_status permit_ask(php_ratelimit_permit *permit, const rl_guard *g, rl_question *q, rl_answer *a, rl_error *e)
{
	bool with_boundaries = q->op == RL_OP_SETTLE && permit->limiter->needs_now;
	rl_status status = RL_STALE_BOUNDARIES;
	int64_t now_us = with_boundaries ? php_ratelimit_wall_us(g) : 0;

	for (unsigned i = 0; status == RL_STALE_BOUNDARIES && i <= PHP_RATELIMIT_STALE_MAX; i++) {
		if (with_boundaries && !php_ratelimit_limiter_set_boundaries(permit->limiter, q, now_us)) {
			snprintf(e->message, sizeof(e->message), "the boundaries of a calendar limit cannot be computed");
			return RL_UNAVAILABLE;
		}
		status = rl_guard_change(g, permit->answer.decision.source, permit->keys, q, a, e);
		now_us = e->now_us;
	}
	if (status == RL_STALE_BOUNDARIES) {
		snprintf(e->message, sizeof(e->message), "the store's clock changed during the call; try again");
	}
	return status;
}

/* Returns whether no store has counted the permit: the failure policy admitted it, its identity is exempt, its limiter has
 * no store, or it is a refusal that passes. */
static bool permit_is_uncounted(const php_ratelimit_permit *permit)
{
	const rl_decision *d = &permit->answer.decision;

	return d->reason == RL_STORE_UNAVAILABLE || d->source == RL_FROM_EXEMPT || permit->limiter->storeless
		|| permit->answer.passed;
}

static php_ratelimit_change permit_change_own(php_ratelimit_permit *permit, rl_op op, uint64_t cost,
	const uint64_t *costs, int64_t renew_us, rl_answer *a)
{
	const rl_guard *g;
	rl_question q;
	rl_error e;
	rl_status status;

	if (permit_is_uncounted(permit)) {
		*a = permit->answer;
		a->found = op != RL_OP_RENEW || permit->limiter->storeless;
		return PHP_RATELIMIT_CHANGED;
	}
	g = php_ratelimit_limiter_guard(permit->limiter);
	if (!permit_has_store(permit, g)) {
		return PHP_RATELIMIT_NO_STORE;
	}
	if (!php_ratelimit_clock_agrees(g)) {
		return PHP_RATELIMIT_THROWN;
	}
	permit_question(permit, &q, op, cost, costs, renew_us);
	status = permit_ask(permit, g, &q, a, &e);
	if (EXPECTED(status == RL_OK)) {
		return PHP_RATELIMIT_CHANGED;
	}
	php_ratelimit_throw_store(status, &permit->key, &e);
	return PHP_RATELIMIT_THROWN;
}

/* Changes the permit of the shadow limits in the same way. Its failures are none of the call's. */
static zend_never_inline void permit_change_shadow(php_ratelimit_permit *shadow, rl_op op, uint64_t cost,
	int64_t renew_us)
{
	rl_answer a;

	if (!shadow->live) {
		return;
	}
	if (op != RL_OP_RENEW) {
		php_ratelimit_permit_close(shadow);
	}
	if (permit_change_own(shadow, op, cost, NULL, renew_us, &a) == PHP_RATELIMIT_THROWN) {
		zend_clear_exception();
	}
}

php_ratelimit_change php_ratelimit_permit_change(php_ratelimit_permit *permit, rl_op op, uint64_t cost,
	const uint64_t *costs, int64_t renew_us, rl_answer *a)
{
	php_ratelimit_change change = permit_change_own(permit, op, cost, costs, renew_us, a);

	if (change == PHP_RATELIMIT_CHANGED) {
		a->shadow = 0;
		a->passed = false;
		if (UNEXPECTED(permit->shadow)) {
			permit_change_shadow(php_ratelimit_permit_of(permit->shadow), op, cost, renew_us);
		}
	}
	return change;
}

/* Ends a permit of which no method has done so. It throws nothing: a place whose end the store does not get ends by its
 * seconds. */
static void permit_end(php_ratelimit_permit *permit)
{
	const rl_guard *g;
	rl_question q;
	rl_answer a;
	rl_error e;
	zend_object *exception = EG(exception);
	const zend_op *opline = EG(opline_before_exception);
	bool cancel;

	php_ratelimit_permit_close(permit);
	if (permit->generation != generation || permit_is_uncounted(permit) || !permit->limiter->name) {
		return;
	}
	cancel = permit->turn_us != PHP_RATELIMIT_TURN_HAS_COME && rl_clock_read_for(false).mono_us < permit->turn_us;
	if (!cancel && !permit->limiter->has_concurrent) {
		return;
	}
	g = php_ratelimit_limiter_guard(permit->limiter);
	if (!permit_has_store(permit, g) || (rl_clock_is_frozen() && !rl_guard_is_embedded(g))) {
		return;
	}
	permit_question(permit, &q, cancel ? RL_OP_SETTLE : RL_OP_RELEASE, 0, NULL, 0);
	EG(exception) = NULL;
	permit_ask(permit, g, &q, &a, &e);
	if (UNEXPECTED(EG(exception))) {
		zend_clear_exception();
	}
	EG(exception) = exception;
	EG(opline_before_exception) = opline;
}

void php_ratelimit_permits_begin_request(php_ratelimit_permits *permits)
{
	permits->first = NULL;
}

void php_ratelimit_permits_end_request(php_ratelimit_permits *permits)
{
	while (permits->first) {
		permit_end(permits->first);
	}
}

/* ---- Acquire ---- */

bool php_ratelimit_sleep_until(int64_t mono_us)
{
	struct timespec until = {mono_us / RL_US_PER_SECOND, mono_us % RL_US_PER_SECOND * 1000};

	if (UNEXPECTED(rl_clock_is_frozen())) {
		int64_t left_us = mono_us - rl_clock_read_for(false).mono_us;

		return left_us <= 0 || rl_clock_advance(left_us);
	}
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0;
}

/* Returns whether a place of a concurrent limit that comes free may let the refused call pass within the time left. */
static bool may_get_place(const php_ratelimit_limiter *limiter, const rl_decision *d, int64_t left_us)
{
	return limiter->has_concurrent && d->reason == RL_LIMITED
		&& (limiter->question.limits[d->limit_index].algorithm == RL_CONCURRENT || d->retry_after_us <= left_us);
}

/* Returns a random time of half a pause to one and a half. */
static int64_t jittered(int64_t pause_us)
{
	uint64_t random = (php_ratelimit_permit_number() ^ (uint64_t) rl_clock_true_us()) * UINT64_C(0x9e3779b97f4a7c15);

	return pause_us / 2 + (int64_t) ((random >> 32) % (uint64_t) pause_us);
}

/* Sleeps until a moment with the signals of a mask allowed. Returns false if one came, also before the sleep. */
static bool sleep_with_signals(int64_t mono_us, const sigset_t *allowed)
{
	int64_t left_us;
	struct timespec left;

	if (UNEXPECTED(rl_clock_is_frozen())) {
		return php_ratelimit_sleep_until(mono_us);
	}
	left_us = MAX(mono_us - rl_clock_read_for(false).mono_us, 0);
	left = (struct timespec){left_us / RL_US_PER_SECOND, left_us % RL_US_PER_SECOND * 1000};
	return ppoll(NULL, 0, &left, allowed) == 0;
}

/* Asks until the call passes, or cannot pass within its time. The caller has blocked all signals but those allowed: one that comes
 * during a question ends the next sleep. Returns false with an exception thrown. */
static bool acquire_in_time(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, int64_t max_wait_us,
	const sigset_t *allowed, rl_answer *a)
{
	rl_question *q = &limiter->question;
	int64_t pause_us = PAUSE_FIRST_US, now_us, end_us;

	now_us = rl_clock_read_for(false).mono_us;
	end_us = now_us + max_wait_us;
	for (;;) {
		int64_t next_us;

		if (!php_ratelimit_limiter_ask(limiter, g, key, a)) {
			return false;
		}
		now_us = rl_clock_read_for(false).mono_us;
		if (a->decision.accepted || now_us >= end_us || !may_get_place(limiter, &a->decision, end_us - now_us)) {
			return true;
		}
		next_us = MIN(now_us + jittered(pause_us), end_us);
		if (!sleep_with_signals(next_us, allowed)) {
			return true; /* a signal: its handler runs behind this call, with the refusal */
		}
		pause_us = MIN(2 * pause_us, PAUSE_LAST_US);
		q->max_wait_us = end_us - next_us;
	}
}

/* Asks once, or within a time for places that come free. Returns false with an exception thrown. */
static bool acquire_within(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, int64_t max_wait_us,
	rl_answer *a)
{
	sigset_t blocked, allowed;
	volatile bool done = false;

	limiter->question.max_wait_us = max_wait_us;
	if (EXPECTED(max_wait_us == 0) || !limiter->has_concurrent) {
		return php_ratelimit_limiter_ask(limiter, g, key, a);
	}
	sigfillset(&blocked);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGFPE);
	sigdelset(&blocked, SIGILL);
	pthread_sigmask(SIG_BLOCK, &blocked, &allowed);
	zend_try
	{
		done = acquire_in_time(limiter, g, key, max_wait_us, &allowed, a);
	}
	zend_catch
	{
		pthread_sigmask(SIG_SETMASK, &allowed, NULL);
		zend_bailout();
	}
	zend_end_try();
	pthread_sigmask(SIG_SETMASK, &allowed, NULL);
	return done;
}

/* Copies the keys of several labels, with references to their identities. */
static void permit_copy_keys(php_ratelimit_permit *permit, const rl_key *keys)
{
	unsigned n = permit->limiter->n_labels;

	permit->keys = safe_emalloc(n, sizeof(*permit->keys), 0);
	permit->ids = safe_emalloc(n, sizeof(*permit->ids), 0);
	memcpy(permit->keys, keys, n * sizeof(*keys));
	for (unsigned i = 0; i < n; i++) {
		permit->ids[i] = keys[i].is_int ? NULL : zend_string_init(keys[i].id, keys[i].id_len, false);
		permit->keys[i].id = permit->ids[i] ? ZSTR_VAL(permit->ids[i]) : NULL;
	}
}

static void permit_free_keys(php_ratelimit_permit *permit)
{
	for (unsigned i = 0; i < permit->limiter->n_labels; i++) {
		if (permit->ids[i]) {
			zend_string_release(permit->ids[i]);
		}
	}
	efree(permit->ids);
	efree(permit->keys);
}

static php_ratelimit_permit *permit_new(php_ratelimit_limiter *limiter, const rl_key *key, zend_string *id)
{
	php_ratelimit_permit *permit = zend_object_alloc(sizeof(*permit), php_ratelimit_ce_permit);
	unsigned n = limiter->question.n_limits;

	zend_object_std_init(&permit->std, php_ratelimit_ce_permit);
	object_properties_init(&permit->std, php_ratelimit_ce_permit);
	permit->std.handlers = &handlers;
	permit->live = false;
	permit->limiter = php_ratelimit_limiter_copy(limiter);
	permit->key = *key;
	permit->keys = &permit->key;
	permit->ids = NULL;
	permit->id = id ? zend_string_copy(id) : NULL;
	permit->shadow = NULL;
	if (UNEXPECTED(limiter->n_labels > 1)) {
		permit_copy_keys(permit, key);
	}
	permit->held = EXPECTED(n == 1) ? &permit->held_one : safe_emalloc(n, sizeof(*permit->held), 0);
	memset(permit->held, 0, n * sizeof(*permit->held));
	return permit;
}

static void permit_make_result(php_ratelimit_permit *permit)
{
	zval *property = OBJ_PROP_NUM(&permit->std, 0), result;

	php_ratelimit_limiter_result(&result, permit->limiter, &permit->answer);
	if (!permit->answer.decision.accepted && permit->key.is_int && !permit->ids) {
		php_ratelimit_result_set_int_caller(&result, (zend_long) permit->key.int_id);
	}
	ZVAL_COPY_VALUE_PROP(property, &result);
	Z_PROP_FLAG_P(property) = 0;
}

/* Acquires a permit of the shadow limits. */
static zend_never_inline void permit_acquire_shadow(php_ratelimit_permit *permit)
{
	php_ratelimit_limiter *shadow = permit->limiter->shadow;
	rl_key key = permit->key;
	const rl_guard *g = php_ratelimit_limiter_begin_shadow(shadow, &permit->limiter->question, &key);
	zval acquired;

	ZVAL_UNDEF(&acquired);
	php_ratelimit_permit_acquire(&acquired, shadow, g, &key, permit->id, 0);
	if (Z_TYPE(acquired) == IS_OBJECT) {
		permit->shadow = Z_OBJ(acquired);
		permit->answer.shadow = php_ratelimit_permit_of(permit->shadow)->answer.shadow;
	} else {
		zend_clear_exception();
	}
}

void php_ratelimit_permit_acquire(zval *return_value, php_ratelimit_limiter *limiter, const rl_guard *g,
	const rl_key *key, zend_string *id, int64_t max_wait_us)
{
	rl_question *q = &limiter->question;
	/* The object is first: with what is held, no allocation may fail. */
	php_ratelimit_permit *permit = permit_new(limiter, key, id);

	q->tag = php_ratelimit_permit_number();
	q->owner = limiter->has_concurrent ? rl_shm_owner() : 0;
	q->held = permit->held;
	if (UNEXPECTED(!acquire_within(limiter, g, key, max_wait_us, &permit->answer))) {
		OBJ_RELEASE(&permit->std);
		RETURN_THROWS();
	}
	RETVAL_OBJ(&permit->std);
	permit->generation = generation;
	permit->turn_us = PHP_RATELIMIT_TURN_HAS_COME;
	if (EXPECTED(permit->answer.decision.accepted)) {
		if (UNEXPECTED(permit->answer.wait_us > 0)) {
			permit->turn_us = rl_clock_read_for(false).mono_us + permit->answer.wait_us;
		}
		rl_guard_store_id(g, permit->store_id);
		permit_open(permit);
	}
	if (UNEXPECTED(limiter->shadow) && permit->answer.decision.source != RL_FROM_EXEMPT && !permit->answer.passed) {
		permit_acquire_shadow(permit);
	}
	/* The length of a calendar's window is that of this moment. */
	if (limiter->needs_now) {
		permit_make_result(permit);
	}
	if (EXPECTED(permit->answer.decision.source != RL_FROM_EXEMPT)) {
		php_ratelimit_monitor_answer(limiter, permit->keys, &permit->answer);
	}
}

void php_ratelimit_permit_double(zval *return_value, zend_object *result)
{
	int64_t window_us;
	rl_answer a = php_ratelimit_result_answer(result, &window_us);
	rl_key key = {.space = RL_SPACE_LIMITER};
	zend_string *name = php_ratelimit_result_of(result)->policy.name;
	php_ratelimit_permit *permit = permit_new(php_ratelimit_limiter_storeless(a.decision.limit, window_us, name), &key,
		NULL);
	permit->limiter->references--; /* the permit's own reference is the only one */
	permit->answer = a;
	permit->generation = generation;
	permit->turn_us = a.wait_us > 0 ? rl_clock_read_for(false).mono_us + a.wait_us : PHP_RATELIMIT_TURN_HAS_COME;
	memset(permit->store_id, 0, sizeof(permit->store_id));
	ZVAL_OBJ_COPY(OBJ_PROP_NUM(&permit->std, 0), result);
	if (a.decision.accepted) {
		permit_open(permit);
	}
	RETVAL_OBJ(&permit->std);
}

/* ---- The object ---- */

/* Makes the object of a permit that acquire() has not made: it holds nothing. */
static zend_object *permit_create(zend_class_entry *ce)
{
	php_ratelimit_permit *permit = zend_object_alloc(sizeof(*permit), ce);

	memset(permit, 0, XtOffsetOf(php_ratelimit_permit, std));
	zend_object_std_init(&permit->std, ce);
	object_properties_init(&permit->std, ce);
	permit->std.handlers = &handlers;
	return &permit->std;
}

static void permit_release(zend_object *object)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(object);

	if (permit->live) {
		permit_end(permit);
	}
	if (permit->held && permit->held != &permit->held_one) {
		efree(permit->held);
	}
	if (permit->id) {
		zend_string_release(permit->id);
	}
	if (permit->shadow) {
		OBJ_RELEASE(permit->shadow);
	}
	if (permit->ids) {
		permit_free_keys(permit);
	}
	if (permit->limiter) {
		php_ratelimit_limiter_release(permit->limiter);
	}
	zend_object_std_dtor(object);
}

/* ---- $result, which its first use makes ---- */

static zend_always_inline void need_result(zend_object *object)
{
	php_ratelimit_permit *permit = php_ratelimit_permit_of(object);

	if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) == IS_UNDEF && permit->limiter) {
		permit_make_result(permit);
	}
}

static zval *permit_read_property(zend_object *object, zend_string *name, int type, void **cache_slot, zval *rv)
{
	need_result(object);
	return zend_std_read_property(object, name, type, cache_slot, rv);
}

static zval *permit_write_property(zend_object *object, zend_string *name, zval *value, void **cache_slot)
{
	need_result(object);
	return zend_std_write_property(object, name, value, cache_slot);
}

static zval *permit_get_property_ptr_ptr(zend_object *object, zend_string *name, int type, void **cache_slot)
{
	need_result(object);
	return zend_std_get_property_ptr_ptr(object, name, type, cache_slot);
}

static int permit_has_property(zend_object *object, zend_string *name, int check_empty, void **cache_slot)
{
	need_result(object);
	return zend_std_has_property(object, name, check_empty, cache_slot);
}

static void permit_unset_property(zend_object *object, zend_string *name, void **cache_slot)
{
	need_result(object);
	zend_std_unset_property(object, name, cache_slot);
}

static HashTable *permit_get_properties(zend_object *object)
{
	need_result(object);
	return zend_std_get_properties(object);
}

/* Lists what there is, for the collector of cycles: it makes no result. */
static HashTable *permit_get_gc(zend_object *object, zval **table, int *n)
{
	*table = object->properties_table;
	*n = 1;
	return object->properties;
}

void php_ratelimit_permit_startup(void)
{
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = XtOffsetOf(php_ratelimit_permit, std);
	handlers.free_obj = permit_release;
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable;
	handlers.read_property = permit_read_property;
	handlers.write_property = permit_write_property;
	handlers.get_property_ptr_ptr = permit_get_property_ptr_ptr;
	handlers.has_property = permit_has_property;
	handlers.unset_property = permit_unset_property;
	handlers.get_properties = permit_get_properties;
	handlers.get_gc = permit_get_gc;
	php_ratelimit_ce_permit->create_object = permit_create;
	(void) pthread_atfork(NULL, NULL, permit_count_fork);
}
