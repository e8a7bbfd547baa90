/* Changes the syntax tree of a file between parser and compiler. An inserted call works with opcache, with its JIT and
 * with every way of calling. An observer's begin handler cannot prevent a body from running, and a replaced
 * zend_execute_ex switches the JIT off. */
#include "attribute_hook.h"

#include "zend_ast.h"
#include "zend_compile.h"
#include "zend_system_id.h"

#include "access_rule.h"
#include "attribute_names.h"
#include "../permit/permit_object.h"
#include "../base/numbers.h"
#include "php_ratelimit.h"

/* Of the process; set at module start-up. */
static void (*previous)(zend_ast *tree);
static bool is_on;

/* ---- A walk in the order of the text, on a heap stack: a tree may be deeper than C's stack allows ---- */

typedef struct {
	struct {
		zend_ast *node;
		const zend_ast *of_class; /* the first attribute of the class, of a method that it limits; or NULL */
	} * nodes;
	size_t used;
	size_t room;
} todo;

static void push(todo *todo, zend_ast *node, const zend_ast *of_class)
{
	if (!node) {
		return;
	}
	if (todo->used == todo->room) {
		todo->room = todo->room ? 2 * todo->room : 256;
		todo->nodes = safe_erealloc(todo->nodes, todo->room, sizeof(*todo->nodes), 0);
	}
	todo->nodes[todo->used].node = node;
	todo->nodes[todo->used++].of_class = of_class;
}

static bool is_decl(const zend_ast *node)
{
	switch (node->kind) {
		case ZEND_AST_FUNC_DECL:
		case ZEND_AST_CLOSURE:
		case ZEND_AST_METHOD:
		case ZEND_AST_CLASS:
		case ZEND_AST_ARROW_FUNC:
#if PHP_VERSION_ID >= 80400
		case ZEND_AST_PROPERTY_HOOK:
#endif
			return true;
		default:
			return false;
	}
}

static void push_children(todo *todo, zend_ast *node)
{
	zend_ast **children;
	uint32_t n;

	if (is_decl(node)) {
		children = ((zend_ast_decl *) node)->child;
		n = sizeof(((zend_ast_decl *) node)->child) / sizeof(*children);
	} else if (node->kind & (1 << ZEND_AST_SPECIAL_SHIFT)) {
		return; /* a value: it has no declaration below it */
	} else if (zend_ast_is_list(node)) {
		children = zend_ast_get_list(node)->child;
		n = zend_ast_get_list(node)->children;
	} else {
		children = node->child;
		n = zend_ast_get_num_children(node);
	}
	while (n > 0) {
		push(todo, children[--n], NULL);
	}
}

/* ---- The call ---- */

/* The name of the variable that holds the permit of a call. The syntax allows no such name. Its random end, of the process, is for code
 * that makes variables of a client's names ($$name = $value). */
static char permit_variable[sizeof("FrequencyLimit\\Permit 0123456789abcdef")];

#define HAS(found, attribute) ((found) &1U << PHP_RATELIMIT_##attribute)

/* The class whose methods the attribute limits has it, too: of_class. */
#define OF_CLASS (1U << PHP_RATELIMIT_ATTRIBUTES)

/* Returns the class whose enforce() decides: those of the latter two return what the call holds. */
static const php_ratelimit_attribute_class *deciding_class(php_ratelimit_found_attributes found)
{
	return &php_ratelimit_attribute_classes[HAS(found, RATE_LIMIT) ? PHP_RATELIMIT_RATE_LIMIT
			: HAS(found, CONCURRENCY_LIMIT)                        ? PHP_RATELIMIT_CONCURRENCY_LIMIT
																   : PHP_RATELIMIT_ACCESS_LIMIT];
}

/* Returns whether the call may hold a place. Whether the limiter that a RateLimit names has places is known only when it decides. */
static bool holds_place(php_ratelimit_found_attributes found)
{
	return HAS(found, CONCURRENCY_LIMIT) || HAS(found, RATE_LIMIT);
}

/* Makes "Class::enforce()", or "RateLimit::enforce(true)" for a method that its class limits. */
static zend_ast *call_node(php_ratelimit_found_attributes found)
{
	const php_ratelimit_attribute_class *deciding = deciding_class(found);
	zend_ast *class = zend_ast_create_zval_from_str(zend_string_init(deciding->name, deciding->length, false));
	zend_ast *method = zend_ast_create_zval_from_str(zend_string_init(ZEND_STRL("enforce"), false));
	zend_ast *arguments = zend_ast_create_list(0, ZEND_AST_ARG_LIST);
	zval of_class;

	class->attr = ZEND_NAME_FQ;
	if (found & OF_CLASS) {
		ZVAL_TRUE(&of_class);
		arguments = zend_ast_list_add(arguments, zend_ast_create_zval(&of_class));
	}
	return zend_ast_create(ZEND_AST_STATIC_CALL, class, method, arguments);
}

