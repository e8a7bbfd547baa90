#include "permit_object.h"

#include "zend_exceptions.h"

#include "src/shm/segment/clock.h"
#include "../base/store_config.h"

/* ---- The list ---- */

void php_ratelimit_permit_open(php_ratelimit_permit *permit)
{
	php_ratelimit_permit **first = &RATELIMIT_G(permits);

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

/* ---- Changes ---- */

/* Copies the limits of the limiter into a question: the limiter's own may be in use while a permit ends. */
static void permit_question(const php_ratelimit_permit *permit, rl_question *q, rl_op op, uint64_t cost,
	const uint64_t *costs, int64_t renew_us)
{
	const rl_question *limiter = &permit->limiter->question;

	memset(q, 0, offsetof(rl_question, limits));
	memcpy(q->limits, limiter->limits, limiter->n_limits * sizeof(*q->limits));
	q->op = op;
	q->n_limits = limiter->n_limits;
	q->n_keys = limiter->n_keys;
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

void php_ratelimit_permit_give_back(php_ratelimit_permit *permit)
{
	const rl_guard *g;
	rl_question q;
	rl_answer a;
	rl_error e;
	zend_object *exception = EG(exception);
	const zend_op *opline = EG(opline_before_exception);
	bool cancel;

	if (permit_is_uncounted(permit) || !permit->limiter->name) {
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
