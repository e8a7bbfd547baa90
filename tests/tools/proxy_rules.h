/* The proxy's rules, and its journal of the commands that arrived. */
#ifndef TESTS_PROXY_RULES_H
#define TESTS_PROXY_RULES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "resp.h"

enum { RULES = 64, ARGUMENT = 65536 };

typedef enum {
	PASS,
	DROP_REQUEST,
	CLOSE_REQUEST,
	RESET_REQUEST,
	DELAY_REQUEST,
	KEEP_REQUEST,
	DROP_REPLY,
	DELAY_REPLY,
	CLOSE_REPLY,
	RESET_REPLY,
	HALF_CLOSE,
	TRUNCATE,
	TRUNCATE_CLOSE,
	TRICKLE,
	DUPLICATE,
	HOLD,
	SWAP,
	INJECT,
	REPLACE,
	ANSWER,
	ACTIONS
} action;

static const char *const action_names[ACTIONS] = {
	"forwarded",
	"drop-request",
	"close-request",
	"reset-request",
	"delay-request",
	"keep-request",
	"drop-reply",
	"delay-reply",
	"close-reply",
	"reset-reply",
	"half-close",
	"truncate",
	"truncate-close",
	"trickle",
	"duplicate",
	"hold",
	"swap",
	"inject",
	"replace",
	"answer",
};

typedef struct {
	char command[32];
	long nth, seen;
	action what;
	long number; /* MS or N */
	char *bytes; /* HEX, decoded; never freed, because pending replies may need it */
	size_t n_bytes;
} rule;

static const rule pass = {.what = PASS};

typedef struct entry {
	struct entry *next;
	long connection;
	action fate;
	size_t n;
	unsigned char data[];
} entry;

static rule *rules[RULES];
static size_t n_rules;
static entry *journal, **journal_end = &journal;

static void *allocate(void *old, size_t n)
{
	void *p = realloc(old, n);

	if (p == NULL) {
		perror("proxy");
		exit(1);
	}
	return p;
}

static size_t from_hex(const char *hex, char *bytes)
{
	size_t n = 0;
	unsigned value;

	while (sscanf(hex + 2 * n, "%2x", &value) == 1) {
		bytes[n++] = (char) value;
	}
	return n;
}

static const char *add_rule(const char *line)
{
	static char argument[ARGUMENT];
	char name[24] = "";
	rule *r = allocate(NULL, sizeof(*r));

	*r = (rule){0};
	strcpy(argument, "0");
	if (n_rules == RULES || sscanf(line, "rule %31s %ld %23s %65535s", r->command, &r->nth, name, argument) < 3) {
		return "error: rule COMMAND NTH ACTION [ARGUMENT]\n";
	}
	for (r->what = PASS; r->what < ACTIONS && strcmp(action_names[r->what], name) != 0; r->what++) {
	}
	if (r->what == ACTIONS) {
		return "error: no such action\n";
	}
	r->number = strtol(argument, NULL, 10);
	r->bytes = allocate(NULL, sizeof(argument) / 2 + 1);
	r->n_bytes = r->what == INJECT || r->what == REPLACE || r->what == ANSWER ? from_hex(argument, r->bytes) : 0;
	rules[n_rules++] = r;
	return "ok\n";
}

static void clear_rules(void)
{
	n_rules = 0;
}

/* Returns the rule for this command. Counts the command, unless this is only a look ahead. */
static const rule *rule_for(const char *command, long length, bool count)
{
	size_t n;
	const char *name = resp_word(command, length, 0, &n);
	const rule *found = &pass;

	for (size_t i = 0; name != NULL && i < n_rules; i++) {
		rule *r = rules[i];
		long seen = r->seen + 1;

		if (strcmp(r->command, "*") != 0 && (strlen(r->command) != n || strncasecmp(r->command, name, n) != 0)) {
			continue;
		}
		if (count) {
			r->seen = seen;
		}
		if (found == &pass && (r->nth == 0 || r->nth == seen || (r->nth < 0 && seen % -r->nth == 0))) {
			found = r;
		}
	}
	return found;
}

static void write_down(long connection, const rule *r, const char *command, size_t n)
{
	entry *e = allocate(NULL, sizeof(*e) + n);

	*e = (entry){.connection = connection, .fate = r->what, .n = n};
	memcpy(e->data, command, n);
	*journal_end = e;
	journal_end = &e->next;
}

static void print_journal(FILE *out)
{
	for (const entry *e = journal; e != NULL; e = e->next) {
		fprintf(out, "%ld %s ", e->connection, action_names[e->fate]);
		for (size_t i = 0; i < e->n; i++) {
			fprintf(out, "%02x", e->data[i]);
		}
		fputc('\n', out);
	}
}

#endif
