#include "attribute_names.h"

#include "zend_compile.h"
#include "zend_language_parser.h"
#include "zend_smart_str.h"

#include "unresolved_attribute.h"

void php_ratelimit_names_init(php_ratelimit_names *names)
{
	names->namespace = NULL;
	names->n_uses = 0;
	memset(names->other, 0, sizeof(names->other));
	memset(names->declares_one, 0, sizeof(names->declares_one));
}

void php_ratelimit_names_enter(php_ratelimit_names *names, const zend_ast *namespace)
{
	names->namespace = namespace;
	names->n_uses = 0;
}

void php_ratelimit_names_import(php_ratelimit_names *names, zend_ast *use)
{
	if (names->n_uses < PHP_RATELIMIT_USES_MAX) {
		names->uses[names->n_uses++] = use;
	}
}

/* The parts of a name, joined by backslashes. */
typedef struct {
	const char *start[4];
	size_t length[4];
	unsigned n;
} joined;

static void join(joined *name, const char *start, size_t length)
{
	if (length > 0) {
		name->start[name->n] = start;
		name->length[name->n++] = length;
	}
}

static void join_node(joined *name, const zend_ast *node)
{
	if (node) {
		const zend_string *s = zend_ast_get_str((zend_ast *) node);

		join(name, ZSTR_VAL(s), ZSTR_LEN(s));
	}
}

static bool is_attribute(const joined *name, const php_ratelimit_attribute_class *class)
{
	const char *rest = class->lc_name;
	size_t left = class->length;

	for (unsigned i = 0; i < name->n; i++) {
		if (i > 0) {
			if (left == 0 || *rest != '\\') {
				return false;
			}
			rest++;
			left--;
		}
		if (name->length[i] > left || zend_binary_strcasecmp(name->start[i], name->length[i], rest, name->length[i])) {
			return false;
		}
		rest += name->length[i];
		left -= name->length[i];
	}
	return left == 0;
}

/* Returns whether this element of a "use" imports a class under that alias. "use A\B" imports it as B. */
static bool imports_as(const zend_ast *element, const char *alias, size_t length)
{
	const zend_ast *given = element->child[1];
	const zend_string *s = zend_ast_get_str((zend_ast *) (given ? given : element->child[0]));
	const char *start = ZSTR_VAL(s), *last = given ? NULL : zend_memrchr(start, '\\', ZSTR_LEN(s));

	if (last) {
		start = last + 1;
	}
	return zend_binary_strcasecmp(start, (size_t) (ZSTR_VAL(s) + ZSTR_LEN(s) - start), alias, length) == 0;
}

/* Writes the name that a "use" imports under an alias; returns false when none has this alias. */
static bool imported(const php_ratelimit_names *names, const char *alias, size_t length, joined *name)
{
	for (unsigned i = names->n_uses; i-- > 0;) {
		const zend_ast *use = names->uses[i], *prefix = NULL;
		const zend_ast_list *elements;
		zend_ast_attr kind = use->attr;

		if (use->kind == ZEND_AST_GROUP_USE) {
			prefix = use->child[0];
			use = use->child[1];
		}
		elements = zend_ast_get_list((zend_ast *) use);
		for (uint32_t j = 0; j < elements->children; j++) {
			const zend_ast *element = elements->child[j];

			if ((kind ? kind : element->attr) == ZEND_SYMBOL_CLASS && imports_as(element, alias, length)) {
				join_node(name, prefix);
				join_node(name, element->child[0]);
				return true;
			}
		}
	}
	return false;
}

/* Writes the name that the compiler will resolve this one to. */
static void resolve(const php_ratelimit_names *names, zend_ast *node, joined *name)
{
	const zend_string *s = zend_ast_get_str(node);
	const char *end = ZSTR_VAL(s) + ZSTR_LEN(s), *separator;

	name->n = 0;
	switch (node->attr) {
		case ZEND_NAME_FQ:
			join_node(name, node);
			break;
		case ZEND_NAME_RELATIVE:
			join_node(name, names->namespace);
			join_node(name, node);
			break;
		default:
			separator = memchr(ZSTR_VAL(s), '\\', ZSTR_LEN(s));
			if (imported(names, ZSTR_VAL(s), separator ? (size_t) (separator - ZSTR_VAL(s)) : ZSTR_LEN(s), name)) {
				if (separator) {
					join(name, separator + 1, (size_t) (end - separator - 1));
				}
			} else {
				join_node(name, names->namespace);
				join_node(name, node);
			}
			break;
	}
}

