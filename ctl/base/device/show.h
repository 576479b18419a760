/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show.h - how a value is shown, other than by its type: `VAR file->f_flags:x`. */
#ifndef KTRACE_SHOW_H
#define KTRACE_SHOW_H

#include <stdbool.h>
#include <stddef.h>

enum show {
	SHOW_BY_TYPE,
	SHOW_HEX, SHOW_DECIMAL, SHOW_OCTAL, SHOW_BINARY, SHOW_CHARACTER, SHOW_ERROR, SHOW_TIME, SHOW_IP,
	SHOW_DEV, SHOW_MODE, SHOW_RESULT,
	SHOW_FLAGS,				/* by the names of the field */
	SHOW_MAC, SHOW_UUID, SHOW_IP6, SHOW_BYTES,	/* of bytes in memory */
	SHOW_TEXT, SHOW_POINTER,		/* recorded as a text, as a pointer: never in a descriptor */
	SHOW_PACKET, SHOW_PIDS,			/* of the kernel's objects, only in recordings: never in a descriptor */
	NR_SHOWS,
};

static inline bool show_is_of_number(enum show show)
{
	return show > SHOW_BY_TYPE && show < SHOW_MAC;
}

static inline bool show_is_of_object(enum show show)
{
	return show == SHOW_PACKET || show == SHOW_PIDS;
}

#define SHOW_MOST_BYTES	64
static inline bool show_is_of_bytes(enum show show)
{
	return show >= SHOW_MAC && show <= SHOW_BYTES;
}

/* The name of a way to show values, without the colon: "x". */
const char *show_name(enum show show);
/* By its name, of `len` characters.  False: there is none. */
bool show_named(const char *name, size_t len, enum show *out);
/* A list of the names for messages: "x, d, o, ...".  Returns buf. */
#define SHOW_NAMES_SIZE	112
const char *show_names(char buf[SHOW_NAMES_SIZE]);

#endif
