/* A temporary folder for one test. */
#ifndef RL_TEST_TEMPORARY_H
#define RL_TEST_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Creates name-XXXXXX in TMPDIR, or in /tmp without TMPDIR, and writes its path to folder. */
static inline bool make_temporary_folder(char *folder, size_t size, const char *name)
{
	const char *where = getenv("TMPDIR");
	int len = snprintf(folder, size, "%s/%s-XXXXXX", where ? where : "/tmp", name);

	return len >= 0 && (size_t) len < size && mkdtemp(folder) != NULL;
}

#endif
