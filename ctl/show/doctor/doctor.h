/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - find out what a machine supports and what is missing, one check each.
 *
 * A check reads files below a root directory, so that a test can provide a machine.  A check changes nothing:
 * it does not load the module, contact a server or build an index.
 */
#ifndef KTRACE_DOCTOR_H
#define KTRACE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "ctl/live/session/session.h"
#include "symbols/query/distro.h"

enum doctor_result {
	DOCTOR_OK,
	DOCTOR_WARNING,		/* tracing works, another feature does not */
	DOCTOR_MISSING,		/* tracing needs it */
	DOCTOR_UNKNOWN,		/* the check failed; the value has the reason */
	DOCTOR_RESULTS,
};

struct finding {
	enum doctor_result result;
	char value[512];	/* the state */
	char mend[512];		/* the command that improves it; "": none, or nothing to do */
	char cost[256];		/* what that takes; "": nothing to speak of */
	uint64_t download, installed;	/* bytes, of a package that mend installs; 0: not known */
	char without[256];	/* what works without it; "": the value says that */
};

/* Properties of /proc/kallsyms, read once. */
struct doctor_symbols {
	size_t count;		/* 0: the file is unreadable */
	bool have_addresses;
	bool have_kprobes;
	bool have_data;		/* it has variables, too */
};

struct doctor {
	struct session *s;	/* s->root is the root directory */
	struct utsname kernel;
	struct doctor_symbols symbols;
	bool is_admin;		/* has CAP_SYS_ADMIN */
	bool is_loaded;		/* the module is loaded */
	bool is_connected;	/* to the module; needs both of the above */
	bool is_installed;	/* the module is installed for this kernel */
};

struct check {
	const char *name;
	/* out is DOCTOR_OK and empty.  A check may use the results that earlier checks left in d. */
	void (*look)(struct doctor *d, struct finding *out);
};

extern const struct check doctor_checks[];	/* the last row has name NULL */

/* The caller has set d->kernel. */
void doctor_begin(struct doctor *d, struct session *s);

/* For the checks: fill in *out. */
void found(struct finding *out, enum doctor_result result, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void mend(struct finding *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void without(struct finding *out, const char *text);
/* Mend by a package of the distribution, and tell its size from the lists of packages on this machine, without a server. */
void mend_by_package(const struct doctor *d, struct finding *out, enum distro_package package);

/* A path below the root.  The caller frees it. */
char *doctor_path(const struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The prefix of all paths. */
const char *doctor_root(const struct doctor *d);
bool doctor_has(const struct doctor *d, const char *path);
/* The first line of a file, without its end.  False: it is unreadable; line is "" and errno is set. */
bool doctor_line(const struct doctor *d, const char *path, char *line, size_t size);

void check_kernel(struct doctor *d, struct finding *out);
void check_kprobes(struct doctor *d, struct finding *out);
void check_rights(struct doctor *d, struct finding *out);
void check_module(struct doctor *d, struct finding *out);
void check_programs(struct doctor *d, struct finding *out);
void check_headers(struct doctor *d, struct finding *out);
void check_signing(struct doctor *d, struct finding *out);
void check_symbols(struct doctor *d, struct finding *out);
void check_btf(struct doctor *d, struct finding *out);
void check_debug_info(struct doctor *d, struct finding *out);
void check_clock(struct doctor *d, struct finding *out);
void check_events(struct doctor *d, struct finding *out);
void check_calibration(struct doctor *d, struct finding *out);

#endif
