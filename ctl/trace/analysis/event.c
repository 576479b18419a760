// SPDX-License-Identifier: GPL-2.0-or-later
/* event.c - see event.h. */
#include "ctl/trace/analysis/event.h"

#include <string.h>

#include "ctl/base/memory.h"

/* A name with suffix "" begins with `name`; with another suffix it also ends with that; NULL: it is `name`. */
static const struct row {
	const char *name, *suffix;
	enum event_id id;
} rows[] = {
	{ "task_rename", NULL, EVENT_RENAME },
	{ "sched_switch", NULL, EVENT_SWITCH },
	{ "sched_waking", NULL, EVENT_WAKING },
	{ "sched_wakeup", NULL, EVENT_WAKEUP },
	{ "sched_wakeup_new", NULL, EVENT_WAKEUP_NEW },
	{ "task_newtask", NULL, EVENT_NEWTASK },
	{ "sched_process_fork", NULL, EVENT_FORK },
	{ "sched_process_exec", NULL, EVENT_EXEC },
	{ "sched_process_exit", NULL, EVENT_EXIT },
	{ "sched_process_free", NULL, EVENT_FREE },
	{ "irq_handler_entry", NULL, EVENT_IRQ_ENTRY },
	{ "irq_handler_exit", NULL, EVENT_IRQ_EXIT },
	{ "irq_softirq_entry", NULL, EVENT_SOFTIRQ_ENTRY },
	{ "irq_softirq_exit", NULL, EVENT_SOFTIRQ_EXIT },
	{ "x86_irq_vectors_", "_entry", EVENT_VECTOR_ENTRY },
	{ "x86_irq_vectors_", "_exit", EVENT_VECTOR_EXIT },
	{ "ipi_entry", NULL, EVENT_VECTOR_ENTRY },
	{ "ipi_exit", NULL, EVENT_VECTOR_EXIT },
	{ "timer_hrtimer_expire_entry", NULL, EVENT_TIMER_ENTRY },
	{ "timer_hrtimer_expire_exit", NULL, EVENT_TIMER_EXIT },
	{ "x86_exceptions_page_fault_user", NULL, EVENT_FAULT_USER },
	{ "x86_exceptions_page_fault_kernel", NULL, EVENT_FAULT_KERNEL },
	{ "x86_exceptions_page_fault_exit", NULL, EVENT_FAULT_EXIT },
	{ "syscall_entry_", "", EVENT_CALL_ENTRY },
	{ "syscall_exit_", "", EVENT_CALL_EXIT },
	{ "compat_syscall_entry_", "", EVENT_CALL_ENTRY },
	{ "compat_syscall_exit_", "", EVENT_CALL_EXIT },
	{ "block_rq_insert", NULL, EVENT_RQ_INSERT },
	{ "block_rq_issue", NULL, EVENT_RQ_ISSUE },
	{ "block_rq_requeue", NULL, EVENT_RQ_REQUEUE },
	{ "block_rq_complete", NULL, EVENT_RQ_COMPLETE },
	{ "net_dev_queue", NULL, EVENT_NET_OUT },
	{ "net_if_receive_skb", NULL, EVENT_NET_IN },
	{ "lttng_statedump_start", NULL, EVENT_DUMP_START },
	{ "lttng_statedump_end", NULL, EVENT_DUMP_END },
	{ "lttng_statedump_process_state", NULL, EVENT_DUMP_PROCESS },
	{ "lttng_statedump_file_descriptor", NULL, EVENT_DUMP_FILE },
	{ "lttng_statedump_block_device", NULL, EVENT_DUMP_DISK },
};

#define WAKE	{ [WAKE_COMM] = "comm", [WAKE_TID] = "tid", [WAKE_CPU] = "target_cpu" }
#define END	{ [EXIT_TID] = "tid", [EXIT_COMM] = "comm" }
#define IRQ	{ [IRQ_NUMBER] = "irq", [IRQ_NAME] = "name" }
#define RQ	{ [RQ_DEV] = "dev", [RQ_SECTOR] = "sector", [RQ_NR_SECTOR] = "nr_sector", [RQ_RWBS] = "rwbs" }
#define CALL	{ [CALL_FD] = "fd", [CALL_NAME] = "filename", [CALL_OLDFD] = "oldfd", [CALL_NEWFD] = "newfd", \
		  [CALL_CMD] = "cmd", [CALL_ARG] = "arg", [CALL_FLAGS] = "flags", [CALL_TYPE] = "type", \
		  [CALL_RET] = "ret", [CALL_ID] = "id", [CALL_LAST] = "max_fd", \
		  [CALL_FIRST_END] = "fd0", [CALL_SECOND_END] = "fd1", \
		  [CALL_COMPAT] = "compat" }
