/* One compare-and-swap of two neighbouring words.
 *
 * It is assembly because gcc turns its own 16-byte builtins into calls of libatomic, which may take a lock. A process that
 * dies with a lock in shared memory would block all others. */
#ifndef RL_SHM_ATOMIC128_H
#define RL_SHM_ATOMIC128_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	_Alignas(16) uint64_t a;
	uint64_t b;
} rl_pair;

_Static_assert(sizeof(rl_pair) == 16 && _Alignof(rl_pair) == 16, "one instruction swaps a pair");

/* Swaps *p from (a, b) to (new_a, new_b). Returns false if it was something else. Sequentially consistent. */
static inline bool rl_pair_cas(rl_pair *p, uint64_t a, uint64_t b, uint64_t new_a, uint64_t new_b)
{
#if defined(__x86_64__)
	bool done;

	__asm__ __volatile__("lock cmpxchg16b %1"
						 : "=@ccz"(done), "+m"(*p), "+a"(a), "+d"(b)
						 : "b"(new_a), "c"(new_b)
						 : "memory");
	return done;
#elif defined(__aarch64__)
	uint64_t was_a, was_b;
	uint32_t failed;

	do {
		__asm__ __volatile__("ldaxp %0, %1, %2" : "=&r"(was_a), "=&r"(was_b) : "Q"(*p) : "memory");
		if (was_a != a || was_b != b) {
			__asm__ __volatile__("clrex" ::: "memory");
			return false;
		}
		__asm__ __volatile__("stlxp %w0, %2, %3, %1" : "=&r"(failed), "=Q"(*p) : "r"(new_a), "r"(new_b) : "memory");
	} while (failed);
	__asm__ __volatile__("dmb ish" ::: "memory");
	return true;
#else
# error "ratelimit's embedded store needs a 16-byte compare-and-swap: x86-64 or aarch64"
#endif
}

static inline uint64_t rl_load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

#endif
