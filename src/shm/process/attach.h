/* A segment in a file: command line, cron and several FPM masters share it, and a restart keeps it. */
#ifndef RL_SHM_ATTACH_H
#define RL_SHM_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

#include "../segment/segment.h"

/* Opens and checks the file, or makes it, and maps it. *fd is its descriptor, which the caller keeps open and closes; *copy
 * is as of rl_header_adopt(). The file must belong to the owner of its folder, and only that user may read or write it.
 * NULL, with the reason in message, when the file is refused. */
void *rl_file_attach(const char *path, size_t bytes, int *fd, rl_header *copy, char *message, size_t message_size);

/* Memory without a name, for the workers that one process forks, and an inode for their locks (liveness.h). */

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

/* Hands a segment on to the image that replaces this process by exec, as FPM's master does at each reload. An open
 * file without a name survives the exec, and an environment variable has its number. */

/* Announces a file to the next image, and to nothing else that is started before rl_inherit_conceal(). */
void rl_inherit_announce(int fd);

/* Maps the segment that the image before this one has announced, and announces it again. *fd is its descriptor; *copy is
 * as of rl_header_adopt(). NULL when there is none, or, with the reason in message, when it cannot be used: it is closed
 * then. */
void *rl_inherit_attach(size_t bytes, int *fd, rl_header *copy, char *message, size_t message_size);

/* Closes an announced segment that this process does not use: no program that it starts shall inherit it. */
void rl_inherit_discard(void);

/* In a worker: no program that it starts shall inherit the segment or find it announced. */
void rl_inherit_conceal(int fd);

/* A segment of this process' user: System V memory, which a ticket names. All processes of the user share it, in
 * whatever order they start, and it stays when all have ended. Of its memory, only the pages that were touched are
 * in use. The ticket is a file in /dev/shm of mode 0600. It has the number of the memory, and its inode carries
 * the workers' locks (liveness.h). It appears under its name when it and the segment are complete, by one link().
 * Where its memory is gone, one compare-and-swap gives it the number of other memory. So no process waits for another
 * one: the process that is slower drops its own segment. A ticket that was removed under running processes (by logind
 * at a logout, say) is made again, for the same memory. */

typedef struct {
	void *memory;
	int fd;         /* of the ticket; the caller keeps it open and closes it */
	int id;         /* of the memory */
	rl_header copy; /* as of rl_header_adopt() */
} rl_user_segment;

/* Attaches this process to its user's segment, or makes one of so many bytes; one that exists keeps its size. False, with the
 * reason in message, when there is none to be had. */
bool rl_user_attach(rl_user_segment *u, size_t bytes, char *message, size_t message_size);

/* Returns the descriptor of a ticket for the memory of this number, and makes one if there is none. -1: there is none, or the
 * ticket is of other memory. */
int rl_user_ticket(int id);

#endif
