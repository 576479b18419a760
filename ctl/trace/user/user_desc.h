/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_desc.h - tracepoints of programs as descriptors, and their events as records of those.
 *
 * A record begins with the ids of process and thread.  Of a text at most USER_TEXT bytes are shown, and the record has one
 * more; an array of bytes is a text of hexadecimal digits, which ends with "+" if there were more bytes.
 */
#ifndef KTRACE_USER_DESC_H
#define KTRACE_USER_DESC_H

#include "ctl/base/device/desc.h"
#include "ctl/trace/user/user_file.h"

#define USER_TEXT	255
#define USER_HEX	514
/* The most bytes of a record's payload. */
#define USER_MAX_PAYLOAD	(8 + KTRACE_MAX_ARGS * USER_HEX + 1)

/* The caller frees it.  Events of the same description in several files have equal descriptors. */
struct desc *user_desc(const struct user_file *file, const struct user_site *site);

/* The payload of the event that the ring has read last: to has USER_MAX_PAYLOAD bytes.  Returns its bytes, an even number. */
size_t user_record(const struct user_ring *ring, uint8_t *to);

#endif
