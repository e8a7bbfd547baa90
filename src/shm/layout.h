/* How a segment of a given size is divided, and whether a header that somebody else wrote can be believed. */
#ifndef RL_SHM_LAYOUT_H
#define RL_SHM_LAYOUT_H

#include "segment.h"

/* Fills in the header's geometry for a segment of so many bytes (at least RL_SHM_BYTES_MIN). */
void rl_layout_plan(rl_header *h, size_t bytes);

/* Is it a segment of ours, of that size, as this build would make it? False, with the reason. */
bool rl_layout_check(const rl_header *h, size_t bytes, char *message, size_t message_size);

#endif
