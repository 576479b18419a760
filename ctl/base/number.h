/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - parse typed numbers. */
#ifndef KTRACE_NUMBER_H
#define KTRACE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum number_status { NUMBER_OK, NUMBER_NONE, NUMBER_TOO_LARGE };

/* Parse all of text (len bytes) as hexadecimal, with or without 0x. */
enum number_status number_hex(const char *text, int len, uint64_t *out);
/* Parse all of text as decimal, or with 0x as hexadecimal. */
enum number_status number_count(const char *text, uint64_t *out);
/* The same as in C: a leading 0 makes it octal. */
enum number_status number_c(const char *text, uint64_t *out);
/* As number_hex(), with an optional sign. */
enum number_status number_offset(const char *text, int64_t *out);

/* A size: digits and a unit, K, M or G, also as KiB or KB.  *unit is false: it has none, and *out is the number. */
bool number_bytes(const char *text, uint64_t *out, bool *unit);

#endif