/* Makes the statement in front of a body. A permit is in a variable of the function, which the engine frees with the frame:
 * after a return, an exception, or the end of a generator. */
static zend_ast *statement_node(php_ratelimit_found_attributes found)
{
	zend_ast *variable;

	if (!holds_place(found)) {
		return call_node(found);
	}
	variable = zend_ast_create(ZEND_AST_VAR,
		zend_ast_create_zval_from_str(zend_string_init(permit_variable, sizeof(permit_variable) - 1, false)));
	return zend_ast_create(ZEND_AST_ASSIGN, variable, call_node(found));
}

/* Makes an expression with the call in front of it: "enforce() ?: expression", because AccessLimit's enforce() returns null,
 * or "[enforce(), expression][1]", where the array holds the permit meanwhile. An arrow function has no variable for it:
 * PHP would bind that of the function around it. */
static zend_ast *before_expression(php_ratelimit_found_attributes found, zend_ast *expression)
{
	zend_ast *array, *index;

	if (!holds_place(found)) {
		return zend_ast_create(ZEND_AST_CONDITIONAL, call_node(found), NULL, expression);
	}
	array = zend_ast_create_list(2, ZEND_AST_ARRAY, zend_ast_create(ZEND_AST_ARRAY_ELEM, call_node(found), NULL),
		zend_ast_create(ZEND_AST_ARRAY_ELEM, expression, NULL));
	array->attr = ZEND_ARRAY_SYNTAX_SHORT;
	index = zend_ast_create_zval_from_long(1);
	return zend_ast_create(ZEND_AST_DIM, array, index);
}

static ZEND_COLD ZEND_NORETURN void hook_refuse(uint32_t line, php_ratelimit_found_attributes found, const char *reason)
{
	CG(zend_lineno) = line;
	zend_error_noreturn(E_COMPILE_ERROR, "#[%s] %s", deciding_class(found)->name, reason);
}

static zend_ulong this_file(void)
{
	return zend_string_hash_val(zend_get_compiled_filename());
}

/* Removes the marks of an earlier compilation of this file. */
static void unmark_file(void)
{
	php_ratelimit_enforced_lines *marked = RATELIMIT_G(enforced_lines);
	zend_ulong file = this_file();
	size_t kept = 0;

	for (size_t i = 0; i < marked->used; i++) {
		if (marked->lines[i].file != file) {
			marked->lines[kept++] = marked->lines[i];
		}
	}
	marked->used = kept;
}

static void mark(uint32_t begin, uint32_t end)
{
	php_ratelimit_enforced_lines *marked = RATELIMIT_G(enforced_lines);

	if (marked->used == marked->room) {
		marked->room = marked->room ? 2 * marked->room : 16;
		marked->lines = safe_perealloc(marked->lines, marked->room, sizeof(*marked->lines), 0, true);
	}
	marked->lines[marked->used].file = this_file();
	marked->lines[marked->used].begin = begin;
	marked->lines[marked->used++].end = end;
}

static void put_call(zend_ast_decl *decl, php_ratelimit_found_attributes found, const zend_ast *attribute)
{
	uint32_t line = CG(zend_lineno);
	zend_ast **body = &decl->child[2];

	if (!*body) {
		hook_refuse(zend_ast_get_lineno((zend_ast *) attribute), found,
			"limits nothing on a method without a body: add it to the method that implements this one");
	}
	/* New nodes get the first line of the function, which traces then show. */
	CG(zend_lineno) = decl->start_lineno;
	if (decl->kind == ZEND_AST_ARROW_FUNC) {
		if (decl->flags & ZEND_ACC_RETURN_REFERENCE) {
			hook_refuse(decl->start_lineno, found,
				"cannot be enforced on an arrow function that returns by reference: use function ()");
		}
		*body = before_expression(found, *body);
#if PHP_VERSION_ID >= 80400
	} else if ((*body)->kind == ZEND_AST_PROPERTY_HOOK_SHORT_BODY) {
		bool is_get = zend_string_equals_literal_ci(decl->name, "get");

		/* A return statement also serves a hook by reference. */
		*body = is_get
			? zend_ast_create_list(2, ZEND_AST_STMT_LIST, statement_node(found),
				zend_ast_create(ZEND_AST_RETURN, (*body)->child[0]))
			: zend_ast_create(ZEND_AST_PROPERTY_HOOK_SHORT_BODY, before_expression(found, (*body)->child[0]));
#endif
	} else {
		*body = zend_ast_create_list(2, ZEND_AST_STMT_LIST, statement_node(found), *body);
	}
	CG(zend_lineno) = line;
	mark(decl->start_lineno, decl->end_lineno);
}

/* ---- A file ---- */

