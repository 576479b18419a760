/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - what a machine allows and what it lacks, one check each.
 *
 * A check reads files below a root directory, so that a test can make up a machine.  Nothing is changed: the
 * module is not loaded, no server is asked, no index is made.
 */
#ifndef KTRACE_DOCTOR_H
#define KTRACE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "ctl/session/session.h"

enum doctor_result {
	DOCTOR_OK,
	DOCTOR_WARNING,		/* tracing works, something else does not */
	DOCTOR_MISSING,		/* tracing needs it */
	DOCTOR_UNKNOWN,		/* it could not be looked at; the value says why */
	DOCTOR_RESULTS,
};

struct finding {
	enum doctor_result result;
	char value[512];	/* what is there */
	char mend[512];		/* the command that changes it; "": there is none, or nothing to do */
};

/* The symbols of the kernel, by one look through /proc/kallsyms. */
struct doctor_symbols {
	size_t count;		/* 0: the file cannot be read */
	bool have_addresses;
	bool have_kprobes;
	bool have_data;		/* variables, too */
};

struct doctor {
	struct session *s;	/* s->root is the root directory */
	struct utsname kernel;
	struct doctor_symbols symbols;
	bool is_admin;		/* has CAP_SYS_ADMIN */
	bool is_loaded;		/* the module */
	bool is_connected;	/* to it, for which both are needed */
	bool is_installed;	/* for this kernel */
	bool is_signed;		/* the file of the installed module */
};

struct check {
	const char *name;
	/* out is DOCTOR_OK and empty; a check may use what those before it left in d. */
	void (*look)(struct doctor *d, struct finding *out);
};

extern const struct check doctor_checks[];	/* ends with name NULL */

/* The kernel of d->kernel, which the caller has set. */
void doctor_begin(struct doctor *d, struct session *s);

/* For the checks.  They return nothing: out is all they say. */
void found(struct finding *out, enum doctor_result result, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void mend(struct finding *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A path below the root, to be freed. */
char *doctor_path(const struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool doctor_has(const struct doctor *d, const char *path);
/* The first line of a file, without its end.  False, "" and errno where it cannot be read. */
bool doctor_line(const struct doctor *d, const char *path, char *line, size_t size);

void check_kernel(struct doctor *d, struct finding *out);
void check_kprobes(struct doctor *d, struct finding *out);
void check_rights(struct doctor *d, struct finding *out);
void check_module(struct doctor *d, struct finding *out);
void check_headers(struct doctor *d, struct finding *out);
void check_signing(struct doctor *d, struct finding *out);
void check_symbols(struct doctor *d, struct finding *out);
void check_btf(struct doctor *d, struct finding *out);
void check_debug_info(struct doctor *d, struct finding *out);
void check_clock(struct doctor *d, struct finding *out);
void check_events(struct doctor *d, struct finding *out);
void check_calibration(struct doctor *d, struct finding *out);

#endif
