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

/* Stands behind a copy of shared memory: the compiler may then not read that memory again in the place of the copy. */
#define RL_READ_ONCE() __asm__ volatile("" ::: "memory")

/* Puts a function beside the others of a request's first decision, whose code comes from memory: few pages have all of it. */
#define RL_HOT __attribute__((hot))

#endif
