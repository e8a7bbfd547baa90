#include "hash.h"

rl_hash_kind rl_hash_choose(void)
{
#ifdef RL_HASH_HAS_AES
	__builtin_cpu_init();
	if (__builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1")) {
		return RL_HASH_AES;
	}
#endif
	return RL_HASH_SIP;
}

#define ROTL(x, b) (((x) << (b)) | ((x) >> (64 - (b))))

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = ROTL(v[1], 13) ^ v[0];
	v[0] = ROTL(v[0], 32);
	v[2] += v[3];
	v[3] = ROTL(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = ROTL(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = ROTL(v[1], 17) ^ v[2];
	v[2] = ROTL(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	sip_round(v);
	v[0] ^= m;
}

static void sip_bytes(uint64_t v[4], const char *s, size_t n)
{
	uint64_t m;

	for (; n >= sizeof m; s += sizeof m, n -= sizeof m) {
		memcpy(&m, s, sizeof m);
		sip_word(v, m);
	}
	m = 0;
	memcpy(&m, s, n);
	sip_word(v, m);
}

void rl_hash_sip(const rl_hash_key *key, const rl_key *k, uint64_t *high, uint64_t *low)
{
	uint64_t k0, k1, v[4];

	memcpy(&k0, key->tag, sizeof k0);
	memcpy(&k1, key->tag + sizeof k0, sizeof k1);
	v[0] = k0 ^ UINT64_C(0x736f6d6570736575);
	v[1] = k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
	v[2] = k0 ^ UINT64_C(0x6c7967656e657261);
	v[3] = k1 ^ UINT64_C(0x7465646279746573);

	sip_word(v, rl_hash_shape(k->space, k->is_int, k->name_len, k->is_int ? 0 : k->id_len));
	sip_bytes(v, k->name, k->name_len);
	if (k->is_int) {
		sip_word(v, (uint64_t) k->int_id);
	} else {
		sip_bytes(v, k->id, k->id_len);
	}

	v[2] ^= 0xee;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	*low = v[0] ^ v[1] ^ v[2] ^ v[3];
	v[1] ^= 0xdd;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	*high = v[0] ^ v[1] ^ v[2] ^ v[3];
}
