#include "module.h"

#include "SAPI.h"
#include "php_main.h"
#include "zend_observer.h"

#define NAME      "FrequencyLimit"
#define OWN_NAME  "FrequencyLimit\\FrequencyLimit"
#define OWN_LCASE "frequencylimit\\frequencylimit"

/* Moves the class to another name. The table's entry is one reference: with a second one, its removal destroys nothing. */
static void move_class(zend_class_entry *ce)
{
	ce->refcount++;
	zend_hash_str_del(CG(class_table), ZEND_STRL("frequencylimit"));
	ce->name = zend_new_interned_string(zend_string_init(ZEND_STRL(OWN_NAME), true));
	zend_hash_str_add_ptr(CG(class_table), ZEND_STRL(OWN_LCASE), ce);
}

static bool is_clash(int type, const zend_string *message)
{
	/* Until PHP 8.3, and from PHP 8.4 on. */
	static const char declared[] = "Cannot declare class " NAME ", because the name is already in use";
	static const char redeclared[] = "Cannot redeclare class " NAME;

	return (type & (E_COMPILE_ERROR | E_ERROR))
		&& (strncasecmp(ZSTR_VAL(message), declared, sizeof(declared) - 1) == 0
			|| strcasecmp(ZSTR_VAL(message), redeclared) == 0);
}

/* The engine reports the clash as a fatal error that does not name the extension. With display_errors=0 the page would be
 * empty. */
static void explain_clash(int type, zend_string *file, uint32_t line, zend_string *message)
{
	char text[1024];

	if (!is_clash(type, message)) {
		return;
	}
	snprintf(text, sizeof(text),
		"ratelimit: %.600s declares a class FrequencyLimit, but the extension has a class of that name. Remove or rename the "
		"application's class, or set ratelimit.global_class=0 in php.ini (docs/from-the-article.md)",
		file ? ZSTR_VAL(file) : "the application");
	php_log_err(text);
	if (!PG(display_errors) && SG(request_info).request_method && !SG(headers_sent)) {
		SG(sapi_headers).http_response_code = 500;
		php_printf("This site has two classes FrequencyLimit: its own, and that of the extension ratelimit. "
				   "The error log of PHP has the file and the remedy.\n");
	}
}

void php_ratelimit_global_class_startup(zend_class_entry *ce, bool global)
{
	if (global) {
		zend_register_class_alias(OWN_NAME, ce);
		zend_observer_error_register(explain_clash);
	} else {
		move_class(ce);
	}
}
