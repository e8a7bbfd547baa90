#include "named_limiters.h"

#include "../limiter/identities.h"
#include "../limiter/limiter_internal.h"
#include "../permit/permit_object.h"
#include "../result/result.h"
#include "conclude.h"

#include "zend_exceptions.h"

/* One limiter of a function, with its keys and costs. */
typedef struct {
	php_ratelimit_named_rule rule;  /* references; without a name: the function's own limits */
	php_ratelimit_limiter *limiter; /* a reference; NULL: not looked up yet */
	uint32_t parameters
		[RL_LIMITS_MAX]; /* of each key: the number of the parameter that has its identity; 0: the request's */
	bool costs_given;
	uint64_t cost, costs[RL_LIMITS_MAX]; /* all limits' cost, or with costs_given that of each */
	/* Among those that are decided together. */
	bool is_apart; /* it is not one of them: it refuses no call, because all of its limits are shadows, or none() */
	unsigned first_limit, first_key;
} part;

struct php_ratelimit_named_limiters {
	uint64_t version; /* of the names; 0: they were not looked up yet */
	bool needs_identity;
	unsigned n;
	php_ratelimit_limiter
		*together;             /* all limits and keys of several limiters, a reference; NULL: there is one limiter */
	part parts[RL_LIMITS_MAX]; /* the function's own limits first, if it has any */
};

static unsigned n_keys_of(const php_ratelimit_limiter *limiter)
{
	return MAX(limiter->n_labels, 1);
}

static bool part_is_own(const part *part)
{
	return part->rule.name == NULL;
}

/* ---- What a rule names ---- */

php_ratelimit_named_limiters *php_ratelimit_named_limiters_new(const php_ratelimit_access_rule *rule)
{
	php_ratelimit_named_limiters *named = ecalloc(1, sizeof(*named));

	if (rule->n_limits > 0) {
		named->parts[named->n++] = (part){.cost = 1};
		named->needs_identity = true;
	}
	for (unsigned i = 0; i < rule->n_named; i++) {
		const php_ratelimit_named_rule *one = &rule->named[i];
		part *part = &named->parts[named->n++];

		part->rule.name = zend_string_copy(one->name);
		ZVAL_COPY(&part->rule.cost, &one->cost);
		ZVAL_COPY(&part->rule.id, &one->id);
		/* Of an array, the labels that it leaves out are known with the limiter. */
		named->needs_identity |= Z_TYPE(one->id) != IS_STRING;
	}
	return named;
}

static void release_together(php_ratelimit_named_limiters *named)
{
	if (named->together) {
		php_ratelimit_limiter_release(named->together);
		named->together = NULL;
	}
}

void php_ratelimit_named_limiters_free(php_ratelimit_named_limiters *named)
{
	release_together(named);
	for (unsigned i = 0; i < named->n; i++) {
		part *part = &named->parts[i];

		if (part->limiter) {
			php_ratelimit_limiter_release(part->limiter);
		}
		if (!part_is_own(part)) {
			zend_string_release(part->rule.name);
			zval_ptr_dtor(&part->rule.cost);
			zval_ptr_dtor(&part->rule.id);
		}
	}
	efree(named);
}

bool php_ratelimit_named_limiters_need_identity(const php_ratelimit_enforced *enforced)
{
	return enforced->named->needs_identity;
}

/* ---- The limiters of the names, as they are now ---- */

/* Returns the number of a parameter, from 1; 0 with an exception thrown. */
static uint32_t parameter_of(const zend_op_array *function, const part *part, const zend_string *name)
{
	zend_string *of;

	for (uint32_t i = 0; i < function->num_args; i++) {
		if (zend_string_equals(function->arg_info[i].name, name)) {
			return i + 1;
		}
	}
	of = php_ratelimit_function_name(function);
	php_ratelimit_invalid(
		"#[FrequencyLimit\\RateLimit('%s')]: $id must be the name of a parameter of %s(), \"%.64s\" given",
		ZSTR_VAL(part->rule.name), ZSTR_VAL(of), ZSTR_VAL(name));
	zend_string_release(of);
	return 0;
}

