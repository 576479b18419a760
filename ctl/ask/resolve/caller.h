/* SPDX-License-Identifier: GPL-2.0-or-later */
/* caller.h - the argument of CALLER and of record's --caller: "depth 2", "in 0x401000-0x402000", "in /usr/lib/libfoo.so". */
#ifndef KTRACE_CALLER_H
#define KTRACE_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct caller {
	bool is_range;
	uint32_t depth;
	uint64_t from, to;	/* addresses from <= a < to */
};

/* The option, for messages. */
struct caller_option {
	const char *name;
	const char *chooses;	/* what chooses one process */
};

/*
 * pid: the process in whose memory a file is looked up; 0: no process is known, and the file must be a program that every
 * process has at the same place.  False: err is set.
 */
bool caller_parse(const struct caller_option *option, const char *text, int pid, struct caller *out, struct error *err);

#endif
