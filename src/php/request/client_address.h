/* Finds the client's address, and parses the setting ratelimit.trusted_proxies. */
#ifndef PHP_RATELIMIT_CLIENT_ADDRESS_H
#define PHP_RATELIMIT_CLIENT_ADDRESS_H

#include "php.h"

#include "request.h"

#define PHP_RATELIMIT_ADDRESS_BYTES 56 /* the longest IPv6 address, "/127" and a NUL */
#define PHP_RATELIMIT_NETWORKS_MAX  256

/* An address, always as IPv6; an IPv4 address is ::ffff:a.b.c.d. */
typedef struct {
	unsigned char bytes[16];
} php_ratelimit_address;

typedef struct {
	php_ratelimit_address address;
	unsigned bits; /* 0 to 128, of which 96 are the prefix of an IPv4 address */
	bool is_v4;
} php_ratelimit_network;

typedef struct php_ratelimit_networks {
	php_ratelimit_network *networks;
	size_t n;
} php_ratelimit_networks;

/* Parses addresses and networks ("10.0.0.0/8", "2001:db8::1"), separated by commas and blanks; an empty string has
 * none. The caller frees the malloc'ed result. Returns false, with the error in reason, on failure. */
bool php_ratelimit_networks_parse(php_ratelimit_networks *networks, const char *list, char *reason, size_t size);
void php_ratelimit_networks_free(php_ratelimit_networks *networks);

/* Reads an identity that is an address (128 bits) or a network. Returns false if it is neither. */
bool php_ratelimit_network_parse(const char *id, size_t length, php_ratelimit_network *network);

/* Writes the first bits of a network as a network, and returns the length: "203.0.113.0/24". */
size_t php_ratelimit_network_text(const php_ratelimit_network *network, unsigned bits,
	char out[PHP_RATELIMIT_ADDRESS_BYTES]);

/* Returns whether an identity is an address in one of the networks. A network as php_ratelimit_client_address() writes it
 * ("2001:db8::/64") is its first address. */
bool php_ratelimit_networks_contain(const php_ratelimit_networks *networks, const char *id, size_t length);

/* Returns whether Request::begin() accepts this string as the peer's address. It accepts an IP address, with or
 * without a port, and the text of a unix socket, which is no address ("", "unix:..."). */
bool php_ratelimit_is_peer_address(const zend_string *address);

/* Writes the address of a request's client, and returns its length. The peer's address is the given one, or else
 * REMOTE_ADDR. It is the result unless it is one of ratelimit.trusted_proxies. Then the function reads X-Forwarded-For
 * from its right end, up to the first address that is no trusted proxy. An invalid entry, or the end of the header,
 * ends the search: the last address read is the result. An IPv6 address becomes its network of ratelimit.ipv6_prefix
 * ("2001:db8::/64"), IPv4 in IPv6 becomes IPv4. "local": a request without an address. "nobody": request is NULL. */
size_t php_ratelimit_client_address(const php_ratelimit_request *request, char out[PHP_RATELIMIT_ADDRESS_BYTES]);

/* Writes the address of the client of the request that PHP serves, by its variables alone. */
size_t php_ratelimit_served_address(char out[PHP_RATELIMIT_ADDRESS_BYTES]);

#endif
