/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - the environment of commands: device, symbols and reader, each opened when a command first needs
 * it, and the output settings.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/device/device.h"
#include "ctl/base/error.h"
#include "ctl/base/output.h"
#include "ctl/base/progress.h"
#include "ctl/live/session/terminal.h"
#include "ctl/trace/reader/reader.h"
#include "symbols/query/debug.h"
#include "symbols/symtab/symbols.h"

#define LIVE_SYMBOLS	"/proc/kallsyms"

struct flags;

struct session {
	/* Set by the command line. */
	enum print_format format;
	bool colour;
	bool on_terminal;	/* text goes to one, whose width it should fit */
	bool message_terminal;	/* the same for messages */
	bool quiet;		/* no notes, no echo */
	bool dry_run;
	bool interactive;	/* at a prompt: errors do not end the program */
	FILE *out;		/* stream of data */
	FILE *messages;
	const char *kallsyms;	/* file to load symbols from */
	bool uses_debug;	/* use debug information */
	bool finds_terminal;	/* find the holders of the terminal, and let the module leave them out */
	const char *vmlinux;	/* file with debug information; NULL: search for it */
	const char **module_files;	/* files of loaded modules with debug information */
	size_t nr_module_files;
	bool yes;		/* ask no questions */
	const char *debuginfod;	/* may its servers be asked: "ask" (on a terminal), "on", "off"; NULL: as KTRACE_DEBUGINFOD says */
	enum { FETCH_NOT_ASKED, FETCH_ALLOWED, FETCH_REFUSED } fetch;	/* the answer of the user */
	struct progress_line fetching;	/* out NULL: nothing is being fetched */
	bool keep_going;	/* a script goes on behind a command that failed */
	enum exit_status failed;	/* of the first such command; STATUS_OK: none */

	const char *pager;	/* shell command that shows output longer than the screen; NULL: none */

	const struct flags *own_flags;	/* options of ktrace itself; NULL: it has none, in tests */
	const char *root;	/* prefix of the paths that tell about the machine, for tests; NULL: none */

	char *typed;		/* the command that runs, as it was typed; NULL: none */
	bool quit;
	int wait_status;	/* of the last measured command, as from waitpid(): ktrace ends in the same way */
	unsigned int depth;	/* of nested `source` */
	bool told_frame;	/* a note has explained FRAME without debug information */
	bool told_symbols;	/* a note has explained why there are no symbols */
	struct progress_line indexing;	/* out NULL: no index is being built */
	struct {
		struct progress_line line;
		bool may_stop;	/* Ctrl-C ends it */
		bool shown;	/* the line has been on the screen; the prompt clears this when it has drawn itself anew */
	} reading;	/* of the kernel's symbols */

	const char *input;	/* -i: directory of a saved trace, in place of a kernel */
	struct saved *saved;

	struct device dev;
	bool connected;
	struct terminal terminal;	/* the holders that the module leaves out without SELF */
	uint32_t scratch_measure;	/* id of the measurement for calibration; 0: not made yet */
	uint32_t uprobe_measure;	/* the same, for that of uprobes */
	struct reader *reader;
	struct symtab *tab;
	struct old_symbols *old;	/* tables that tab replaced: symbols found in them are in use until the command ends */
	const char *module_list;	/* the file that tells whether modules came or went */
	uint64_t modules;	/* hash of the modules loaded when tab was read */
	bool offline;		/* tab is that of a file, not of a running kernel */
	struct debug *debug;
	struct programs *programs;	/* NULL: none was needed yet */
	struct user_code *code;		/* the same */
	struct lost *lost;		/* see lost.h */
	struct debug_options program_debug;	/* how to search for their debug information */
	char release[65];
	char *cache;
};

void session_init(struct session *s);
/* The device stays open until the process ends: so its last steps are left out, too, where SELF was not given. */
void session_end(struct session *s);

bool session_connect(struct session *s, struct error *err);
/* The saved trace of -i: open it, and take its symbols. */
bool session_saved(struct session *s, struct error *err);
/*
 * Work on the saved trace in dir, as with -i, until session_leave_saved().  False: it cannot be opened; err is set, and the
 * session is as before.
 */
bool session_enter_saved(struct session *s, const char *dir, struct session *before, struct error *err);
void session_leave_saved(struct session *s, const struct session *before);
/* The recording that a command reads: *dir as it was named behind the command, or that of -i.  False: both; err is set. */
bool session_one_dir(const struct session *s, const char *command, const char **dir, struct error *err);
/*
 * Load symbols, again if modules came or went since.  What was found in the table of before, and its debug information, stay
 * valid until session_drop_old(): keep them from one step of a command to the next, but not from one command to the next.
 */
bool session_symbols(struct session *s, struct error *err);
/* The table and its debug information are no longer those of the session; they are freed by session_drop_old(). */
void session_retire(struct session *s);
/* Free the tables of before.  Called between two commands, and between two completions. */
void session_drop_old(struct session *s);
/* At the begin of a command that can do without symbols: a note says once if there are none.  False: Ctrl-C ended it. */
bool session_begin_symbols(struct session *s, struct error *err);
/* Symbols for a command that can do without.  NULL: there are none; a note says so once. */
const struct symtab *session_want_symbols(struct session *s);
bool session_reader(struct session *s, struct error *err);

/* Print `ktrace: TEXT` as a message, unless -q is given. */
void session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, also with -q: the command did less than requested. */
void session_warn(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an error, always.  where is "FILE:3" or NULL. */
void session_complain(struct session *s, const char *where, const struct error *err);

/* On a terminal: break lines that are too long for it, from now on.  Returns the stream of before, for the end of that. */
FILE *session_fit(struct session *s);
void session_fit_end(struct session *s, FILE *before);

/* False: some output could not be written; err is set. */
bool session_flush(struct session *s, struct error *err);

#endif
