/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - /dev/ktrace: one thin function per ioctl, errno turned into a
 * sentence with cause and remedy.  See core/ktrace_abi.h for the meaning.
 */
#ifndef KTRACE_DEVICE_H
#define KTRACE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

struct device {
	int fd;
	struct kt_hello hello;
	/* Instead of ioctl(2), for tests; NULL otherwise. */
	int (*call)(struct device *dev, unsigned long request, void *arg);
};

/*
 * Open and say hello; loads the module with modprobe when it is installed and
 * not loaded yet.  status STATUS_NO_ACCESS for no permission, no module, or
 * an ABI that does not match.
 */
bool device_open(struct device *dev, struct error *err);
void device_close(struct device *dev);

bool device_trace(struct device *dev, struct kt_trace *req, struct error *err);
bool device_delete(struct device *dev, struct kt_delete *req, struct error *err);
/* All tracepoints, in the order they were set; *out is the caller's to free(). */
bool device_list(struct device *dev, struct kt_list_entry **out, size_t *nr, struct error *err);
/*
 * A descriptor by id: *out (struct kt_desc_req and its parts) is the caller's
 * to free().  *out is NULL and the result true when there is none any more.
 */
bool device_desc(struct device *dev, uint32_t id, struct kt_desc_req **out, size_t *len,
		 uint64_t *addr, uint64_t *born, struct error *err);
bool device_recording(struct device *dev, enum kt_recording_op op, struct error *err);
/* *cpus (one element for each possible CPU) is the caller's to free(); may be NULL. */
bool device_status(struct device *dev, struct kt_status *out, struct kt_cpu_status **cpus,
		   struct error *err);
bool device_clear_all(struct device *dev, uint64_t *nr_cleared, struct error *err);
/* *stale: another controller has moved the position; nothing was changed. */
bool device_seen(struct device *dev, struct kt_seen_cpu *cpus, size_t nr, bool *stale,
		 struct error *err);
/* Text as it is when nobody probes it; returns the bytes read, 0 where nothing is readable. */
size_t device_text(struct device *dev, uint64_t addr, void *buf, size_t len);

/* Text that places were found in: the module sets tracepoints there only if it is still the same. */
struct scans {
	struct kt_scan *v;
	size_t n;
};

/* Read up to *len bytes of text, as far as there is any, and add them to the scans. */
bool device_scan(struct device *dev, uint64_t addr, void *buf, size_t *len, struct scans *scans, struct error *err);
bool device_clock(struct device *dev, struct kt_clock *out, struct kt_anchor **anchors,
		  struct error *err);
/*
 * The size and mode of the rings, changed as buf->flags say; dev->hello is brought up to date.
 */
bool device_buffer(struct device *dev, struct kt_buffer *buf, struct error *err);
/* The process, and what it creates, is one of those that KT_DESC_PROCESS_TREE is about.  flags: KT_PROCESS_TREE_*. */
/* Measurements: see struct kt_measure; sizes are filled in here. */
bool device_measure(struct device *dev, struct kt_measure *req, struct error *err);
bool device_measure_run(struct device *dev, struct kt_measure_run *req, struct error *err);
/* *found: there is such a group. */
bool device_tally(struct device *dev, struct kt_tally *req, bool *found, struct error *err);
bool device_calibrate(struct device *dev, struct kt_calibrate *req, struct error *err);

bool device_process_tree(struct device *dev, int pid, uint32_t flags, struct error *err);
/* poll(2) on dev->fd says when there are so many. */
bool device_wait_for(struct device *dev, uint64_t total, uint32_t packets);
/* Sleep until more than total records exist, or timeout_ms (-1: no limit) is
 * over, or a signal arrives.  True when there are more. */
bool device_wait(struct device *dev, uint64_t total, int timeout_ms);
/* The same until, on some CPU, also so many packets are complete and not yet seen. */
bool device_wait_packets(struct device *dev, uint64_t total, uint32_t packets, int timeout_ms);

#endif
