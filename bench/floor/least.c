/* The minimal decision: only the steps that every decision in shared memory needs. It parses the four arguments
 * as the call floor does, and makes a keyed hash of action and identity, with as many rounds of AES as ratelimit's. It
 * reads the coarse clock, and does one compare-and-swap of 16 bytes in the bucket of the hash; a refusal does the same
 * without the swap.
 *
 * It is no limiter: it compares no identity, checks nothing, and identities in one bucket share its count. A limiter's cost
 * above it is the cost of its identities, its windows and its limits. */
#include "php.h"

#include "arguments.h"
#include "least.h"

#ifdef __x86_64__

# include <immintrin.h>
# include <sys/mman.h>
# include <time.h>

# define LINES  4096 /* enough that two identities hardly ever collide */
# define TARGET __attribute__((target("aes,sse4.1")))

typedef struct {
	_Alignas(64) uint64_t tag;
	uint64_t word;
} line;

/* Shared by the processes that are forked later. */
static line *lines;

static const struct {
	_Alignas(16) uint64_t whitening[2][2], rounds[4][2];
} key = {
	{{0x243f6a8885a308d3, 0x13198a2e03707344}, {0xa4093822299f31d0, 0x082efa98ec4e6c89}},
	{{0x452821e638d01377, 0xbe5466cf34e90c6c}, {0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917},
		{0x9216d5d98979fb1b, 0xd1310ba698dfb5ac}, {0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96}},
};

static zend_always_inline TARGET __m128i scramble(__m128i block, const uint64_t whitening[2])
{
	block = _mm_xor_si128(block, _mm_load_si128((const __m128i *) whitening));
	for (int i = 0; i < 4; i++) {
		block = _mm_aesenc_si128(block, _mm_load_si128((const __m128i *) key.rounds[i]));
	}
	return block;
}

/* The hash of an action of four bytes: the benchmark's is "like". */
static zend_always_inline TARGET uint64_t hash(const zend_string *action, zend_long id)
{
	uint64_t name = 0;

	memcpy(&name, ZSTR_VAL(action), sizeof "like" - 1);
	return (uint64_t) _mm_cvtsi128_si64(
		_mm_xor_si128(scramble(_mm_set_epi64x((long long) ZSTR_LEN(action), id), key.whitening[0]),
			scramble(_mm_set_epi64x(0, (long long) name), key.whitening[1])));
}

static zend_always_inline bool swap(line *l, uint64_t tag, uint64_t word, uint64_t next)
{
	bool done;

	__asm__ __volatile__("lock cmpxchg16b %1"
						 : "=@ccz"(done), "+m"(*l), "+a"(tag), "+d"(word)
						 : "b"(tag), "c"(next)
						 : "memory");
	return done;
}

/* Admits, and counts; or, with a number of 1, refuses. */
TARGET PHP_METHOD(RatelimitLeast, doHandle)
{
	zend_string *action;
	zend_long user_id, time, number;
	HashTable *expire = NULL;
	struct timespec now;
	line *l;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		Z_PARAM_STR(action)
		Z_PARAM_LONG(user_id)
		Z_PARAM_LONG(time)
		Z_PARAM_LONG(number)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(expire)
	ZEND_PARSE_PARAMETERS_END();

	(void) expire;
	l = &lines[hash(action, user_id) % LINES];
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	for (;;) {
		uint64_t tag = __atomic_load_n(&l->tag, __ATOMIC_ACQUIRE), word = __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);

		/* Neither is ever true, but the compiler cannot prove it. */
		if (UNEXPECTED(now.tv_sec < (time_t) (tag - (uint64_t) time)) || number == 1) {
			RETURN_BOOL(word == UINT64_MAX);
		}
		if (swap(l, tag, word, word + 1)) {
			RETURN_TRUE;
		}
	}
}

static const zend_function_entry methods[] = {
	ZEND_ME(RatelimitLeast, doHandle, arginfo_do_handle, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC) ZEND_FE_END};

void ratelimit_least_startup(void)
{
	zend_class_entry ce;

	__builtin_cpu_init();
	if (!__builtin_cpu_supports("aes") || !__builtin_cpu_supports("sse4.1")) {
		return;
	}
	lines = mmap(NULL, LINES * sizeof(*lines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (lines == MAP_FAILED) {
		return;
	}
	INIT_CLASS_ENTRY(ce, "RatelimitLeast", methods);
	zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL;
}

#else

void ratelimit_least_startup(void)
{
}

#endif
