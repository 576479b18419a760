/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expand.h - choose what the running kernel has of the events that ktrace records by name. */
#ifndef KTRACE_EXPAND_H
#define KTRACE_EXPAND_H

#include "ctl/ask/events/events.h"
#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/probe_point.h"

/* Sentences for the user about what is left out. */
struct notes {
	char **v;
	size_t n;
};

void notes_free(struct notes *notes);

/*
 * Add a request for each event of the sets ("core,-irq", see events.h) that the kernel has: its address, its recorded name
 * (request->name), and VAR or STR for each field that the kernel can evaluate, under its recorded name.  What it does
 * not have is left out, with one note for events and one for each event with fewer fields.  False: a set that was
 * named has no event in this kernel, the sets are misspelt, or there are no symbols or types; err is set.  The caller
 * frees out and notes, also then.  Events of the sets in bare get no fields; NULL: none.
 */
bool events_expand(const struct target *target, const char *sets, const char *bare, struct requests *out,
		   struct notes *notes, struct error *err);

/* The same for one row.  False: the kernel does not have the event; err has the reason. */
bool events_expand_row(const struct target *target, const struct event_row *row, bool bare, struct requests *out,
		       struct notes *notes, struct error *err);

#define AUTO_NOTES __attribute__((cleanup(notes_free)))

#endif
