/* Puts the question of a Limiter to the guard of its store, without lists and shadow limits. */
#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "../base/numbers.h"
#include "../base/store_config.h"
#include "src/shm/store/shm.h"
#include "src/guard/guard.h"

/* Lets the decisions of a limiter without an enforced limit count as those of any other, until rl_stat_counts_as is set back to the
 * result: how they counted before. Nothing in between takes PHP's memory, whose limit would end the request there. */
static zend_always_inline rl_stat_mode begin_counts(const php_ratelimit_limiter *limiter)
{
	rl_stat_mode before = rl_stat_counts_as;

	if (UNEXPECTED(limiter->is_shadow && !limiter->monitor.silent)) {
		rl_stat_counts_as = RL_STAT_PASSED_SHADOWS;
	}
	return before;
}

bool php_ratelimit_limiter_finish_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a, rl_status status, rl_error *e)
{
	rl_stat_mode before;

	for (unsigned i = 0; UNEXPECTED(status == RL_STALE_BOUNDARIES) && i < PHP_RATELIMIT_STALE_MAX; i++) {
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, e->now_us)) {
			return false;
		}
		before = begin_counts(limiter);
		status = rl_guard_retry(g, key, &limiter->question, a, e);
		rl_stat_counts_as = before;
	}
	if (EXPECTED(status == RL_OK)) {
		return true;
	}
	if (status == RL_STALE_BOUNDARIES) {
		snprintf(e->message, sizeof(e->message), "the store's clock changed during the call; try again");
	}
	php_ratelimit_throw_store(status, key, e);
	return false;
}

/* Answers without a store: the call passes, and nothing is kept. */
static ZEND_COLD void answer_storeless(const rl_question *q, rl_answer *a)
{
	memset(a, 0, sizeof(*a));
	a->decision.reason = RL_ACCEPTED;
	a->decision.accepted = true;
	a->decision.limit = q->limits[0].limit;
	a->decision.remaining = q->limits[0].limit;
	a->granted = q->cost;
}

/* Asks about limits with identities of their own. A consume takes the parts of their states as a permit, so that those of earlier
 * ones go back by its number if a later one refuses. */
static zend_never_inline bool ask_as_permit(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys,
	rl_answer *a)
{
	rl_question *q = &limiter->question;
	rl_held held[RL_LIMITS_MAX];
	rl_error e;
	bool done;

	if (q->op != RL_OP_CONSUME) {
		return php_ratelimit_limiter_finish_ask(limiter, g, keys, a, rl_guard_ask(g, keys, q, a, &e), &e);
	}
	q->op = RL_OP_ACQUIRE;
	q->tag = php_ratelimit_permit_number();
	q->owner = 0;
	q->held = held;
	done = php_ratelimit_limiter_finish_ask(limiter, g, keys, a, rl_guard_ask(g, keys, q, a, &e), &e);
	q->op = RL_OP_CONSUME;
	q->held = NULL;
	return done;
}

bool php_ratelimit_limiter_ask_limits(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a)
{
	rl_stat_mode before;
	rl_error e;
	rl_status status;

	if (limiter->needs_now) {
		if (limiter->storeless) {
			answer_storeless(&limiter->question, a);
			return true;
		}
		if (!php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
			return false;
		}
	}
	if (UNEXPECTED(limiter->n_labels > 1)) {
		return ask_as_permit(limiter, g, key, a);
	}
	before = begin_counts(limiter);
	status = rl_guard_ask(g, key, &limiter->question, a, &e);
	rl_stat_counts_as = before;
	return EXPECTED(status == RL_OK) || php_ratelimit_limiter_finish_ask(limiter, g, key, a, status, &e);
}

bool php_ratelimit_limiter_ask_limits_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys,
	uint32_t n, rl_answer *a)
{
	const rl_question **questions;
	rl_status *statuses;
	rl_stat_mode before;
	rl_error e;
	uint32_t i = 0;

	if (limiter->storeless) {
		for (; i < n; i++) {
			answer_storeless(&limiter->question, &a[i]);
		}
		return true;
	}
	if (limiter->needs_now
		&& !php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g))) {
		return false;
	}
	statuses = safe_emalloc(n, sizeof(*statuses), 0);
	questions = safe_emalloc(n, sizeof(*questions), 0);
	for (uint32_t j = 0; j < n; j++) {
		questions[j] = &limiter->question;
	}
	before = begin_counts(limiter);
	rl_guard_ask_many(g, keys, n, questions, a, statuses, &e);
	rl_stat_counts_as = before;
	efree(questions);
	/* An identity has no answer if the clock passed a boundary. It gets a question of its own. */
	while (i < n && php_ratelimit_limiter_finish_ask(limiter, g, &keys[i], &a[i], statuses[i], &e)) {
		i++;
	}
	efree(statuses);
	return i == n;
}