/* Sets the parameters of labels. */
static bool set_label_parameters(const zend_op_array *function, part *part)
{
	const php_ratelimit_limiter *limiter = part->limiter;
	unsigned found = 0;

	for (unsigned i = 0; i < limiter->n_labels; i++) {
		const zval *parameter = zend_hash_find(Z_ARRVAL(part->rule.id), limiter->labels[i]);

		part->parameters[i] = 0;
		if (parameter) {
			found++;
			part->parameters[i] = parameter_of(function, part, Z_STR_P(parameter));
			if (part->parameters[i] == 0) {
				return false;
			}
		}
	}
	if (found < zend_hash_num_elements(Z_ARRVAL(part->rule.id))) {
		php_ratelimit_invalid(
			"#[FrequencyLimit\\RateLimit('%s')]: $id must have parameters for the labels of its limits only (by())",
			ZSTR_VAL(part->rule.name));
		return false;
	}
	return true;
}

static bool set_parameters(const zend_op_array *function, part *part)
{
	const zval *id = &part->rule.id;

	memset(part->parameters, 0, sizeof(part->parameters));
	if (Z_TYPE_P(id) == IS_ARRAY) {
		return set_label_parameters(function, part);
	}
	if (Z_TYPE_P(id) != IS_STRING) {
		return true;
	}
	if (part->limiter->n_labels > 1) {
		php_ratelimit_invalid(
			"#[FrequencyLimit\\RateLimit('%s')]: $id must be an array of parameters by labels, because the limits have "
			"%u (by())",
			ZSTR_VAL(part->rule.name), part->limiter->n_labels);
		return false;
	}
	part->parameters[0] = parameter_of(function, part, Z_STR_P(id));
	return part->parameters[0] > 0;
}

static bool set_costs(part *part)
{
	php_ratelimit_cost cost = {.number = 1};

	if (Z_TYPE(part->rule.cost) == IS_LONG) {
		cost.number = Z_LVAL(part->rule.cost);
	} else if (Z_TYPE(part->rule.cost) == IS_ARRAY) {
		cost.array = Z_ARRVAL(part->rule.cost);
	}
	return php_ratelimit_limiter_costs(part->limiter, &cost, 1, &part->cost, part->costs, &part->costs_given);
}

/* Looks the limiter of a name up. */
static bool part_look_up(const zend_op_array *function, part *part)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_by_name("#[FrequencyLimit\\RateLimit]: ", part->rule.name);

	if (part->limiter) {
		php_ratelimit_limiter_release(part->limiter);
	}
	part->limiter = limiter;
	return limiter && set_parameters(function, part) && set_costs(part);
}

/* Returns whether a limiter depends on PHP's default time zone, which code may change at any time. */
static bool has_default_zone(const part *part)
{
	return part->limiter->named && part->limiter->named->default_zone;
}

/* ---- Several limiters in one question ---- */

/* Gives a limit a name that no other one has: its own; that of a limiter with this limit alone; or both. */
static zend_string *name_together(const php_ratelimit_limiter *together, const part *part, unsigned i)
{
	zend_string *own = part->limiter->limits[i].name, *name;

	if (part_is_own(part)) {
		return NULL;
	}
	name = zend_string_copy(own || part->limiter->question.n_limits > 1 ? own : part->rule.name);
	for (unsigned j = 0; name && j < together->question.n_limits; j++) {
		if (together->limits[j].name && zend_string_equals(together->limits[j].name, name)) {
			zend_string_release(name);
			return strpprintf(0, "%s-%s", ZSTR_VAL(part->rule.name), own ? ZSTR_VAL(own) : "default");
		}
	}
	return name;
}

