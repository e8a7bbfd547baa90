/* Memory without a name, for the workers that one process forks, and an inode for their locks (liveness.h). */
#ifndef RL_SHM_ANONYMOUS_H
#define RL_SHM_ANONYMOUS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a file without a name of so many bytes, close-on-exec, that can be neither shrunk nor grown. Its mode is 0600:
 * workers of another user cannot open it by /proc/self/fd, and need not, because they inherit the descriptor. Returns
 * the descriptor, or -1 with errno set. */
int rl_anonymous_file(size_t bytes);

/* True: fd is such a file, sealed, of so many bytes. Seals it if it is not sealed yet. */
bool rl_anonymous_is_sealed(int fd, size_t bytes);

/* Maps zeroed memory that is shared with every process forked later. *fd: an empty inode for their locks, close-on-exec.
 * NULL, with the reason in message, when there is none. */
void *rl_anonymous_map(size_t bytes, int *fd, char *message, size_t message_size);

/* Returns 0 unless RLIMIT_FSIZE forbids a file of so many bytes: then EFBIG. The kernel would send a deadly SIGXFSZ. */
int rl_file_size_error(size_t bytes);

#endif
