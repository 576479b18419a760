/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - a checksum that nobody can forge: BLAKE2b (RFC 7693) with 16 bytes. */
#ifndef KTRACE_DIGEST_H
#define KTRACE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_SIZE	16
#define DIGEST_BLOCK	128

struct digest {
	uint64_t state[8];
	uint64_t taken;			/* bytes before those in block */
	uint8_t block[DIGEST_BLOCK];
	size_t n;
};

void digest_begin(struct digest *digest);
void digest_add(struct digest *digest, const void *data, size_t len);
/* Also its length, so that "ab", "c" differs from "a", "bc". */
void digest_add_text(struct digest *digest, const char *text);
void digest_end(struct digest *digest, char hex[2 * DIGEST_SIZE + 1]);

#endif
