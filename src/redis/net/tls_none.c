/* Defines tls.h in a build without OpenSSL. Nothing but rl_redis_has_tls() is called, because a DSN that needs TLS is
 * invalid. */
#include "tls.h"

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#ifndef HAVE_RATELIMIT_TLS

# include <stdio.h>

bool rl_redis_has_tls(void)
{
	return false;
}

rl_redis_tls_context *rl_redis_tls_context_new(const rl_redis_tls_options *options, const char *label, rl_error *e)
{
	(void) options;
	(void) label;
	snprintf(e->message, sizeof e->message, "%s", RL_REDIS_NO_TLS);
	return NULL;
}

void rl_redis_tls_context_free(rl_redis_tls_context *context)
{
	(void) context;
}

rl_redis_tls *rl_redis_tls_open(rl_redis_tls_context *context, int fd, const char *host, rl_redis_deadline deadline,
	const char *label, rl_status *status, rl_error *e)
{
	(void) context;
	(void) fd;
	(void) host;
	(void) deadline;
	(void) label;
	(void) e;
	*status = RL_MISCONFIGURED;
	return NULL;
}

void rl_redis_tls_close(rl_redis_tls *tls)
{
	(void) tls;
}

ssize_t rl_redis_tls_send(rl_redis_tls *tls, const char *data, size_t len)
{
	(void) tls;
	(void) data;
	(void) len;
	return -1;
}

ssize_t rl_redis_tls_receive(rl_redis_tls *tls, char *data, size_t len)
{
	(void) tls;
	(void) data;
	(void) len;
	return -1;
}

const char *rl_redis_tls_reason(const rl_redis_tls *tls)
{
	(void) tls;
	return RL_REDIS_NO_TLS;
}

bool rl_redis_tls_is_refused(const rl_redis_tls *tls)
{
	(void) tls;
	return false;
}

bool rl_redis_tls_has_pending(const rl_redis_tls *tls)
{
	(void) tls;
	return false;
}

bool rl_redis_tls_is_idle(rl_redis_tls *tls)
{
	(void) tls;
	return false;
}

#endif
