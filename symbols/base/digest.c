// SPDX-License-Identifier: GPL-2.0-or-later
/* digest.c - BLAKE2b as in RFC 7693.  See digest.h. */
#include "symbols/base/digest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS	12

static const uint64_t start[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const uint8_t order[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static uint64_t rotate(uint64_t v, unsigned int bits)
{
	return v >> bits | v << (64 - bits);
}

static void mix(uint64_t *v, unsigned int a, unsigned int b, unsigned int c, unsigned int d, uint64_t x, uint64_t y)
{
	v[a] += v[b] + x;
	v[d] = rotate(v[d] ^ v[a], 32);
	v[c] += v[d];
	v[b] = rotate(v[b] ^ v[c], 24);
	v[a] += v[b] + y;
	v[d] = rotate(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = rotate(v[b] ^ v[c], 63);
}

static void take_block(struct digest *digest, const uint8_t *block, uint64_t taken, bool is_last)
{
	uint64_t v[16], m[16];

	memcpy(m, block, sizeof(m));
	memcpy(v, digest->state, sizeof(digest->state));
	memcpy(v + 8, start, sizeof(start));
	v[12] ^= taken;
	v[14] ^= is_last ? UINT64_MAX : 0;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		const uint8_t *s = order[i % 10];

		for (unsigned int j = 0; j < 4; j++)
			mix(v, j, j + 4, j + 8, j + 12, m[s[2 * j]], m[s[2 * j + 1]]);
		for (unsigned int j = 0; j < 4; j++)
			mix(v, j, (j + 1) % 4 + 4, (j + 2) % 4 + 8, (j + 3) % 4 + 12, m[s[8 + 2 * j]], m[s[9 + 2 * j]]);
	}
	for (unsigned int i = 0; i < 8; i++)
		digest->state[i] ^= v[i] ^ v[i + 8];
}

void digest_begin(struct digest *digest)
{
	*digest = (struct digest){ 0 };
	memcpy(digest->state, start, sizeof(start));
	digest->state[0] ^= 0x01010000 ^ DIGEST_SIZE;
}

/* The last block is kept back, even if it is full. */
void digest_add(struct digest *digest, const void *data, size_t len)
{
	const uint8_t *at = data;

	while (len) {
		const size_t part = len < DIGEST_BLOCK - digest->n ? len : DIGEST_BLOCK - digest->n;

		memcpy(digest->block + digest->n, at, part);
		digest->n += part;
		at += part;
		len -= part;
		if (digest->n < DIGEST_BLOCK || !len)
			continue;
		digest->taken += DIGEST_BLOCK;
		take_block(digest, digest->block, digest->taken, false);
		digest->n = 0;
	}
}

void digest_add_text(struct digest *digest, const char *text)
{
	const uint64_t len = strlen(text);

	digest_add(digest, &len, sizeof(len));
	digest_add(digest, text, len);
}

void digest_end(struct digest *digest, char hex[2 * DIGEST_SIZE + 1])
{
	uint8_t sum[DIGEST_SIZE];

	memset(digest->block + digest->n, 0, DIGEST_BLOCK - digest->n);
	take_block(digest, digest->block, digest->taken + digest->n, true);
	memcpy(sum, digest->state, sizeof(sum));
	for (unsigned int i = 0; i < DIGEST_SIZE; i++)
		sprintf(hex + 2 * i, "%02x", sum[i]);
}
