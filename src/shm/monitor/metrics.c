#include "metrics.h"

#include <string.h>

#include "../segment/monitor_entries.h"
#include "../process/worker.h"

/* The space of the hashes of names, by kind: the same name of two kinds has two places. */
static rl_space metrics_space(rl_kind kind)
{
	return (rl_space) (8 + kind);
}

static uint64_t *metrics_ids(const rl_segment *s)
{
	return (uint64_t *) (void *) (s->monitor + s->layout.ids_at);
}

static rl_label *metrics_label_at(const rl_segment *s, uint64_t i)
{
	return (rl_label *) (void *) (s->monitor + s->layout.labels_at) + i;
}

static rl_meter *metrics_meter_at(const rl_segment *s, uint64_t shard, uint64_t i)
{
	return (rl_meter *) (void *) (s->monitor + s->layout.meters_at) + shard * (s->layout.n_names + 1) + i;
}

static rl_limit_meters *metrics_limits_at(const rl_segment *s, uint64_t i)
{
	return (rl_limit_meters *) (void *) (s->monitor + s->layout.limits_at) + i;
}

/* Returns the place of a name by its counts. */
static uint64_t metrics_index(const rl_segment *s, const rl_meter *meter)
{
	return (uint64_t) (meter - metrics_meter_at(s, 0, 0)) % (s->layout.n_names + 1);
}

/* ---- Texts that all workers write alike ---- */

static uint64_t label_check(const rl_segment *s, const uint64_t *words, size_t n_words, uint64_t shape, uint64_t id)
{
	rl_key bytes = {.name = (const char *) words,
		.name_len = 8 * n_words < RL_NAME_MAX ? 8 * n_words : RL_NAME_MAX,
		.is_int = true,
		.int_id = (int64_t) (id ^ shape * UINT64_C(0x9e3779b97f4a7c15))};
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, &bytes, &high, &low);
	return low != 0 ? low : 1;
}

/* Writes the text of an id, unless it is there. A killed worker leaves it to the next one. */
static void complete_label_text(const rl_segment *s, uint64_t *check, uint64_t *shape_at, uint64_t *text,
	size_t n_words, uint64_t id, uint64_t shape, const char *from, size_t length)
{
	uint64_t words[256 / 8] = {0}, wanted;

	if (RL_LIKELY(rl_load(check) != 0)) {
		return;
	}
	memcpy(words, from, length);
	wanted = label_check(s, words, n_words, shape, id);
	for (size_t i = 0; i < n_words; i++) {
		__atomic_store_n(&text[i], words[i], __ATOMIC_RELAXED);
	}
	__atomic_store_n(shape_at, shape, __ATOMIC_RELAXED);
	__atomic_store_n(check, wanted, __ATOMIC_RELEASE);
}

