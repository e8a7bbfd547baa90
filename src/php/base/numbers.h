/* Numbers what limiters take as permits, so that no two parts of one limit state have the same number. */
#ifndef PHP_RATELIMIT_NUMBERS_H
#define PHP_RATELIMIT_NUMBERS_H

#include "php_ratelimit.h"

typedef struct php_ratelimit_numbers {
	uint64_t number;     /* of the latest permit, 48 bits; 0: none */
	unsigned generation; /* the process that counts the numbers, by its forks */
} php_ratelimit_numbers;

/* Returns 64 random bits: of the kernel, or of the clock if that gives none. */
uint64_t php_ratelimit_random(void);

/* Returns the number of a new permit: even, and unique among all that have a part in the same limit state. */
uint64_t php_ratelimit_permit_number(void);

/* Returns the number of forks that lead to this process: a child shares no permit with its parent. */
unsigned php_ratelimit_generation(void);

/* Runs at module start-up. */
void php_ratelimit_numbers_startup(void);

#endif
