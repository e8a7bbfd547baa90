#include "named_limiters.h"

#include "../limiter/identities.h"
#include "../limiter/limiter_internal.h"
#include "../permit/permit_object.h"
#include "../result/result.h"
#include "conclude.h"

#include "zend_exceptions.h"
#include "../base/optional_string.h"

/* ---- The keys of a call ---- */

/* Fills in the identity that the argument of a call is. */
static bool argument_identity(const named_part *part, const php_ratelimit_call *call, uint32_t parameter, rl_key *key)
{
	zval *value = ZEND_CALL_ARG(call->frame, parameter);
	zend_string *string = NULL;
	zend_long number = 0;
	char name[2 + 64];

	ZVAL_DEREF(value);
	snprintf(name, sizeof(name), "$%.60s", ZSTR_VAL(call->function->arg_info[parameter - 1].name));
	if (!php_ratelimit_parse_identity(value, &string, &number)) {
		php_ratelimit_invalid("#[FrequencyLimit\\RateLimit('%s')]: %s must be an int or a string, %s given",
			ZSTR_VAL(part->rule.name), name, zend_zval_type_name(value));
		return false;
	}
	return php_ratelimit_identity(name, string, number, key);
}

/* Fills in the keys of one limiter. own: a key with the identity of the request. */
static bool fill_keys(const named_part *part, const php_ratelimit_call *call, const rl_key *own, rl_key *keys)
{
	const php_ratelimit_limiter *limiter = part->limiter;

	for (unsigned i = 0; i < named_part_n_keys(limiter); i++) {
		const zend_string *name = limiter->n_labels > 0 ? limiter->label_names[i] : limiter->name;

		keys[i] = *own;
		if (part->parameters[i] > 0 && !argument_identity(part, call, part->parameters[i], &keys[i])) {
			return false;
		}
		keys[i].space = limiter->n_labels > 0 ? RL_SPACE_LABEL
			: limiter->is_shadow              ? RL_SPACE_SHADOW
											  : RL_SPACE_LIMITER;
		keys[i].name = ZSTR_VAL(name);
		keys[i].name_len = ZSTR_LEN(name);
	}
	return true;
}

/* ---- One limiter ---- */

/* Begins a limiter's question. Returns its guard; NULL with an exception thrown. */
static const rl_guard *begin(const named_part *part)
{
	php_ratelimit_limiter *limiter = part->limiter;
	rl_question *q = &limiter->question;

	q->cost = part->cost;
	q->costs = NULL;
	if (part->costs_given) {
		memcpy(limiter->costs, part->costs, sizeof(limiter->costs));
		q->costs = limiter->costs;
	}
	return php_ratelimit_limiter_begin_as(limiter, limiter->has_concurrent ? RL_OP_ACQUIRE : RL_OP_CONSUME);
}

/* Asks about a call that takes no place. Returns false with an exception thrown. */
static bool named_consume(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, rl_answer *a)
{
	return php_ratelimit_usual_ask(limiter, keys, a) || php_ratelimit_limiter_ask(limiter, g, keys, a);
}

/* Asks, and takes the places: *permit holds them. */
static bool acquire(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, rl_answer *a, zval *permit)
{
	rl_key key = *keys;
	zend_string *id = keys->is_int ? NULL : zend_string_init(keys->id, keys->id_len, false);

	if (limiter->n_labels <= 1) { /* of several, the permit copies the strings */
		key.id = id ? ZSTR_VAL(id) : NULL;
		keys = &key;
	}
	php_ratelimit_permit_acquire(permit, limiter, g, keys, id, 0);
	php_ratelimit_string_release(id);
	if (Z_TYPE_P(permit) != IS_OBJECT) {
		return false;
	}
	*a = php_ratelimit_permit_of(Z_OBJ_P(permit))->answer;
	return true;
}

static bool ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, rl_answer *a, zval *permit)
{
	return limiter->has_concurrent ? acquire(limiter, g, keys, a, permit) : named_consume(limiter, g, keys, a);
}

