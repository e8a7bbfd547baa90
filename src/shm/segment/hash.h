/* Hashes (space, name, identity) to 128 bits: one half chooses the bucket, the other is kept as the fingerprint.
 *
 * The key is random and made with the segment, and no result is shown. So no client can aim at a bucket or at another
 * identity's fingerprint. Where the processor has AES instructions, each 16-byte block goes through four rounds of AES
 * under a whitening key of its own position, and the blocks are added. Two different keys collide with a chance of about
 * 2^-113. Elsewhere the hash is SipHash-1-3. All processes that share a segment use the same one. */
#ifndef RL_SHM_HASH_H
#define RL_SHM_HASH_H

#include <string.h>

#include "../../compiler.h"
#include "name_hash.h"

#define RL_HASH_BLOCK  16
#define RL_HASH_BLOCKS (2 * ((RL_NAME_MAX + RL_HASH_BLOCK - 1) / RL_HASH_BLOCK)) /* a name's and an identity's */

typedef enum {
	RL_HASH_SIP = 1,
	RL_HASH_AES = 2,
} rl_hash_kind;

typedef struct {
	_Alignas(16) uint8_t tag[RL_HASH_BLOCK]; /* whitens the block of lengths and int identity */
	uint8_t whitening[RL_HASH_BLOCKS][RL_HASH_BLOCK];
	uint8_t rounds[4][RL_HASH_BLOCK];
} rl_hash_key;

/* Returns the fastest hash of this processor. */
rl_hash_kind rl_hash_choose(void);

/* Computes SipHash-1-3 with a 128-bit result. */
void rl_hash_sip(const rl_hash_key *key, const rl_key *k, uint64_t *high, uint64_t *low);

/* Returns the lengths and the kinds, which differ between two keys of the same bytes. */
static inline uint64_t rl_hash_shape(rl_space space, bool is_int, size_t name_len, size_t id_len)
{
	return (uint64_t) space << 32 | (uint64_t) is_int << 24 | (uint64_t) name_len << 8 | id_len;
}

#ifdef __x86_64__
/* With the one header of all intrinsics a file takes four times as long to compile. */
# include <smmintrin.h>
# include <wmmintrin.h>
# define RL_HASH_HAS_AES 1
# define RL_TARGET_AES   __attribute__((target("aes,sse4.1")))

/* Loads up to 16 bytes into a block, without reading past their end; the lengths in the tag block make the padding
 * harmless. Each length is loaded into a vector register at once: through a general one it takes some cycles more. */
static inline __m128i RL_TARGET_AES rl_hash_tail(const char *s, size_t n)
{
	if (n >= 8) {
		return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *) (const void *) s),
			_mm_loadl_epi64((const __m128i *) (const void *) (s + n - 8)));
	}
	if (RL_LIKELY(n >= 4)) {
		int32_t first, last;

		memcpy(&first, s, sizeof first);
		memcpy(&last, s + n - sizeof last, sizeof last);
		return _mm_unpacklo_epi64(_mm_cvtsi32_si128(first), _mm_cvtsi32_si128(last));
	}
	return _mm_cvtsi64_si128(n == 0 ? 0
									: (long long) ((uint64_t) (uint8_t) s[0] | (uint64_t) (uint8_t) s[n >> 1] << 8
										| (uint64_t) (uint8_t) s[n - 1] << 16));
}

static inline __m128i RL_TARGET_AES rl_hash_block(const rl_hash_key *key, const uint8_t *whitening, __m128i block)
{
	const __m128i *round = (const __m128i *) (const void *) key->rounds;

	block = _mm_xor_si128(block, _mm_load_si128((const __m128i *) (const void *) whitening));
	block = _mm_aesenc_si128(block, round[0]);
	block = _mm_aesenc_si128(block, round[1]);
	block = _mm_aesenc_si128(block, round[2]);
	return _mm_aesenc_si128(block, round[3]);
}