/* Returns whether the last part of a name is the attribute's. */
static bool ends_as_ours(const char *start, size_t length, const php_ratelimit_attribute_class *class)
{
	const char *last = zend_memrchr(start, '\\', length);
	const char *part = last ? last + 1 : start;

	return zend_binary_strcasecmp(part, (size_t) (start + length - part), class->short_name, strlen(class->short_name))
		== 0;
}

static zend_string *string_of(const joined *name)
{
	smart_str string = {0};

	for (unsigned i = 0; i < name->n; i++) {
		if (i > 0) {
			smart_str_appendc(&string, '\\');
		}
		smart_str_appendl(&string, name->start[i], name->length[i]);
	}
	return smart_str_extract(&string);
}

/* Keeps the first attribute of the file that has one of our names, or whose class has it, and is another one. */
static void note_other(php_ratelimit_names *names, zend_ast *node, const joined *name)
{
	const zend_string *written = zend_ast_get_str(node);

	for (unsigned i = 0; i < PHP_RATELIMIT_ATTRIBUTES; i++) {
		const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[i];

		if (!names->other[i]
			&& (ends_as_ours(ZSTR_VAL(written), ZSTR_LEN(written), class)
				|| ends_as_ours(name->start[name->n - 1], name->length[name->n - 1], class))) {
			names->other[i] = string_of(name);
			names->other_line[i] = zend_ast_get_lineno(node);
		}
	}
}

/* Returns which of our attributes a name is; PHP_RATELIMIT_ATTRIBUTES: none. */
static unsigned attribute_of(const joined *name)
{
	unsigned i = 0;

	while (i < PHP_RATELIMIT_ATTRIBUTES && !is_attribute(name, &php_ratelimit_attribute_classes[i])) {
		i++;
	}
	return i;
}

php_ratelimit_found_attributes php_ratelimit_names_find(php_ratelimit_names *names, const zend_ast_decl *decl,
	const zend_ast **first)
{
	zend_ast *attributes = decl->child[decl->kind == ZEND_AST_CLASS ? 3 : 4];
	php_ratelimit_found_attributes found = 0;
	zend_ast_list *groups, *group;
	joined name;

	if (!attributes) {
		return 0;
	}
	groups = zend_ast_get_list(attributes);
	for (uint32_t i = 0; i < groups->children; i++) {
		group = zend_ast_get_list(groups->child[i]);
		for (uint32_t j = 0; j < group->children; j++) {
			unsigned attribute;

			resolve(names, group->child[j]->child[0], &name);
			attribute = attribute_of(&name);
			if (attribute == PHP_RATELIMIT_ATTRIBUTES) {
				note_other(names, group->child[j]->child[0], &name);
				continue;
			}
			if (!found) {
				*first = group->child[j];
			}
			found |= 1U << attribute;
		}
	}
	return found;
}

void php_ratelimit_names_declare(php_ratelimit_names *names, const zend_ast_decl *class)
{
	for (unsigned i = 0; class->name && i < PHP_RATELIMIT_ATTRIBUTES; i++) {
		const char *name = php_ratelimit_attribute_classes[i].short_name;

		names->declares_one[i] |= zend_binary_strcasecmp(ZSTR_VAL(class->name), ZSTR_LEN(class->name), name,
									  strlen(name))
			== 0;
	}
}

/* If the file declares such a class, even only at run time, the attribute means that one. */
void php_ratelimit_names_end(php_ratelimit_names *names)
{
	for (unsigned i = 0; i < PHP_RATELIMIT_ATTRIBUTES; i++) {
		if (!names->other[i]) {
			continue;
		}
		if (names->declares_one[i]) {
			zend_string_release(names->other[i]);
		} else {
			php_ratelimit_unresolved_add((php_ratelimit_attribute) i, names->other[i], names->other_line[i]);
		}
	}
}
