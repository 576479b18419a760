/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis.h - where the time of a recording went: by task, by CPU, by system call, by interrupt, by disk.
 *
 * Events go in one by one, in the order of their time.  Memory grows with the number of tasks, files, calls and
 * disks, never with the number of events.  Until an event determines a state, and after lost records until an
 * event determines it again, time counts as not known.  So the sums balance: for each task, all its times are its
 * lifetime; for each CPU, all its times are the length of the window.
 *
 * All times are in ticks of the trace's clock.
 */
#ifndef KTRACE_ANALYSIS_H
#define KTRACE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/samples.h"
#include "ctl/trace/analysis/event.h"
#include "ctl/trace/analysis/keymap.h"

/* What a task or a CPU does.  Every moment counts to exactly one of these. */
enum doing {
	/* On a CPU: */
	DOING_USER,		/* its own code: outside system calls, interrupts and softirqs */
	DOING_CALL,		/* in a system call */
	DOING_FAULT,		/* in a page fault; only if their ends were recorded */
	DOING_IRQ,		/* interrupted by an interrupt */
	DOING_SOFTIRQ,		/* interrupted by a softirq */
	DOING_KERNEL,		/* other kernel code: kernel threads, the end of a process */
	DOING_EITHER,		/* its own code or the kernel: which is not known */
	/* Not on a CPU: */
	DOING_WAIT_CPU,		/* runnable, or just created */
	DOING_WAIT_IO,
	DOING_BLOCKED,		/* asleep or waiting for I/O: which is not known */
	DOING_SLEEP,
	DOING_STOPPED,
	DOING_DEAD,		/* ended, and not yet removed by its parent */
	/* Neither is known: */
	DOING_UNKNOWN,
	/* CPUs only: */
	DOING_IDLE,
	NR_DOINGS,
};

#define NR_RUNNING	(DOING_EITHER + 1)	/* the first ones are those of running tasks */

struct spans {
	uint64_t count, sum, max;
};

enum privilege { PRIVILEGE_UNKNOWN, PRIVILEGE_USER, PRIVILEGE_KERNEL };

/* The code that a task executes, apart from interrupts. */
enum mode { MODE_UNKNOWN, MODE_USER, MODE_CALL, MODE_FAULT, MODE_KERNEL };

struct open_file {
	uint32_t name;		/* its number; 0: not known */
	bool closes;		/* exec closes it, or may do so */
	uint64_t since;		/* when it was seen opened; 0: before the recording */
};

/* A table of open files, which threads and processes may share. */
struct file_table {
	uint32_t number;	/* index in analysis.tables */
	uint32_t users;		/* tasks and processes */
	uint64_t address;	/* in the kernel, while the state is read; 0: not known */
	struct open_file *files;	/* [nr] by descriptor */
	uint32_t nr;
};

#define CHANNEL_USERS	2

/* A pipe, or a pair of sockets, that was seen made. */
struct channel {
	uint32_t name;
	const char *what;	/* "pipe" */
	int32_t maker;		/* pids */
	int32_t users[CHANNEL_USERS];	/* the first ones that moved bytes through it */
	unsigned int nr_users;	/* CHANNEL_USERS + 1: that many or more */
};

struct process {
	int32_t pid;
	uint32_t number;	/* index in analysis.processes */
	struct process *parent;	/* that has started it; NULL: not known */
	uint32_t name;		/* of its first thread; 0: not known */
	struct file_table *table;	/* of threads whose creation was not seen; NULL: none yet */
};

struct cpu;

/* What a task did under one of its names. */
struct figures {
	uint64_t lifetime;
	uint64_t time[NR_DOINGS];
	uint64_t events, calls;
	struct spans latency;
};

/* A name that a task has given up. */
struct spell {
	uint32_t name;
	uint64_t until;
	struct figures so_far;	/* sums since the window began; latency.max: since it got the name */
};

enum { NEWBORN_SHARES = 1, NEWBORN_COPIES };	/* its creator's open files */

struct task {
	int32_t tid;
	uint32_t number;	/* index in analysis.tasks */
	size_t nth;		/* index in analysis.living, while it lives */
	struct process *process;	/* NULL: not known */
	struct file_table *table;	/* NULL if its process is not known */
	uint32_t name;		/* 0: not known */
	enum privilege privilege;
	uint64_t born, died;	/* in the trace; died is UINT64_MAX while it lives */
	uint64_t time[NR_DOINGS];
	uint64_t events;	/* that happened while it ran */
	bool is_own;		/* of a confined recording: its own events were recorded */
	uint64_t calls;		/* system calls that ended */
	struct spans latency;	/* from its wake-up until it ran */
	uint64_t longest;	/* latency under its present name */
	struct spell *spells;	/* earlier names, in the window */
	uint32_t nr_spells;
	/* Its state now. */
	struct cpu *cpu;	/* NULL: it is not running */
	enum doing doing;	/* while it is not running */
	uint64_t since;		/* its times are complete up to here */
	enum mode mode, back;	/* back: the mode behind the page fault */
	uint32_t call;		/* number of the open system call in analysis.calls, plus 1; 0: none */
	uint64_t call_began;
	uint32_t call_file;	/* name of the file it is on; 0: none */
	int64_t call_args[EVENT_SLOTS];	/* the slots at its entry */
	uint32_t call_known;	/* which of them are known */
	uint64_t woken;		/* 0: no wake-up is pending */
	bool woken_early;	/* while it still ran */
};

