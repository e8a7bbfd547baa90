#include "unresolved_attribute.h"

#include "zend_exceptions.h"

#include "classes.h"
#include "php_ratelimit.h"

/* The handler that ours replaced. One for the process. */
static void (*previous)(zend_execute_data *frame);

/* Makes the engine call us before the next file or function that runs, or the next round of a loop. */
static void interrupt(void)
{
#if PHP_VERSION_ID >= 80200
	zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
#else
	EG(vm_interrupt) = true;
#endif
}

void php_ratelimit_unresolved_add(php_ratelimit_attribute attribute, zend_string *name, uint32_t line)
{
	php_ratelimit_unresolved *unresolved = &RATELIMIT_G(unresolved);

	unresolved->pending = safe_erealloc(unresolved->pending, unresolved->n + 1, sizeof(*unresolved->pending), 0);
	unresolved->pending[unresolved->n].file = zend_string_copy(zend_get_compiled_filename());
	unresolved->pending[unresolved->n].attribute = attribute;
	unresolved->pending[unresolved->n].name = name;
	unresolved->pending[unresolved->n++].line = line;
}

void php_ratelimit_unresolved_compiled(void)
{
	if (RATELIMIT_G(unresolved).n > 0) {
		interrupt();
	}
}

/* Returns whether there is an autoloader. Without one, a "require" may still define the class. */
static bool has_autoloader(void)
{
	zend_function *functions = zend_hash_str_find_ptr(EG(function_table), ZEND_STRL("spl_autoload_functions"));
	zval list;
	bool found;

	if (!functions) {
		return false;
	}
	zend_call_known_function(functions, NULL, NULL, &list, 0, NULL, NULL);
	found = Z_TYPE(list) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL(list)) > 0;
	zval_ptr_dtor(&list);
	return found;
}

static bool is_attribute_class(const zend_class_entry *ce)
{
	return ce == php_ratelimit_ce_access_limit || ce == php_ratelimit_ce_concurrency_limit;
}

static void attribute_report(zend_string *file, uint32_t line, php_ratelimit_attribute attribute,
	const zend_string *name, const zend_class_entry *ce)
{
	const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[attribute];

	if (!ce) {
		zend_error_at(E_WARNING, file, line,
			"#[%s] limits nothing here: it means the class %s, which does not exist. Add \"use %s;\"",
			class->short_name, ZSTR_VAL(name), class->name);
	} else if (is_attribute_class(ce)) {
		zend_error_at(E_WARNING, file, line,
			"#[%s] limits nothing here: it means %s, which class_alias() has made. Add \"use %s;\"", class->short_name,
			ZSTR_VAL(name), class->name);
	}
}

static void drop_exception(void)
{
	zend_object *exception = EG(exception);

	EG(exception) = NULL;
	OBJ_RELEASE(exception);
}

/* Loads a class if necessary, and reports an attribute of no class. Our own frame is between the interrupted code and
 * the code that runs here. So the exception of an autoloader, which has then not found the class, does not touch the
 * interrupted code. */
static void check(zend_string *file, uint32_t line, php_ratelimit_attribute attribute, zend_string *name)
{
	zend_execute_data own = {.func = (zend_function *) &zend_pass_function}, *frame = EG(current_execute_data);
	zend_class_entry *ce;

	own.prev_execute_data = frame;
	EG(current_execute_data) = &own;
	ce = zend_lookup_class(name);
	if (EG(exception) && !zend_is_unwind_exit(EG(exception))) {
		drop_exception();
	}
	if (!EG(exception)) {
		attribute_report(file, line, attribute, name, ce);
	}
	EG(current_execute_data) = frame;
	if (!EG(exception)) {
		return;
	}
	/* The cause is exit(), or an exception of the application's handler of warnings. */
	if (frame) {
		zend_throw_exception_internal(NULL);
	} else {
		drop_exception();
	}
}

/* Takes each attribute out of the list before user code runs, which may compile another file. */
static void check_pending(void)
{
	php_ratelimit_unresolved *unresolved = &RATELIMIT_G(unresolved);

	while (unresolved->n > 0 && !EG(exception)) {
		uint32_t last = --unresolved->n, line = unresolved->pending[last].line;
		zend_string *file = unresolved->pending[last].file, *name = unresolved->pending[last].name;
		php_ratelimit_attribute attribute = unresolved->pending[last].attribute;

		check(file, line, attribute, name);
		zend_string_release(file);
		zend_string_release(name);
	}
}

static bool is_loading(void)
{
#if PHP_VERSION_ID >= 80600
	return zend_hash_num_elements(&EG(autoload_current_classnames)) > 0;
#else
	return EG(in_autoload) && zend_hash_num_elements(EG(in_autoload)) > 0;
#endif
}

static void on_interrupt(zend_execute_data *frame)
{
	/* PHP cannot find a class while it is loading it: the check waits for the next file, or the end. */
	if (RATELIMIT_G(unresolved).n > 0 && !is_loading() && has_autoloader()) {
		check_pending();
	}
	if (previous) {
		previous(frame);
	}
}

void php_ratelimit_unresolved_startup(void)
{
	previous = zend_interrupt_function;
	zend_interrupt_function = on_interrupt;
}

void php_ratelimit_unresolved_shutdown(void)
{
	if (zend_interrupt_function == on_interrupt) {
		zend_interrupt_function = previous;
	}
}

void php_ratelimit_unresolved_init(void)
{
	RATELIMIT_G(unresolved) = (php_ratelimit_unresolved){NULL, 0};
}

void php_ratelimit_unresolved_end(void)
{
	php_ratelimit_unresolved *unresolved = &RATELIMIT_G(unresolved);

	check_pending();
	while (unresolved->n > 0) {
		zend_string_release(unresolved->pending[--unresolved->n].file);
		zend_string_release(unresolved->pending[unresolved->n].name);
	}
	if (unresolved->pending) {
		efree(unresolved->pending);
		unresolved->pending = NULL;
	}
}
