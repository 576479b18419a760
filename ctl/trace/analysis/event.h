/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - the events that the analysis understands, and the fields that it reads.
 *
 * Names are those of LTTng's kernel layout.  Each known field of an event has a slot.  A descriptor's fields are
 * resolved to slots once, when the descriptor is first seen.  Other events are only counted.
 */
#ifndef KTRACE_EVENT_H
#define KTRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_id {
	EVENT_OTHER,		/* only counted */
	EVENT_RENAME,		/* only counted by the analysis; runners.h needs it */
	EVENT_SWITCH,
	EVENT_WAKING, EVENT_WAKEUP, EVENT_WAKEUP_NEW,
	EVENT_NEWTASK, EVENT_FORK, EVENT_EXEC, EVENT_EXIT, EVENT_FREE,
	EVENT_IRQ_ENTRY, EVENT_IRQ_EXIT,
	EVENT_SOFTIRQ_ENTRY, EVENT_SOFTIRQ_EXIT,
	EVENT_VECTOR_ENTRY, EVENT_VECTOR_EXIT,
	EVENT_TIMER_ENTRY, EVENT_TIMER_EXIT,
	EVENT_FAULT_USER, EVENT_FAULT_KERNEL, EVENT_FAULT_EXIT,
	EVENT_CALL_ENTRY, EVENT_CALL_EXIT,
	EVENT_RQ_INSERT, EVENT_RQ_ISSUE, EVENT_RQ_REQUEUE, EVENT_RQ_COMPLETE,
	EVENT_NET_OUT, EVENT_NET_IN,
	EVENT_DUMP_START, EVENT_DUMP_END, EVENT_DUMP_PROCESS, EVENT_DUMP_FILE, EVENT_DUMP_DISK,
	NR_EVENTS,
};

#define EVENT_SLOTS	14	/* most slots of an event */

/* The slots of each event. */
enum { RENAME_TID, RENAME_COMM };
enum { SWITCH_PREV_COMM, SWITCH_PREV_TID, SWITCH_PREV_STATE, SWITCH_PREV_IOWAIT, SWITCH_NEXT_COMM, SWITCH_NEXT_TID };
#define SWITCH_STATE_DEAD	(0x10 | 0x20)	/* of prev_state: the task never runs again */
enum { WAKE_COMM, WAKE_TID, WAKE_CPU };
enum { NEWTASK_TID, NEWTASK_FLAGS };
enum { FORK_PARENT_TID, FORK_PARENT_PID, FORK_CHILD_TID, FORK_CHILD_PID, FORK_CHILD_COMM };
enum { EXEC_TID, EXEC_FILENAME };
enum { EXIT_TID, EXIT_COMM };
enum { IRQ_NUMBER, IRQ_NAME };
enum { SOFTIRQ_VEC };
enum {
	CALL_FD, CALL_NAME, CALL_OLDFD, CALL_NEWFD, CALL_CMD, CALL_ARG, CALL_FLAGS, CALL_TYPE, CALL_RET, CALL_ID,
	CALL_LAST,		/* of a range of descriptors */
	CALL_FIRST_END, CALL_SECOND_END,	/* descriptors of a new pipe or pair of sockets */
	CALL_COMPAT,
};
enum { RQ_DEV, RQ_SECTOR, RQ_NR_SECTOR, RQ_RWBS };
enum { NET_LEN, NET_NAME };
enum {
	PROCESS_TID, PROCESS_PID, PROCESS_PPID, PROCESS_NAME, PROCESS_TYPE, PROCESS_MODE, PROCESS_STATUS,
	PROCESS_IOWAIT, PROCESS_TABLE,
};
enum { FILE_PID, FILE_FD, FILE_NAME, FILE_FLAGS, FILE_TABLE };
enum { DISK_DEV, DISK_NAME };

/* The value of a slot. */
struct event_value {
	int64_t number;
	const uint8_t *text;	/* NULL: it is a number */
	uint16_t length;	/* of the text, which has no 0 */
	bool is_cut;		/* the text was longer */
};

/* The kind of an event, as its name tells. */
struct event_type {
	enum event_id id;
	uint32_t name;		/* number of its name */
	uint32_t part;		/* number of the name of the system call or of the interrupt vector; else 0 */
};

struct analysis_event {
	struct event_type type;
	uint32_t cpu;
	bool is_state;		/* it tells what exists: it did not happen, and is not counted */
	uint64_t ticks;
	uint32_t known;		/* bit n: slot n has a value; it was recorded and could be read */
	struct event_value value[EVENT_SLOTS];
};

static inline bool event_has(const struct analysis_event *e, unsigned int slot)
{
	return e->known >> slot & 1;
}

/*
 * Find the kind of an event by its name.  *part and *len: the variable part of the name, which names a system
 * call or an interrupt vector; *len is 0 if the event has none.
 */
enum event_id event_find(const char *name, const char **part, size_t *len);

/* The slot of a field; -1: the analysis does not read this field. */
int event_slot(enum event_id id, const char *field);

#endif
