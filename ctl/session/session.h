/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - what commands work on: the device, symbols and reader, each
 * opened when a command first needs it, and how output is wanted.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/error.h"
#include "ctl/base/output.h"
#include "ctl/device/device.h"
#include "ctl/records/reader.h"
#include "ctl/resolve/probe_point.h"
#include "symbols/query/debug.h"
#include "symbols/symtab/symbols.h"

struct session {
	/* As wanted by the command line. */
	enum print_format format;
	bool colour;
	bool quiet;		/* no notes, no echo */
	bool dry_run;
	bool interactive;	/* a prompt: errors do not end it */
	FILE *out;		/* data */
	FILE *messages;
	const char *kallsyms;	/* file to load symbols from */
	bool uses_debug;	/* debug information is looked for */
	const char *vmlinux;	/* the file to take it from, NULL: look for it */
	const char **module_files;	/* of loaded modules, to take theirs from */
	size_t nr_module_files;
	bool yes;		/* no questions */

	const char *root;	/* in front of the paths that 'doctor' looks at, for tests; NULL: nothing */

	bool quit;
	int wait_status;	/* of the last command that was measured, as waitpid() has it: ktrace ends like it */
	unsigned int depth;	/* of nested `source` */
	bool told_frame;	/* what FRAME counts from was said */
	bool told_symbols;	/* why there are none was said */

	const char *input;	/* -i: the directory of a saved trace, instead of a kernel */
	struct saved *saved;

	struct device dev;
	bool connected;
	uint32_t scratch_measure;	/* what calibrates, once it was made; 0: not yet */
	struct reader *reader;
	struct symtab *tab;
	uint64_t modules;	/* fingerprint of the modules loaded when tab was */
	bool offline;		/* no kernel runs: tab is that of a file, and stays */
	struct debug *debug;
	char release[65];
	char *cache;
};

void session_init(struct session *s);
void session_end(struct session *s);

bool session_connect(struct session *s, struct error *err);
/* The saved trace of -i: open it, and take the symbols from there. */
bool session_saved(struct session *s, struct error *err);
/* Loaded again when modules came or went since: not to be kept over commands. */
bool session_symbols(struct session *s, struct error *err);
/* For what only shows less without them: NULL where there are none, which is noted once. */
const struct symtab *session_want_symbols(struct session *s);
bool session_reader(struct session *s, struct error *err);

/* `ktrace: TEXT` among the messages; not with -q. */
void session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with -q, too: the command did less than it was told. */
void session_warn(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an error, always; where ("FILE:3") may be NULL. */
void session_complain(struct session *s, const char *where, const struct error *err);

/* False with err set when what was printed could not be written. */
bool session_flush(struct session *s, struct error *err);

#endif
