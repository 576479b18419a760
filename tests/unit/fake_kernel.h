/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_kernel.h - a kernel with a dozen symbols, and a module that keeps its tracepoints in an array; both
 * behind struct device.  At each call another module is loaded, so that a command which keeps a symbol must keep its table.
 */
#ifndef KTRACE_FAKE_KERNEL_H
#define KTRACE_FAKE_KERNEL_H

#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/live/session/session.h"

#define FAKE_TEXT	UINT64_C(0xffffffff81000000)
#define VFS_WRITE	(FAKE_TEXT + 0x1000)
#define FAKE_SCRATCH	(FAKE_TEXT + 0x2800)	/* the address of KT_SITE_SCRATCH; the next byte is its return */
#define FAKE_FILE	(KT_FILE_BASE | 3ULL << KT_FILE_SHIFT)	/* the first file of KT_IOC_FILE; others follow */
#define VFS_WRITE_SKIP	9	/* endbr64 and a nop of five bytes */

struct fake_kernel {
	struct session session;		/* with the fake device and symbols */
	char *out, *messages;		/* the output so far */
	size_t out_len, messages_len;
	struct fake_site {
		struct kt_list_entry entry;
		void *blob;
		uint32_t len;
		struct kt_role role;	/* size 0: none */
	} sites[64];
	uint32_t nr_sites, next_id;
	uint64_t refuse_addr;		/* refuse this address */
	uint8_t refusal, no_jump;	/* for this reason */
	uint64_t nearest;
	uint64_t bad_addr;		/* no instruction here */
	uint32_t nr_changes;		/* this many more KT_IOC_TRACE find other code than was scanned */
	uint32_t nr_trace;		/* KT_IOC_TRACE so far; about the last one: */
	uint32_t nr_scans;
	struct kt_scan scan;		/* the first scan */
	uint32_t abi;			/* the version in its hello */
	uint32_t nr_calls, nr_text;
	int recording;			/* the last KT_RECORDING_* */
	uint32_t flags;			/* of the last KT_IOC_TRACE */
	struct kt_site_req last;	/* its last site */
	uint32_t desc_flags;		/* of the descriptor of the last site outside the scratch function */
	uint32_t nr_trees;		/* calls of KT_IOC_PROCESS_TREE until now */
	int no_file;			/* the error of KT_IOC_FILE; 0: none */
	uint64_t files[8];		/* inodes of KT_IOC_FILE */
	size_t nr_files;
	uint64_t buffer_bytes;
	bool has_recordings;	/* KT_IOC_RECORDINGS: two of them */
	uint32_t buffer_mode;
	struct kt_measure measure;	/* the last one made */
	bool runs;
	bool no_jumps;			/* the scratch function gets no jump in time */
	bool slow_path;			/* hits of a measurement take the slow path */
	uint32_t scratch_what[2];	/* the last roles of the tracepoints in the scratch function */
	struct kt_role roles[8];	/* the roles that tracepoints elsewhere were given */
	uint32_t nr_roles;
	bool measured_elsewhere;	/* another controller measures */
	struct kt_status brake;		/* the brake as status reports it */
	uint64_t braked;		/* on each CPU */
};

struct fake_kernel *fake_create(void);
void fake_free(struct fake_kernel *fake);
/* Run a line. Returns its status; the earlier output is dropped. */
enum exit_status fake_run(struct fake_kernel *fake, const char *line);
/* The error text of the last line; "" if there was no error. */
const char *fake_error(void);

#endif
