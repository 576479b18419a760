/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_object.h - show what events record of the kernel's objects: the headers of a packet, a list of numbers. */
#ifndef KTRACE_SHOW_OBJECT_H
#define KTRACE_SHOW_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/base/device/desc.h"

struct json;

#define SHOW_OBJECT_SIZE	384

/*
 * Of FIELD_PACKET and FIELD_NUMBERS, as one line: "ipv4 10.0.0.1 > 10.0.0.2 tcp 22 > 1234 seq=1 ack=2 flags=ACK", "[4096, 1]".
 * `at` has `length` bytes, as field_length() says.  Returns buf.
 */
const char *show_object(enum field_kind kind, const uint8_t *at, size_t length, char buf[SHOW_OBJECT_SIZE]);

/* The same as a value of JSON: an object with all fields of the headers, an array. */
void show_object_json(struct json *j, const char *key, enum field_kind kind, const uint8_t *at, size_t length);

#endif
