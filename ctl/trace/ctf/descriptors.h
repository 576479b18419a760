/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptors.h - the file ktrace/descriptors of a saved trace, behind trace.json the larger part of its description.  It
 * is a file of its own since descriptors never change: when a recording ends, only trace.json is written once more.
 */
#ifndef KTRACE_DESCRIPTORS_H
#define KTRACE_DESCRIPTORS_H

#include <stdio.h>

#include "ctl/trace/ctf/trace_info.h"

#define DESCRIPTORS_FILE	"descriptors"	/* beside trace.json */

/* The file: a magic number of eight bytes, then for each descriptor this, the blob, and zeros up to the next multiple of 8. */
#define DESCRIPTORS_MAGIC	"ktdescs"

struct saved_descriptor {
	__u32 part, id;
	__u64 addr, born;
	__u32 bytes;		/* of the blob */
	__u32 zero;
};

/* Write all descriptors; those of a wide trace are compressed by zstd.  The state of the stream shows errors. */
void descriptors_write(const struct trace_info *info, FILE *out);

/* Add the first nr of those bytes to info.  The result says what is wrong; NULL: nothing. */
const char *descriptors_parse(struct trace_info *info, const char *bytes, size_t len, size_t nr);

#endif
