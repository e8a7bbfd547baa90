#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tls.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_RATELIMIT_TLS

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error_message.h"
#include "socket.h"
#include "deadline.h"

#define REASON_MAX 160

struct rl_redis_tls_context {
	unsigned users; /* its creator and its connections, which may outlive that one */
	SSL_CTX *ssl;
	BIO_METHOD *method;
	char *verify_name; /* NULL: the host's name */
	bool verify;
};

struct rl_redis_tls {
	rl_redis_tls_context *context;
	SSL *ssl;
	int fd;
	bool refused;
	char reason[REASON_MAX];
};

bool rl_redis_has_tls(void)
{
	return true;
}

/* ---- A BIO over the socket: never blocks, and raises no SIGPIPE, as OpenSSL's own would ---- */

static int tls_bio_write(BIO *bio, const char *data, int len)
{
	ssize_t n = rl_redis_socket_send(((rl_redis_tls *) BIO_get_data(bio))->fd, data, (size_t) len);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		BIO_set_retry_write(bio);
	}
	return (int) n;
}

static int tls_bio_read(BIO *bio, char *data, int len)
{
	ssize_t n = rl_redis_socket_receive(((rl_redis_tls *) BIO_get_data(bio))->fd, data, (size_t) len);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		BIO_set_retry_read(bio);
	}
	return (int) n;
}

static long tls_bio_control(BIO *bio, int command, long number, void *pointer)
{
	(void) bio;
	(void) number;
	(void) pointer;
	return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *tls_make_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "ratelimit");

	if (method) {
		BIO_meth_set_write(method, tls_bio_write);
		BIO_meth_set_read(method, tls_bio_read);
		BIO_meth_set_ctrl(method, tls_bio_control);
	}
	return method;
}

/* ---- Certificates ---- */

/* Returns OpenSSL's last error, and empties its queue of errors. */
static const char *tls_last_error(const char *otherwise)
{
	unsigned long error = ERR_peek_last_error();
	const char *reason = error ? ERR_reason_error_string(error) : NULL;

	ERR_clear_error();
	return reason ? reason : otherwise;
}

static bool tls_reject_file(const rl_redis_text *file, const char *what, const char *label, rl_error *e)
{
	const char *reason = tls_last_error("it cannot be read");

	/* OpenSSL's reason for a missing file is "system lib". */
	if (access(file->text, R_OK) < 0) {
		reason = strerror(errno);
	}
	rl_redis_error_set(e, label, "TLS: %s %.120s: %s", what, file->text, reason);
	return false;
}

static bool tls_load_ca(SSL_CTX *ssl, const rl_redis_text *ca, const char *label, rl_error *e)
{
	struct stat s;
	bool is_folder = ca->len && stat(ca->text, &s) == 0 && S_ISDIR(s.st_mode);

	if (!ca->len) {
		return SSL_CTX_set_default_verify_paths(ssl) == 1;
	}
	if (SSL_CTX_load_verify_locations(ssl, is_folder ? NULL : ca->text, is_folder ? ca->text : NULL) != 1) {
		return tls_reject_file(ca, "the CA", label, e);
	}
	return true;
}

static bool tls_load_certificate(SSL_CTX *ssl, const rl_redis_tls_options *options, const char *label, rl_error *e)
{
	if (!options->cert.len) {
		return true;
	}
	if (SSL_CTX_use_certificate_chain_file(ssl, options->cert.text) != 1) {
		return tls_reject_file(&options->cert, "the certificate", label, e);
	}
	if (SSL_CTX_use_PrivateKey_file(ssl, options->key.text, SSL_FILETYPE_PEM) != 1) {
		return tls_reject_file(&options->key, "the key", label, e);
	}
	return true;
}

/* Fails for a key with a passphrase, for which OpenSSL would ask on the terminal. */
static int tls_no_passphrase(char *out, int size, int writing, void *context)
{
	(void) out;
	(void) size;
	(void) writing;
	(void) context;
	return 0;
}

