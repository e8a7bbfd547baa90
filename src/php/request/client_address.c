#include "client_address.h"

#include "php_ratelimit.h"
#include "server_variables.h"
#include "../base/optional_string.h"

#include <arpa/inet.h>

static const unsigned char v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static const unsigned char nat64_prefix[12] = {0, 0x64, 0xff, 0x9b};

static bool is_v4(const php_ratelimit_address *a)
{
	return memcmp(a->bytes, v4_prefix, sizeof(v4_prefix)) == 0;
}

/* Parses "192.0.2.1", "2001:db8::1", "fe80::1%eth0", and nothing else. */
static bool parse_address(const char *s, size_t length, php_ratelimit_address *a)
{
	char text[INET6_ADDRSTRLEN];
	const char *zone = memchr(s, '%', length);

	if (zone) {
		length = (size_t) (zone - s);
	}
	if (length >= sizeof(text) || memchr(s, '\0', length)) {
		return false;
	}
	memcpy(text, s, length);
	text[length] = '\0';
	if (inet_pton(AF_INET, text, a->bytes + sizeof(v4_prefix)) == 1) {
		memcpy(a->bytes, v4_prefix, sizeof(v4_prefix));
		return true;
	}
	if (inet_pton(AF_INET6, text, a->bytes) != 1) {
		return false;
	}
	/* The address is an IPv4 client behind a translator (RFC 6052): all such clients share one /64. */
	if (memcmp(a->bytes, nat64_prefix, sizeof(nat64_prefix)) == 0) {
		memcpy(a->bytes, v4_prefix, sizeof(v4_prefix));
	}
	return true;
}

static bool is_port(const char *s, size_t length)
{
	if (length < 1 || length > 5) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (s[i] < '0' || s[i] > '9') {
			return false;
		}
	}
	return true;
}

/* Parses an address as proxies write it: perhaps with a port, and an IPv6 address then in brackets. */
static bool parse_node(const char *s, size_t length, php_ratelimit_address *a)
{
	const char *end = s + length, *colon = memchr(s, ':', length);

	if (length > 0 && *s == '[') {
		const char *bracket = memchr(s, ']', length);

		if (!bracket
			|| (bracket + 1 < end && !(bracket[1] == ':' && is_port(bracket + 2, (size_t) (end - bracket - 2))))) {
			return false;
		}
		return parse_address(s + 1, (size_t) (bracket - s - 1), a) && memchr(s, ':', (size_t) (bracket - s));
	}
	/* A single colon precedes a port. */
	if (colon && !memchr(colon + 1, ':', (size_t) (end - colon - 1))) {
		return is_port(colon + 1, (size_t) (end - colon - 1)) && parse_address(s, (size_t) (colon - s), a);
	}
	return parse_address(s, length, a);
}

/* Returns whether the first bits are equal. */
static bool same_bits(const php_ratelimit_address *a, const php_ratelimit_address *b, unsigned bits)
{
	unsigned bytes = bits / 8, rest = bits % 8;

	return memcmp(a->bytes, b->bytes, bytes) == 0
		&& (rest == 0 || ((a->bytes[bytes] ^ b->bytes[bytes]) >> (8 - rest)) == 0);
}

/* Returns whether one of the networks contains a network of so many bits; 128: an address. */
static bool networks_have(const php_ratelimit_networks *networks, const php_ratelimit_address *a, unsigned bits)
{
	bool v4 = is_v4(a);

	for (size_t i = 0; i < networks->n; i++) {
		const php_ratelimit_network *network = &networks->networks[i];

		if (network->is_v4 == v4 && network->bits <= bits && same_bits(a, &network->address, network->bits)) {
			return true;
		}
	}
	return false;
}

static bool is_trusted(const php_ratelimit_address *a)
{
	return networks_have(RATELIMIT_G(trusted_proxies), a, 128);
}

/* ---- The setting ---- */

static bool address_parse_network(const char *s, size_t length, php_ratelimit_network *network)
{
	const char *slash = memchr(s, '/', length);
	unsigned bits = 0, most;

	if (memchr(s, '%', length) || !parse_address(s, slash ? (size_t) (slash - s) : length, &network->address)) {
		return false;
	}
	/* ::ffff:10.0.0.0/104 is 10.0.0.0/8. */
	network->is_v4 = !memchr(s, ':', length);
	most = network->is_v4 ? 32 : 128;
	if (slash) {
		if (slash + 1 == s + length || s + length - slash > 4) {
			return false;
		}
		for (const char *at = slash + 1; at < s + length; at++) {
			if (*at < '0' || *at > '9') {
				return false;
			}
			bits = bits * 10 + (unsigned) (*at - '0');
		}
		if (bits > most) {
			return false;
		}
	} else {
		bits = most;
	}
	network->bits = network->is_v4 ? bits + 96 : bits;
	network->is_v4 |= is_v4(&network->address) && network->bits >= 96;
	return true;
}

