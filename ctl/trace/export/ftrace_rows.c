// SPDX-License-Identifier: GPL-2.0-or-later
/* ftrace_rows.c - the events that Perfetto has a message for.  See ftrace_rows.h. */
#include "ctl/trace/export/ftrace_rows.h"

#include <string.h>

#include "ctl/base/memory.h"

#define FIELD(name_, number_, form_)	{ .name = (name_), .number = (number_), .form = FTRACE_##form_ }
#define F(name, number)		FIELD(name, number, AS_IS)
#define PRIO(name, number)	FIELD(name, number, PRIORITY)
#define RWBS(name, number)	FIELD(name, number, RWBS)
#define FUNC(name, number)	FIELD(name, number, FUNCTION)
/* The last arguments are the fields.  BUT: the third one is ftrace_row.without. */
#define ROW(event_, message_, ...)	{ .event = (event_), .message = (message_), .fields = { __VA_ARGS__ } }
#define BUT(event_, message_, without_, ...) \
	{ .event = (event_), .message = (message_), .without = (without_), .fields = { __VA_ARGS__ } }

#define WAKEUP		F("comm", 1), F("tid", 2), PRIO("prio", 3), F("target_cpu", 5)
#define TASK		F("comm", 1), F("tid", 2), PRIO("prio", 3)
#define VECTOR		F("vector", 1)
#define TIMER		F("timer", 1)
#define HRTIMER		F("hrtimer", 1)
#define SECTORS		F("dev", 1), F("sector", 2), F("nr_sector", 3)
#define REQUEST		SECTORS, F("bytes", 4), RWBS("rwbs", 5), F("comm", 6)
#define BIO		SECTORS, RWBS("rwbs", 4), F("comm", 5)
#define WORK		F("work", 1)

const struct ftrace_row ftrace_rows[] = {
	/* prev_iowait becomes the event sched_blocked_reason, see learn_switch(). */
	BUT("sched_switch", 4, "prev_iowait", F("prev_comm", 1), F("prev_tid", 2), PRIO("prev_prio", 3),
	    F("prev_state", 4), F("next_comm", 5), F("next_tid", 6), PRIO("next_prio", 7)),
	BUT("sched_waking", 20, "state", WAKEUP),
	ROW("sched_wakeup", 17, WAKEUP),
	ROW("sched_wakeup_new", 114, WAKEUP),
	ROW("sched_migrate_task", 491, F("comm", 1), F("tid", 2), PRIO("prio", 3), F("orig_cpu", 4), F("dest_cpu", 5)),
	ROW("sched_pi_setprio", 353, F("comm", 1), PRIO("newprio", 2), PRIO("oldprio", 3), F("tid", 4)),
	ROW("irq_handler_entry", 36, F("irq", 1), F("name", 2)),
	ROW("irq_handler_exit", 37, F("irq", 1), F("ret", 2)),
	ROW("irq_softirq_entry", 24, F("vec", 1)),
	ROW("irq_softirq_exit", 25, F("vec", 1)),
	ROW("irq_softirq_raise", 26, F("vec", 1)),
	ROW("x86_irq_vectors_local_timer_entry", 559, VECTOR),
	ROW("x86_irq_vectors_local_timer_exit", 560, VECTOR),
	ROW("ipi_entry", 21, F("reason", 1)),
	ROW("ipi_exit", 22, F("reason", 1)),
	ROW("ipi_raise", 23, F("reason", 2)),
	ROW("timer_start", 555, F("timer", 1), FUNC("function", 2), F("expires", 3), F("now", 4), F("flags", 6)),
	ROW("timer_expire_entry", 557, F("timer", 1), F("now", 2), FUNC("function", 3), F("baseclk", 4)),
	ROW("timer_expire_exit", 558, TIMER),
	ROW("timer_cancel", 556, TIMER),
	ROW("timer_hrtimer_start", 551, F("hrtimer", 1), FUNC("function", 2), F("expires", 3), F("softexpires", 4),
	    F("mode", 5)),
	ROW("timer_hrtimer_expire_entry", 553, F("hrtimer", 1), F("now", 2), FUNC("function", 3)),
	ROW("timer_hrtimer_expire_exit", 554, HRTIMER),
	ROW("timer_hrtimer_cancel", 552, HRTIMER),
	ROW("workqueue_queue_work", 59, F("work", 1), FUNC("function", 2), F("req_cpu", 4)),
	ROW("workqueue_activate_work", 56, WORK),
	ROW("workqueue_execute_start", 58, F("work", 1), FUNC("function", 2)),
	ROW("workqueue_execute_end", 57, WORK),
	BUT("sched_process_fork", 239, "parent_pid child_pid parent_ns_inum child_ns_inum child_vtid vtids", F("parent_comm", 1), F("parent_tid", 2),
	    F("child_comm", 3), F("child_tid", 4)),
	ROW("sched_process_exec", 237, F("filename", 1), F("tid", 2), F("old_tid", 3)),
	ROW("sched_process_exit", 238, F("comm", 1), F("tid", 2), PRIO("prio", 4)),
	ROW("sched_process_free", 240, TASK),
	ROW("sched_process_wait", 242, TASK),
	ROW("task_newtask", 235, F("tid", 1), F("comm", 2), F("clone_flags", 3)),
	ROW("task_rename", 236, F("tid", 1), F("oldcomm", 2), F("newcomm", 3)),
	BUT("signal_generate", 325, "errno", F("code", 1), F("comm", 2), F("group", 3), F("pid", 4), F("result", 5),
	    F("sig", 6)),
	BUT("signal_deliver", 324, "errno sa_handler", F("code", 1), F("sa_flags", 2), F("sig", 3)),
	BUT("block_rq_insert", 126, "tid", REQUEST),
	BUT("block_rq_issue", 45, "tid", REQUEST),
	ROW("block_rq_requeue", 129, SECTORS, RWBS("rwbs", 5)),
	ROW("block_rq_complete", 125, SECTORS, RWBS("rwbs", 5), F("error", 7)),
	BUT("block_bio_queue", 119, "tid", BIO),
	BUT("block_bio_backmerge", 115, "tid", BIO),
	BUT("block_bio_frontmerge", 118, "tid", BIO),
	ROW("kmem_mm_page_alloc", 307, F("gfp_flags", 1), F("migratetype", 2), F("order", 3), F("page", 4)),
	ROW("kmem_mm_page_free", 310, F("order", 1), F("page", 2)),
	ROW("net_dev_xmit", 361, F("len", 1), F("name", 2), F("rc", 3), F("skbaddr", 4)),
	BUT("net_if_receive_skb", 360, "protocol network_header", F("len", 1), F("name", 2), F("skbaddr", 3)),
	ROW("power_cpu_frequency", 11, F("state", 1), F("cpu_id", 2)),
	ROW("power_cpu_idle", 13, F("state", 1), F("cpu_id", 2)),
};

const size_t nr_ftrace_rows = ARRAY_SIZE(ftrace_rows);

const struct ftrace_row *ftrace_row(const char *event)
{
	for (size_t i = 0; i < nr_ftrace_rows; i++)
		if (!strcmp(ftrace_rows[i].event, event))
			return &ftrace_rows[i];
	return NULL;
}

const struct ftrace_field *ftrace_field(const struct ftrace_row *row, const char *name)
{
	for (const struct ftrace_field *field = row->fields; field->name; field++)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}
