/* Who asks, as far as its address tells. */
#ifndef PHP_RATELIMIT_CLIENT_ADDRESS_H
#define PHP_RATELIMIT_CLIENT_ADDRESS_H

#include "php.h"

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

/* The address of this request's client: REMOTE_ADDR; where that is one of ratelimit.trusted_proxies, the last address
 * of X-Forwarded-For that is not, or at which the header stops making sense. An IPv6 address is the network of
 * ratelimit.ipv6_prefix that it is in ("2001:db8::/64"); IPv4 in IPv6 is IPv4. "local" when there is none. Returns the
 * length of what it wrote. */
size_t php_ratelimit_client_address(char out[PHP_RATELIMIT_ADDRESS_BYTES]);

#endif
