#include "worker.h"

#include <errno.h>
#include <unistd.h>

RL_THREAD_LOCAL rl_worker *rl_worker_self;

rl_worker *rl_worker_at(const rl_segment *s, uint64_t i)
{
	return (rl_worker *) (void *) ((char *) s->workers + i * RL_WORKER_BYTES);
}

/* A mutex must be set up before it is first tried. Whoever dies in between leaves one worker that nobody can use. */
static bool init_mutex(rl_worker *w)
{
	uint32_t state = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
	pthread_mutexattr_t attr;

	if (state == RL_WORKER_READY) {
		return true;
	}
	if (state != RL_WORKER_NEW
		|| !__atomic_compare_exchange_n(&w->state, &state, RL_WORKER_SETTING_UP, false, __ATOMIC_ACQ_REL,
			__ATOMIC_ACQUIRE)) {
		return false;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&w->alive, &attr);
	pthread_mutexattr_destroy(&attr);
	__atomic_store_n(&w->state, RL_WORKER_READY, __ATOMIC_RELEASE);
	return true;
}

/* Sits down at a worker whose owner is gone, if it is so. The epoch changes before anything else: what the dead one had
 * claimed is thereby nobody's (record.c). */
static bool try_acquire(rl_worker *w)
{
	int rc = pthread_mutex_trylock(&w->alive);

	if (rc == EOWNERDEAD) {
		pthread_mutex_consistent(&w->alive);
	} else if (rc != 0) {
		return false;
	}
	/* Odd while somebody sits here: one more, or two when the last one never got up. */
	__atomic_store_n(&w->epoch, (w->epoch + 1) | 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->journal, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&w->scanning_page, 0, __ATOMIC_RELEASE);
	return true;
}

static void release(rl_worker *w)
{
	__atomic_store_n(&w->epoch, w->epoch + 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&w->alive);
}

bool rl_worker_is_active(const rl_worker *w)
{
	return __atomic_load_n(&w->epoch, __ATOMIC_RELAXED) % 2 == 1;
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

rl_worker *rl_worker_register(void)
{
	const rl_segment *s = &rl_shm;
	uint64_t i;

	if (rl_worker_self != NULL || s->header == NULL) {
		return rl_worker_self;
	}
	/* The lowest that is free, so that few are ever touched and few have to be looked through. */
	for (i = 0; i < s->n_workers; i++) {
		rl_worker *w = rl_worker_at(s, i);

		/* Counted before it is taken: whoever looks through the workers misses none that is held. */
		raise_workers_used(s, i + 1);
		if (init_mutex(w) && try_acquire(w)) {
			rl_worker_self = w;
			return w;
		}
	}
	return NULL;
}

void rl_worker_unregister(void)
{
	if (rl_worker_self != NULL) {
		release(rl_worker_self);
		rl_worker_self = NULL;
	}
}

void rl_worker_after_fork(void)
{
	rl_worker_self = NULL;
}

bool rl_worker_is_dead(rl_worker *w, uint32_t epoch)
{
	if (__atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST) != epoch) {
		return true;
	}
	if (w == rl_worker_self || __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) != RL_WORKER_READY || !try_acquire(w)) {
		return false;
	}
	release(w);
	return true;
}
