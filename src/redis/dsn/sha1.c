#include "sha1.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

static uint32_t sha1_rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t sha1_big_endian(const unsigned char *p)
{
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

static void sha1_add_block(uint32_t h[5], const unsigned char *block)
{
	uint32_t w[80];
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int i = 0; i < 80; i++) {
		w[i] = i < 16 ? sha1_big_endian(block + 4 * i) : sha1_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	}
	for (int i = 0; i < 80; i++) {
		uint32_t f, k;

		if (i < 20) {
			f = (b & c) | (~b & d);
			k = 0x5a827999;
		} else if (i < 40) {
			f = b ^ c ^ d;
			k = 0x6ed9eba1;
		} else if (i < 60) {
			f = (b & c) | (b & d) | (c & d);
			k = 0x8f1bbcdc;
		} else {
			f = b ^ c ^ d;
			k = 0xca62c1d6;
		}
		uint32_t next = sha1_rotate(a, 5) + f + e + k + w[i];
		e = d;
		d = c;
		c = sha1_rotate(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void rl_redis_sha1(const char *bytes, size_t len, char hex[RL_REDIS_SHA1_HEX + 1])
{
	uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	const unsigned char *p = (const unsigned char *) bytes;
	unsigned char tail[2 * BLOCK] = {0};
	size_t left = len;

	for (; left >= BLOCK; left -= BLOCK, p += BLOCK) {
		sha1_add_block(h, p);
	}
	memcpy(tail, p, left);
	tail[left] = 0x80;
	size_t tail_len = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
	for (unsigned i = 0; i < 8; i++) {
		tail[tail_len - 1 - i] = (unsigned char) ((uint64_t) len * 8 >> 8 * i);
	}
	for (size_t at = 0; at < tail_len; at += BLOCK) {
		sha1_add_block(h, tail + at);
	}
	for (int i = 0; i < 5; i++) {
		snprintf(hex + 8 * i, 9, "%08x", (unsigned) h[i]);
	}
}
