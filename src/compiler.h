/* Declares compiler attributes: thread-local state, visibility, likely branches. */
#ifndef RL_COMPILER_H
#define RL_COMPILER_H

/* Declares state of each thread. Without ZTS a process is one thread, and an ordinary variable is cheaper. */
#ifdef RL_THREADS
# define RL_THREAD_LOCAL _Thread_local
#else
# define RL_THREAD_LOCAL
#endif

/* Declares a variable of another file of this module, so that an access needs no table. */
#define RL_HIDDEN __attribute__((visibility("hidden")))

/* Makes a function part of its callers, where the call would cost more than its body. */
#define RL_INLINE static inline __attribute__((always_inline))

/* Keeps a rare function, and what it needs of the stack, out of its caller. */
#define RL_COLD __attribute__((cold, noinline))

/* Keeps a function that is not rare out of its callers: their registers are for the shorter way. */
#define RL_NOINLINE __attribute__((noinline))

/* Unrolls the loop behind it. */
#define RL_PRAGMA(text) _Pragma(#text)
#define RL_UNROLL(n)    RL_PRAGMA(GCC unroll n)

#define RL_LIKELY(x)   __builtin_expect(!!(x), 1)
#define RL_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Keeps the branch in whose block it stands. A processor predicts a branch; a conditional move waits for its condition. */
#define RL_KEEP_BRANCH() __asm__ volatile("")

/* Puts a function beside the others of a request's first decision, whose code comes from memory: few pages have all of it. */
#define RL_FIRST __attribute__((hot))

/* Puts a function into the pages of the most usual first decision, in the order of these numbers: the linker sorts the sections. The
 * function with the lowest one begins a page. */
#define RL_FIRST_PAGE(number) __attribute__((hot, section(".text.sorted.ratelimit." #number)))
#define RL_FIRST_PAGE_BEGIN   RL_FIRST_PAGE(00) __attribute__((aligned(4096)))

#define RL_LINE_BYTES 64 /* of a cache line */

/* Fetches the first lines of a function into the second cache, where the processor finds its code sooner than in memory. */
RL_INLINE void rl_expect_code(const void *function, unsigned lines)
{
	unsigned i;

	for (i = 0; i < lines; i++) {
		__builtin_prefetch((const char *) function + i * RL_LINE_BYTES, 0, 2);
	}
}

#endif
