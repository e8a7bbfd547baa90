/* Hands a segment on to the image that replaces this process by exec, as FPM's master does at each reload. An open file
 * without a name survives the exec, and an environment variable has its number. */
#ifndef RL_SHM_INHERIT_H
#define RL_SHM_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

#include "../segment/segment.h"

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

#endif
