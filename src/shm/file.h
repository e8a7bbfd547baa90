/* A segment with a name: CLI, cron and several FPM masters share it, and a restart keeps it. */
#ifndef RL_SHM_FILE_H
#define RL_SHM_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Opens and checks the file, or makes it; maps it. The file belongs to the owner of its folder and nobody else may read
 * or write it; anything else is refused, with the reason in message, and NULL returned. */
void *rl_file_attach(const char *path, size_t bytes, char *message, size_t message_size);

#endif
