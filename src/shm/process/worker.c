#include "worker.h"

#include <errno.h>
#include <stdio.h>

#include "../segment/clock.h"
#include "liveness.h"

/* Up to so many slots that look taken are all tried for each registration. A try costs a microsecond then; where more are
 * used it costs up to ten, and some are tried. */
#define TRY_ALL 512
#define TRIES   32

/* When no slot is left of more than that, all are tried no more often than this. */
#define FULL_SEARCH_EVERY_US RL_US_PER_SECOND

RL_THREAD_LOCAL rl_worker *rl_worker_self;

static RL_THREAD_LOCAL uint32_t epoch_self; /* under which this thread holds its slot */
static RL_THREAD_LOCAL int register_error;  /* an errno, or 0: all slots are taken */
static int64_t next_full_search_us;         /* of the process */
static void (*forget_lost)(void);
static void (*keep_ticket)(void);

rl_worker *rl_worker_at(const rl_segment *s, uint64_t i)
{
	return (rl_worker *) (void *) ((char *) s->workers + i * RL_WORKER_BYTES);
}

static uint64_t slot_of(const rl_worker *w)
{
	return (uint64_t) ((const char *) w - (const char *) rl_shm.workers) / RL_WORKER_BYTES;
}

static uint64_t load_claim(const rl_worker *w)
{
	return __atomic_load_n(&w->claim, __ATOMIC_SEQ_CST);
}

static uint32_t load_epoch(const rl_worker *w)
{
	return (uint32_t) load_claim(w);
}

static uint64_t claim_of(uint32_t epoch, uint32_t inode)
{
	return (uint64_t) inode << 32 | epoch;
}

static bool is_odd(uint32_t epoch)
{
	return epoch % 2 == 1;
}

/* Clears the notes of an owner that is gone. */
static void clear_notes(rl_worker *w)
{
	__atomic_store_n(&w->journal, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&w->scanning_page, 0, __ATOMIC_RELEASE);
}

uint64_t rl_workers_used(const rl_segment *s)
{
	uint64_t n = rl_load(&s->header->n_workers_used);

	return n < s->n_workers ? n : s->n_workers;
}

static void raise_workers_used(const rl_segment *s, uint64_t n)
{
	uint64_t was = rl_load(&s->header->n_workers_used);

	while (was < n
		&& !__atomic_compare_exchange_n(&s->header->n_workers_used, &was, n, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST)) {
	}
}

/* ---- Register ---- */

/* A user's ticket that was removed is made again (attach.h). Until a process has seen that, it has its locks on the old one, where no
 * new process finds them. So a slot with another ticket than this process' counts as held; after a day its owner is gone. */
#define ELSEWHERE_MAX_US (24 * 3600 * RL_US_PER_SECOND)

static bool is_locked_elsewhere(uint32_t its, uint32_t own)
{
	return RL_UNLIKELY(its != own)
		&& (rl_clock_wall_us() - rl_shm.ticket_us < ELSEWHERE_MAX_US || rl_liveness_has_no_name());
}

typedef struct {
	uint64_t seen;  /* the claim, when it was looked at */
	uint32_t inode; /* of this process at that moment */
} takeover;

/* Returns the epoch of the owner that follows. */
static uint32_t next_epoch(uint64_t seen)
{
	return ((uint32_t) seen + 1) | 1;
}

/* Fails where the owner has moved since, which it notes before it drops the lock on its former ticket, or this process has, or where
 * a process with another ticket takes the slot just now. */
