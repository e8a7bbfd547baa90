/* Asks a Limiter's shadow limits, and lets their refusals pass. */
#include "limiter_internal.h"

#include "zend_exceptions.h"

#include "src/guard/guard.h"
#include "src/guard/local_cache.h"
#include "../base/store_config.h"

/* Returns whether the shadow limits have a part in a question of this kind. A permit has a permit of theirs. */
static bool shadow_takes_part(const php_ratelimit_limiter *shadow, rl_op op)
{
	if (op == RL_OP_ACQUIRE || op == RL_OP_BAN || op == RL_OP_UNBAN) {
		return false;
	}
	for (unsigned i = 0; (op == RL_OP_RESERVE || op == RL_OP_CANCEL) && i < shadow->question.n_limits; i++) {
		if (!php_ratelimit_can_book(&shadow->question.limits[i])) {
			return false;
		}
	}
	return true;
}

const rl_guard *php_ratelimit_limiter_begin_shadow(php_ratelimit_limiter *shadow, const rl_question *q, rl_key *key)
{
	shadow->question.op = q->op;
	shadow->question.cost = q->cost;
	shadow->question.at_us = q->at_us;
	shadow->question.leave = 0;
	shadow->question.at_least = 0;
	shadow->question.max_wait_us = 0;
	shadow->question.held = NULL;
	shadow->monitor.silent = true;
	key->space = RL_SPACE_SHADOW;
	return php_ratelimit_limiter_guard(shadow);
}

/* Notes the shadow limit that would have refused, of the answer about the shadow limits, in that of the call. */
static void note_shadow(const php_ratelimit_limiter *shadow, rl_answer *answer, rl_answer *a)
{
	answer->shadow = 0;
	php_ratelimit_limiter_pass_shadow(shadow, answer);
	a->shadow = answer->shadow;
}

/* Reads the answer about the shadow limits. A failure of their question is no failure of the call. */
static void take_shadow_answer(php_ratelimit_limiter *shadow, const rl_guard *g, const rl_key *key, rl_answer *answer,
	rl_status status, rl_error *e, rl_answer *a)
{
	if (php_ratelimit_limiter_finish_ask(shadow, g, key, answer, status, e)) {
		note_shadow(shadow, answer, a);
	} else {
		zend_clear_exception();
	}
}

/* Returns whether a store can answer both questions at once: neither gets more than a request of its own gets. */
static bool can_ask_both(const rl_guard *g, const rl_question *q, const rl_question *of_shadow)
{
	return !rl_guard_is_embedded(g) && (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_RESERVE)
		&& !q->costs && !rl_local_cache_may_lease(g, q) && !rl_local_cache_may_lease(g, of_shadow);
}

bool php_ratelimit_limiter_ask_with_shadow(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	rl_answer *a, bool *asked)
{
	php_ratelimit_limiter *shadow = limiter->shadow;
	const rl_question *questions[2] = {&limiter->question, &shadow->question};
	rl_key keys[2] = {*key, *key};
	rl_answer answers[2];
	rl_status status[2];
	rl_error e, of_shadow;

	if (!shadow_takes_part(shadow, limiter->question.op) || limiter->storeless
		|| php_ratelimit_limiter_begin_shadow(shadow, &limiter->question, &keys[1])->store != g->store
		|| !can_ask_both(g, questions[0], questions[1])) {
		return false;
	}
	*asked = false;
	if ((limiter->needs_now
			&& !php_ratelimit_limiter_set_boundaries(limiter, &limiter->question, php_ratelimit_wall_us(g)))
		|| (shadow->needs_now
			&& !php_ratelimit_limiter_set_boundaries(shadow, &shadow->question, php_ratelimit_wall_us(g)))) {
		return true;
	}
	rl_guard_ask_many(g, keys, 2, questions, answers, status, &e);
	of_shadow = e;
	*asked = php_ratelimit_limiter_finish_ask(limiter, g, key, &answers[0], status[0], &e);
	if (EXPECTED(*asked)) {
		*a = answers[0];
		a->shadow = 0;
		take_shadow_answer(shadow, g, &keys[1], &answers[1], status[1], &of_shadow, a);
	}
	return true;
}

void php_ratelimit_limiter_judge_shadow(const php_ratelimit_limiter *limiter, const rl_key *key, rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow;
	rl_key of_shadow = *key;
	rl_answer answer;
	const rl_guard *g;

	if (!shadow_takes_part(shadow, limiter->question.op)) {
		return;
	}
	g = php_ratelimit_limiter_begin_shadow(shadow, &limiter->question, &of_shadow);
	if (php_ratelimit_limiter_ask_limits(shadow, g, &of_shadow, &answer)) {
		note_shadow(shadow, &answer, a);
	} else {
		zend_clear_exception();
	}
}

void php_ratelimit_limiter_judge_shadow_many(const php_ratelimit_limiter *limiter, const rl_key *keys, uint32_t n,
	rl_answer *a)
{
	php_ratelimit_limiter *shadow = limiter->shadow;
	rl_answer *answers = safe_emalloc(n, sizeof(*answers), 0);
	rl_key *of_shadow = safe_emalloc(n, sizeof(*of_shadow), 0);
	const rl_guard *g = NULL;

	for (uint32_t i = 0; i < n; i++) {
		of_shadow[i] = keys[i];
		g = php_ratelimit_limiter_begin_shadow(shadow, &limiter->question, &of_shadow[i]);
	}
	if (php_ratelimit_limiter_ask_limits_many(shadow, g, of_shadow, n, answers)) {
		for (uint32_t i = 0; i < n; i++) {
			note_shadow(shadow, &answers[i], &a[i]);
		}
	} else {
		zend_clear_exception();
	}
	efree(of_shadow);
	efree(answers);
}

void php_ratelimit_limiter_pass_shadow(const php_ratelimit_limiter *limiter, rl_answer *a)
{
	const rl_question *q = &limiter->question;

	if (rl_op_is_decision(q->op) && php_ratelimit_pass(&a->decision, RATELIMIT_G(enforce) && !limiter->is_shadow)) {
		a->shadow = a->decision.reason == RL_STORE_UNAVAILABLE ? 0 : a->decision.limit_index + 1;
		a->passed = true;
		a->granted = q->costs ? q->costs[a->decision.limit_index] : q->cost;
		a->wait_us = 0;
	}
}
