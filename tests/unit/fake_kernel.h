/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_kernel.h - a kernel of a dozen symbols and a module that keeps its
 * tracepoints in an array, behind struct device.
 */
#ifndef KTRACE_FAKE_KERNEL_H
#define KTRACE_FAKE_KERNEL_H

#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/session/session.h"

#define FAKE_TEXT	UINT64_C(0xffffffff81000000)
#define VFS_WRITE	(FAKE_TEXT + 0x1000)
#define FAKE_SCRATCH	(FAKE_TEXT + 0x2800)	/* what KT_SITE_SCRATCH stands for, and the next byte */
#define VFS_WRITE_SKIP	9	/* endbr64 and a nop of five bytes */

struct fake_kernel {
	struct session session;		/* its device and symbols are ours */
	char *out, *messages;		/* what was printed */
	size_t out_len, messages_len;
	struct fake_site {
		struct kt_list_entry entry;
		void *blob;
		uint32_t len;
		struct kt_role role;	/* size 0: none */
	} sites[64];
	uint32_t nr_sites, next_id;
	uint64_t refuse_addr;		/* that one is refused, */
	uint8_t refusal;		/* for this reason, */
	uint64_t nearest;
	uint64_t bad_addr;		/* no instruction is there */
	uint32_t nr_changes;		/* so many KT_IOC_TRACE more find other code than was scanned */
	uint32_t nr_trace;		/* KT_IOC_TRACE so far; of the last one: */
	uint32_t nr_scans;
	struct kt_scan scan;		/* the first */
	uint32_t abi;			/* what it says at hello */
	uint32_t nr_calls, nr_text;
	int recording;			/* the last KT_RECORDING_* */
	uint32_t flags;			/* of the last KT_IOC_TRACE */
	uint64_t buffer_bytes;
	uint32_t buffer_mode;
	struct kt_measure measure;	/* the last one that was made */
	bool runs;
	bool no_jumps;			/* its own function has none in time */
	bool slow_path;			/* that is what hits in a measurement go */
	uint32_t scratch_what[2];	/* the roles of its own function's tracepoints, when they were set last */
	bool measured_elsewhere;	/* by another controller */
	struct kt_status brake;		/* what status says of it */
	uint64_t braked;		/* on each CPU */
};

struct fake_kernel *fake_create(void);
void fake_free(struct fake_kernel *fake);
/* Run a line; returns its status and forgets what was printed before. */
enum exit_status fake_run(struct fake_kernel *fake, const char *line);
/* The text of the error of the last line, "" when there was none. */
const char *fake_error(void);

#endif
