#include "fast_call.h"

#ifdef RL_HASH_HAS_AES
RL_HOT RL_TARGET_AES unsigned __int128 rl_fast_position_named(const rl_segment *s, const rl_name_hash *name,
	const rl_key *key)
{
	uint64_t high, low;
	rl_position p;

	if (RL_LIKELY(key->is_int)) {
		rl_hash_aes_named_int(&s->header->hash_key, name, key->int_id, &high, &low);
	} else {
		rl_hash_aes_named_string(&s->header->hash_key, name, key->id, key->id_len, &high, &low);
	}
	p = rl_position_of(s, high, low, true);
	return (unsigned __int128) p.fp << 64 | p.home;
}

/* Returns the position in two registers; the two halves of a hash would go through memory. */
static RL_TARGET_AES rl_position position_aes(const rl_segment *s, const rl_key *key)
{
	uint64_t high, low;

	rl_hash_aes(&s->header->hash_key, key, &high, &low);
	return rl_position_of(s, high, low, true);
}
#endif

rl_position rl_fast_position(const rl_segment *s, const rl_key *key)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(s->hash_kind == RL_HASH_AES)) {
		return position_aes(s, key);
	}
#endif
	return rl_shm_position(s, key, true);
}

rl_try_result rl_fast_publish_new(const rl_segment *s, rl_fast_call call, rl_fast_seen at, const uint64_t *state,
	size_t words, size_t room)
{
	rl_record *record;

	/* An allocation may judge which other states are over. */
	if (call.coarse || (record = rl_record_get(s, at.seen.entry, room, call.now.mono_us)) == NULL) {
		return RL_TRY_LEFT;
	}
	memcpy(record->state, state, words * sizeof *state);
	if (RL_LIKELY(
			rl_record_publish(s, at.seen.entry, at.seen.fp, at.seen.word, rl_fast_fp(&call.position, state), record))) {
		return RL_TRY_DECIDED;
	}
	rl_record_put(s, record);
	return RL_TRY_RACED;
}
