#include "unresolved_attribute.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "../base/class_entries.h"
#include "php_ratelimit.h"

void php_ratelimit_unresolved_add(php_ratelimit_attribute attribute, zend_string *name, uint32_t line)
{
	php_ratelimit_unresolved *unresolved = RATELIMIT_G(unresolved);

	unresolved->pending = safe_erealloc(unresolved->pending, unresolved->n + 1, sizeof(*unresolved->pending), 0);
	unresolved->pending[unresolved->n++] = (php_ratelimit_unresolved_attribute){
		.file = zend_string_copy(zend_get_compiled_filename()),
		.name = name,
		.line = line,
		.attribute = attribute,
	};
}

static bool is_attribute_class(const zend_class_entry *ce)
{
	return ce == php_ratelimit_ce_access_limit || ce == php_ratelimit_ce_concurrency_limit
		|| ce == php_ratelimit_ce_rate_limit;
}

static void report_attribute(const php_ratelimit_unresolved_attribute *unresolved, const zend_class_entry *ce)
{
	const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[unresolved->attribute];

	if (!ce) {
		zend_error_at(E_WARNING, unresolved->file, unresolved->line,
			"#[%s] limits nothing here: it means the class %s, which does not exist. Add \"use %s;\"",
			class->short_name, ZSTR_VAL(unresolved->name), class->name);
	} else if (is_attribute_class(ce)) {
		zend_error_at(E_WARNING, unresolved->file, unresolved->line,
			"#[%s] limits nothing here: it means %s, which class_alias() has made. Add \"use %s;\"", class->short_name,
			ZSTR_VAL(unresolved->name), class->name);
	}
}

/* Takes each attribute out of the list before user code runs, which may compile another file. The method's own frame is what
 * the exception of an autoloader ends in. An autoloader that throws has not found the class; one that exits ends the check. */
ZEND_METHOD(FrequencyLimit_AccessLimit, reportUnresolved)
{
	php_ratelimit_unresolved *pending = RATELIMIT_G(unresolved);
	bool exits = false;

	ZEND_PARSE_PARAMETERS_NONE();
	while (pending->n > 0 && !exits) {
		php_ratelimit_unresolved_attribute unresolved = pending->pending[--pending->n];
		const zend_class_entry *ce = zend_lookup_class(unresolved.name);

		exits = EG(exception) && zend_is_unwind_exit(EG(exception));
		zend_clear_exception();
		if (!exits) {
			report_attribute(&unresolved, ce);
			zend_clear_exception();
		}
		zend_string_release(unresolved.file);
		zend_string_release(unresolved.name);
	}
}

void php_ratelimit_unresolved_end(void)
{
	php_ratelimit_unresolved *unresolved = RATELIMIT_G(unresolved);

	if (unresolved->n > 0) {
		zend_call_method_with_0_params(NULL, php_ratelimit_ce_access_limit, NULL, "reportunresolved", NULL);
	}
	while (unresolved->n > 0) {
		zend_string_release(unresolved->pending[--unresolved->n].file);
		zend_string_release(unresolved->pending[unresolved->n].name);
	}
	if (unresolved->pending) {
		efree(unresolved->pending);
		unresolved->pending = NULL;
	}
}
