/* proxy: connects a client to its Redis, on unix sockets, and injects faults by rule and by count.
 *
 *     proxy LISTEN UPSTREAM CONTROL
 *
 * CONTROL is a socket that reads one command per connection and answers with lines:
 *
 *     rule COMMAND NTH ACTION [ARGUMENT]   COMMAND is a name or *; NTH: from now on, 0: each, -N: each Nth
 *     clear                                deletes the rules
 *     accept on|off|silent                 off: closes new connections; silent: accepts them without a reply
 *     cut                                  closes all clients' connections, as a server closes idle ones
 *     push HEX                             sends unsolicited bytes to all clients
 *     release                              forwards the commands that keep-request has kept
 *     journal                              CONNECTION FATE HEX, one line per command that arrived (HEX: all its bytes)
 *
 *     connections                          the number of clients that have connected
 *
 * Actions on a command that Redis never executes: drop-request (silence), close-request, reset-request (ECONNRESET),
 * answer HEX. Actions on a command that Redis executes later, perhaps after its client has disconnected: delay-request MS,
 * keep-request (until "release"). Actions on a reply: drop-reply, delay-reply MS, close-reply, reset-reply, half-close (an
 * end of file, while the client's commands are still read), truncate N (then silence), truncate-close N, trickle MS (a byte
 * each MS), duplicate, hold (until the client's next command arrives), swap (behind the next reply), inject HEX (before the
 * reply), replace HEX. All actions but swap keep the order of the replies. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "proxy_rules.h"
#include "resp.h"

#define NEVER INT64_MAX

enum { CONNECTIONS = 512, LINE = 65536 };

typedef struct {
	char *data;
	size_t n, size;
} buffer;

/* Bytes to be sent at due_ms or later. */
typedef struct chunk {
	struct chunk *next;
	int64_t due_ms;
	bool close_after, shut_after;
	size_t n, at;
	char data[];
} chunk;

typedef struct {
	chunk *first, *last;
} lane;

/* The action on an awaited reply. */
typedef struct awaited {
	struct awaited *next;
	rule how;
} awaited;

typedef struct {
	int client, server; /* client -1: this element is free */
	long number;
	bool unread; /* the client's command stays in its socket: closing then sends a reset */
	bool silent;
	bool orphan; /* its client has disconnected, with commands on their way */
	buffer from_client, from_server, swapped;
	lane to_client, to_server;
	awaited *first, *last;
} connection;

static connection connections[CONNECTIONS];
static enum { ACCEPT_ON, ACCEPT_OFF, ACCEPT_SILENT } accepting;
static const char *upstream;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return a;
}

static int listen_at(const char *path)
{
	struct sockaddr_un a = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *) &a, sizeof(a)) != 0 || listen(fd, 128) != 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void send_later(lane *l, const char *data, size_t n, int64_t due_ms)
{
	chunk *c = allocate(NULL, sizeof(*c) + n);

	*c = (chunk){.due_ms = due_ms, .n = n};
	if (n > 0) {
		memcpy(c->data, data, n);
	}
	if (l->first == NULL) {
		l->first = c;
	} else {
		l->last->next = c;
	}
	l->last = c;
}

static void drop_connection(connection *c)
{
	lane *lanes[] = {&c->to_client, &c->to_server};

	close(c->client);
	if (c->server >= 0) {
		close(c->server);
	}
	for (size_t i = 0; i < 2; i++) {
		for (chunk *k = lanes[i]->first, *next; k != NULL; k = next) {
			next = k->next;
			free(k);
		}
	}
	for (awaited *a = c->first, *next; a != NULL; a = next) {
		next = a->next;
		free(a);
	}
	free(c->from_client.data);
	free(c->from_server.data);
	free(c->swapped.data);
	*c = (connection){.client = -1};
}

/* Sends the proxy's own replies in their turn. */
static void give_answers(connection *c)
{
	awaited *a;

	while ((a = c->first) != NULL && a->how.what == ANSWER) {
		send_later(&c->to_client, a->how.bytes, a->how.n_bytes, 0);
		c->first = a->next;
		free(a);
	}
}

static void await(connection *c, const rule *r)
{
	awaited *a = allocate(NULL, sizeof(*a));

	*a = (awaited){.how = *r};
	if (c->first == NULL) {
		c->first = a;
	} else {
		c->last->next = a;
	}
	c->last = a;
}

/* Handles one command of a client. Returns false when the connection is closed. */
static bool on_command(connection *c, const char *command, size_t n)
{
	const rule *r = rule_for(command, (long) n, true);
	int64_t due_ms = r->what == DELAY_REQUEST ? now_ms() + r->number : r->what == KEEP_REQUEST ? NEVER : 0;

	write_down(c->number, r, command, n);
	for (chunk *k = c->to_client.first; k != NULL; k = k->next) {
		if (k->due_ms == NEVER) {
			k->due_ms = 0;
		}
	}
	switch (r->what) {
		case DROP_REQUEST:
			return true;
		case CLOSE_REQUEST:
		case RESET_REQUEST:
			drop_connection(c);
			return false;
		case ANSWER:
			await(c, r);
			give_answers(c);
			return true;
		default:
			await(c, r);
			send_later(&c->to_server, command, n, due_ms);
			return true;
	}
}

