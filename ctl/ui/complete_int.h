/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete_int.h - internals of complete.c and the other files complete_*.c. */
#ifndef KTRACE_COMPLETE_INT_H
#define KTRACE_COMPLETE_INT_H

#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/lex.h"
#include "ctl/cmd/command.h"
#include "ctl/ui/complete.h"

struct offer {
	struct session *s;
	const char *word;
	complete_fn *each;
	void *arg;
	bool text_only;			/* only symbols of code */
};

void offer_one(const struct offer *o, const char *name);
/* Offer the word's first `before` bytes with a name behind them. */
void offer_behind(const struct offer *o, int before, const char *name);
/* Offer each of the words that blanks separate. */
void offer_words(const struct offer *o, const char *words);
/* Offer numbers of processes. */
void offer_processes(const struct offer *o);

/* What the session traces.  Its debug information hurries, see debug_hurry(). */
struct target complete_target(const struct offer *o);

/* Behind `trace` and the like: offer addresses, options and their arguments. */
void offer_trace(struct offer *o, const struct command *command, const struct words *words);
/* The first, or the last, address behind such a command.  NULL: there is none. */
const char *trace_address(const struct command *command, const struct words *words, bool last);
/* Offer the kernel's events of all systems: `sched:sched_switch`. */
void offer_systems(const struct offer *o);
/* Offer `syscall:openat`. */
void offer_calls(struct offer *o);

/* Offer what may go on in an expression for that address (NULL: none), whose text before the word is given. */
#define NOWHERE	""	/* no place in the code: types and global variables */
void offer_expression(const struct offer *o, const char *address, const char *before);

/* Behind `show`; behind `print`. */
void offer_show(const struct offer *o, const struct command *command, const struct words *words);
void offer_records(const struct offer *o, const struct words *words);
/* Offer `user:*`, and behind the colon the events of processes that have registered. */
void offer_registered(const struct offer *o);

/* The words from the first on, with blanks between them.  The caller frees it. */
char *words_join(const struct words *words, size_t first);

/* From debug information that is at hand: source files; lines of `fs/read_write.c:`; functions of `inline:`. */
void offer_files(const struct offer *o);
void offer_lines(const struct offer *o);
void offer_inlined(const struct offer *o);

/* Offer programs and libraries, and behind their colon SDT markers and functions. */
void offer_programs(const struct offer *o, const struct words *words, bool markers_only);

#endif
