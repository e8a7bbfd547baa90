/* src/shm/store: The embedded store: each decision is one swap.
 *
 * The embedded store: one segment of shared memory for all workers of a machine. The functions are in startup.c and
 * shm_store.c. */
#ifndef RL_SHM_H
#define RL_SHM_H

#include "../../compiler.h"
#include "../../store.h"
#include "../process/worker_stats.h"
#include "../segment/clock.h"
#include "../segment/monitor_layout.h"

typedef struct {
	size_t bytes;        /* at least RL_SHM_BYTES_MIN */
	const char *path;    /* NULL or "": memory without a name, shared with every process forked later */
	bool keep_over_exec; /* without a path: hand the segment on to the next image of this process (FPM's reload) */
} rl_shm_options;

/* Makes this process' segment, or attaches to it. False, with the reason in message, when it cannot: rl_shm_store() is
 * NULL then. True with a message is a notice, for instance why an old segment could not be used. */
bool rl_shm_startup(const rl_shm_options *options, char *message, size_t message_size);
void rl_shm_shutdown(void);

/* Ends the start: from here on this process' segment stays the same. To be called before the first use of the segment, by any
 * thread; only the first call has an effect. bytes: the process goes over from memory without a name to that of its user, which
 * gets so many bytes if it is new; 0: it stays. False, with the reason in message, when it cannot go over: then it stays, too. True
 * with a message: it has gone over, to memory that exists and has fewer bytes, as the message says. */
bool rl_shm_settle(size_t bytes, char *message, size_t message_size);
bool rl_shm_is_settled(void);

/* Returns whether no other process than this one and those that it forks has the segment. */
bool rl_shm_is_own(void);

/* Makes sure that no program which a request starts inherits the segment. To be called in a process that serves requests,
 * before its first one. Cheap when called again. */
void rl_shm_enter_worker(void);

/* Gives back what the calling thread holds in the segment. To be called when the thread ends (ZTS). */
void rl_shm_leave_thread(void);

/* Returns the store, or NULL. There is one for the whole process, and every thread may call it. */
rl_store *rl_shm_store(void);

/* Forgets all identities of the segment, which must be this process' own: counts, bans, places, cached refusals and batches, of the embedded store and of
 * fallbacks. Returns false if this thread cannot register as a worker. */
bool rl_shm_flush(void);

/* Makes the fallback of another store, whose id it takes. Its counts are apart from those of the embedded store, and of
 * all other ids. Returns false if there is no segment. */
bool rl_shm_fallback(rl_store *fallback, const uint64_t id[2]);

/* Registers this thread as a worker, if it is not one yet. Returns false if there is no segment, or no place in it. */
bool rl_shm_has_worker(void);

/* Returns the calling thread as the owner of concurrent places: they come free when it is gone. 0: there is no segment, or no
 * place in it. */
uint64_t rl_shm_owner(void);

/* Returns whether the segment's hash uses the processor's AES instructions. Only then counter_fast.h has its inline path. */
bool rl_shm_uses_aes(void);

/* Returns the segment's own time in microseconds, whatever a test has stopped. */
int64_t rl_shm_now_us(void);

typedef struct {
	const char *kind; /* "memory", "file", "user", "none" */
	uint64_t bytes;
	uint64_t slots;        /* identities the table can name */
	uint64_t slots_used;   /* of them ever used: the next identity takes one that has ended */
	uint64_t records;      /* bytes for states larger than a slot */
	uint64_t records_used; /* of them handed out */
	uint64_t workers;      /* threads and processes that have decided and are alive */
	uint64_t decisions;    /* by the embedded store: its admissions and its refusals */
	uint64_t counts[RL_STATS];
} rl_shm_stats;

void rl_shm_stats_read(rl_shm_stats *stats);

#endif
