/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_row.h - one row for each event of the kernel that ktrace records by name.
 *
 * The rows of all architectures are in ctl/ask/events/rows.c; those of one in arch/<cpu>/user/events.c.  The recorded
 * names and fields are those of LTTng's kernel traces, so that viewers of such traces understand them.
 */
#ifndef KTRACE_EVENT_ROW_H
#define KTRACE_EVENT_ROW_H

enum event_set {
	EVENTS_SCHED, EVENTS_IRQ, EVENTS_SOFTIRQ, EVENTS_SYSCALLS, EVENTS_FAULTS, EVENTS_TIMERS, EVENTS_WORKQUEUE,
	EVENTS_PROCESS, EVENTS_SIGNALS, EVENTS_FS, EVENTS_BLOCK, EVENTS_MM, EVENTS_SWAP, EVENTS_NET, EVENTS_IPC,
	EVENTS_POWER,
	NR_EVENT_SETS,
};

#define EVENT_CORE	1	/* also in the set `core` */
#define EVENT_CALLS	2	/* of all system calls */
#define EVENT_READABLE	4	/* its fields read only what the kernel has just written */

struct event_row {
	enum event_set set;
	unsigned int flags;	/* EVENT_* */
	/* The tracefs directory of a static tracepoint; NULL: the row is a function, because there is none. */
	const char *system;
	/* Name of the tracepoint, or address of the function; "a or b": the first that this kernel has. */
	const char *at;
	const char *name;	/* as recorded */
	/*
	 * "field = expression; ...", by the parameters of the tracepoint or function.  "field = a or b": the first
	 * that this kernel can evaluate.  :N behind an expression: the text that it points at, N bytes of it.
	 */
	const char *fields;
	/* With EVENT_CALLS: the fields of each call; NULL: its arguments. */
	const char *call_fields;
};

#define EVENT_ROW(set_, flags_, system_, at_, name_, fields_) \
	{ .set = EVENTS_##set_, .flags = (flags_), .system = (system_), .at = (at_), .name = (name_), .fields = (fields_) }

/* The first fields of a system call whose arguments are not known by name: right for 32-bit programs, too. */
#define EVENT_CALL_FIELDS \
	"id = (s32)id; arg0 = $sysarg0; arg1 = $sysarg1; arg2 = $sysarg2; arg3 = $sysarg3; arg4 = $sysarg4; arg5 = $sysarg5; "

/* The rows of all system calls. */
#define EVENT_ROW_CALLS(at_, name_, fields_, call_fields_) \
	{ .set = EVENTS_SYSCALLS, .flags = EVENT_CORE | EVENT_CALLS, .system = "raw_syscalls", .at = (at_), \
	  .name = (name_), .fields = (fields_), .call_fields = (call_fields_) }

#endif
