/* A segment in a file: command line, cron and several FPM masters share it, and a restart keeps it. */
#ifndef RL_SHM_FILE_H
#define RL_SHM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../segment/segment.h"

/* Opens and checks the file, or makes it, and maps it. *fd is its descriptor, which the caller keeps open and closes; *copy
 * is as of rl_header_adopt(). The file must belong to the owner of its folder, and only that user may read or write it.
 * NULL, with the reason in message, when the file is refused. */
void *rl_file_attach(const char *path, size_t bytes, int *fd, rl_header *copy, char *message, size_t message_size);

#endif
