/* How a segment of a given size is divided, and the check of a header that another program may have written. */
#ifndef RL_SHM_LAYOUT_H
#define RL_SHM_LAYOUT_H

#include "segment.h"

/* Fills in the header's geometry for a segment of so many bytes (at least RL_SHM_BYTES_MIN). */
void rl_layout_plan(rl_header *h, size_t bytes);

/* Checks that h, a private copy of a header, is of a segment of that size as this build makes it. False, with the reason
 * in message, when it is not. */
bool rl_layout_check(const rl_header *h, size_t bytes, char *message, size_t message_size);

#endif
