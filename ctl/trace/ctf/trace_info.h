/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_info.h - the data of a saved trace besides its packets: origin, clock, descriptors.  It is ktrace/trace.json
 * and ktrace/descriptors in the directory (docs/saved.md), and the source of the CTF metadata.
 */
#ifndef KTRACE_TRACE_INFO_H
#define KTRACE_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/ktrace_abi.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/device.h"
#include "ctl/base/error.h"

/*
 * One descriptor.  The module reuses an id when no unseen record has it.  Records from then on belong to the
 * next part, which has its own files and ids.
 */
struct trace_event {
	uint32_t part;
	struct desc *bare;		/* maybe not decoded: use only id, born and what desc_bare() fills in; else call trace_event_desc() */
};

/* How the files of a trace are written; ktrace reads every form. */
struct trace_form {
	bool ctf2;			/* the metadata is that of CTF 2; else of CTF 1.8 */
	bool compressed;		/* each packet is compressed: see packet_io.h.  Other readers cannot read them */
};

struct trace_info {
	struct trace_form form;
	uint8_t uuid[16];		/* identifies the load of the module; each packet has it */
	uint32_t arch;			/* ELF machine number */
	char *host, *kernel, *module;	/* names and versions; for people */
	char *boot_id;			/* of that boot of the kernel; NULL: not known */
	char *tasks;			/* only events of these tasks were recorded, as options of `record`; NULL: of all */
	struct kt_clock clock;
	struct kt_anchor *anchors;	/* [clock.nr] */
	struct trace_event *events;
	size_t nr_events;
	size_t nr_rising;		/* so many of the first ones are sorted by part and id: they are found by binary search */
	size_t nr_written;		/* of them, those that save_dir_describe() has written; 0 where they were read */
	uint32_t parts;			/* at least 1 */
	bool user;			/* processes wrote the events: each begins with vpid and vtid */
	bool wide;			/* which of the two forms of abi_ring.h the events have */
	uint64_t braked;		/* hits that the module's brake turned away: neither in the trace nor lost */
	uint32_t off;			/* tracepoints that the brake had switched off at the end */
	uint64_t complete;		/* of a snapshot: from then on it has all events; 0: see saved_complete_from() */
	bool is_open;			/* its recorder is at work, or was killed: a file may end in a part of a packet */
};

void trace_info_free(struct trace_info *info);

/* The whole descriptor.  It is decoded here, the first time: a recording has some thousand of them, and most readers need few. */
struct desc *trace_event_desc(const struct trace_event *event);
/* The same, maybe only with its name, typed and line; trace_event_desc() replaces these texts. */
const struct desc *trace_event_named(const struct trace_event *event);

/* Was it recorded on this machine, since it was started? */
bool trace_info_is_here(const struct trace_info *info);
/* Fill in host and kernel of this machine. */
void trace_info_here(struct trace_info *info, const struct kt_hello *hello);

/* Take the module's clock, with all anchors so far. */
bool trace_info_clock(struct trace_info *info, struct device *dev, struct error *err);
/* Of a recording, and of events of processes, the times are those that other readers of the trace show.  The caller frees it. */
struct clockmap *trace_clockmap(const struct trace_info *info);

/* Does it need symbols when it is printed? */
bool trace_info_wants_symbols(const struct trace_info *info);
/* Does it have events about the state of the system? */
bool trace_info_has_state(const struct trace_info *info);

/* NULL: that part has no such id. */
const struct trace_event *trace_info_event(const struct trace_info *info, uint32_t part,
					   uint32_t id);
/* Add a copy of the descriptor, which has a blob, to that part. */
bool trace_info_take(struct trace_info *info, uint32_t part, const struct desc *desc, struct error *err);
/* The same for the newest part. */
bool trace_info_add(struct trace_info *info, const struct desc *desc, struct error *err);

/*
 * The same for the descriptor of the device with that id.  planned: the descriptor of the plan, with its blob; NULL: it is not
 * known.  If the module has the same blob, nothing has to be decoded.
 */
bool trace_info_learn(struct trace_info *info, struct device *dev, uint32_t id, const struct desc *planned, struct error *err);

/* Write as JSON, without the descriptors (descriptors.h).  The state of the stream shows errors. */
void trace_info_write(const struct trace_info *info, FILE *out);
/* Read trace.json, and the descriptors beside it, and check every type and range.  NULL: err is set. */
struct trace_info *trace_info_read(const char *path, struct error *err);

#endif
