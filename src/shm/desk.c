#include "desk.h"

#include <errno.h>
#include <unistd.h>

RL_THREAD_LOCAL rl_desk *rl_my_desk;

rl_desk *rl_desk_at(const rl_segment *s, uint64_t i)
{
	return (rl_desk *) (void *) ((char *) s->desks + i * RL_DESK_BYTES);
}

/* A mutex must be set up before it is first tried. Whoever dies in between leaves one desk that nobody can use. */
static bool set_up(rl_desk *d)
{
	uint32_t state = __atomic_load_n(&d->state, __ATOMIC_ACQUIRE);
	pthread_mutexattr_t attr;

	if (state == RL_DESK_READY) {
		return true;
	}
	if (state != RL_DESK_NEW || !__atomic_compare_exchange_n(&d->state, &state, RL_DESK_SETTING_UP, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		return false;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&d->life, &attr);
	pthread_mutexattr_destroy(&attr);
	__atomic_store_n(&d->state, RL_DESK_READY, __ATOMIC_RELEASE);
	return true;
}

/* Sits down at a desk whose owner is gone, if it is so. The epoch changes before anything else: what the dead one had
 * claimed is thereby nobody's (record.c). */
static bool take(rl_desk *d)
{
	int rc = pthread_mutex_trylock(&d->life);

	if (rc == EOWNERDEAD) {
		pthread_mutex_consistent(&d->life);
	} else if (rc != 0) {
		return false;
	}
	/* Odd while somebody sits here: one more, or two when the last one never got up. */
	__atomic_store_n(&d->epoch, (d->epoch + 1) | 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&d->journal, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&d->hunting, 0, __ATOMIC_RELEASE);
	return true;
}

static void get_up(rl_desk *d)
{
	__atomic_store_n(&d->epoch, d->epoch + 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&d->life);
}

bool rl_desk_is_taken(const rl_desk *d)
{
	return __atomic_load_n(&d->epoch, __ATOMIC_RELAXED) % 2 == 1;
}

uint64_t rl_desks_used(const rl_segment *s)
{
	uint64_t n = rl_load(&s->header->n_desks_used);

	return n < s->n_desks ? n : s->n_desks;
}

static void raise_desks_used(const rl_segment *s, uint64_t n)
{
	uint64_t was = rl_load(&s->header->n_desks_used);

	while (was < n && !__atomic_compare_exchange_n(&s->header->n_desks_used, &was, n, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
	}
}

rl_desk *rl_desk_claim(void)
{
	const rl_segment *s = &rl_shm;
	uint64_t i;

	if (rl_my_desk != NULL || s->header == NULL) {
		return rl_my_desk;
	}
	/* The lowest that is free, so that few are ever touched and few have to be looked through. */
	for (i = 0; i < s->n_desks; i++) {
		rl_desk *d = rl_desk_at(s, i);

		/* Counted before it is taken: whoever looks through the desks misses none that is held. */
		raise_desks_used(s, i + 1);
		if (set_up(d) && take(d)) {
			rl_my_desk = d;
			return d;
		}
	}
	return NULL;
}

void rl_desk_release(void)
{
	if (rl_my_desk != NULL) {
		get_up(rl_my_desk);
		rl_my_desk = NULL;
	}
}

void rl_desk_forget_after_fork(void)
{
	rl_my_desk = NULL;
}

bool rl_desk_is_left(rl_desk *d, uint32_t epoch)
{
	if (__atomic_load_n(&d->epoch, __ATOMIC_SEQ_CST) != epoch) {
		return true;
	}
	if (d == rl_my_desk || __atomic_load_n(&d->state, __ATOMIC_ACQUIRE) != RL_DESK_READY || !take(d)) {
		return false;
	}
	get_up(d);
	return true;
}
