/* src/php/monitor: The class Monitor, for operators.
 *
 * Declares what the methods that show counts have in common. */
#ifndef PHP_RATELIMIT_MONITOR_READ_H
#define PHP_RATELIMIT_MONITOR_READ_H

#include "php.h"

#include "src/shm/monitor/metrics.h"

/* Returns the counts of all names, the most refused first, and their number: efree() them. */
rl_metrics *php_ratelimit_metrics_sorted(size_t *n);

/* Returns the number of a name's decisions. */
static inline uint64_t php_ratelimit_decisions(const rl_metrics *metrics)
{
	return metrics->counts[RL_METER_ADMITTED] + metrics->counts[RL_METER_REFUSED];
}

/* Returns the word for a kind of names. */
const char *php_ratelimit_kind_name(rl_kind kind);

#endif
