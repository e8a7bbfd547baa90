
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "permit_object.h"
#include "src/shm/segment/clock.h"
#include "../base/numbers.h"

/* The pauses between two questions of an acquire that waits for a place: they grow from the first one to the last. */
#define PAUSE_FIRST_US (1 * RL_US_PER_MS)
#define PAUSE_LAST_US  (50 * RL_US_PER_MS)

bool php_ratelimit_sleep_until(int64_t mono_us)
{
	struct timespec until = {mono_us / RL_US_PER_SECOND, mono_us % RL_US_PER_SECOND * 1000};

	if (UNEXPECTED(rl_clock_is_frozen())) {
		int64_t left_us = mono_us - rl_clock_read_for(false).mono_us;

		return left_us <= 0 || rl_clock_advance(left_us);
	}
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0;
}

/* Returns whether a place of a concurrent limit that comes free may let the refused call pass within the time left. */
static bool may_get_place(const php_ratelimit_limiter *limiter, const rl_decision *d, int64_t left_us)
{
	return limiter->has_concurrent && d->reason == RL_LIMITED
		&& (limiter->question.limits[d->limit_index].algorithm == RL_CONCURRENT || d->retry_after_us <= left_us);
}

/* Returns a random time of half a pause to one and a half. */
static int64_t jittered(int64_t pause_us)
{
	uint64_t random = (php_ratelimit_permit_number() ^ (uint64_t) rl_clock_true_us()) * UINT64_C(0x9e3779b97f4a7c15);

	return pause_us / 2 + (int64_t) ((random >> 32) % (uint64_t) pause_us);
}

/* Sleeps until a moment with the signals of a mask allowed. Returns false if one came, also before the sleep. */
static bool sleep_with_signals(int64_t mono_us, const sigset_t *allowed)
{
	int64_t left_us;
	struct timespec left;

	if (UNEXPECTED(rl_clock_is_frozen())) {
		return php_ratelimit_sleep_until(mono_us);
	}
	left_us = MAX(mono_us - rl_clock_read_for(false).mono_us, 0);
	left = (struct timespec){left_us / RL_US_PER_SECOND, left_us % RL_US_PER_SECOND * 1000};
	return ppoll(NULL, 0, &left, allowed) == 0;
}

/* Asks until the call passes, or cannot pass within its time. The caller has blocked all signals but those allowed: one that comes
 * during a question ends the next sleep. Returns false with an exception thrown. */
static bool acquire_in_time(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, int64_t max_wait_us,
	const sigset_t *allowed, rl_answer *a)
{
	rl_question *q = &limiter->question;
	int64_t pause_us = PAUSE_FIRST_US, now_us, end_us;

	now_us = rl_clock_read_for(false).mono_us;
	end_us = now_us + max_wait_us;
	for (;;) {
		int64_t next_us;

		if (!php_ratelimit_limiter_ask(limiter, g, key, a)) {
			return false;
		}
		now_us = rl_clock_read_for(false).mono_us;
		if (a->decision.accepted || now_us >= end_us || !may_get_place(limiter, &a->decision, end_us - now_us)) {
			return true;
		}
		next_us = MIN(now_us + jittered(pause_us), end_us);
		if (!sleep_with_signals(next_us, allowed)) {
			return true; /* a signal: its handler runs behind this call, with the refusal */
		}
		pause_us = MIN(2 * pause_us, PAUSE_LAST_US);
		q->max_wait_us = end_us - next_us;
		q->tag = php_ratelimit_permit_number(); /* the last one may still have places, if its reply was lost */
	}
}

bool php_ratelimit_permit_ask_within(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key,
	int64_t max_wait_us, rl_answer *a)
{
	sigset_t blocked, allowed;
	volatile bool done = false;

	limiter->question.max_wait_us = max_wait_us;
	if (EXPECTED(max_wait_us == 0) || !limiter->has_concurrent) {
		return php_ratelimit_limiter_ask(limiter, g, key, a);
	}
	sigfillset(&blocked);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGFPE);
	sigdelset(&blocked, SIGILL);
	pthread_sigmask(SIG_BLOCK, &blocked, &allowed);
	zend_try
	{
		done = acquire_in_time(limiter, g, key, max_wait_us, &allowed, a);
	}
	zend_catch
	{
		pthread_sigmask(SIG_SETMASK, &allowed, NULL);
		zend_bailout();
	}
	zend_end_try();
	pthread_sigmask(SIG_SETMASK, &allowed, NULL);
	return done;
}
