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
#include "ctl/live/session/flag.h"
#include "ctl/live/session/session.h"

#define NEEDS_DEVICE	(1U << 0)	/* connect before it runs */
#define TAKES_SAVED	(1U << 1)	/* with -i it works on a saved trace instead */
#define PAGED		(1U << 2)	/* a pager shows its output where that is longer than the screen */
#define CHECKS_FIRST	(1U << 3)	/* it checks its arguments itself, then calls command_provide() */
#define GIVES_METRICS	(1U << 4)	/* it prints OpenMetrics if the session's format is that */

#define ANY_NUMBER	((size_t)-1)

/* What completes a command's arguments. */
enum completes {
	COMPLETE_NOTHING,
	COMPLETE_TRACE,		/* addresses and options */
	COMPLETE_SET,		/* tracepoints that are set */
	COMPLETE_TOPICS,	/* commands and options */
	COMPLETE_EVENTS,	/* events, their systems and sets */
	COMPLETE_BUFFER,	/* overwrite, discard */
	COMPLETE_VALUES,	/* variables and types of the kernel */
	COMPLETE_RECORDS,	/* IF and the fields of records */
	COMPLETE_PROCESSES,
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

/*
 * Connect to the device, or open the saved trace, as the row of words->v[0] says.  With CHECKS_FIRST the command calls
 * it, so that a mistake in its arguments is named even where there is no module.
 */
bool command_provide(struct session *s, const struct words *words, struct error *err);

/* words: the command and its arguments. */
bool command_run(struct session *s, const struct words *words, struct error *err);

/* The functions and flags of the rows, in cmd_*.c; oneshot.h has those of measurements. */
extern const struct flags list_flags, print_flags, follow_flags, explain_flags, index_flags, events_flags, report_flags,
	snapshot_flags, top_flags, export_flags, show_flags, bugreport_flags;
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
bool cmd_pairing(struct session *s, const struct words *words, struct error *err);
bool cmd_record(struct session *s, const struct words *words, struct error *err);
bool cmd_report(struct session *s, const struct words *words, struct error *err);
bool cmd_export(struct session *s, const struct words *words, struct error *err);
bool cmd_snapshot(struct session *s, const struct words *words, struct error *err);
bool cmd_top(struct session *s, const struct words *words, struct error *err);
bool cmd_run(struct session *s, const struct words *words, struct error *err);
bool cmd_show(struct session *s, const struct words *words, struct error *err);
bool cmd_where(struct session *s, const struct words *words, struct error *err);
bool cmd_status(struct session *s, const struct words *words, struct error *err);
bool cmd_bugreport(struct session *s, const struct words *words, struct error *err);
bool cmd_doctor(struct session *s, const struct words *words, struct error *err);
bool cmd_help(struct session *s, const struct words *words, struct error *err);
bool cmd_source(struct session *s, const struct words *words, struct error *err);
bool cmd_shell(struct session *s, const struct words *words, struct error *err);
bool cmd_quit(struct session *s, const struct words *words, struct error *err);

/* Follow into a directory until Ctrl-C, or until now_ms() reaches deadline (-1: never). */
bool follow_save(struct session *s, const char *dir, int64_t deadline, struct error *err);

#endif
