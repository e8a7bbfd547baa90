/* src/shm/monitor: Counts, callers, bans and history of the decisions. None of them reads it, but for the bans of networks.
 *
 * Counts what was decided, by name and by limit. A name gets a place at its first decision and keeps it as long as the
 * segment lives; names for which there is no room share the last place. No count is ever read by a decision. */
#ifndef RL_SHM_METRICS_H
#define RL_SHM_METRICS_H

#include "../segment/meters.h"
#include "../segment/subject.h"

/* Returns the counts of a name for this thread; takes a place for a new name. NULL: there is no segment. The pointer is valid
 * as long as the segment is mapped. */
rl_meter *rl_metrics_of(rl_kind kind, const char *name, size_t name_len);

/* Adds to a count. */
static inline void rl_meter_add(rl_meter *meter, rl_meter_kind kind, uint64_t n)
{
	__atomic_fetch_add(&meter->counts[kind], n, __ATOMIC_RELAXED);
}

/* Returns the counts of one of the name's limits; takes a slot for a new limit. The pointer is as valid as the meter. */
rl_limit_counts *rl_metrics_of_limit(const rl_meter *meter, const char *label, size_t length);

static inline void rl_limit_counts_add(rl_limit_counts *limit, rl_limit_meter_kind kind)
{
	__atomic_fetch_add(&limit->counts[kind], 1, __ATOMIC_RELAXED);
}

/* Returns the slot of a limit of the name. */
unsigned rl_metrics_limit_slot(const rl_meter *meter, const rl_limit_counts *limit);

/* A copy of a name's counts. */
typedef struct {
	rl_kind kind;
	size_t name_len;
	char name[RL_NAME_MAX];
	uint64_t counts[RL_METERS];
	unsigned n_limits;
	struct {
		unsigned slot;
		size_t label_len; /* 0: all other limits */
		char label[RL_LIMIT_LABEL_MAX];
		uint64_t counts[RL_LIMIT_METERS];
	} limits[RL_LIMIT_METER_SLOTS + 1];
} rl_metrics;

/* Calls see(context, metrics) for each name that has counts; the one of kind RL_KIND_OTHER comes last. */
void rl_metrics_each(void (*see)(void *context, const rl_metrics *metrics), void *context);

/* Reads the label of a limit's slot of a name into label. Returns its length; 0: it has none. */
size_t rl_metrics_limit_label(const rl_meter *meter, unsigned slot, char label[RL_LIMIT_LABEL_MAX]);

#endif
