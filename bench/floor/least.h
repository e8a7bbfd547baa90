/* The minimal decision in shared memory: see least.c. */
#ifndef RATELIMIT_BENCH_LEAST_H
#define RATELIMIT_BENCH_LEAST_H

/* Registers the class if the processor supports it; otherwise the benchmark reports it as missing. */
void ratelimit_least_startup(void);

#endif