static bool swap_claim(uint64_t slot, uint32_t inode, void *argument)
{
	takeover *t = argument;

	return inode == t->inode
		&& __atomic_compare_exchange_n(&rl_worker_at(&rl_shm, slot)->claim, &t->seen,
			claim_of(next_epoch(t->seen), inode), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Takes a slot whose owner is gone, or that has none. The epoch changes before anything else: what a dead owner had claimed thereby
 * belongs to no worker (record.c). The look leaves the lock to an owner that moves. */
static rl_slot_result take_slot(rl_worker *w, uint64_t seen)
{
	takeover t = {.seen = seen, .inode = rl_liveness_inode()};
	rl_slot_result result = RL_SLOT_HELD;

	if (!is_odd((uint32_t) seen) || !is_locked_elsewhere((uint32_t) (seen >> 32), t.inode)) {
		result = rl_liveness_acquire(slot_of(w), swap_claim, &t);
	}
	if (result == RL_SLOT_ACQUIRED) {
		clear_notes(w);
	}
	return result;
}

static void note_move(uint64_t slot, uint32_t before, uint32_t now)
{
	rl_worker *w = rl_worker_at(&rl_shm, slot);
	uint64_t seen = load_claim(w);

	/* With another ticket in it, the slot is another process' that has it since. */
	if (seen >> 32 == before) {
		(void) __atomic_compare_exchange_n(&w->claim, &seen, claim_of((uint32_t) seen, now), false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST);
	}
}

bool rl_worker_move(int fd)
{
	return rl_liveness_move(fd, note_move);
}

static rl_slot_result try_acquire(const rl_segment *s, uint64_t i)
{
	rl_worker *w = rl_worker_at(s, i);
	uint64_t seen = load_claim(w);
	rl_slot_result result;

	/* Counted before it is taken, so that a search through the used slots misses none that is held. */
	raise_workers_used(s, i + 1);
	result = take_slot(w, seen);
	if (result == RL_SLOT_ACQUIRED) {
		epoch_self = next_epoch(seen);
		rl_worker_self = w;
	} else if (result == RL_SLOT_FAILED) {
		register_error = errno;
	}
	return result;
}

/* Tries n slots from the first on, round the used ones, with an odd or an even epoch. At most *tries of them are held by
 * others. True: the search is over. */
static bool search(const rl_segment *s, uint64_t first, uint64_t n, bool odd, unsigned *tries)
{
	uint64_t i;

	for (i = 0; *tries > 0 && i < n; i++) {
		uint64_t slot = (first + i) % n;

		if (is_odd(load_epoch(rl_worker_at(s, slot))) == odd) {
			if (try_acquire(s, slot) != RL_SLOT_HELD) {
				return true;
			}
			(*tries)--;
		}
	}
	return false;
}

static bool may_search_all(int64_t now_us)
{
	int64_t next_us = __atomic_load_n(&next_full_search_us, __ATOMIC_RELAXED);

	return now_us >= next_us
		&& __atomic_compare_exchange_n(&next_full_search_us, &next_us, now_us + FULL_SEARCH_EVERY_US, false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* First the lowest slot that was given back, so that few are ever used and a search through the used ones is short. Then
 * some of those that dead processes may have left; then a new one. With all in use, each is tried, once a second. */
static void acquire_any(const rl_segment *s)
{
	int64_t now_us = rl_clock_true_us();
	uint64_t used = rl_workers_used(s);
	unsigned tries = used <= TRY_ALL ? TRY_ALL : TRIES, all = UINT32_MAX;

	register_error = 0;
	if (s->kind == RL_SEGMENT_USER && keep_ticket != NULL) {
		keep_ticket();
	}
	if (search(s, 0, used, false, &tries) || search(s, (uint64_t) now_us % (used + 1), used, true, &tries)) {
		return;
	}
	/* A slot that is held here was taken since by another thread: the next one is behind all that are used by now. */
	while (used < s->n_workers) {
		if (try_acquire(s, used) != RL_SLOT_HELD) {
			return;
		}
		used = rl_workers_used(s) > used ? rl_workers_used(s) : used + 1;
	}
	if (may_search_all(now_us)) {
		(void) search(s, 0, s->n_workers, true, &all);
	}
}

static bool has_lost_slot(void)
{
	return load_epoch(rl_worker_self) != epoch_self;
}

rl_worker *rl_worker_register(void)
{
	const rl_segment *s = &rl_shm;

	if (RL_LIKELY(rl_worker_self != NULL && !has_lost_slot())) {
		return rl_worker_self;
	}
	if (rl_worker_self != NULL) {
		rl_liveness_release(slot_of(rl_worker_self));
		rl_worker_self = NULL;
		if (forget_lost != NULL) {
			forget_lost();
		}
	}
	if (s->header != NULL) {
		acquire_any(s);
	}
	return rl_worker_self;
}

void rl_worker_explain(char *message, size_t size)
{
	if (register_error != 0) {
		snprintf(message, size, "the embedded store cannot lock a worker's slot: %s", strerror(register_error));
	} else {
		snprintf(message, size, "too many workers for the embedded store (%llu; ratelimit.shm_size)",
			(unsigned long long) rl_shm.n_workers);
	}
}

void rl_worker_on_lost(void (*forget)(void))
{
	forget_lost = forget;
}

void rl_worker_on_ticket(void (*keep)(void))
{
	keep_ticket = keep;
}

static void give_back(rl_worker *w, uint32_t epoch)
{
	if (load_epoch(w) == epoch) {
		__atomic_store_n(&w->epoch, epoch + 1, __ATOMIC_SEQ_CST);
	}
	rl_liveness_release(slot_of(w));
}

void rl_worker_unregister(void)
{
	rl_worker *w = rl_worker_self;

	if (w != NULL) {
		rl_worker_self = NULL;
		give_back(w, epoch_self);
	}
}

void rl_worker_after_fork(void)
{
	rl_worker_self = NULL;
}

/* ---- Ask ---- */

bool rl_worker_is_dead(rl_worker *w, uint32_t epoch)
{
	uint64_t seen = load_claim(w);

	if ((uint32_t) seen != epoch || !is_odd(epoch)) {
		return true;
	}
	if (w == rl_worker_self || take_slot(w, seen) != RL_SLOT_ACQUIRED) {
		return false;
	}
	/* Until now the slot is this thread's: nobody else wrote the notes that take_slot() has cleared. */
	give_back(w, next_epoch(seen));
	return true;
}

bool rl_worker_is_active(rl_worker *w)
{
	return !rl_worker_is_dead(w, load_epoch(w));
}

/* ---- Owners ---- */

uint64_t rl_owner_self(void)
{
	return rl_worker_register() != NULL ? (slot_of(rl_worker_self) + 1) << 32 | epoch_self : 0;
}

bool rl_owner_has_slot(uint64_t owner)
{
	uint64_t slot = rl_owner_slot(owner);

	return slot < rl_shm.n_workers && load_epoch(rl_worker_at(&rl_shm, slot)) == (uint32_t) owner;
}

bool rl_owner_is_gone(uint64_t owner)
{
	return !rl_owner_has_slot(owner)
		|| rl_worker_is_dead(rl_worker_at(&rl_shm, rl_owner_slot(owner)), (uint32_t) owner);
}