/* Applies the action to one reply of the server. Returns false when the connection is closed. */
static bool treat_reply(connection *c, const char *reply, size_t n)
{
	awaited *a = c->first;
	rule r = a != NULL ? a->how : pass;
	lane *out = &c->to_client;
	size_t some = r.number >= 0 && (size_t) r.number < n ? (size_t) r.number : n;

	if (a != NULL) {
		c->first = a->next;
		free(a);
	}
	switch (r.what) {
		case DROP_REPLY:
			return true;
		case CLOSE_REPLY:
		case RESET_REPLY:
			drop_connection(c);
			return false;
		case HALF_CLOSE:
			send_later(out, "", 0, 0);
			out->last->shut_after = true;
			return true;
		case TRUNCATE:
		case TRUNCATE_CLOSE:
			send_later(out, reply, some, 0);
			out->last->close_after = r.what == TRUNCATE_CLOSE;
			return true;
		case TRICKLE:
			for (size_t i = 0; i < n; i++) {
				send_later(out, reply + i, 1, now_ms() + r.number * (long) i);
			}
			return true;
		case REPLACE:
			send_later(out, r.bytes, r.n_bytes, 0);
			return true;
		case SWAP:
			c->swapped.data = allocate(c->swapped.data, n);
			c->swapped.n = n;
			memcpy(c->swapped.data, reply, n);
			return true;
		case INJECT:
			send_later(out, r.bytes, r.n_bytes, 0);
			break;
		case DUPLICATE:
			send_later(out, reply, n, 0);
			break;
		default:
			break;
	}
	send_later(out, reply, n, r.what == DELAY_REPLY ? now_ms() + r.number : r.what == HOLD ? NEVER : 0);
	return true;
}

/* Handles one reply of the server. Returns false when the connection is closed. */
static bool on_reply(connection *c, const char *reply, size_t n)
{
	size_t n_swapped = c->swapped.n;

	if (!treat_reply(c, reply, n)) {
		return false;
	}
	if (n_swapped > 0) {
		send_later(&c->to_client, c->swapped.data, n_swapped, 0);
		c->swapped.n = 0;
	}
	give_answers(c);
	return true;
}

/* Reads the available bytes and handles each complete value. Returns false when the connection is closed. */
static bool take_in(connection *c, int fd, buffer *b, bool (*on)(connection *, const char *, size_t))
{
	ssize_t got;
	long n;

	if (b->size - b->n < 65536) {
		b->size = b->size * 2 + 65536;
		b->data = allocate(b->data, b->size);
	}
	if (fd == c->client && b->n == 0) {
		got = recv(fd, b->data, b->size, MSG_PEEK);
		n = got > 0 ? resp_length(b->data, (size_t) got) : 0;
		if (n > 0) {
			action what = rule_for(b->data, n, false)->what;

			if (what == RESET_REQUEST || what == RESET_REPLY) {
				c->unread = true;
				return on(c, b->data, (size_t) n);
			}
		}
	}
	got = recv(fd, b->data + b->n, b->size - b->n, 0);
	if (got <= 0 && fd == c->client && c->to_server.first != NULL) {
		c->orphan = true;
		return true;
	}
	if (got <= 0) {
		drop_connection(c);
		return false;
	}
	b->n += (size_t) got;
	while ((n = resp_length(b->data, b->n)) > 0) {
		if (!on(c, b->data, (size_t) n)) {
			return false;
		}
		b->n -= (size_t) n;
		memmove(b->data, b->data + n, b->n);
	}
	if (n == RESP_MALFORMED) {
		drop_connection(c);
		return false;
	}
	return true;
}

/* Sends due bytes. Updates *next_ms, the next due time. Returns false when the connection is closed. */
static bool send_due(connection *c, lane *l, int fd, int64_t *next_ms)
{
	chunk *k;

	while ((k = l->first) != NULL) {
		if (k->due_ms > now_ms()) {
			*next_ms = k->due_ms < *next_ms ? k->due_ms : *next_ms;
			return true;
		}
		if (k->at < k->n) {
			ssize_t sent = send(fd, k->data + k->at, k->n - k->at, MSG_NOSIGNAL | MSG_DONTWAIT);

			if (sent < 0 && errno == EAGAIN) {
				*next_ms = 0; /* try again soon: these are small messages */
				return true;
			}
			if (sent < 0) {
				drop_connection(c);
				return false;
			}
			k->at += (size_t) sent;
			continue;
		}
		if (k->close_after) {
			drop_connection(c);
			return false;
		}
		if (k->shut_after) {
			shutdown(fd, SHUT_WR);
		}
		l->first = k->next;
		free(k);
	}
	return true;
}

