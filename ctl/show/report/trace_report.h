/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_report.h - report where the time of a recording went, as text, JSON, CSV or HTML page.  docs/report.md is
 * the reference for programs.
 */
#ifndef KTRACE_TRACE_REPORT_H
#define KTRACE_TRACE_REPORT_H

#include <stdio.h>

#include "ctl/base/output.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/trace/analysis/analysis.h"
#include "ctl/trace/analysis/critical.h"
#include "ctl/trace/analysis/flow.h"

#define TRACE_REPORT_VERSION	1	/* version of the JSON and CSV schemas: docs/report.md */

enum report_by {
	BY_NOTHING,		/* a summary */
	BY_PROCESS, BY_THREAD, BY_COMMAND, BY_CPU, BY_SYSCALL, BY_PROCESS_SYSCALL, BY_IRQ, BY_FILE, BY_DISK,
	BY_NETWORK, BY_EVENT,
	BY_TREE,
	BY_CRITICAL,		/* only with the parts of a critical path */
	NR_BYS,
};

struct trace_report {
	const struct analysis *a;
	double ns_per_tick;
	const char *dir, *host, *kernel;
	const char *typed;	/* the command, for the page; NULL: unknown */
	const char *tasks;	/* only these were recorded; NULL: all */
	double began;		/* seconds since 1970: when the window begins */
	enum report_by by;
	bool colour;
	bool live;		/* an interval of what happens now: no directory */
	uint64_t pid;		/* live: only the rows of this process; 0: all */
	uint64_t braked;	/* hits that the module's brake turned away; live: in this interval */
	uint64_t recorded;	/* events in the whole recording; 0: not known */
	uint32_t off;		/* tracepoints that the brake has switched off; not live */
	bool open;		/* the recorder was killed, or is still at work */
	const struct task *waiter;	/* BY_CRITICAL: the task, and the parts of its critical path */
	const struct critical_part *parts;
	size_t nr_parts;
};

/*
 * Hide what lost records make wrong: in an interval, a figure is true or unknown.  A share is unknown where more than
 * 0.05 % of the interval is.  Also leave out the rows of other processes.
 */
void trace_live(const struct trace_report *r, struct sheet *sheet);

/* The names of --by; the last is NULL. */
extern const char *const report_bys[];
enum report_by report_by_named(const char *name);	/* BY_NOTHING: there is none */

/* Fill the tree of processes into its sheet. */
void trace_tree(const struct trace_report *r, struct sheet *sheet, enum report_by by);

/* Fill files, disks and networks into their sheets. */
void trace_files(const struct trace_report *r, struct sheet *sheet, enum report_by by);
void trace_disks(const struct trace_report *r, struct sheet *sheet, enum report_by by);
void trace_networks(const struct trace_report *r, struct sheet *sheet, enum report_by by);

/* Fill the critical path into its sheet. */
void trace_critical(const struct trace_report *r, struct sheet *sheet, enum report_by by);

/* The figures by this key, sorted.  by is not BY_NOTHING.  The caller frees it with sheet_free(). */
struct sheet trace_sheet(const struct trace_report *r, enum report_by by);

/* The lines above the tables: the whole system, and the latency of wake-ups. */
void trace_report_head(const struct trace_report *r, FILE *out);
void trace_report_text(const struct trace_report *r, FILE *out);
void trace_report_json(const struct trace_report *r, FILE *out);
void trace_report_csv(const struct trace_report *r, FILE *out);
void trace_report_html(const struct trace_report *r, FILE *out);

#define SHARE_ERROR	0.0005	/* of the whole: people see one digit of a per cent */

/* The same for user and kernel of the whole system: their unknown part is beside them. */
#define EITHER_ERROR	0.01

/* The whole system: the time of all CPUs, in ns. */
struct trace_system {
	double all, idle, user, kernel, either, unknown;
	unsigned int cpus;
	bool is_known;		/* false in an interval, if more than 0.05 % are unknown */
	bool knows_user;	/* false if user and kernel cannot be told apart */
};

struct trace_system trace_system(const struct trace_report *r);
/* The same as one row.  The caller frees it with sheet_free(). */
struct sheet trace_system_sheet(const struct trace_report *r);

/* Is the time in the tasks' own code known?  Are interrupts told apart? */
bool trace_knows_user(const struct analysis *a);
bool trace_knows_interrupts(const struct analysis *a);

/* "irq", "softirq", "cpu" or "timer"; and which one, NULL if that is not known. */
const char *trace_work_kind(const struct work *work);
const char *trace_work_name(const struct analysis *a, const struct work *work);

/* "irq virtio0", "dd (4127)", "idle", "?".  The caller frees it. */
char *trace_agent_text(const struct analysis *a, const struct agent *agent);

/* The changes of control of one thread, as they arrive. */
struct flow_printer {
	const struct trace_report *r;
	enum print_format format;
	FILE *out;
	bool begun;
};

/* What a thread does, for programs and for people. */
const char *trace_doing_key(enum doing doing);
const char *trace_doing_text(enum doing doing);

/* Print a step.  printer is a struct flow_printer. */
void flow_print(void *printer, const struct flow_step *step);

/* Was nothing recorded that a table is made of? */
bool trace_lacks(const struct trace_report *r, enum report_by by);
/*
 * Why a table with so many rows has no figures, a sentence; NULL: it has some, or another note says it.  The caller
 * frees it.
 */
char *trace_empty(const struct trace_report *r, enum report_by by, size_t rows);

/* What the recording does not tell, a sentence each.  each is called for every sentence that applies. */
void trace_notes(const struct trace_report *r, void (*each)(void *arg, const char *text), void *arg);

/* Does the head show "-" for a percentile of too few latencies? */
bool trace_latency_has_few(const struct trace_report *r);

/* The percentile p50 or p99 of durations; false: too few of them. */
bool trace_percentile(const struct trace_report *r, const struct samples *s, const char *name, double *ns);

#endif