/* Concludes a call, and lets it have its permit. */
static void conclude(php_ratelimit_limiter *limiter, php_ratelimit_request *request, const rl_key *keys,
	const rl_answer *a, zval *permit, zval *wanted)
{
	php_ratelimit_event event;
	bool has_event = php_ratelimit_limiter_event(&event, limiter, keys, a);
	zval id;

	php_ratelimit_id_of_key(&id, &keys[limiter->question.limits[a->decision.limit_index].identity]);
	php_ratelimit_conclude_by(limiter, request, a, &id, has_event ? &event : NULL);
	if (EXPECTED(!EG(exception)) && wanted && Z_TYPE_P(permit) == IS_OBJECT) {
		ZVAL_COPY(wanted, permit);
	}
	zval_ptr_dtor(permit);
}

static void decide_one(const named_part *part, php_ratelimit_request *request, const rl_key *own,
	const php_ratelimit_call *call)
{
	php_ratelimit_limiter *limiter = part->limiter;
	rl_key keys[RL_LIMITS_MAX];
	const rl_guard *g;
	rl_answer a;
	zval permit;

	if (!fill_keys(part, call, own, keys) || !(g = begin(part))) {
		return;
	}
	ZVAL_UNDEF(&permit);
	/* The listener may call another function that takes the place in the cache. */
	php_ratelimit_limiter_copy(limiter);
	if (ask(limiter, g, keys, &a, &permit)) {
		conclude(limiter, request, keys, &a, &permit, call->permit);
	}
	php_ratelimit_limiter_release(limiter);
}

/* ---- Several limiters ---- */

/* Counts one limiter's share of a decision: an admission by all, or its own refusal. */
static void count_part(const named_part *part, const rl_key *keys, const rl_answer *a)
{
	const php_ratelimit_limiter *limiter = part->limiter;
	unsigned decided = a->decision.limit_index - part->first_limit;
	bool is_mine = decided < limiter->question.n_limits;
	rl_answer mine = *a;

	if (!is_mine && !a->decision.accepted) {
		return;
	}
	mine.decision.limit_index = is_mine ? (uint8_t) decided : 0;
	if (!is_mine) {
		mine.decision.limit = limiter->question.limits[0].limit;
		mine.decision.remaining = mine.decision.limit;
	}
	if (limiter->shadow && !limiter->shadow->has_concurrent && a->decision.accepted && !a->passed) {
		part->limiter->question.op = RL_OP_CONSUME;
		php_ratelimit_limiter_judge_shadow(limiter, &keys[part->first_key], &mine);
	}
	php_ratelimit_monitor_answer(part->limiter, &keys[part->first_key], &mine);
}

/* Asks a limiter that refuses no call. */
static void ask_apart(const named_part *part, const php_ratelimit_call *call, const rl_key *own)
{
	php_ratelimit_limiter *limiter = part->limiter;
	rl_key keys[RL_LIMITS_MAX];
	const rl_guard *g;
	rl_answer a;

	if (limiter->has_concurrent || !fill_keys(part, call, own, keys) || !(g = begin(part))
		|| !php_ratelimit_limiter_ask(limiter, g, keys, &a)) {
		zend_clear_exception();
	}
}

/* Sets the cost of each limit. Returns whether one takes part. exempt: the parts, a bit each, of which the identity is exempt. */
static bool set_costs_together(const php_ratelimit_named_limiters *named, unsigned exempt)
{
	php_ratelimit_limiter *together = named->together;
	rl_question *q = &together->question;
	uint64_t all = 0;

	for (unsigned i = 0; i < named->n; i++) {
		const named_part *part = &named->parts[i];

		for (unsigned j = 0; !part->is_apart && j < part->limiter->question.n_limits; j++) {
			uint64_t cost = exempt >> i & 1 ? 0 : part->costs_given ? part->costs[j] : part->cost;

			together->costs[part->first_limit + j] = cost;
			all |= cost;
		}
	}
	q->cost = together->costs[0];
	q->costs = NULL;
	for (unsigned i = 1; i < q->n_limits; i++) {
		if (together->costs[i] != q->cost) {
			q->costs = together->costs;
		}
	}
	return all > 0;
}

/* Looks at the lists of the file, and at the networks that are banned. Sets a bit of *exempt for each part of which the identity is
 * exempt. Returns whether one refuses it: then a has the answer, by the limits of all. */
