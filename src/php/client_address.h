/* The client's address, and the setting ratelimit.trusted_proxies. */
#ifndef PHP_RATELIMIT_CLIENT_ADDRESS_H
#define PHP_RATELIMIT_CLIENT_ADDRESS_H

#include "php.h"

#include "request_state.h"

#define PHP_RATELIMIT_ADDRESS_BYTES 56 /* the longest IPv6 address, "/127" and a NUL */
#define PHP_RATELIMIT_NETWORKS_MAX  256

/* Addresses, all as IPv6; an IPv4 address is ::ffff:a.b.c.d. */
typedef struct {
	unsigned char bytes[16];
} php_ratelimit_address;

typedef struct {
	php_ratelimit_address address;
	unsigned bits; /* 0 to 128, of which 96 are the prefix of an IPv4 address */
	bool is_v4;
} php_ratelimit_network;

typedef struct {
	php_ratelimit_network *networks;
	size_t n;
} php_ratelimit_networks;

/* Addresses and networks ("10.0.0.0/8", "2001:db8::1"), separated by commas and blanks, none of them for an empty
 * string. Plain memory, to be freed. False, with what is wrong in reason. */
bool php_ratelimit_networks_parse(php_ratelimit_networks *networks, const char *list, char *reason, size_t size);
void php_ratelimit_networks_free(php_ratelimit_networks *networks);

/* Returns whether AccessLimit::request() takes this as the peer's address: an IP address, with or without a port, or one
 * of a unix socket, which is no address ("", "unix:..."). */
bool php_ratelimit_is_peer_address(const zend_string *address);

/* Writes the address of a request's client, and returns its length: the peer's address, which is the given one or else
 * REMOTE_ADDR. Where that is one of ratelimit.trusted_proxies, it is the last address of X-Forwarded-For that is not, or
 * at which the header stops making sense. An IPv6 address is written as its network of ratelimit.ipv6_prefix
 * ("2001:db8::/64"), IPv4 in IPv6 as IPv4. "local": a request without an address. "nobody": request is NULL. */
size_t php_ratelimit_client_address(const php_ratelimit_request *request, char out[PHP_RATELIMIT_ADDRESS_BYTES]);

#endif
