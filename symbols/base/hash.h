/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash.h - a hash that can be continued; for bytes and texts it is FNV-1a. */
#ifndef KTRACE_HASH_H
#define KTRACE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START	0xcbf29ce484222325ULL

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len);
/* Includes the 0 at the end, so that "ab", "c" differs from "a", "bc". */
uint64_t hash_text(uint64_t hash, const char *text);
static inline uint64_t hash_number(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

#endif
