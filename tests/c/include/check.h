/* Assertions of the C tests: each prints its promise when it is broken. */
#ifndef RL_TEST_CHECK_H
#define RL_TEST_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int checks_made;
static int checks_broken;

__attribute__((format(printf, 3, 4))) static inline bool check_at(int line, bool kept, const char *format, ...)
{
	checks_made++;
	if (!kept) {
		va_list args;
		checks_broken++;
		printf("line %d: BROKEN: ", line);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		putchar('\n');
	}
	return kept;
}

#define check(kept, ...) check_at(__LINE__, (kept), __VA_ARGS__)

static inline int checks_report(void)
{
	printf("%d checks, %d broken\n", checks_made, checks_broken);
	return checks_broken ? 1 : 0;
}

#endif