static inline __m128i RL_TARGET_AES rl_hash_bytes(const rl_hash_key *key, const uint8_t (*whitening)[RL_HASH_BLOCK],
	__m128i sum, const char *s, size_t n)
{
	while (RL_UNLIKELY(n > RL_HASH_BLOCK)) {
		sum = _mm_xor_si128(sum, rl_hash_block(key, *whitening++, _mm_loadu_si128((const __m128i *) (const void *) s)));
		s += RL_HASH_BLOCK;
		n -= RL_HASH_BLOCK;
	}
	return _mm_xor_si128(sum, rl_hash_block(key, *whitening, rl_hash_tail(s, n)));
}

static inline void RL_TARGET_AES rl_hash_aes_int(const rl_hash_key *key, rl_space space, const char *name,
	size_t name_len, int64_t number, uint64_t *high, uint64_t *low)
{
	__m128i sum = rl_hash_block(key, key->tag,
		_mm_set_epi64x((long long) rl_hash_shape(space, true, name_len, 0), (long long) number));

	sum = rl_hash_bytes(key, key->whitening, sum, name, name_len);
	*low = (uint64_t) _mm_cvtsi128_si64(sum);
	*high = (uint64_t) _mm_extract_epi64(sum, 1);
}

/* Does the same with the hash of the name, which has a shape. */
static inline void RL_TARGET_AES rl_hash_aes_named_int(const rl_hash_key *key, const rl_name_hash *name, int64_t number,
	uint64_t *high, uint64_t *low)
{
	__m128i sum = rl_hash_block(key, key->tag, _mm_set_epi64x((long long) name->shape, (long long) number));

	sum = _mm_xor_si128(sum, _mm_loadu_si128((const __m128i *) (const void *) name->sum));
	*low = (uint64_t) _mm_cvtsi128_si64(sum);
	*high = (uint64_t) _mm_extract_epi64(sum, 1);
}

/* Does so for a string identity. */
static inline void RL_TARGET_AES rl_hash_aes_named_string(const rl_hash_key *key, const rl_name_hash *name,
	const char *id, size_t id_len, uint64_t *high, uint64_t *low)
{
	uint64_t shape = name->shape - rl_hash_shape(0, true, 0, 0) + id_len;
	__m128i sum = rl_hash_block(key, key->tag, _mm_set_epi64x((long long) shape, 0));

	sum = _mm_xor_si128(sum, _mm_loadu_si128((const __m128i *) (const void *) name->sum));
	sum = rl_hash_bytes(key, key->whitening + RL_HASH_BLOCKS / 2, sum, id, id_len);
	*low = (uint64_t) _mm_cvtsi128_si64(sum);
	*high = (uint64_t) _mm_extract_epi64(sum, 1);
}

static inline void RL_TARGET_AES rl_hash_aes(const rl_hash_key *key, const rl_key *k, uint64_t *high, uint64_t *low)
{
	__m128i sum;

	if (k->is_int) {
		rl_hash_aes_int(key, k->space, k->name, k->name_len, k->int_id, high, low);
		return;
	}
	sum = rl_hash_block(key, key->tag,
		_mm_set_epi64x((long long) rl_hash_shape(k->space, false, k->name_len, k->id_len), 0));
	sum = rl_hash_bytes(key, key->whitening, sum, k->name, k->name_len);
	sum = rl_hash_bytes(key, key->whitening + RL_HASH_BLOCKS / 2, sum, k->id, k->id_len);
	*low = (uint64_t) _mm_cvtsi128_si64(sum);
	*high = (uint64_t) _mm_extract_epi64(sum, 1);
}
#else
# define RL_TARGET_AES
#endif

/* Hashes by the kind and the key of a segment. */
static inline void rl_hash(rl_hash_kind kind, const rl_hash_key *key, const rl_key *k, uint64_t *high, uint64_t *low)
{
#ifdef RL_HASH_HAS_AES
	if (kind == RL_HASH_AES) {
		rl_hash_aes(key, k, high, low);
		return;
	}
#endif
	(void) kind;
	rl_hash_sip(key, k, high, low);
}

#endif