bool php_ratelimit_network_parse(const char *id, size_t length, php_ratelimit_network *network)
{
	if (memchr(id, '/', length)) {
		return address_parse_network(id, length, network);
	}
	network->bits = 128;
	if (!parse_address(id, length, &network->address)) {
		return false;
	}
	network->is_v4 = is_v4(&network->address);
	return true;
}

bool php_ratelimit_networks_contain(const php_ratelimit_networks *networks, const char *id, size_t length)
{
	php_ratelimit_network one;

	return php_ratelimit_network_parse(id, length, &one) && networks_have(networks, &one.address, one.bits);
}

bool php_ratelimit_networks_parse(php_ratelimit_networks *networks, const char *list, char *reason, size_t size)
{
	static const char separators[] = ", \t\r\n";
	php_ratelimit_networks found = {NULL, 0};
	const char *at = list + strspn(list, separators);

	while (*at) {
		size_t length = strcspn(at, separators);

		if (found.n == PHP_RATELIMIT_NETWORKS_MAX) {
			snprintf(reason, size, "must have at most %d addresses", PHP_RATELIMIT_NETWORKS_MAX);
			php_ratelimit_networks_free(&found);
			return false;
		}
		found.networks = safe_perealloc(found.networks, found.n + 1, sizeof(*found.networks), 0, true);
		if (!address_parse_network(at, length, &found.networks[found.n++])) {
			snprintf(reason, size,
				"must be a list of addresses (192.0.2.1, 2001:db8::1) and networks (10.0.0.0/8), "
				"\"%.*s\" given",
				(int) MIN(length, 48), at);
			php_ratelimit_networks_free(&found);
			return false;
		}
		at += length;
		at += strspn(at, separators);
	}
	*networks = found;
	return true;
}

void php_ratelimit_networks_free(php_ratelimit_networks *networks)
{
	free(networks->networks);
	networks->networks = NULL;
	networks->n = 0;
}

/* ---- A request's client ---- */

/* Walks X-Forwarded-For from its right end, which the trusted proxies have written. It stops at the first address that
 * is not a trusted proxy: that client connected to them. Entries further left are the client's own. */
static void follow(const char *forwarded, size_t length, php_ratelimit_address *client)
{
	while (length > 0 && is_trusted(client)) {
		const char *comma = zend_memrchr(forwarded, ',', length);
		const char *start = comma ? comma + 1 : forwarded, *end = forwarded + length;
		php_ratelimit_address next;

		length = comma ? (size_t) (comma - forwarded) : 0;
		while (start < end && (*start == ' ' || *start == '\t')) {
			start++;
		}
		while (start < end && (end[-1] == ' ' || end[-1] == '\t')) {
			end--;
		}
		if (start == end) {
			continue; /* lists may have empty members */
		}
		if (!parse_node(start, (size_t) (end - start), &next)) {
			return;
		}
		*client = next;
	}
}

/* Writes the number of a byte. Returns the end. */
static char *print_byte(char *out, unsigned byte)
{
	if (byte >= 100) {
		*out++ = (char) ('0' + byte / 100);
	}
	if (byte >= 10) {
		*out++ = (char) ('0' + byte / 10 % 10);
	}
	*out++ = (char) ('0' + byte % 10);
	return out;
}

/* Does the same as inet_ntop(), which takes printf() for it. */
static size_t print_v4(const unsigned char *bytes, char *out)
{
	char *end = print_byte(out, bytes[0]);

	for (unsigned i = 1; i < 4; i++) {
		*end++ = '.';
		end = print_byte(end, bytes[i]);
	}
	*end = '\0';
	return (size_t) (end - out);
}

/* Clears the bits behind the first ones. */
static void mask_address(php_ratelimit_address *a, unsigned bits)
{
	if (bits < 128) {
		a->bytes[bits / 8] = (unsigned char) (a->bytes[bits / 8] & ~(0xffu >> bits % 8));
		memset(a->bytes + bits / 8 + 1, 0, sizeof(a->bytes) - bits / 8 - 1);
	}
}