rl_redis_tls_context *rl_redis_tls_context_new(const rl_redis_tls_options *options, const char *label, rl_error *e)
{
	rl_redis_tls_context *context = calloc(1, sizeof *context);

	ERR_clear_error();
	rl_redis_error_set(e, label, "TLS: out of memory");
	if (!context) {
		return NULL;
	}
	context->users = 1;
	context->verify = options->verify;
	context->method = tls_make_method();
	context->ssl = SSL_CTX_new(TLS_client_method());
	if (options->verify_name.len) {
		context->verify_name = strdup(options->verify_name.text);
	}
	if (!context->method || !context->ssl || (options->verify_name.len && !context->verify_name)) {
		goto failed;
	}
	SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION);
	SSL_CTX_set_options(context->ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
	/* Redis closes without close_notify. Replies have lengths, so truncation is detected. */
	SSL_CTX_set_options(context->ssl, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
	SSL_CTX_set_mode(context->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_verify(context->ssl, options->verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
	SSL_CTX_set_default_passwd_cb(context->ssl, tls_no_passphrase);
	if ((options->verify && !tls_load_ca(context->ssl, &options->ca, label, e))
		|| !tls_load_certificate(context->ssl, options, label, e)) {
		goto failed;
	}
	return context;

failed:
	rl_redis_tls_context_free(context);
	return NULL;
}

void rl_redis_tls_context_free(rl_redis_tls_context *context)
{
	if (context && --context->users == 0) {
		SSL_CTX_free(context->ssl);
		BIO_meth_free(context->method);
		free(context->verify_name);
		free(context);
	}
}

/* ---- A connection ---- */

/* Sets the identity that the server must prove: an address by the certificate's addresses, a name by its names. */
static bool tls_expect(const rl_redis_tls_context *context, SSL *ssl, const char *host)
{
	const char *name = context->verify_name ? context->verify_name : host;
	unsigned char address[sizeof(struct in6_addr)];
	bool is_address = inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;

	if (!is_address && SSL_set_tlsext_host_name(ssl, name) != 1) {
		return false;
	}
	if (!context->verify) {
		return true;
	}
	if (is_address) {
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
	}
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return SSL_set1_host(ssl, name) == 1;
}

static bool tls_attach(rl_redis_tls_context *context, rl_redis_tls *tls)
{
	BIO *bio = BIO_new(context->method);

	if (!bio) {
		return false;
	}
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	return true;
}

/* Returns the error of a failed operation: EAGAIN with the poll() event to wait for, EPROTO with a reason, or the socket's
 * own error; 0 for a closed connection. */
static int tls_trouble(rl_redis_tls *tls, int result, int socket_error, short *event)
{
	int kind = SSL_get_error(tls->ssl, result);
	unsigned long error;
	long verified;

	switch (kind) {
		case SSL_ERROR_WANT_READ:
			*event = POLLIN;
			return EAGAIN;
		case SSL_ERROR_WANT_WRITE:
			*event = POLLOUT;
			return EAGAIN;
		case SSL_ERROR_ZERO_RETURN:
			return 0;
		case SSL_ERROR_SYSCALL:
			return result == 0 ? 0 : socket_error;
		default:
			break;
	}
	error = ERR_peek_error();
	verified = SSL_get_verify_result(tls->ssl);
	if (verified != X509_V_OK && !SSL_is_init_finished(tls->ssl)) {
		snprintf(tls->reason, sizeof tls->reason, "the server's certificate: %s",
			X509_verify_cert_error_string(verified));
	} else {
		const char *reason = error ? ERR_reason_error_string(error) : NULL;
		snprintf(tls->reason, sizeof tls->reason, "%s", reason ? reason : "the connection is broken");
	}
	/* An alert contains the server's reason. Before the end of the handshake every error is a rejection. */
	tls->refused = !SSL_is_init_finished(tls->ssl) || ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
	ERR_clear_error();
	return EPROTO;
}

static bool tls_handshake(rl_redis_tls *tls, rl_redis_deadline deadline, const char *label, rl_error *e)
{
	for (;;) {
		short event = POLLIN;
		int result, error;

		/* Errors that others, such as PHP's own OpenSSL extension, left in the thread's queue would be mistaken for this one's. */
		ERR_clear_error();
		errno = 0;
		result = SSL_connect(tls->ssl);
		if (result == 1) {
			return true;
		}
		error = tls_trouble(tls, result, errno, &event);
		if (error != EAGAIN) {
			rl_redis_error_set(e, label, "TLS: %s",
				error == EPROTO ? tls->reason
					: error     ? strerror(error)
								: "the server closed the connection");
			return false;
		}
		int ready = rl_redis_wait(tls->fd, event, deadline.at_us);
		if (ready <= 0) {
			rl_redis_error_set(e, label, "TLS: no handshake within %d ms", deadline.timeout_ms);
			return false;
		}
	}
}

rl_redis_tls *rl_redis_tls_open(rl_redis_tls_context *context, int fd, const char *host, rl_redis_deadline deadline,
	const char *label, rl_status *status, rl_error *e)
{
	rl_redis_tls *tls = calloc(1, sizeof *tls);

	*status = RL_UNAVAILABLE;
	if (!tls) {
		rl_redis_error_set(e, label, "TLS: out of memory");
		return NULL;
	}
	tls->fd = fd;
	tls->context = context;
	context->users++;
	tls->ssl = SSL_new(context->ssl);
	if (!tls->ssl || !tls_attach(context, tls) || !tls_expect(context, tls->ssl, host)) {
		rl_redis_error_set(e, label, "TLS: %s", tls_last_error("out of memory"));
		rl_redis_tls_close(tls);
		return NULL;
	}
	if (!tls_handshake(tls, deadline, label, e)) {
		*status = tls->refused ? RL_MISCONFIGURED : RL_UNAVAILABLE;
		rl_redis_tls_close(tls);
		return NULL;
	}
	*status = RL_OK;
	return tls;
}

void rl_redis_tls_close(rl_redis_tls *tls)
{
	if (tls) {
		SSL_free(tls->ssl);
		rl_redis_tls_context_free(tls->context);
		free(tls);
	}
}

static ssize_t tls_finish(rl_redis_tls *tls, int result)
{
	short event;

	if (result > 0) {
		return result;
	}
	int error = tls_trouble(tls, result, errno, &event);
	errno = error;
	return error ? -1 : 0;
}

ssize_t rl_redis_tls_send(rl_redis_tls *tls, const char *data, size_t len)
{
	ERR_clear_error();
	errno = 0;
	ssize_t n = tls_finish(tls, SSL_write(tls->ssl, data, len > 1 << 20 ? 1 << 20 : (int) len));
	if (n == 0) {
		errno = EPIPE;
		return -1;
	}
	return n;
}

ssize_t rl_redis_tls_receive(rl_redis_tls *tls, char *data, size_t len)
{
	ERR_clear_error();
	errno = 0;
	return tls_finish(tls, SSL_read(tls->ssl, data, (int) len));
}

const char *rl_redis_tls_reason(const rl_redis_tls *tls)
{
	return tls->reason;
}

bool rl_redis_tls_is_refused(const rl_redis_tls *tls)
{
	return tls->refused;
}

bool rl_redis_tls_has_pending(const rl_redis_tls *tls)
{
	return SSL_pending(tls->ssl) > 0;
}

bool rl_redis_tls_is_idle(rl_redis_tls *tls)
{
	char byte;

	if (rl_redis_socket_is_idle(tls->fd) && SSL_pending(tls->ssl) == 0) {
		return true;
	}
	ERR_clear_error();
	errno = 0;
	return tls_finish(tls, SSL_peek(tls->ssl, &byte, 1)) < 0 && errno == EAGAIN;
}

#endif
