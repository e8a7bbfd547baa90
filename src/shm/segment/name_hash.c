#include "name_hash.h"

#include "segment.h"

RL_TARGET_AES void rl_name_hash_make(rl_space space, const char *name, size_t name_len, rl_name_hash *h)
{
	*h = (rl_name_hash){.shape = 0};
#ifdef RL_HASH_HAS_AES
	if (rl_shm.header != NULL && rl_shm.hash_kind == RL_HASH_AES) {
		const rl_hash_key *key = &rl_shm.header->hash_key;

		_mm_storeu_si128((__m128i *) (void *) h->sum,
			rl_hash_bytes(key, key->whitening, _mm_setzero_si128(), name, name_len));
		h->shape = rl_hash_shape(space, true, name_len, 0);
	}
#else
	(void) space;
	(void) name;
	(void) name_len;
#endif
}