static bool is_refused_by_lists(const php_ratelimit_named_limiters *named, const rl_key *keys, unsigned *exempt,
	rl_answer *a)
{
	*exempt = 0;
	for (unsigned i = 0; i < named->n; i++) {
		const named_part *part = &named->parts[i];

		if (part->is_apart || !php_ratelimit_limiter_is_listed(part->limiter)) {
			continue;
		}
		part->limiter->question.op = RL_OP_CONSUME;
		if (php_ratelimit_limiter_answer_listed(part->limiter, &keys[part->first_key], a)) {
			if (!a->decision.accepted) {
				a->decision.limit_index += (uint8_t) part->first_limit;
				return true;
			}
			*exempt |= 1u << i;
		}
	}
	return false;
}

/* Asks the one question. keys: of all. */
static bool ask_all(const php_ratelimit_named_limiters *named, const rl_key *keys, rl_answer *a, zval *permit)
{
	php_ratelimit_limiter *together = named->together;
	const rl_guard *g = NULL;
	unsigned exempt;

	memset(a, 0, sizeof(*a));
	if (is_refused_by_lists(named, keys, &exempt, a)) {
		return true;
	}
	if (!set_costs_together(named, exempt)) {
		a->decision = (rl_decision){.accepted = true, .source = RL_FROM_EXEMPT};
		return true;
	}
	g = php_ratelimit_limiter_begin_as(together, together->has_concurrent ? RL_OP_ACQUIRE : RL_OP_CONSUME);
	for (unsigned i = 0; g && i < named->n; i++) {
		const php_ratelimit_limiter *limiter = named->parts[i].limiter;

		if (!named->parts[i].is_apart && limiter->named && limiter->named->has_policy) {
			if (!together->own_store) {
				together->guard = *g;
			}
			together->guard.policy = limiter->named->policy;
			g = &together->guard;
		}
	}
	return g && ask(together, g, keys, a, permit);
}

/* Lets the answer be about the limiter that decided: of its name. */
static void name_deciding(const php_ratelimit_named_limiters *named, const rl_answer *a)
{
	php_ratelimit_limiter *together = named->together;

	for (unsigned i = 0; i < named->n; i++) {
		const named_part *part = &named->parts[i];

		if (!part->is_apart && a->decision.limit_index - part->first_limit < part->limiter->question.n_limits
			&& together->name != part->limiter->name) {
			zend_string_release(together->name);
			together->name = zend_string_copy(part->limiter->name);
		}
	}
}

static void conclude_together(const php_ratelimit_named_limiters *named, php_ratelimit_request *request,
	const rl_key *own, const rl_key *keys, const rl_answer *a, zval *permit, const php_ratelimit_call *call)
{
	for (unsigned i = 0; i < named->n; i++) {
		const named_part *part = &named->parts[i];

		if (!part->is_apart) {
			count_part(part, keys, a);
		} else if (a->decision.accepted) {
			ask_apart(part, call, own);
		}
	}
	name_deciding(named, a);
	conclude(named->together, request, keys, a, permit, call->permit);
}

static void decide_together(const php_ratelimit_named_limiters *named, php_ratelimit_request *request,
	const rl_key *own, const php_ratelimit_call *call)
{
	php_ratelimit_limiter *together = named->together;
	rl_key keys[RL_LIMITS_MAX];
	rl_answer a;
	zval permit;

	for (unsigned i = 0; i < named->n; i++) {
		const named_part *part = &named->parts[i];

		if (!part->is_apart && (!fill_keys(part, call, own, &keys[part->first_key]) || !begin(part))) {
			return;
		}
	}
	ZVAL_UNDEF(&permit);
	php_ratelimit_limiter_copy(together);
	if (ask_all(named, keys, &a, &permit)) {
		conclude_together(named, request, own, keys, &a, &permit, call);
	} else {
		for (unsigned i = 0; i < named->n; i++) {
			if (!named->parts[i].is_apart) {
				php_ratelimit_monitor_failure(named->parts[i].limiter, &keys[named->parts[i].first_key]);
			}
		}
	}
	php_ratelimit_limiter_release(together);
}

void php_ratelimit_named_limiters_decide(const php_ratelimit_enforced *enforced, php_ratelimit_request *request,
	const rl_key *own, const php_ratelimit_call *call)
{
	const php_ratelimit_named_limiters *named = enforced->named;

	if (named->together) {
		decide_together(named, request, own, call);
		return;
	}
	for (unsigned i = 1; i < named->n; i++) {
		ask_apart(&named->parts[i], call, own);
	}
	decide_one(&named->parts[0], request, own, call);
}
