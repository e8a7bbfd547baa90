/* A segment of this process' user: System V memory, which a ticket names. All processes of the user share it, in whatever
 * order they start, and it stays when all have ended. Of its memory, only the pages that were touched are in use.
 *
 * The ticket is a file in /dev/shm of mode 0600. It has the number of the memory, and its inode carries the workers' locks
 * (liveness.h). It appears under its name when it and the segment are complete, by one link(), and never changes: no process
 * waits for another one. The process that is slower drops its own segment. A ticket that was removed under running processes
 * (by logind at a logout, say) is made again, for the same memory. */
#ifndef RL_SHM_USER_H
#define RL_SHM_USER_H

#include "../segment/segment.h"

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