#define NET	{ [NET_LEN] = "len", [NET_NAME] = "name" }

static const char *const slots[NR_EVENTS][EVENT_SLOTS] = {
	[EVENT_RENAME] = { [RENAME_TID] = "tid", [RENAME_COMM] = "newcomm" },
	[EVENT_SWITCH] = { [SWITCH_PREV_COMM] = "prev_comm", [SWITCH_PREV_TID] = "prev_tid",
			   [SWITCH_PREV_STATE] = "prev_state", [SWITCH_PREV_IOWAIT] = "prev_iowait",
			   [SWITCH_NEXT_COMM] = "next_comm", [SWITCH_NEXT_TID] = "next_tid" },
	[EVENT_WAKING] = WAKE, [EVENT_WAKEUP] = WAKE, [EVENT_WAKEUP_NEW] = WAKE,
	[EVENT_NEWTASK] = { [NEWTASK_TID] = "tid", [NEWTASK_FLAGS] = "clone_flags" },
	[EVENT_FORK] = { [FORK_PARENT_TID] = "parent_tid", [FORK_PARENT_PID] = "parent_pid",
			 [FORK_CHILD_TID] = "child_tid", [FORK_CHILD_PID] = "child_pid",
			 [FORK_CHILD_COMM] = "child_comm" },
	[EVENT_EXEC] = { [EXEC_TID] = "tid", [EXEC_FILENAME] = "filename" },
	[EVENT_EXIT] = END, [EVENT_FREE] = END,
	[EVENT_IRQ_ENTRY] = IRQ, [EVENT_IRQ_EXIT] = IRQ,
	[EVENT_SOFTIRQ_ENTRY] = { [SOFTIRQ_VEC] = "vec" }, [EVENT_SOFTIRQ_EXIT] = { [SOFTIRQ_VEC] = "vec" },
	[EVENT_CALL_ENTRY] = CALL, [EVENT_CALL_EXIT] = CALL,
	[EVENT_RQ_INSERT] = RQ, [EVENT_RQ_ISSUE] = RQ, [EVENT_RQ_REQUEUE] = RQ, [EVENT_RQ_COMPLETE] = RQ,
	[EVENT_NET_OUT] = NET, [EVENT_NET_IN] = NET,
	[EVENT_DUMP_PROCESS] = { [PROCESS_TID] = "tid", [PROCESS_PID] = "pid", [PROCESS_PPID] = "ppid",
				 [PROCESS_NAME] = "name", [PROCESS_TYPE] = "type", [PROCESS_MODE] = "mode",
				 [PROCESS_STATUS] = "status", [PROCESS_IOWAIT] = "iowait",
				 [PROCESS_TABLE] = "file_table_address" },
	[EVENT_DUMP_FILE] = { [FILE_PID] = "pid", [FILE_FD] = "fd", [FILE_NAME] = "filename",
			      [FILE_FLAGS] = "flags", [FILE_TABLE] = "file_table_address" },
	[EVENT_DUMP_DISK] = { [DISK_DEV] = "dev", [DISK_NAME] = "diskname" },
};

/* Arguments of system calls with the same meaning under other names. */
static const struct {
	const char *name;
	int slot;
} synonyms[] = {
	{ "fildes", CALL_FD }, { "epfd", CALL_FD }, { "ufd", CALL_FD }, { "mqdes", CALL_FD },
	{ "pathname", CALL_NAME }, { "uname", CALL_NAME }, { "u_name", CALL_NAME },
	{ "clone_flags", CALL_FLAGS }, { "unshare_flags", CALL_FLAGS },
};

static bool matches(const struct row *row, const char *name, const char **part, size_t *len)
{
	const size_t start = strlen(row->name), all = strlen(name), end = row->suffix ? strlen(row->suffix) : 0;

	*len = 0;
	if (!row->suffix)
		return !strcmp(name, row->name);
	if (strncmp(name, row->name, start) || all <= start + end || strcmp(name + all - end, row->suffix))
		return false;
	*part = name + start;
	*len = all - start - end;
	return true;
}

enum event_id event_find(const char *name, const char **part, size_t *len)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (matches(&rows[i], name, part, len))
			return rows[i].id;
	return EVENT_OTHER;
}

int event_slot(enum event_id id, const char *field)
{
	for (int i = 0; i < EVENT_SLOTS; i++)
		if (slots[id][i] && !strcmp(slots[id][i], field))
			return i;
	for (size_t i = 0; i < ARRAY_SIZE(synonyms) && (id == EVENT_CALL_ENTRY || id == EVENT_CALL_EXIT); i++)
		if (!strcmp(synonyms[i].name, field))
			return synonyms[i].slot;
	return -1;
}
