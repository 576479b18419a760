/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - /dev/ktrace: one thin function for each ioctl.  It turns errno into a sentence with cause and
 * remedy. core/ktrace_abi.h has the meaning.  All functions that return bool set err when they return false.
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
	/* Replaces ioctl(2) in tests; else NULL. */
	int (*call)(struct device *dev, unsigned long request, void *arg);
};

/*
 * Open the device and say hello.  Where the module is installed and not loaded, load it with modprobe.
 * STATUS_NO_ACCESS: no permission, no module, or an ABI that does not match.
 */
bool device_open(struct device *dev, struct error *err);
void device_close(struct device *dev);

bool device_trace(struct device *dev, struct kt_trace *req, struct error *err);
bool device_delete(struct device *dev, struct kt_delete *req, struct error *err);
/* All tracepoints in the order in which they were set.  The caller frees *out. */
bool device_list(struct device *dev, struct kt_list_entry **out, size_t *nr, struct error *err);
/*
 * Find a descriptor by id.  The caller frees *out (struct kt_desc_req and its parts).  *out is NULL, and the
 * result true, if there is no such descriptor any more.
 */
bool device_desc(struct device *dev, uint32_t id, struct kt_desc_req **out, size_t *len,
		 uint64_t *addr, uint64_t *born, struct error *err);
bool device_recording(struct device *dev, enum kt_recording_op op, struct error *err);
/* The caller frees *cpus, which has one element for each possible CPU.  cpus may be NULL. */
bool device_status(struct device *dev, struct kt_status *out, struct kt_cpu_status **cpus,
		   struct error *err);
/* The same with the sums over all CPUs.  The sum of `seen` means nothing. */
bool device_totals(struct device *dev, struct kt_status *out, struct kt_cpu_status *sums, struct error *err);
/* Every recording: a client with rings of its own.  The caller frees *entries. */
bool device_recordings(struct device *dev, struct kt_recording_entry **entries, size_t *n, struct error *err);
/*
 * Give the device wide rings of its own, in one of KT_MODE_..., and a name: it becomes a recording.  Its hello then
 * describes these rings.
 */
bool device_rings(struct device *dev, const char *name, uint32_t mode, uint64_t bytes, struct error *err);
/* Ask a recording to end; it sees that by device_is_stopped(). */
bool device_stop(struct device *dev, const char *name, struct error *err);
bool device_is_stopped(struct device *dev);
bool device_clear_all(struct device *dev, uint64_t *nr_cleared, struct error *err);
/* *stale: another controller has moved the seen position; nothing was changed. */
bool device_seen(struct device *dev, struct kt_seen_cpu *cpus, size_t nr, bool *stale,
		 struct error *err);
/* Read kernel text without patches.  Returns the bytes read, 0 if nothing is readable. */
size_t device_text(struct device *dev, uint64_t addr, void *buf, size_t len);

/* The text from which sites were chosen: the module sets tracepoints only if this text is unchanged. */
struct scans {
	struct kt_scan *v;
	size_t n;
};

/* scans.c: add one; move those of `from` behind those of `to`. */
void scans_add(struct scans *scans, struct kt_scan scan);
void scans_take(struct scans *to, struct scans *from);

/* Read up to *len bytes of text, less if the text ends before, and add them to the scans. */
bool device_scan(struct device *dev, uint64_t addr, void *buf, size_t *len, struct scans *scans, struct error *err);
bool device_clock(struct device *dev, struct kt_clock *out, struct kt_anchor **anchors,
		  struct error *err);
/*
 * The next part of the system's state: the caller sets kind, buf, room and, for the first part, a cursor of zeros; see
 * KT_IOC_STATE.
 */
bool device_state(struct device *dev, struct kt_state *req, struct error *err);
/* Read the size and mode of the rings, changed as buf->flags says, and update dev->hello. */
bool device_buffer(struct device *dev, struct kt_buffer *buf, struct error *err);
/* Measurements: see struct kt_measure; sizes are filled in here. */
bool device_measure(struct device *dev, struct kt_measure *req, struct error *err);
bool device_measure_run(struct device *dev, struct kt_measure_run *req, struct error *err);
/* *found: there is such a group. */
bool device_tally(struct device *dev, struct kt_tally *req, bool *found, struct error *err);
bool device_calibrate(struct device *dev, struct kt_calibrate *req, struct error *err);

/* Aggregates: see struct kt_aggregate_req; sizes are filled in here.  *found: there is one with this id. */
bool device_aggregate(struct device *dev, struct kt_aggregate_req *req, struct error *err);
void device_aggregate_release(struct device *dev, uint32_t id);
/* Where there is too little room, only the sizes are read. */
bool device_aggregate_get(struct device *dev, struct kt_aggregate_get *req, bool *found, struct error *err);

/* Add a process, and all that it creates, to the process tree.  flags: KT_PROCESS_TREE_*. */
bool device_process_tree(struct device *dev, int pid, uint32_t flags, struct error *err);
/* KT_IOC_OWN.  False: the process is not left out; it has ended, for example. */
bool device_own(struct device *dev, int pid);
/* KT_IOC_TASKS.  flags: KT_TASKS_*.  0, or an errno. */
int device_tasks(struct device *dev, const struct kt_task_rule *rules, size_t n, uint32_t flags);
/* KT_IOC_FILE.  name: for messages, with a colon at its end. */
bool device_file(struct device *dev, int fd, const char *name, uint64_t *base, struct error *err);
/* Set when poll(2) on dev->fd reports it as readable; see KT_IOC_WAIT. */
bool device_wait_for(struct device *dev, uint64_t total, uint32_t packets);
/*
 * Sleep until more than total records exist (true), or timeout_ms is over (-1: no limit) or a signal arrives (false).
 */
bool device_wait(struct device *dev, uint64_t total, int timeout_ms);
/* The same, until some CPU also has that many complete packets that are not yet seen. */
bool device_wait_packets(struct device *dev, uint64_t total, uint32_t packets, int timeout_ms);

/* For calls that other files make: ioctl(2), repeated after signals; and the sentence for an errno. */
int device_call(struct device *dev, unsigned long request, void *arg);
bool device_fail(struct error *err, const char *what, int no);

#endif
