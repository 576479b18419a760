/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_used.h - the addresses that the records of a trace may refer to. */
#ifndef KTRACE_SYMBOLS_USED_H
#define KTRACE_SYMBOLS_USED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_info;

struct addresses {
	uint64_t *v;		/* rising, each once */
	size_t n;
};

/*
 * All eight bytes in the packets of the trace in `dir`, whose description is `info` (NULL: it is read), at any place, that are from `low` to `high`: so no address is
 * missing, whatever has it.  False: the trace is large, or cannot be read.  The caller frees out->v, also then.
 */
bool symbols_used(const char *dir, struct trace_info *info, uint64_t low, uint64_t high, struct addresses *out);

#endif
