/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - the lines of a function: the addresses at which their statements begin, and how to tell its calls apart there. */
#ifndef KTRACE_LINES_H
#define KTRACE_LINES_H

#include "ctl/debuginfo.h"

struct line_addr {
	uint64_t addr;
	size_t line;		/* index */
	uint16_t reg;		/* register + bias is the same at each place of one call */
	int32_t bias;
};

struct line_name {
	const char *file;
	uint32_t number;
	char *inlined;		/* the function whose copy it is, or NULL; to be freed */
};

struct lines {
	struct line_name *v;	/* those of its own file first, each file's in order */
	size_t n;
	struct line_addr *addrs;	/* [0]: the entry */
	size_t nr_addrs;
	uint32_t decl;		/* line of its declaration, 0: not known */
};

/* Of the function that is entered at a place. */
bool lines_find(const struct target *target, const struct place *entry, struct lines *out, struct error *err);
void lines_free(struct lines *lines);

#endif