#define CONTEXTS	12	/* nested interrupts; deeper ones are not followed */

enum work_kind { WORK_IRQ, WORK_VECTOR, WORK_SOFTIRQ, WORK_TIMER };

/* An interrupt, a vector of the CPU, a softirq, or the kernel's timers. */
struct work {
	enum work_kind kind;
	int64_t number;		/* of the interrupt or the softirq */
	uint32_t name;		/* 0: not known */
	struct spans time;	/* without the interrupts in it */
};

struct context {
	uint32_t work;		/* index in analysis.works */
	enum doing doing;
	uint64_t began;
	uint64_t nested;	/* time of contexts in it */
};

struct cpu {
	uint32_t number;
	enum { HOLDS_UNKNOWN, HOLDS_IDLE, HOLDS_TASK } holds;
	struct task *task;	/* HOLDS_TASK */
	uint64_t since;		/* its times are complete up to here */
	uint64_t time[NR_DOINGS];
	uint64_t idle;		/* no task ran; with the interrupts meanwhile */
	bool is_own;		/* of a confined recording: an event since the last switch is the task's own */
	uint64_t stint[NR_DOINGS];	/* of `time`: since the last switch */
	uint64_t events, lost;
	bool in_gap;		/* records of it are missing now */
	struct context contexts[CONTEXTS];
	unsigned int depth;
};

/* Numbers of errors.  Larger ones count as number 0, those of calls that a signal has interrupted as the last. */
#define ERRNOS		135
#define ERRNO_RESTART	(ERRNOS - 1)

struct call_kind;

struct call {
	uint32_t name;
	const struct call_kind *kind;	/* what it does to files; NULL: nothing that is followed */
	struct samples time;	/* from entry to exit, with buckets */
	uint64_t half;		/* calls of which only one end was seen */
	uint64_t errors;
	uint64_t *by_errno;	/* [ERRNOS]; NULL: none */
};

/* The calls of one task. */
struct call_use {
	uint32_t task, call;	/* indexes in analysis */
	struct spans time;
	uint64_t errors;
};

struct file {
	uint32_t name;
	struct spans time;	/* of the calls on it */
	uint64_t errors, read, written;	/* bytes */
};

enum direction { DIRECTION_READ, DIRECTION_WRITE, DIRECTION_OTHER, NR_DIRECTIONS };

struct disk {
	uint64_t dev;
	uint32_t name;		/* 0: not known */
	struct disk_use {
		uint64_t count, bytes;
		struct spans time;	/* from issue to completion */
	} uses[NR_DIRECTIONS];
	struct samples time;	/* of all, with buckets */
	struct spans queued;	/* from insertion to issue */
	uint64_t half;		/* completions of which the issue was not seen */
};

struct interface {
	uint32_t name;		/* 0: not known */
	uint64_t in, in_bytes, out, out_bytes;
};

/* Which system calls the recording has. */
enum calls_recorded { CALLS_NONE, CALLS_SOME, CALLS_ALL };

struct analysis {
	struct names names;
	uint64_t from, to;	/* the window: events outside only determine states */
	uint64_t begin, now;	/* the first event and the newest one */
	uint64_t complete;	/* not all events are recorded before; set it before the first event */
	uint64_t zero;		/* from which --from counts: the later of begin and complete */
	/*
	 * Only the events of some tasks were recorded, and all that tell about these.  Which tasks these are follows from
	 * the events: a switch from or to the idle task is recorded for the sake of the other one.  Set it before the first
	 * event.
	 */
	bool confined;
	bool begun;
	uint64_t events, lost;	/* in the window; lost: in the whole trace */
	uint64_t early;		/* events before `complete` */
	uint64_t *counts;	/* [nr_counts] events in the window by the number of their name */
	uint32_t nr_counts;

	struct task **tasks;	/* in the order in which they were seen */
	size_t nr_tasks;
	struct task **living;
	size_t nr_living;
	struct keymap by_tid;	/* of living tasks: index in tasks, plus 1 */
	struct process **processes;
	size_t nr_processes;
	struct keymap by_pid;	/* index in processes, plus 1 */
	struct file_table **tables;
	size_t nr_tables;
	struct keymap by_table;	/* address: index in tables, plus 1 */
	struct keymap newborn;	/* tid of a task whose fork event is to come: NEWBORN_* */

