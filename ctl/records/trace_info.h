/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_info.h - what a saved trace needs besides its packets: where and by whom it was
 * recorded, the clock, the descriptors.  In the directory as ktrace/trace.json
 * (docs/saved.md), and the source of the CTF metadata.
 */
#ifndef KTRACE_TRACE_INFO_H
#define KTRACE_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"
#include "ctl/device/desc.h"

/*
 * One descriptor.  Ids are used again when no unseen record bears them: from then on what is
 * recorded belongs to the next part, with files and ids of its own.
 */
struct trace_event {
	uint32_t part;
	struct desc *desc;		/* with its blob */
};

struct trace_info {
	uint8_t uuid[16];		/* of the load of the module, in each packet */
	uint32_t arch;			/* ELF machine number */
	char *host, *kernel, *module;	/* names and versions, for people */
	struct kt_clock clock;
	struct kt_anchor *anchors;	/* [clock.nr] */
	struct trace_event *events;
	size_t nr_events;
	uint32_t parts;			/* at least 1 */
};

void trace_info_free(struct trace_info *info);

/* Of this machine, now: host, kernel. */
void trace_info_here(struct trace_info *info, const struct kt_hello *hello);

/* NULL when that part has no such id. */
const struct trace_event *trace_info_event(const struct trace_info *info, uint32_t part,
					   uint32_t id);
/* The descriptor is copied, in the newest part. */
bool trace_info_add(struct trace_info *info, const struct desc *desc, struct error *err);

/* To JSON; what cannot be written is seen in the stream's state. */
void trace_info_write(const struct trace_info *info, FILE *out);
/* Back; every type and range is checked.  path is for the message.  NULL with err set. */
struct trace_info *trace_info_read(const char *path, struct error *err);

#endif