/* Copies a text. Returns false if it is not complete, or damaged; then the next worker writes it again. */
static bool read_label_text(const rl_segment *s, uint64_t *check, const uint64_t *shape_at, const uint64_t *text,
	size_t n_words, uint64_t id, uint64_t *shape, uint64_t *words)
{
	uint64_t found = rl_load(check);

	if (found == 0) {
		return false;
	}
	*shape = rl_load(shape_at);
	for (size_t i = 0; i < n_words; i++) {
		words[i] = __atomic_load_n(&text[i], __ATOMIC_RELAXED);
	}
	if (found == label_check(s, words, n_words, *shape, id)) {
		return true;
	}
	(void) __atomic_compare_exchange_n(check, &found, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return false;
}

/* ---- Names ---- */

/* Finds the name's place, or takes one. Returns n_names if there is no room. */
static uint64_t metrics_find_name(const rl_segment *s, uint64_t id)
{
	uint64_t n = s->layout.n_names, *all = metrics_ids(s);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = (id + i) % n, found = rl_load(&all[at]);

		if (found == 0
			&& __atomic_compare_exchange_n(&all[at], &found, id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			return at;
		}
		if (found == id) {
			return at;
		}
	}
	return n;
}

rl_meter *rl_metrics_of(rl_kind kind, const char *name, size_t name_len)
{
	const rl_segment *s = &rl_shm;
	uint64_t id, i, shard;

	if (s->header == NULL) {
		return NULL;
	}
	id = rl_subject_name_id(metrics_space(kind), name, name_len);
	i = metrics_find_name(s, id);
	if (i < s->layout.n_names) {
		rl_label *label = metrics_label_at(s, i);

		complete_label_text(s, &label->check, &label->shape, label->text, sizeof label->text / 8, id,
			(uint64_t) kind << 8 | name_len, name, name_len);
	}
	shard = rl_worker_self != NULL ? rl_owner_slot(rl_owner_self()) % s->layout.n_shards : 0;
	return metrics_meter_at(s, shard, i);
}

/* ---- Limits ---- */

rl_limit_counts *rl_metrics_of_limit(const rl_meter *meter, const char *label, size_t length)
{
	const rl_segment *s = &rl_shm;
	rl_limit_meters *limits = metrics_limits_at(s, metrics_index(s, meter));
	size_t kept = length < RL_LIMIT_LABEL_MAX ? length : RL_LIMIT_LABEL_MAX;
	uint64_t id = rl_subject_name_id(metrics_space(RL_KIND_OTHER), label, kept);

	for (unsigned i = 0; i < RL_LIMIT_METER_SLOTS; i++) {
		rl_limit_meter *m = &limits->slots[i];
		uint64_t found = rl_load(&m->id);

		if ((found == 0 && __atomic_compare_exchange_n(&m->id, &found, id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			|| found == id) {
			complete_label_text(s, &m->check, &m->length, m->text, sizeof m->text / 8, id, kept, label, kept);
			return &m->counts;
		}
	}
	return &limits->slots[RL_LIMIT_METER_SLOTS].counts;
}

unsigned rl_metrics_limit_slot(const rl_meter *meter, const rl_limit_counts *limit)
{
	const rl_segment *s = &rl_shm;
	const char *first = (const char *) metrics_limits_at(s, metrics_index(s, meter))->slots;
	size_t slot = (size_t) ((const char *) limit - first) / sizeof(rl_limit_meter);

	return slot < RL_LIMIT_METER_SLOTS ? (unsigned) slot : RL_LIMIT_METER_SLOTS;
}

static size_t read_limit_label(const rl_segment *s, rl_limit_meter *m, char label[RL_LIMIT_LABEL_MAX])
{
	uint64_t id = rl_load(&m->id), length, words[RL_LIMIT_LABEL_MAX / 8];

	if (id == 0 || !read_label_text(s, &m->check, &m->length, m->text, sizeof m->text / 8, id, &length, words)
		|| length > RL_LIMIT_LABEL_MAX) {
		return 0;
	}
	memcpy(label, words, sizeof words);
	return length;
}

size_t rl_metrics_limit_label(const rl_meter *meter, unsigned slot, char label[RL_LIMIT_LABEL_MAX])
{
	const rl_segment *s = &rl_shm;

	return slot < RL_LIMIT_METER_SLOTS
		? read_limit_label(s, &metrics_limits_at(s, metrics_index(s, meter))->slots[slot], label)
		: 0;
}

/* ---- Copies ---- */

static void metrics_read_counts(const rl_segment *s, uint64_t i, rl_metrics *out)
{
	rl_limit_meters *limits = metrics_limits_at(s, i);

	memset(out->counts, 0, sizeof out->counts);
	for (uint64_t shard = 0; shard < s->layout.n_shards; shard++) {
		for (unsigned c = 0; c < RL_METERS; c++) {
			out->counts[c] += rl_stat_read(&metrics_meter_at(s, shard, i)->counts[c]);
		}
	}
	out->n_limits = 0;
	for (unsigned l = 0; l <= RL_LIMIT_METER_SLOTS; l++) {
		rl_limit_meter *m = &limits->slots[l];
		uint64_t sum = 0;
		unsigned n = out->n_limits;

		for (unsigned c = 0; c < RL_LIMIT_METERS; c++) {
			out->limits[n].counts[c] = rl_stat_read(&m->counts.counts[c]);
			sum += out->limits[n].counts[c];
		}
		if (sum == 0) {
			continue;
		}
		out->limits[n].slot = l;
		out->limits[n].label_len = l < RL_LIMIT_METER_SLOTS ? read_limit_label(s, m, out->limits[n].label) : 0;
		out->n_limits++;
	}
}

static bool metrics_has_counts(const rl_metrics *metrics)
{
	for (unsigned c = 0; c < RL_METERS; c++) {
		if (metrics->counts[c] > 0) {
			return true;
		}
	}
	return false;
}

void rl_metrics_each(void (*see)(void *context, const rl_metrics *metrics), void *context)
{
	const rl_segment *s = &rl_shm;
	rl_metrics out;

	if (s->header == NULL) {
		return;
	}
	for (uint64_t i = 0; i <= s->layout.n_names; i++) {
		out.kind = RL_KIND_OTHER;
		out.name_len = 0;
		if (i < s->layout.n_names) {
			rl_label *label = metrics_label_at(s, i);
			uint64_t id = rl_load(&metrics_ids(s)[i]), shape, words[256 / 8];

			if (id == 0
				|| !read_label_text(s, &label->check, &label->shape, label->text, sizeof label->text / 8, id, &shape,
					words)
				|| shape >> 8 < RL_KIND_LIMITER || shape >> 8 > RL_KIND_ATTRIBUTE) {
				continue;
			}
			out.kind = (rl_kind) (shape >> 8);
			out.name_len = shape & 0xff;
			memcpy(out.name, words, out.name_len);
		}
		metrics_read_counts(s, i, &out);
		if (metrics_has_counts(&out)) {
			see(context, &out);
		}
	}
}