size_t php_ratelimit_network_text(const php_ratelimit_network *network, unsigned bits,
	char out[PHP_RATELIMIT_ADDRESS_BYTES])
{
	php_ratelimit_address a = network->address;
	size_t length;
	char *end;

	mask_address(&a, bits);
	if (network->is_v4) {
		length = print_v4(a.bytes + sizeof(v4_prefix), out);
		bits -= 96;
	} else {
		inet_ntop(AF_INET6, a.bytes, out, PHP_RATELIMIT_ADDRESS_BYTES);
		length = strlen(out);
	}
	out[length] = '/';
	end = print_byte(out + length + 1, bits);
	*end = '\0';
	return (size_t) (end - out);
}

static size_t print_address(const php_ratelimit_address *a, char out[PHP_RATELIMIT_ADDRESS_BYTES])
{
	php_ratelimit_network network = {.address = *a};
	unsigned prefix = (unsigned) RATELIMIT_G(ipv6_prefix);

	if (is_v4(a)) {
		return print_v4(a->bytes + sizeof(v4_prefix), out);
	}
	if (prefix < 128) {
		return php_ratelimit_network_text(&network, prefix, out);
	}
	inet_ntop(AF_INET6, a->bytes, out, PHP_RATELIMIT_ADDRESS_BYTES);
	return strlen(out);
}

bool php_ratelimit_is_peer_address(const zend_string *address)
{
	php_ratelimit_address parsed;

	/* The address is a server's unix socket, as the servers write it. */
	return ZSTR_LEN(address) == 0 || strncmp(ZSTR_VAL(address), "unix:", 5) == 0
		|| parse_node(ZSTR_VAL(address), ZSTR_LEN(address), &parsed);
}

/* Returns whether a text is an IPv4 address as print_v4() writes it. */
static bool is_canonical_v4(const char *s, size_t length)
{
	unsigned dots = 0, digits = 0, value = 0;

	for (size_t i = 0; i < length; i++) {
		if (s[i] >= '0' && s[i] <= '9') {
			if (digits > 0 && value == 0) {
				return false;
			}
			value = 10 * value + (unsigned) (s[i] - '0');
			digits++;
			if (value > 255) {
				return false;
			}
		} else if (s[i] != '.' || digits == 0) {
			return false;
		} else {
			dots++;
			digits = value = 0;
		}
	}
	return dots == 3 && digits > 0;
}

/* Writes the client's address. remote: the peer's address, or NULL. forwarded: X-Forwarded-For, or NULL. */
static size_t write_client(char *out, const zend_string *remote, const zend_string *forwarded)
{
	php_ratelimit_address client;

	/* The usual address needs no parser: its code would come from memory at a request's first call. */
	if (remote && !forwarded && is_canonical_v4(ZSTR_VAL(remote), ZSTR_LEN(remote))) {
		memcpy(out, ZSTR_VAL(remote), ZSTR_LEN(remote) + 1);
		return ZSTR_LEN(remote);
	}
	if (!remote || !parse_node(ZSTR_VAL(remote), ZSTR_LEN(remote), &client)) {
		memcpy(out, "local", sizeof("local"));
		return sizeof("local") - 1;
	}
	if (forwarded) {
		follow(ZSTR_VAL(forwarded), ZSTR_LEN(forwarded), &client);
	}
	return print_address(&client, out);
}

static zend_string *forwarded_for_variable(void)
{
	return RATELIMIT_G(trusted_proxies)->n > 0 ? php_ratelimit_request_variable(ZEND_STRL("HTTP_X_FORWARDED_FOR"))
											   : NULL;
}

size_t php_ratelimit_served_address(char out[PHP_RATELIMIT_ADDRESS_BYTES])
{
	zend_string *remote = php_ratelimit_request_variable(ZEND_STRL("REMOTE_ADDR"));
	zend_string *forwarded = remote ? forwarded_for_variable() : NULL;
	size_t length = write_client(out, remote, forwarded);

	php_ratelimit_string_release(remote);
	php_ratelimit_string_release(forwarded);
	return length;
}

size_t php_ratelimit_client_address(const php_ratelimit_request *request, char out[PHP_RATELIMIT_ADDRESS_BYTES])
{
	if (UNEXPECTED(!request)) {
		memcpy(out, "nobody", sizeof("nobody"));
		return sizeof("nobody") - 1;
	}
	return request->address ? write_client(out, request->address, request->forwarded_for)
							: php_ratelimit_served_address(out);
}
