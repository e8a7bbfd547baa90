/* State that a thread has for itself. Without ZTS a process is one thread, and an ordinary variable is cheaper. */
#ifndef RL_COMPILER_H
#define RL_COMPILER_H

#ifdef RL_THREADS
# define RL_THREAD_LOCAL _Thread_local
#else
# define RL_THREAD_LOCAL
#endif

/* For a variable that another file defines: it is in this module, so that the way to it needs no table. */
#define RL_HIDDEN __attribute__((visibility("hidden")))

#define RL_LIKELY(x)   __builtin_expect(!!(x), 1)
#define RL_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
