/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flight.h - a flight recording: its rings are in KT_MODE_OVERWRITE and keep the newest events; on request they are
 * written as a whole saved trace, while recording goes on.
 *
 * A snapshot first copies all rings, from the newest packet of each back to the oldest that is still whole (core/ring.h
 * says how a copy is checked), then reads the state of the system, and then writes both.  So what it has of a CPU is
 * without a gap.  It takes as much memory as the rings, for that time.
 */
#ifndef KTRACE_FLIGHT_H
#define KTRACE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "ctl/trace/reader/reader.h"

struct flight;
struct symbols_source;
struct trace_form;

struct flight_saved {
	uint64_t records;	/* in the directory, without those of the state */
	uint64_t older;		/* recorded before them, and overwritten */
	uint64_t lost;		/* between them */
	uint64_t braked;	/* hits that the module's brake turned away since the recording began; not among those lost */
	uint64_t bytes;
	uint32_t off;		/* tracepoints that the brake has switched off */
	uint32_t reserved;
	uint64_t ns;		/* time from the first moment of which all CPUs have their events, to the end */
};

/* Can a snapshot be written there?  The directory must not exist or be empty; nothing is left. */
bool flight_writable(const char *dir, struct error *err);

/* dev has the rings of the recording, in KT_MODE_OVERWRITE; it stays the caller's.  reader has mapped them; it is taken. */
struct flight *flight_create(struct device *dev, struct reader *reader);
/* A descriptor of the recording, with its id.  planned: see trace_info_learn(). */
bool flight_add(struct flight *flight, uint32_t id, const struct desc *planned, struct error *err);
/* The recording has only events of some tasks; text says which. */
void flight_confine(struct flight *flight, const char *text);
/* So many of its tracepoints are switched off by the brake, as of now. */
void flight_switched_off(struct flight *flight, uint32_t off);
/* How the files of a snapshot are written; otherwise in the usual form. */
void flight_form(struct flight *flight, const struct trace_form *form);
/* All tracepoints are set.  with_state: a snapshot has the state of the system, too. */
bool flight_begin(struct flight *flight, bool with_state, struct error *err);

/*
 * Write a snapshot.  dir must not exist or be empty.  symbols is for traces that need them (flight_wants_symbols()), else
 * NULL.  Where the state cannot be read, why->text says why, else it is empty.
 * False: err is set, and nothing is left.
 */
bool flight_save(struct flight *flight, const char *dir, const struct symbols_source *symbols, struct flight_saved *out,
		 struct error *why, struct error *err);

bool flight_wants_symbols(const struct flight *flight);

/* Records so far, and those that found no room, on all CPUs.  *frozen: a FREEZE has stopped the recording. */
bool flight_progress(struct flight *flight, uint64_t *records, uint64_t *lost, bool *frozen, struct error *err);

/* NULL is allowed. */
void flight_free(struct flight *flight);

#endif
