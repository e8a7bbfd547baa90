/* src/php/monitor: The class Monitor, for operators.
 *
 * Declares what the methods that show counts have in common. */
#ifndef PHP_RATELIMIT_MONITOR_CLASS_H
#define PHP_RATELIMIT_MONITOR_CLASS_H

#include "php.h"

#include "src/shm/monitor/metrics.h"

/* Returns the counts of all names, the most refused first, and their number: efree() them. */
rl_metrics *php_ratelimit_metrics_sorted(size_t *n);

/* Returns the number of a name's decisions. */
static inline uint64_t php_ratelimit_decisions(const rl_metrics *metrics)
{
	return metrics->counts[RL_METER_ADMITTED] + metrics->counts[RL_METER_REFUSED];
}

/* Adds the mistakes of the configuration to a list: those of the settings, and of the file of ratelimit.limiters. */
void php_ratelimit_add_warnings(zval *list);

/* The words for the states of a circuit breaker, by rl_breaker_state. */
extern const char *const php_ratelimit_breaker_states[];

/* Returns the word for a kind of names. */
const char *php_ratelimit_kind_name(rl_kind kind);

#endif
