/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_number.h - show a number, or bytes, in another form than the type's. */
#ifndef KTRACE_SHOW_NUMBER_H
#define KTRACE_SHOW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/events/value_names.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/show.h"

#define SHOW_SIZE	80
/*
 * The number, extended by its sign to 64 bits, of so many bytes, as text.  Only for
 * show_is_of_number(), but not for flags.  Returns buf.
 */
const char *show_number(enum show show, uint64_t value, uint8_t bytes, bool is_signed, char buf[SHOW_SIZE]);

/* The names of the flags that are set in the lowest `bytes` bytes: "GFP_KERNEL|__GFP_ZERO|0x40".  Returns buf. */
const char *show_flag_names(const struct field *field, uint64_t value, char buf[VALUE_NAMES_SIZE]);

/* A pair of digits and a blank for each byte, then all as text. */
#define SHOW_BYTES_SIZE	(4 * SHOW_MOST_BYTES + 8)
/* At most SHOW_MOST_BYTES bytes as text.  Only for show_is_of_bytes().  Returns buf. */
const char *show_bytes(enum show show, const uint8_t *bytes, size_t n, char buf[SHOW_BYTES_SIZE]);
/* The same of an array, by its type: with its text, too, if all up to the first 0 is one. */
const char *show_byte_array(const uint8_t *bytes, size_t n, char buf[SHOW_BYTES_SIZE]);

#endif
