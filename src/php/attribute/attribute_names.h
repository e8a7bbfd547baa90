/* Resolves the names of a file's attributes as the compiler will resolve them. */
#ifndef PHP_RATELIMIT_ATTRIBUTE_NAMES_H
#define PHP_RATELIMIT_ATTRIBUTE_NAMES_H

#include "php.h"

#include "access_rule.h"
#include "zend_ast.h"

#define PHP_RATELIMIT_USES_MAX 512

/* The attributes of ours that a declaration has: a bit for each php_ratelimit_attribute. */
typedef uint32_t php_ratelimit_found_attributes;

/* The imports and declarations of a file so far. */
typedef struct {
	const zend_ast *namespace; /* its name, or NULL */
	/* The namespace's "use" and "use prefix\{...}" statements so far. If a file has more of them than fit, the
	 * attribute's validator reports an attribute without its call. */
	zend_ast *uses[PHP_RATELIMIT_USES_MAX];
	unsigned n_uses;
	/* Facts of the whole file, by php_ratelimit_attribute: an attribute that was perhaps meant as ours (a new string, or
	 * NULL), and whether the file declares a class of our name. */
	zend_string *other[PHP_RATELIMIT_ATTRIBUTES];
	uint32_t other_line[PHP_RATELIMIT_ATTRIBUTES];
	bool declares_one[PHP_RATELIMIT_ATTRIBUTES];
} php_ratelimit_names;

/* Begins a file. */
void php_ratelimit_names_init(php_ratelimit_names *names);

/* Takes a namespace, which forgets the statements of the one before it, and a "use". They come in the order of the text. */
void php_ratelimit_names_enter(php_ratelimit_names *names, const zend_ast *namespace);
void php_ratelimit_names_import(php_ratelimit_names *names, zend_ast *use);

/* Takes a class that the file declares. */
void php_ratelimit_names_declare(php_ratelimit_names *names, const zend_ast_decl *class);

/* Returns the attributes of ours among a declaration's, and sets *first to the first one, if there is one. Keeps one that was perhaps
 * meant as ours. */
php_ratelimit_found_attributes php_ratelimit_names_find(php_ratelimit_names *names, const zend_ast_decl *decl,
	const zend_ast **first);

/* Ends the file: passes the attributes that were perhaps meant as ours to php_ratelimit_unresolved_add(). */
void php_ratelimit_names_end(php_ratelimit_names *names);

#endif
