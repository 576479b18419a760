/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved.h - a saved trace as a source of snapshots.  Each snapshot has the next stretch of time, so a trace of
 * any size needs little memory.  The files are not trusted: everything is checked.
 */
#ifndef KTRACE_SAVED_H
#define KTRACE_SAVED_H

#include <stdbool.h>

#include "ctl/base/error.h"
#include "ctl/base/progress.h"
#include "ctl/trace/reader/reader.h"
#include "ctl/trace/ctf/trace_info.h"

struct saved;

/*
 * Whom to tell, from now on, what of a trace is left out because it cannot be read, while the rest can: a sentence for each
 * file.  NULL: nobody.
 */
typedef void saved_note_fn(void *arg, const char *text);
void saved_tell(saved_note_fn *note, void *arg);

/*
 * dir may also have the files of processes (ktrace-user(3)): then it is the trace of what they have recorded until now.
 * NULL: it does not exist, is not a trace, or is damaged; err is set.
 */
struct saved *saved_open(const char *dir, struct error *err);
/* The same of a directory of records with this description, which stays the caller's and must outlive the result; NULL: it is read. */
struct saved *saved_open_as(const char *dir, struct trace_info *info, struct error *err);
/*
 * The same, but a file of records that is damaged at some place is read up to there, and told: for readers to whom each record
 * stands for itself.  NULL also where nothing is left.
 */
struct saved *saved_open_readable(const char *dir, struct error *err);
void saved_close(struct saved *saved);

const struct trace_info *saved_info(const struct saved *saved);
/* How many events it has; those that tell the state of the system did not happen, and do not count. */
uint64_t saved_events(const struct saved *saved);
/* The file of its symbols; it may not exist. */
const char *saved_symbols(const struct saved *saved);

/*
 * From this time on, all events of the trace are recorded.  In a recording to disk the state of every task is known
 * then: its tracepoints are set one after the other, then its state is read.  In a snapshot of a flight recording the
 * state comes at the end, and this is the time at which the youngest of its rings begins.  0: from the first event on.
 */
uint64_t saved_complete_from(const struct saved *saved);

/*
 * Call each() for every place where `lost` records of a CPU are missing: after `from`, before `to`, the time of the notice of
 * them.  Records from between may be there.
 */
typedef void saved_gap_fn(void *arg, uint32_t cpu, uint64_t from, uint64_t to, uint64_t lost);
void saved_gaps(const struct saved *saved, saved_gap_fn *each, void *arg);

/*
 * Call each() for every packet, file by file; name is that of the file.  The packet lives until each() returns.  The
 * position of saved_next() stays.  False: each() has returned false, or a packet cannot be read; err is set.
 */
typedef bool saved_packet_fn(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *err);
bool saved_packets(struct saved *saved, saved_packet_fn *each, void *arg, struct error *err);

/* How much of it was read: shown as part `part` of `of` equal ones of a piece of work. */
struct saved_progress {
	struct progress_line *line;	/* NULL: it is not shown */
	const char *what;		/* "reading" */
	size_t part, of;
};

/* Show from now on how much is read, by saved_next() or saved_packets(). */
void saved_show(struct saved *saved, const struct saved_progress *progress);

/* Start again from the beginning. */
void saved_rewind(struct saved *saved);
/* *out is NULL at the end. */
bool saved_next(struct saved *saved, struct snapshot **out, struct error *err);

#endif
