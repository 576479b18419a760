/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - the commands, one row each.  Running, help, completion and the test of the man page use these
 * rows.
 */
#ifndef KTRACE_COMMAND_H
#define KTRACE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/error.h"
#include "ctl/base/lex.h"
#include "ctl/session/flag.h"
#include "ctl/session/session.h"

#define NEEDS_DEVICE	(1U << 0)	/* connect before it runs */
#define TAKES_SAVED	(1U << 1)	/* with -i it works on a saved trace instead */

#define ANY_NUMBER	((size_t)-1)

/* What completes a command's arguments. */
enum completes {
	COMPLETE_NOTHING,
	COMPLETE_TRACE,		/* addresses and options */
	COMPLETE_SET,		/* tracepoints that are set */
	COMPLETE_TOPICS,	/* commands and options */
	COMPLETE_EVENTS,	/* events, their systems and sets */
	COMPLETE_BUFFER,	/* overwrite, discard */
	COMPLETE_FILES,
};

struct command {
	const char *name;
	const char *arguments;	/* synopsis; "": none */
	size_t min_args, max_args;
	unsigned int needs;
	enum completes completes;
	bool (*run)(struct session *s, const struct words *words, struct error *err);
	const struct flags *flags;	/* options with a dash; NULL: none */
	const char *summary;	/* one line */
	const char *help;	/* further help without the flags; lines of at most 76 characters */
	const char *example;
};

extern const struct command commands[];	/* the last row has name NULL */

/*
 * Find a command by name or unique abbreviation.  A start is unique if it begins one name only, or several that
 * all extend the shortest of them (p: print, printclear).  NULL: err is set.
 */
const struct command *command_find(const char *name, struct error *err);

/* words: the command and its arguments. */
bool command_run(struct session *s, const struct words *words, struct error *err);

/* The functions and flags of the rows, in cmd_*.c; oneshot.h has those of measurements. */
extern const struct flags list_flags, print_flags, follow_flags, explain_flags, index_flags, events_flags, report_flags,
	snapshot_flags, top_flags, export_flags;
bool cmd_trace(struct session *s, const struct words *words, struct error *err);
bool cmd_delete(struct session *s, const struct words *words, struct error *err);
bool cmd_list(struct session *s, const struct words *words, struct error *err);
bool cmd_print(struct session *s, const struct words *words, struct error *err);
bool cmd_clear(struct session *s, const struct words *words, struct error *err);
bool cmd_printclear(struct session *s, const struct words *words, struct error *err);
bool cmd_follow(struct session *s, const struct words *words, struct error *err);
bool cmd_events(struct session *s, const struct words *words, struct error *err);
bool cmd_explain(struct session *s, const struct words *words, struct error *err);
bool cmd_index(struct session *s, const struct words *words, struct error *err);
bool cmd_freeze(struct session *s, const struct words *words, struct error *err);
bool cmd_unfreeze(struct session *s, const struct words *words, struct error *err);
bool cmd_buffer(struct session *s, const struct words *words, struct error *err);
bool cmd_save(struct session *s, const struct words *words, struct error *err);
bool cmd_latency(struct session *s, const struct words *words, struct error *err);
bool cmd_lines(struct session *s, const struct words *words, struct error *err);
bool cmd_record(struct session *s, const struct words *words, struct error *err);
bool cmd_report(struct session *s, const struct words *words, struct error *err);
bool cmd_export(struct session *s, const struct words *words, struct error *err);
bool cmd_snapshot(struct session *s, const struct words *words, struct error *err);
bool cmd_top(struct session *s, const struct words *words, struct error *err);
bool cmd_run(struct session *s, const struct words *words, struct error *err);
bool cmd_status(struct session *s, const struct words *words, struct error *err);
bool cmd_doctor(struct session *s, const struct words *words, struct error *err);
bool cmd_help(struct session *s, const struct words *words, struct error *err);
bool cmd_source(struct session *s, const struct words *words, struct error *err);
bool cmd_shell(struct session *s, const struct words *words, struct error *err);
bool cmd_quit(struct session *s, const struct words *words, struct error *err);

/* Print the fields of a static tracepoint, for `explain`. */
void events_explain(struct session *s, const struct probe_point *point);

/* Print the line about the rings, for `status` and `buffer`. */
void buffer_say(const struct kt_hello *hello, FILE *out);
/* "4 MiB" or "64 KiB". */
void buffer_say_bytes(uint64_t bytes, FILE *out);

#endif
