/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto.h - write recordings as one trace of Perfetto (docs/perfetto.md).
 *
 * What Perfetto has a message for becomes an event of ftrace, everything else an event of a track.  It streams: memory
 * grows with the tasks and with the different names of the recordings, not with their length.
 */
#ifndef KTRACE_PERFETTO_H
#define KTRACE_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/error.h"
#include "symbols/symtab/symbols.h"

struct perfetto;
struct saved;

struct perfetto_totals {
	uint64_t events;	/* of the recordings, without those of the state of the system */
	uint64_t lost;		/* events that the recordings have lost */
	uint64_t bytes;
};

/* The stream stays the caller's.  is_series: the recordings are parts of a series. */
struct perfetto *perfetto_create(FILE *out, bool is_series);

/*
 * Write a recording, or the next part of a series: events that two parts have in common are written once.  next is
 * the part behind it; NULL: there is none.  tab has its symbols; NULL: there are none.  False: it is damaged, the
 * stream shows an error, or a signal came; err is set.
 */
bool perfetto_add(struct perfetto *perfetto, struct saved *saved, struct saved *next, const struct symtab *tab,
		  struct error *err);

/* Write the end, and free it.  False: the stream shows an error; err is set. */
bool perfetto_finish(struct perfetto *perfetto, struct perfetto_totals *totals, struct error *err);
/* Free it in the middle.  NULL is allowed. */
void perfetto_free(struct perfetto *perfetto);

#endif
