/* What any decision in shared memory takes of this processor: see least.c. */
#ifndef RATELIMIT_BENCH_LEAST_H
#define RATELIMIT_BENCH_LEAST_H

/* Registers the class, where the processor has what it takes; otherwise there is none, and the benchmark says so. */
void ratelimit_least_startup(void);

#endif
