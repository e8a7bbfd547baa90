#include "counter_fast.h"

#include "store_internal.h"

#ifdef RL_HASH_HAS_AES
static RL_TARGET_AES rl_fast_result decide_aes(const rl_key *key, uint32_t limit, bool may_ban)
{
	return rl_counter_fast_aes(key->name, key->name_len, key->int_id, limit, may_ban);
}
#endif

rl_fast_result rl_counter_fast(const rl_key *key, uint32_t limit, bool may_ban)
{
	const rl_segment *s = &rl_shm;
	rl_worker *worker = rl_worker_self;
	int64_t latest_ms;
	uint64_t fp;
	rl_position p;
	rl_entry *entry;

#ifdef RL_HASH_HAS_AES
	if (key->is_int && s->hash_kind == RL_HASH_AES) {
		return decide_aes(key, limit, may_ban);
	}
#endif
	if (!rl_counter_fast_possible(worker)) {
		return RL_FAST_UNKNOWN;
	}
	p = rl_shm_position(s, key, false);
	__builtin_prefetch(&s->buckets[p.home], 0, 3);
	latest_ms = rl_counter_latest_ms(s);
	entry = rl_table_find(s, p);
	if (entry == NULL || !rl_fp_is(fp = rl_load(&entry->pair.a), p.fp)) {
		return RL_FAST_UNKNOWN;
	}
	return rl_counter_fast_in_entry(&entry->pair, fp, p, limit, may_ban, latest_ms, worker);
}
