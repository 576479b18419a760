/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_file.h - the state of the system (ctl/base/state) as events of a wide trace.
 *
 * ktrace itself writes these events: no ring has them, none is lost.  They are in the file SAVE_STATE of the trace,
 * under the names that LTTng gives them, or ktrace_statedump_... where it has none.  The time of an event is when the
 * object was read, see struct state_sink.
 */
#ifndef KTRACE_STATE_FILE_H
#define KTRACE_STATE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct device;
struct state_file;
struct trace_info;

/*
 * Add the descriptors of the events to info; all other descriptors must be there already.  dir is the directory of
 * the trace; info stays the caller's and must outlive the result.  NULL: err is set.
 */
struct state_file *state_file_create(const char *dir, struct trace_info *info, struct error *err);

/*
 * The recording begins at `ticks`, and so does the stream: readers of CTF may leave out what lies outside one of the
 * streams.  Before state_file_dump().
 */
void state_file_begins(struct state_file *file, uint64_t ticks);

/* In a snapshot, the state is read behind its last record: all events get the time `ticks`, at which it ends. */
void state_file_at(struct state_file *file, uint64_t ticks);

/*
 * Read the state and write it.  between(arg) is called again and again meanwhile; it may be NULL, and false ends the
 * dump.  False: err is set; what was written can be read, but lacks the event of the end.
 */
bool state_file_dump(struct state_file *file, struct device *dev, bool (*between)(void *arg, struct error *err),
		     void *arg, struct error *err);

/*
 * The recording ends at `ticks`: add a packet without events, so that the stream ends then, too.  If nothing was written,
 * there is no stream.  False: err is set; what was written before can be read.
 */
bool state_file_ends(struct state_file *file, uint64_t ticks, struct error *err);

/* Could the file not be written, or did between() fail? */
bool state_file_failed(const struct state_file *file);

/* Bytes of the file. */
uint64_t state_file_bytes(const struct state_file *file);

/* NULL is allowed. */
void state_file_free(struct state_file *file);

#endif
