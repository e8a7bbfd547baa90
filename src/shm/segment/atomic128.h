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

_Static_assert(sizeof(rl_pair) == 16 && _Alignof(rl_pair) == 16, "a pair is 16 bytes, aligned");

#if defined(__aarch64__)
/* Armv8.1 has CASPAL (LSE), one instruction that makes progress however many processors contend. Armv8.0 has LDAXP and
 * STLXP only. A compiler for Armv8.1 or later (-march=armv8.1-a) decides now, else a load and a branch decide per call. */
# ifdef __ARM_FEATURE_ATOMICS
#  define RL_PAIR_HAS_LSE true
# else
/* Set once, when the module is loaded (atomic128.c). */
extern bool rl_pair_has_lse __attribute__((visibility("hidden")));
#  define RL_PAIR_HAS_LSE rl_pair_has_lse
# endif

static inline bool rl_pair_cas_lse(rl_pair *p, uint64_t a, uint64_t b, uint64_t new_a, uint64_t new_b)
{
	/* The instruction takes pairs of neighbouring registers, the first of them even. */
	register uint64_t was_a __asm__("x4") = a;
	register uint64_t was_b __asm__("x5") = b;
	register uint64_t to_a __asm__("x6") = new_a;
	register uint64_t to_b __asm__("x7") = new_b;

	__asm__ __volatile__(".arch_extension lse\n\tcaspal %0, %1, %3, %4, %2"
						 : "+r"(was_a), "+r"(was_b), "+Q"(*p)
						 : "r"(to_a), "r"(to_b)
						 : "memory");
	return was_a == a && was_b == b;
}

/* One statement: between LDAXP and STLXP the compiler must not access memory, or the store may never succeed. -O0 would
 * access the stack there. A failure needs no store: if two writes tear the load, the pair did change meanwhile. */
static inline bool rl_pair_cas_exclusive(rl_pair *p, uint64_t a, uint64_t b, uint64_t new_a, uint64_t new_b)
{
	uint64_t was_a, was_b;
	uint32_t failed;

	__asm__ __volatile__("1:\tldaxp %0, %1, %3\n\t"
						 "mov %w2, #1\n\t"
						 "cmp %0, %4\n\t"
						 "ccmp %1, %5, #0, eq\n\t"
						 "b.ne 2f\n\t"
						 "stlxp %w2, %6, %7, %3\n\t"
						 "cbnz %w2, 1b\n\t"
						 "dmb ish\n"
						 "2:"
						 : "=&r"(was_a), "=&r"(was_b), "=&r"(failed), "+Q"(*p)
						 : "r"(a), "r"(b), "r"(new_a), "r"(new_b)
						 : "memory", "cc");
	return failed == 0;
}
#endif

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
	return RL_PAIR_HAS_LSE ? rl_pair_cas_lse(p, a, b, new_a, new_b) : rl_pair_cas_exclusive(p, a, b, new_a, new_b);
#else
# error "ratelimit needs a 16-byte compare-and-swap: it supports x86-64 and aarch64 only"
#endif
}

static inline uint64_t rl_load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

#endif
