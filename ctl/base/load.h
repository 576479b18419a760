/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - numbers in records, which are not aligned. */
#ifndef KTRACE_LOAD_H
#define KTRACE_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An unsigned number of so many bytes, at most 8.  The usual sizes need no call of memcpy(). */
static inline uint64_t load_number(const void *at, size_t bytes)
{
	uint64_t value = 0;
	uint32_t word;
	uint16_t half;

	switch (bytes) {
	case 8:
		memcpy(&value, at, 8);
		return value;
	case 4:
		memcpy(&word, at, 4);
		return word;
	case 2:
		memcpy(&half, at, 2);
		return half;
	default:
		memcpy(&value, at, bytes);
		return value;
	}
}

#endif