	struct cpu **cpus;	/* by number; NULL: without events */
	size_t nr_cpus;
	unsigned int gaps;	/* CPUs of which records are missing now */
	uint64_t contradictions;	/* events that did not fit the state */

	struct work *works;
	size_t nr_works;
	struct keymap by_work;

	struct call *calls;
	size_t nr_calls;
	struct keymap by_call;	/* number of the name: index in calls, plus 1 */
	struct call_use *uses;
	size_t nr_uses;
	struct keymap by_use;
	struct file *files;
	size_t nr_files;
	struct keymap by_file;	/* number of the name: index in files, plus 1 */
	struct channel *channels;
	size_t nr_channels;
	struct keymap by_channel;	/* number of the name: index in channels, plus 1 */
	uint64_t made_channels;

	struct samples latency;	/* of all tasks, with buckets */

	struct disk *disks;
	size_t nr_disks;
	struct keymap by_dev;
	struct request *requests;	/* pool */
	uint32_t nr_requests, free_request;
	struct keymap by_sector;	/* (disk, sector): index in requests, plus 1 */
	struct interface *interfaces;
	size_t nr_interfaces;
	struct keymap by_interface;

	/* What the recording has. */
	bool all_calls;		/* one event records all system calls */
	struct keymap declared;	/* numbers of the names of system calls */
	struct keymap typed;	/* numbers of all names of event_type */
	uint32_t kept;		/* names that the last analysis_forget_names() has kept */
	bool has[NR_EVENTS];	/* events of this kind */
	uint64_t no_iowait;	/* blocked tasks of which it is not known whether they wait for I/O */
};

/*
 * The window, in ticks behind analysis.zero: from <= ticks < to.  0 and UINT64_MAX: everything.  Free the result
 * with analysis_free().
 */
struct analysis *analysis_create(uint64_t from, uint64_t to);
void analysis_free(struct analysis *a);

/*
 * The kind of the events with this name.  Call it for every name that the recording can have before its first
 * event: it tells what was recorded.  name is not kept.
 */
struct event_type analysis_type(struct analysis *a, const char *name);

/* The next event: its time is not before that of the event before. */
void analysis_event(struct analysis *a, const struct analysis_event *e);

/*
 * Records of this CPU are missing from the time `from` on.  Events of other CPUs may follow.  from may be earlier
 * than the newest event, but not than the newest one of this CPU.
 */
void analysis_gap_begin(struct analysis *a, uint32_t cpu, uint64_t from);
/* The gap has ended at `to`: `lost` records are missing. */
void analysis_gap_end(struct analysis *a, uint32_t cpu, uint64_t to, uint64_t lost);

/* Behind the last event: complete the times. */
void analysis_finish(struct analysis *a);

/* After analysis_finish(): the length of the window, and the time that a task existed in it. */
uint64_t analysis_length(const struct analysis *a);
uint64_t analysis_lifetime(const struct analysis *a, const struct task *task);

/*
 * After analysis_finish(): what the task did under its i-th name, i from 0 to task->nr_spells.  Returns the number of
 * the name, 0: not known.
 */
uint32_t analysis_spell(const struct analysis *a, const struct task *task, uint32_t i, struct figures *out);
/* Its names in the window, "sh > dd"; "": not known.  The caller frees it. */
char *analysis_task_names(const struct analysis *a, const struct task *task);

/* After analysis_finish(): are the figures of this task known? */
static inline bool analysis_knows(const struct analysis *a, const struct task *task)
{
	return !a->confined || task->is_own;
}
/*
 * One analysis can give the figures of one interval after the other.  An interval ends with analysis_advance(), to the
 * time of its end, and analysis_finish(); analysis_restart() begins the next one there, as a new window, with all sums
 * at 0.  It forgets tasks and processes that have ended: pointers to tasks, calls and so on are not valid any more.
 */
/* All events until `t` were given: no later one is earlier. */
void analysis_advance(struct analysis *a, uint64_t t);
void analysis_restart(struct analysis *a);
/* Forget names that nothing has any more, if there are many of them: texts from names_text() are not valid any more. */
void analysis_forget_names(struct analysis *a);
/*
 * After lost records, the ends of tasks are missing, too.  alive has the tids of all tasks, as keys, that existed at
 * one time between `since` and now: forget those of which no event has told the state, and which are not among them.
 */
void analysis_forget_missing(struct analysis *a, const struct keymap *alive, uint64_t since);

enum calls_recorded analysis_calls(const struct analysis *a);

/* The name of a file for people: "pipe of 126 and 127".  The caller frees it. */
char *file_text(const struct analysis *a, uint32_t name);

#endif