/* Adds the limits of a limiter, each with the mark of its limit state. */
static void together_add(php_ratelimit_limiter *together, part *part)
{
	const php_ratelimit_limiter *limiter = part->limiter;

	part->first_limit = together->question.n_limits;
	part->first_key = together->n_labels;
	for (unsigned i = 0; i < limiter->question.n_limits; i++) {
		php_ratelimit_limit limit = limiter->limits[i];
		zend_string *name = name_together(together, part, i);
		rl_limit *added = &together->question.limits[together->question.n_limits];

		limit.by = NULL;
		limit.leased = false;
		php_ratelimit_limiter_add(together, &limit, name);
		added->mark = limiter->question.limits[i].mark;
		added->identity = part->first_key + limiter->question.limits[i].identity;
		if (name) {
			zend_string_release(name);
		}
	}
	for (unsigned i = 0; i < n_keys_of(limiter); i++) {
		zend_string *name = limiter->n_labels > 0 ? limiter->label_names[i] : limiter->name;

		together->labels[together->n_labels] = name;
		together->label_names[together->n_labels++] = zend_string_copy(name);
	}
}

/* Gives them the one store of all. */
static bool together_set_store(php_ratelimit_limiter *together, const part *part)
{
	const php_ratelimit_limiter *limiter = part->limiter;
	bool is_first = part->first_limit == 0;

	if (!is_first
		&& (together->own_store != limiter->own_store
			|| (limiter->own_store && !zend_string_equals(together->store, limiter->store)))) {
		php_ratelimit_invalid("the attributes of a function must have one store, \"%s\" has another one",
			ZSTR_VAL(limiter->name));
		return false;
	}
	if (is_first && limiter->own_store) {
		together->own_store = true;
		together->store = zend_string_copy(limiter->store);
		together->guard = limiter->guard;
	}
	return true;
}

static bool has_room(const php_ratelimit_limiter *together, const php_ratelimit_limiter *limiter)
{
	if (together->question.n_limits + limiter->question.n_limits <= RL_LIMITS_MAX) {
		return true;
	}
	php_ratelimit_invalid(
		"at most %d limits can be decided together, more in the attributes of a function given with \"%s\"",
		RL_LIMITS_MAX, ZSTR_VAL(limiter->name));
	return false;
}

static bool has_own_key(const php_ratelimit_named_limiters *named, const part *part)
{
	for (unsigned i = 0; named->parts + i < part; i++) {
		if (zend_string_equals(named->parts[i].limiter->name, part->limiter->name)) {
			php_ratelimit_invalid("the attributes of a function must have different names, \"%s\" given twice",
				ZSTR_VAL(part->limiter->name));
			return false;
		}
	}
	return true;
}

/* Makes the question about all limiters that may refuse. Each of them counts its own part of the decision. */
static bool make_together(php_ratelimit_named_limiters *named)
{
	php_ratelimit_limiter *together = php_ratelimit_limiter_make(false);

	release_together(named);
	named->together = together;
	together->monitor.silent = true;
	together->name = zend_string_copy(named->parts[0].limiter->name);
	for (unsigned i = 0; i < named->n; i++) {
		part *part = &named->parts[i];

		part->is_apart = part->limiter->is_shadow || part->limiter->storeless;
		if (!has_own_key(named, part)) {
			return false;
		}
		if (!part->is_apart) {
			if (!has_room(together, part->limiter)) {
				return false;
			}
			together_add(together, part);
			if (!together_set_store(together, part)) {
				return false;
			}
		}
	}
	together->question.n_keys = together->n_labels;
	return true;
}

