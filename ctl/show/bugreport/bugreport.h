/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bugreport.h - one file with what one wants to know about a machine on which ktrace fails.
 *
 * It is plain text in one file: the form shows in the issue itself, its author reads all of it before it is sent, and no program
 * is needed for either.  An archive would hide what is in it.
 *
 * Each part writes only what it chooses: versions, numbers, and words of lists in the source.  Then privacy.h takes out of every
 * line what names this machine, its users, or addresses.  Nothing is changed: the module is asked only if it is loaded.
 */
#ifndef KTRACE_BUGREPORT_H
#define KTRACE_BUGREPORT_H

#include <stdio.h>

#include "ctl/base/error.h"
#include "ctl/live/session/session.h"

struct bug_part {
	const char *name;
	const char *holds;	/* what the list says about it */
	void (*write)(struct session *s, FILE *out);
};

extern const struct bug_part bug_parts[];	/* the last row has name NULL */

/* The list of what a report holds, and what it does not. */
void bugreport_list(FILE *out);
/* Write the report to a file that does not exist, which only its owner may read.  The file appears when it is complete. */
bool bugreport_write(struct session *s, const char *path, struct error *err);

/* The parts. */
void bug_versions(struct session *s, FILE *out);
void bug_kernel(struct session *s, FILE *out);
void bug_doctor(struct session *s, FILE *out);
void bug_module(struct session *s, FILE *out);
void bug_counts(struct session *s, FILE *out);
void bug_log(struct session *s, FILE *out);
void bug_tracers(struct session *s, FILE *out);
void bug_cpus(struct session *s, FILE *out);

/* For the parts: "name            value" */
void bug_row(FILE *out, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with the first line of a file below the root of the session; nothing where there is none. */
void bug_file(const struct session *s, FILE *out, const char *name, const char *path);

#endif