static long arrived;

static void accept_client(int listener)
{
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct sockaddr_un a = address(upstream);

	if (client < 0) {
		return;
	}
	arrived++;
	for (size_t i = 0; accepting != ACCEPT_OFF && i < CONNECTIONS; i++) {
		connection *c = &connections[i];

		if (c->client >= 0) {
			continue;
		}
		*c = (connection){.client = client, .server = -1, .number = arrived, .silent = accepting == ACCEPT_SILENT};
		if (c->silent) {
			return;
		}
		c->server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(c->server, (struct sockaddr *) &a, sizeof(a)) != 0) {
			drop_connection(c);
		}
		return;
	}
	close(client);
}

static void push(const char *hex)
{
	static char bytes[LINE];
	size_t n = from_hex(hex, bytes);

	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (connections[i].client >= 0) {
			send_later(&connections[i].to_client, bytes, n, 0);
		}
	}
}

static void release(void)
{
	for (size_t i = 0; i < CONNECTIONS; i++) {
		for (chunk *k = connections[i].client >= 0 ? connections[i].to_server.first : NULL; k != NULL; k = k->next) {
			k->due_ms = 0;
		}
	}
}

static void cut(void)
{
	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (connections[i].client >= 0) {
			drop_connection(&connections[i]);
		}
	}
}

static void on_control(int listener)
{
	static char line[LINE];
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r+") : NULL;

	if (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		fseek(f, 0, SEEK_CUR); /* C11: between a read and a write */
		if (strncmp(line, "rule ", 5) == 0) {
			fputs(add_rule(line), f);
		} else if (strcmp(line, "clear") == 0) {
			clear_rules();
			fputs("ok\n", f);
		} else if (strncmp(line, "accept ", 7) == 0) {
			accepting = strcmp(line + 7, "off") == 0 ? ACCEPT_OFF
				: strcmp(line + 7, "silent") == 0    ? ACCEPT_SILENT
													 : ACCEPT_ON;
			fputs("ok\n", f);
		} else if (strcmp(line, "release") == 0) {
			release();
			fputs("ok\n", f);
		} else if (strcmp(line, "cut") == 0) {
			cut();
			fputs("ok\n", f);
		} else if (strncmp(line, "push ", 5) == 0) {
			push(line + 5);
			fputs("ok\n", f);
		} else if (strcmp(line, "journal") == 0) {
			print_journal(f);
		} else if (strcmp(line, "connections") == 0) {
			fprintf(f, "%ld\n", arrived);
		} else {
			fputs("error: no such command\n", f);
		}
	}
	if (f != NULL) {
		fclose(f);
	}
}

int main(int argc, char **argv)
{
	static struct pollfd polled[2 + 2 * CONNECTIONS];
	int listener, control;

	if (argc != 4) {
		fprintf(stderr, "usage: proxy LISTEN UPSTREAM CONTROL\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	upstream = argv[2];
	for (size_t i = 0; i < CONNECTIONS; i++) {
		connections[i].client = -1;
	}
	listener = listen_at(argv[1]);
	control = listen_at(argv[3]);

	for (;;) {
		int64_t next_ms = NEVER, wait_ms;

		for (size_t i = 0; i < CONNECTIONS; i++) {
			connection *c = &connections[i];

			if (c->client >= 0 && send_due(c, &c->to_client, c->client, &next_ms) && c->server >= 0) {
				send_due(c, &c->to_server, c->server, &next_ms);
			}
			if (c->client >= 0 && c->orphan && c->to_server.first == NULL) {
				drop_connection(c);
			}
			/* poll() ignores negative descriptors. */
			polled[2 + 2 * i] = (struct pollfd){.fd = c->unread || c->orphan ? -1 : c->client, .events = POLLIN};
			polled[3 + 2 * i] = (struct pollfd){.fd = c->client < 0 ? -1 : c->server, .events = POLLIN};
		}
		polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
		polled[1] = (struct pollfd){.fd = control, .events = POLLIN};
		wait_ms = next_ms == NEVER ? -1 : next_ms - now_ms();
		if (poll(polled, 2 + 2 * CONNECTIONS, next_ms == NEVER ? -1 : wait_ms < 1 ? 1 : (int) wait_ms) < 0) {
			continue;
		}

		for (size_t i = 0; i < CONNECTIONS; i++) {
			connection *c = &connections[i];

			if (polled[3 + 2 * i].revents != 0 && !take_in(c, c->server, &c->from_server, on_reply)) {
				continue;
			}
			if (polled[2 + 2 * i].revents != 0) {
				take_in(c, c->client, &c->from_client, on_command);
			}
		}
		if (polled[1].revents != 0) {
			on_control(control);
		}
		if (polled[0].revents != 0) {
			accept_client(listener);
		}
	}
}