/* Returns whether a class with the attribute limits this member: a public method with a body, and none that PHP itself calls. */
static bool is_limited_member(const zend_ast *member)
{
	const zend_ast_decl *method = (const zend_ast_decl *) member;

	return member->kind == ZEND_AST_METHOD && (method->flags & ZEND_ACC_PUBLIC) && method->child[2]
		&& php_ratelimit_is_limited_name(method->name);
}

/* Pushes the parts of a class with the attribute, the methods that it limits with it. */
static void push_limited_class(todo *todo, const zend_ast_decl *class, php_ratelimit_found_attributes found,
	const zend_ast *attribute)
{
	zend_ast_list *members = zend_ast_get_list(class->child[2]);
	bool any = false;

	if (class->flags & (ZEND_ACC_INTERFACE | ZEND_ACC_TRAIT)) {
		hook_refuse(zend_ast_get_lineno((zend_ast *) attribute), found,
			"limits nothing on an interface or a trait: add it to the class, or to the methods");
	}
	for (uint32_t i = members->children; i-- > 0;) {
		bool limited = is_limited_member(members->child[i]);

		push(todo, members->child[i], limited ? attribute : NULL);
		any |= limited;
	}
	if (!any) {
		hook_refuse(zend_ast_get_lineno((zend_ast *) attribute), found,
			"limits nothing here: the class declares no public method with a body");
	}
	push(todo, class->child[3], NULL);
	mark(class->start_lineno, class->end_lineno);
}

/* Puts the call into a function that has one of the attributes, or whose class has it. */
static void process_function(php_ratelimit_names *names, zend_ast_decl *function, const zend_ast *of_class)
{
	const zend_ast *attribute = of_class;
	php_ratelimit_found_attributes found = php_ratelimit_names_find(names, function, &attribute);

	if (of_class) {
		found |= 1U << PHP_RATELIMIT_RATE_LIMIT | OF_CLASS;
	}
	if (found) {
		put_call(function, found, attribute);
	}
}

static void process(zend_ast *tree)
{
	todo todo = {0};
	php_ratelimit_names names;

	if (previous) {
		previous(tree);
	}
	unmark_file();
	php_ratelimit_names_init(&names);
	push(&todo, tree, NULL);
	while (todo.used > 0) {
		zend_ast *node = todo.nodes[--todo.used].node;
		const zend_ast *of_class = todo.nodes[todo.used].of_class, *attribute = NULL;

		switch (node->kind) {
			case ZEND_AST_NAMESPACE:
				php_ratelimit_names_enter(&names, node->child[0]);
				break;
			case ZEND_AST_USE:
			case ZEND_AST_GROUP_USE:
				php_ratelimit_names_import(&names, node);
				continue;
			case ZEND_AST_CLASS: {
				php_ratelimit_found_attributes found = php_ratelimit_names_find(&names, (zend_ast_decl *) node,
					&attribute);

				php_ratelimit_names_declare(&names, (zend_ast_decl *) node);
				if (HAS(found, RATE_LIMIT)) {
					push_limited_class(&todo, (zend_ast_decl *) node, found, attribute);
					continue;
				}
				break;
			}
			default:
				if (is_decl(node)) {
					process_function(&names, (zend_ast_decl *) node, of_class);
				}
				break;
		}
		push_children(&todo, node);
	}
	efree(todo.nodes);
	php_ratelimit_names_end(&names);
}

bool php_ratelimit_is_enforced(uint32_t begin, uint32_t end)
{
	const php_ratelimit_enforced_lines *marked = RATELIMIT_G(enforced_lines);
	zend_ulong file = this_file();

	for (size_t i = 0; i < marked->used; i++) {
		if (marked->lines[i].file == file && marked->lines[i].begin == begin && marked->lines[i].end == end) {
			return true;
		}
	}
	return false;
}

void php_ratelimit_enforced_lines_free(php_ratelimit_enforced_lines *marked)
{
	free(marked->lines);
	memset(marked, 0, sizeof(*marked));
}

void php_ratelimit_attribute_hook_startup(void)
{
	is_on = true;
	snprintf(permit_variable, sizeof(permit_variable), "FrequencyLimit\\Permit %016" PRIx64, php_ratelimit_random());
	previous = zend_ast_process;
	zend_ast_process = process;
	/* Scripts in opcache's file cache contain the calls. So PHP must not use them without the extension, or with
	 * attributes off. */
	zend_add_system_entropy("ratelimit", "zend_ast_process", PHP_RATELIMIT_VERSION, sizeof(PHP_RATELIMIT_VERSION) - 1);
}

void php_ratelimit_attribute_hook_shutdown(void)
{
	if (zend_ast_process == process) {
		zend_ast_process = previous;
	}
	is_on = false;
}

bool php_ratelimit_attribute_hook_is_on(void)
{
	return is_on;
}
