/* A segment's header: written when the segment is made, checked and copied when a process attaches to it. */
#ifndef RL_SHM_HEADER_H
#define RL_SHM_HEADER_H

#include "segment.h"

/* Writes a new segment's header into zeroed memory; *copy is then as of rl_header_adopt(). False, with the reason in
 * message, when it cannot. */
bool rl_header_write(void *memory, size_t bytes, rl_header *copy, char *message, size_t message_size);

/* Checks the header of a segment that is mapped, and copies it: another process may change the header at any moment, so
 * only what stands in the copy may be used afterwards. If the machine was booted since the segment was last used, sets
 * the segment's clock anew first, by one atomic swap: any number of processes may attach at once. False, with the reason
 * in message, when the segment cannot be used. */
bool rl_header_adopt(void *memory, size_t bytes, rl_header *copy, char *message, size_t message_size);

/* How a segment of a given size is divided, and the check of a header that another program may have written. */

/* Fills in the header's geometry for a segment of so many bytes (at least RL_SHM_BYTES_MIN). */
void rl_layout_plan(rl_header *h, size_t bytes);

/* Checks that h, a private copy of a header, is of a segment of that size as this build makes it. False, with the reason
 * in message, when it is not. */
bool rl_layout_check(const rl_header *h, size_t bytes, char *message, size_t message_size);

#endif
