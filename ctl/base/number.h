/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - numbers as they are typed. */
#ifndef KTRACE_NUMBER_H
#define KTRACE_NUMBER_H

#include <stdint.h>

enum number_status { NUMBER_OK, NUMBER_NONE, NUMBER_TOO_LARGE };

/* All of text (len bytes) as hexadecimal, with or without 0x. */
enum number_status number_hex(const char *text, int len, uint64_t *out);
/* All of text as a decimal number, or with 0x as a hexadecimal one. */
enum number_status number_count(const char *text, uint64_t *out);
/* The same as C has it: 0 in front makes it octal. */
enum number_status number_c(const char *text, uint64_t *out);
/* As number_hex, but with an optional sign. */
enum number_status number_offset(const char *text, int64_t *out);

#endif
