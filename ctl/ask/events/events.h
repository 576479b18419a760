/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the events of the kernel that ktrace knows by name, as data: rows, sets, and their texts taken apart.
 *
 * expand.h in ctl/ask/plan chooses what of it the running kernel has.
 */
#ifndef KTRACE_EVENTS_H
#define KTRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/event_row.h"
#include "ctl/base/device/show.h"
#include "ctl/base/error.h"

/* The rows one after the other, those of this architecture last.  Start with NULL; NULL: after the last. */
const struct event_row *events_next(const struct event_row *row);
/* The row of a static tracepoint by its name, without a system.  NULL: it has none. */
const struct event_row *events_of_tracepoint(const char *name);
/* A row by its recorded name.  NULL: there is none. */
const struct event_row *events_named(const char *name);

const char *events_set_name(enum event_set set);
/* What events of the set tell, in a line. */
const char *events_set_says(enum event_set set);

/*
 * A choice of events by words, separated by commas: a set ("core", "net", "all"), or the recorded name of an event,
 * which may be a pattern of fnmatch(3).  A word behind "-" leaves out what it names.  The last word that names an event
 * decides: "core,-irq,irq_handler_*".
 */
struct event_choice {
	const char *words;
	unsigned int sets;	/* bit n: enum event_set n was named by itself */
};

/* Check the words, which out refers to.  False: err names one that no set and no event has. */
bool events_choose(const char *words, struct event_choice *out, struct error *err);
bool events_chosen(const struct event_choice *choice, const struct event_row *row);

/*
 * Alternatives of a text: the next one of "a or b or c".  *text moves behind it.  NULL: there are no more.  The
 * caller frees the result.
 */
char *events_alternative(const char **text);

struct event_field {
	const char *name;	/* not terminated */
	int name_len;
	char *expressions;	/* alternatives */
};

/*
 * Does the expression ask for more of an object than numbers and texts, as "skb:packet" does?  Only recordings have such fields.
 * *len: of the expression in front of the colon.
 */
bool events_is_object(const char *expression, size_t *len, enum show *show);

/* The next field of a row's fields; *text moves behind it.  False: there are no more.  The caller frees expressions. */
bool events_field(const char **text, struct event_field *out);

#endif