/* Lets the calls of a function with one usual limiter be decided as those of one window of its own. */
static void set_names(php_ratelimit_enforced *enforced, const part *part, uint64_t version)
{
	php_ratelimit_limiter *limiter = part->limiter;
	php_ratelimit_policy policy = php_ratelimit_limiter_policy(limiter, 0);

	enforced->names = 0;
	enforced->kept.version = PHP_RATELIMIT_NO_VERSION;
	if (!limiter->is_usual || limiter->question.n_limits != 1
		|| limiter->question.limits[0].algorithm != RL_FIXED_WINDOW || part->costs_given || part->cost != 1
		|| part->parameters[0] > 0 || !php_ratelimit_policy_is_permanent(&policy)) {
		return;
	}
	if (!limiter->monitor.meter) {
		php_ratelimit_monitor_begin(limiter);
	}
	enforced->names = version;
	enforced->policy = policy;
	enforced->monitor.meter = limiter->monitor.meter;
	enforced->question.limits[0] = limiter->question.limits[0];
}

bool php_ratelimit_named_limiters_look(php_ratelimit_enforced *enforced, const zend_op_array *function,
	const rl_key *own)
{
	php_ratelimit_named_limiters *named = enforced->named;
	uint64_t version = php_ratelimit_named_version(RATELIMIT_G(limiters));
	bool changed = false, all = named->version != version;

	if (EXPECTED(!all) && EXPECTED(enforced->names == version)) {
		return true;
	}
	named->version = 0;
	for (unsigned i = 0; i < named->n; i++) {
		part *part = &named->parts[i];

		if (part_is_own(part)) {
			php_ratelimit_limiter *limiter = php_ratelimit_enforced_limiter(enforced, own->name, own->name_len);

			changed |= limiter != part->limiter;
			if (part->limiter) {
				php_ratelimit_limiter_release(part->limiter);
			}
			part->limiter = limiter;
		} else if (all || UNEXPECTED(has_default_zone(part))) {
			changed = true;
			if (!part_look_up(function, part)) {
				return false;
			}
		}
	}
	if (changed && named->n == 1) {
		set_names(enforced, &named->parts[0], version);
	}
	if (changed && named->n > 1 && !make_together(named)) {
		return false;
	}
	named->version = version;
	return true;
}

/* ---- The keys of a call ---- */

/* Fills in the identity that the argument of a call is. */
static bool argument_identity(const part *part, const php_ratelimit_call *call, uint32_t parameter, rl_key *key)
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
static bool fill_keys(const part *part, const php_ratelimit_call *call, const rl_key *own, rl_key *keys)
{
	const php_ratelimit_limiter *limiter = part->limiter;

	for (unsigned i = 0; i < n_keys_of(limiter); i++) {
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

/* Sets the identity of a key for the message of a refusal, which has no strings. */
static void named_subject(zval *id, const rl_key *key)
{
	if (key->is_int) {
		ZVAL_LONG(id, (zend_long) key->int_id);
	} else {
		ZVAL_NULL(id);
	}
}

/* ---- One limiter ---- */

/* Begins a limiter's question. Returns its guard; NULL with an exception thrown. */
static const rl_guard *begin(const part *part)
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
	if (id) {
		zend_string_release(id);
	}
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

	named_subject(&id, &keys[limiter->question.limits[a->decision.limit_index].identity]);
	php_ratelimit_conclude_by(limiter, request, a, &id, has_event ? &event : NULL);
	if (EXPECTED(!EG(exception)) && wanted && Z_TYPE_P(permit) == IS_OBJECT) {
		ZVAL_COPY(wanted, permit);
	}
	zval_ptr_dtor(permit);
}

static void decide_one(const part *part, php_ratelimit_request *request, const rl_key *own,
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
static void count_part(const part *part, const rl_key *keys, const rl_answer *a)
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
static void ask_apart(const part *part, const php_ratelimit_call *call, const rl_key *own)
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
		const part *part = &named->parts[i];

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
		const part *part = &named->parts[i];

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
			together->guard.on_failure = limiter->named->on_failure;
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
		const part *part = &named->parts[i];

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
		const part *part = &named->parts[i];

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
		const part *part = &named->parts[i];

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
	} else {
		decide_one(&named->parts[0], request, own, call);
	}
}
