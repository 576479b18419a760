/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pick.h - single values of a record, by the names of their fields. */
#ifndef KTRACE_PICK_H
#define KTRACE_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/trace/reader/reader.h"

struct picked {
	bool is_known;		/* the record has the field, and it could be read */
	int64_t number;
	const char *text;	/* `length` bytes in the record, without a 0; NULL: it is a number */
	size_t length;
};

/* The values of the fields names[n] of a RECORD_HIT. */
void pick(const struct record *record, const char *const *names, size_t n, struct picked *out);

#endif
