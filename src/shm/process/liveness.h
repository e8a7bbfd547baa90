/* Liveness: which worker slots of the segment belong to a live process, in whatever container.
 *
 * A process holds a slot by a lock on one byte of the segment's inode, far behind its end. The kernel drops the lock when
 * the process ends, whatever ended it. Nothing about it stands in the segment: no writer of the segment can forge it, and
 * a copied or restored file has no locks.
 *
 * The locks are open file description locks on a description that this process opens for itself. Where it cannot open
 * the inode again (no /proc, another user's inode), it takes process locks on the inherited descriptor. Both kinds
 * exclude each other. A private bitmap excludes the threads of one process from each other.
 *
 * A call costs one to three system calls, some microseconds: no decision on the fast path makes one. */
#ifndef RL_SHM_LIVENESS_H
#define RL_SHM_LIVENESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
	RL_SLOT_ACQUIRED,
	RL_SLOT_HELD,   /* by a live process, or by another thread of this one */
	RL_SLOT_FAILED, /* not known: errno has the reason */
} rl_slot_result;

/* Begins with the inode behind fd, which stays the caller's and must stay open until rl_liveness_stop(). Drops the locks
 * that this process has on it from before an exec. False, with the reason in message, when the inode has no locks that
 * exclude other processes. is_ticket: it is that of a user's ticket (attach.h). */
bool rl_liveness_start(int fd, bool is_ticket, char *message, size_t message_size);

/* Returns whether the inode's last name was removed. */
bool rl_liveness_has_no_name(void);

/* Returns the inode of the ticket that has this process' locks, shortened to 32 bits; 0 if it is no ticket. */
uint32_t rl_liveness_inode(void);

/* Goes on with the ticket behind another fd: takes the slots of this process there, calls note for each, and drops the locks on
 * the ticket before. That one's fd need not stay open. False: a slot is not to be had there, and nothing has changed. */
typedef void rl_liveness_moved(uint64_t slot, uint32_t inode_before, uint32_t inode);
bool rl_liveness_move(int fd, rl_liveness_moved *note);

/* Drops all slots of this process. */
void rl_liveness_stop(void);

/* Acquires a slot (below RL_WORKERS_MAX) for this process. Never waits for another process. use: called as soon as the slot is
 * locked, with rl_liveness_inode(); this process does not move meanwhile. It returns whether the slot is to be kept: if not,
 * the result is RL_SLOT_HELD. It calls nothing of this header. */
typedef bool rl_liveness_use(uint64_t slot, uint32_t inode, void *argument);
rl_slot_result rl_liveness_acquire(uint64_t slot, rl_liveness_use *use, void *argument);

/* Gives back a slot that rl_liveness_acquire() has acquired. */
void rl_liveness_release(uint64_t slot);

#endif
