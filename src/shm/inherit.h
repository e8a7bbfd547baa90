/* Handing a segment on to the image that replaces this process by exec, as FPM's master does at each reload: an open
 * file in no folder survives an exec, and the environment says its number. */
#ifndef RL_SHM_INHERIT_H
#define RL_SHM_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

/* A file in no folder, of so many bytes, that survives an exec. -1: this system has none. */
int rl_inherit_create(size_t bytes);

/* Tells the next image. */
void rl_inherit_announce(int fd);

/* What the image before this one handed on, mapped; *fd is its number. NULL when there was nothing, or, with the reason in
 * message, when it cannot be used; its number is closed then. */
void *rl_inherit_attach(size_t bytes, int *fd, char *message, size_t message_size);

/* In a worker: nobody whom it starts shall inherit or hear of it. */
void rl_inherit_conceal(int fd);

#endif
