#include "plain.h"

#include "limiter.h"

#ifdef RL_HASH_HAS_AES
static RL_TARGET_AES rl_short_answer decide_aes(const rl_key *key, uint32_t number, bool may_ban)
{
	return rl_shm_plain_short_aes(key->name, key->name_len, key->number, number, may_ban);
}
#endif

rl_short_answer rl_shm_plain_short(const rl_key *key, uint32_t number, bool may_ban)
{
	const rl_segment *s = &rl_shm;
	rl_desk *desk = rl_my_desk;
	int64_t surely_ms;
	uint64_t fp;
	rl_place p;
	rl_cell *cell;

#ifdef RL_HASH_HAS_AES
	if (key->is_int && s->hash_kind == RL_HASH_AES) {
		return decide_aes(key, number, may_ban);
	}
#endif
	if (!rl_plain_may_be_short(desk)) {
		return RL_SHORT_UNKNOWN;
	}
	p = rl_shm_place(s, key, false);
	__builtin_prefetch(&s->lines[p.home], 0, 3);
	surely_ms = rl_plain_surely_ms(s);
	cell = rl_table_find(s, p);
	if (cell == NULL || !rl_fp_is(fp = rl_load(&cell->pair.a), p.fp)) {
		return RL_SHORT_UNKNOWN;
	}
	return rl_plain_short_in(&cell->pair, fp, p, number, may_ban, surely_ms, desk);
}
