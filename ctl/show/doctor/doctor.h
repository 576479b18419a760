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
#include <stdio.h>
#include <sys/utsname.h>

#include "ctl/base/sheet/sheet.h"
#include "ctl/live/session/session.h"
#include "symbols/query/distro.h"

enum doctor_result {
	DOCTOR_OK,
	DOCTOR_WARNING,		/* tracing works, another feature does not */
	DOCTOR_MISSING,		/* tracing needs it */
	DOCTOR_UNKNOWN,		/* the check failed; the value has the reason */
	DOCTOR_RESULTS,
};

/* Bytes to fetch, and to keep on the disk. */
struct repair_cost {
	bool known;
	bool about;		/* the bytes to keep are an estimate */
	uint64_t fetched, kept;
	char note[128];		/* about it, behind it; "": none */
};

struct finding {
	enum doctor_result result;
	char value[512];	/* the state */
	char mend[512];		/* the command that improves it; "": none, or nothing to do */
	struct repair_cost cost;	/* of mend */
	char without[256];	/* what works without mend; with it never "" */
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

/* Fill in *out. */
void found(struct finding *out, enum doctor_result result, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A repair that fetches and keeps nothing; without it, what is missing for tracing leaves WITHOUT_TRACING. */
void mend(struct finding *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A repair that keeps about so many bytes, and fetches none. */
void mend_keeping(struct finding *out, uint64_t bytes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A repair by another kernel, whose size depends on which one. */
void mend_by_kernel(struct finding *out);
void without(struct finding *out, const char *text);
/*
 * Mend by a package of the distribution, and tell the size of all that is installed with it, from the lists of packages on this
 * machine, without a server.  then: behind the command; "": nothing.
 */
void mend_by_package(const struct doctor *d, struct finding *out, enum distro_package package, const char *then);
/* The same for "apt install NAME". */
void mend_by_apt(const struct doctor *d, struct finding *out, const char *name, const char *then);

/* About the bytes that an installation keeps: by DKMS two modules, by make all of ktrace, and modules with debug information. */
#define KEPT_BY_DKMS	(UINT64_C(2) << 20)
#define KEPT_BY_INSTALL	(UINT64_C(25) << 20)

#define WITHOUT_TRACING	"print, report, export; as root show and where"

/* "850.0 MiB to fetch, 5.0 GiB to keep".  Returns buf. */
#define COST_SIZE	256
const char *repair_cost_text(const struct repair_cost *cost, char buf[COST_SIZE]);

/* ------------------------------------------------------------- all checks */

/* A finding for each check, and what they come to. */
struct diagnosis {
	struct finding *findings;
	size_t count[DOCTOR_RESULTS];
	char missing[256];		/* names of the missing checks */
};

void diagnosis_make(struct diagnosis *all, struct session *s);
/* The same; doctor_begin() is done. */
void diagnosis_examine(struct diagnosis *all, struct doctor *d);
void diagnosis_free(struct diagnosis *all);
/* For people: a row for each check; ascii: without marks.  For programs: `checks` with a row for each. */
void diagnosis_print(const struct diagnosis *all, FILE *out, bool colour, bool ascii);
struct sheet diagnosis_sheet(const struct diagnosis *all);

/*
 * A command failed for lack of something (err->lack): make the error's text that of the check which finds what is missing, with
 * the repair and its cost.  A remedy that is a package gets its cost.  What no check finds stays as it is.
 */
void doctor_complete(struct session *s, struct error *err);

/* ------------------------------------------------------------ for the checks */

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
