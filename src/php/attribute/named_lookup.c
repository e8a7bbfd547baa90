/* The limiters that the rules of a function name, and the one question of several. */
#include "named_limiters.h"

#include "../limiter/identities.h"
#include "../limiter/limiter_internal.h"
#include "../base/optional_string.h"

/* ---- What a rule names ---- */

php_ratelimit_named_limiters *php_ratelimit_named_limiters_new(const php_ratelimit_access_rule *rule)
{
	php_ratelimit_named_limiters *named = ecalloc(1, sizeof(*named));

	if (rule->n_limits > 0) {
		named->parts[named->n++] = (named_part){.cost = 1};
		named->needs_identity = true;
	}
	for (unsigned i = 0; i < rule->n_named; i++) {
		const php_ratelimit_named_rule *one = &rule->named[i];
		named_part *part = &named->parts[named->n++];

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
		named_part *part = &named->parts[i];

		if (part->limiter) {
			php_ratelimit_limiter_release(part->limiter);
		}
		if (!named_part_is_own(part)) {
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
static uint32_t parameter_of(const zend_op_array *function, const named_part *part, const zend_string *name)
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
static bool set_label_parameters(const zend_op_array *function, named_part *part)
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

static bool set_parameters(const zend_op_array *function, named_part *part)
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

static bool set_costs(named_part *part)
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
static bool part_look_up(const zend_op_array *function, named_part *part)
{
	php_ratelimit_limiter *limiter = php_ratelimit_limiter_by_name("#[FrequencyLimit\\RateLimit]: ", part->rule.name);

	if (part->limiter) {
		php_ratelimit_limiter_release(part->limiter);
	}
	part->limiter = limiter;
	return limiter && set_parameters(function, part) && set_costs(part);
}

/* Returns whether a limiter depends on PHP's default time zone, which code may change at any time. */
static bool has_default_zone(const named_part *part)
{
	return part->limiter->named && part->limiter->named->default_zone;
}

/* ---- Several limiters in one question ---- */

/* Gives a limit a name that no other one has: its own; that of a limiter with this limit alone; or both. It goes into headers, so one
 * that no limit could have is none. */
static zend_string *name_together(const php_ratelimit_limiter *together, const named_part *part, unsigned i)
{
	zend_string *own = part->limiter->limits[i].name, *name;

	if (named_part_is_own(part)) {
		return NULL;
	}
	name = own || part->limiter->question.n_limits > 1 ? own : part->rule.name;
	if (!name) {
		return NULL;
	}
	zend_string_addref(name);
	for (unsigned j = 0; j < together->question.n_limits; j++) {
		if (together->limits[j].name && zend_string_equals(together->limits[j].name, name)) {
			zend_string_release(name);
			name = strpprintf(0, "%s-%s", ZSTR_VAL(part->rule.name), own ? ZSTR_VAL(own) : "default");
			break;
		}
	}
	if (ZSTR_LEN(name) > RL_LIMIT_NAME_MAX
		|| php_ratelimit_printable(ZSTR_VAL(name), ZSTR_LEN(name)) < ZSTR_LEN(name)) {
		zend_string_release(name);
		return NULL;
	}
	return name;
}

/* Adds the limits of a limiter, each with the mark of its limit state. */
static void together_add(php_ratelimit_limiter *together, named_part *part)
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
		php_ratelimit_string_release(name);
	}
	for (unsigned i = 0; i < named_part_n_keys(limiter); i++) {
		zend_string *name = limiter->n_labels > 0 ? limiter->label_names[i] : limiter->name;

		together->labels[together->n_labels] = name;
		together->label_names[together->n_labels++] = zend_string_copy(name);
	}
}

/* Gives them the one store of all. */
static bool together_set_store(php_ratelimit_limiter *together, const named_part *part)
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

static bool has_own_key(const php_ratelimit_named_limiters *named, const named_part *part)
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
		named_part *part = &named->parts[i];

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
	if (together->question.n_limits == 0) {
		release_together(named);
	}
	return true;
}

/* Lets the calls of a function with one usual limiter be decided as those of one window of its own. */
static void set_names(php_ratelimit_enforced *enforced, const named_part *part, uint64_t version)
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
		named_part *part = &named->parts[i];

		if (named_part_is_own(part)) {
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
