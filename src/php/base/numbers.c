#include "numbers.h"

#include <pthread.h>
#include <unistd.h>

#include "src/core/limit/decision.h"
#include "src/shm/segment/clock.h"

/* One for the process. */
static unsigned generation = 1;

static void note_fork(void)
{
	generation++;
}

ZEND_COLD uint64_t php_ratelimit_random(void)
{
	uint64_t seed;

	if (getentropy(&seed, sizeof(seed)) != 0) {
		seed = ((uint64_t) rl_clock_wall_us() << 20 ^ (uint64_t) getpid()) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return seed;
}

uint64_t php_ratelimit_permit_number(void)
{
	php_ratelimit_numbers *numbers = RATELIMIT_G(numbers);

	if (UNEXPECTED(numbers->generation != generation)) {
		numbers->generation = generation;
		/* The numbers of two processes are far apart. */
		numbers->number = php_ratelimit_random() & RL_TAG_MASK & ~UINT64_C(1);
	}
	do {
		numbers->number = (numbers->number + 2) & RL_TAG_MASK;
	} while (numbers->number == 0);
	return numbers->number;
}

unsigned php_ratelimit_generation(void)
{
	return generation;
}

void php_ratelimit_numbers_startup(void)
{
	(void) pthread_atfork(NULL, NULL, note_fork);
}
