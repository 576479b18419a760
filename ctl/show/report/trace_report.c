// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_report.c - what all formats of a recording's report share.  See trace_report.h. */
#include "ctl/show/report/trace_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"

static void add_times(uint64_t *sum, const uint64_t *time)
{
	for (int i = 0; i < NR_DOINGS; i++)
		sum[i] += time[i];
}

/* The time on a CPU of the tasks that were recorded; the rest is not known. */
static void add_confined(const struct trace_report *r, uint64_t *sum, uint64_t all)
{
	for (size_t i = 0; i < r->a->nr_tasks; i++)
		if (analysis_knows(r->a, r->a->tasks[i]))
			add_times(sum, r->a->tasks[i]->time);
	sum[DOING_UNKNOWN] = all;
	for (int i = 0; i < NR_RUNNING; i++)
		sum[DOING_UNKNOWN] -= sum[i];
}

struct trace_system trace_system(const struct trace_report *r)
{
	struct trace_system system = { .cpus = 0 };
	uint64_t time[NR_DOINGS] = { 0 };

	for (size_t i = 0; i < r->a->nr_cpus; i++) {
		system.cpus += !!r->a->cpus[i];
		if (r->a->cpus[i] && !r->a->confined)
			add_times(time, r->a->cpus[i]->time);
	}
	if (r->a->confined)
		add_confined(r, time, system.cpus * analysis_length(r->a));
	system.all = (double)system.cpus * analysis_length(r->a) * r->ns_per_tick;
	system.idle = time[DOING_IDLE] * r->ns_per_tick;
	system.user = time[DOING_USER] * r->ns_per_tick;
	system.either = time[DOING_EITHER] * r->ns_per_tick;
	system.unknown = time[DOING_UNKNOWN] * r->ns_per_tick;
	system.kernel = r->ns_per_tick * (time[DOING_CALL] + time[DOING_FAULT] + time[DOING_KERNEL] +
					  time[DOING_IRQ] + time[DOING_SOFTIRQ]);
	system.is_known = !r->live || (!r->braked && system.unknown <= SHARE_ERROR * system.all);
	system.knows_user = trace_knows_user(r->a) && system.is_known &&
			    (!r->live || system.either <= EITHER_ERROR * system.all);
	return system;
}

/* A time in JSON, and its part of all for people. */
static void add_part(struct sheet *sheet, const char *key, const char *heading, bool known, double ns, double all)
{
	cell_time(sheet, key, NULL, ns)->known = known;
	cell_format(sheet, NULL, heading, "%.1f %%", all > 0 ? 100 * ns / all : 0)->known = known;
}

struct sheet trace_system_sheet(const struct trace_report *r)
{
	const struct trace_system x = trace_system(r);
	const bool user = trace_knows_user(r->a), known = x.is_known;
	struct sheet sheet = { .key = "system", .form = SHEET_OBJECT };

	sheet_row(&sheet);
	cell_number(&sheet, "cpus", NULL, x.cpus);
	cell_time(&sheet, "all_ns", NULL, x.all);
	add_part(&sheet, "idle_ns", r->tasks ? NULL : "idle", known && !r->tasks, x.idle, x.all);
	add_part(&sheet, "user_ns", user ? "user" : NULL, x.knows_user, x.user, x.all);
	add_part(&sheet, "kernel_ns", user ? "kernel" : NULL, x.knows_user, x.kernel, x.all);
	add_part(&sheet, NULL, user ? NULL : "busy", known, x.user + x.kernel + x.either, x.all);
	add_part(&sheet, NULL, user && x.either ? "user or kernel" : NULL, known, x.either, x.all);
	add_part(&sheet, "user_or_kernel_ns", NULL, true, x.either, x.all);
	add_part(&sheet, "unknown_ns", x.unknown ? "not known" : NULL, true, x.unknown, x.all);
	return sheet;
}

/* ----------------------------------------------------------------- what is missing */

#define CALL_EVENTS	"syscall_entry_* and syscall_exit_*"

/* The events that a table is made of: all of these kinds, or one of these. */
static const struct source {
	enum event_id events[4];
	bool one_is_enough;
	const char *names, *sets;	/* for people; NULL: another note says it */
} sources[NR_BYS] = {
	[BY_PROCESS] = { { EVENT_SWITCH }, .names = NULL }, [BY_THREAD] = { { EVENT_SWITCH }, .names = NULL },
	[BY_COMMAND] = { { EVENT_SWITCH }, .names = NULL }, [BY_CPU] = { { EVENT_SWITCH }, .names = NULL },
	[BY_TREE] = { { EVENT_SWITCH }, .names = NULL }, [BY_CRITICAL] = { { EVENT_SWITCH }, .names = NULL },
	[BY_SYSCALL] = { { EVENT_CALL_ENTRY, EVENT_CALL_EXIT }, false, CALL_EVENTS, "syscalls" },
	[BY_PROCESS_SYSCALL] = { { EVENT_CALL_ENTRY, EVENT_CALL_EXIT }, false, CALL_EVENTS, "syscalls" },
	[BY_FILE] = { { EVENT_CALL_ENTRY, EVENT_CALL_EXIT }, false, CALL_EVENTS, "syscalls" },
	[BY_IRQ] = { { EVENT_IRQ_ENTRY, EVENT_SOFTIRQ_ENTRY, EVENT_VECTOR_ENTRY, EVENT_TIMER_ENTRY }, true,
		     "irq_handler_entry, irq_softirq_entry or others", "irq,softirq" },
	[BY_DISK] = { { EVENT_RQ_ISSUE, EVENT_RQ_COMPLETE }, false, "block_rq_issue and block_rq_complete", "block" },
	[BY_NETWORK] = { { EVENT_NET_OUT, EVENT_NET_IN }, true, "net_dev_queue or net_if_receive_skb", "net" },
};

bool trace_lacks(const struct trace_report *r, enum report_by by)
{
	const struct source *source = &sources[by];
	size_t has = 0, all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(source->events) && source->events[i]; i++) {
		all++;
		has += r->a->has[source->events[i]];
	}
	return source->one_is_enough ? !has : has < all;
}

char *trace_empty(const struct trace_report *r, enum report_by by, size_t rows)
{
	const struct source *source = &sources[by];

	if (trace_lacks(r, by) && source->names)
		return mem_printf("no figures by %s: they need %s, which were not %srecorded: 'record --events %s' records them",
				  report_bys[by], source->names, source->one_is_enough ? "" : "both ", source->sets);
	if (rows || trace_lacks(r, by))
		return NULL;
	return mem_printf("no figures by %s: its events were to be recorded, and there was none", report_bys[by]);
}

/* ----------------------------------------------------------------------- notes */

static char *lost_note(const struct trace_report *r)
{
	char n[DURATION_SIZE];

	if (r->live && r->a->lost)
		return mem_printf("%s records were lost in this interval: '?' is what they would have told; enlarge --buffer, or record fewer --events",
				  count_text(r->a->lost, n));
	return r->a->lost ? mem_printf("%s records were lost: the figures count only what was recorded, and times are not known until an event tells them again",
				       count_text(r->a->lost, n)) : NULL;
}

static char *tasks_note(const struct trace_report *r)
{
	if (!r->tasks)
		return NULL;
	return mem_printf("only %s was recorded: all other time is not known, idle time included; of interrupts, disks and network only what happened in these tasks is there",
			  r->tasks);
}

static char *braked_note(const struct trace_report *r)
{
	char n[DURATION_SIZE];

	if (r->live && r->braked)
		return mem_printf("the brake turned away %s hits in this interval, so no figure is known: record fewer --events, or raise the module's parameter 'brake'",
				  count_text(r->braked, n));
	return r->braked ? mem_printf("the brake turned away %s hits since the recording began: the figures do not count them, and times around them may be wrong",
				      count_text(r->braked, n)) : NULL;
}

static char *off_note(const struct trace_report *r)
{
	return r->off ? mem_printf("the brake switched %" PRIu32 " tracepoint%s off: later events there are neither recorded nor counted as lost",
				   r->off, r->off == 1 ? "" : "s") : NULL;
}

static char *open_note(const struct trace_report *r)
{
	return r->open ? mem_strdup("the recorder was killed, or is still at work: what came last is missing, and it is not known whether the brake turned hits away")
		       : NULL;
}

static char *switch_note(const struct trace_report *r)
{
	return r->a->has[EVENT_SWITCH] ? NULL
				       : mem_strdup("no time of a process is known: sched_switch was not recorded");
}

static char *user_note(const struct trace_report *r)
{
	switch (analysis_calls(r->a)) {
	case CALLS_NONE:
		return mem_strdup("user time is not known: system calls were not recorded");
	case CALLS_SOME:
		return mem_printf("user time is not known: only %" PRIu32 " kinds of system calls were recorded",
				  r->a->declared.nr);
	default:
		return NULL;
	}
}

static char *fault_note(const struct trace_report *r)
{
	if (!trace_knows_user(r->a) || r->a->has[EVENT_FAULT_EXIT])
		return NULL;
	return mem_strdup("user time includes the handling of page faults: their ends were not recorded");
}

static char *interrupt_note(const struct trace_report *r)
{
	if (trace_knows_interrupts(r->a))
		return NULL;
	return mem_strdup("the time of interrupts counts for what they interrupted: not all of irq_handler_entry and irq_softirq_entry were recorded");
}

static char *wait_note(const struct trace_report *r)
{
	uint64_t blocked = 0;
	char text[DURATION_SIZE];

	for (size_t i = 0; i < r->a->nr_tasks; i++)
		blocked += analysis_knows(r->a, r->a->tasks[i]) ? r->a->tasks[i]->time[DOING_BLOCKED] : 0;
	if (r->a->no_iowait)
		return mem_strdup("waits for I/O are not known: they count as asleep, because sched_switch was recorded without prev_iowait");
	if (!blocked)
		return NULL;
	return mem_printf("asleep includes %s of tasks that were blocked when the recording began: they may have waited for I/O",
			  duration_text(blocked * r->ns_per_tick, text));
}

static char *either_note(const struct trace_report *r)
{
	const struct trace_system system = trace_system(r);
	char text[DURATION_SIZE];

	if (!trace_knows_user(r->a) || !system.either)
		return NULL;
	return mem_printf("for %s of running time it is not known whether it is user or kernel: no event told it yet",
			  duration_text(system.either, text));
}

static char *unknown_note(const struct trace_report *r)
{
	const struct trace_system system = trace_system(r);

	if (r->tasks || !system.unknown || !r->a->has[EVENT_SWITCH])
		return NULL;
	return mem_printf("%.2f %% of the CPUs' time is not known: before their first sched_switch, or after lost records",
			  100 * system.unknown / system.all);
}

static char *early_note(const struct trace_report *r)
{
	char n[DURATION_SIZE];

	if (!r->a->early || r->live)
		return NULL;
	return mem_printf("%s events are in no figure: they came before the state of the system was known",
			  count_text(r->a->early, n));
}

static char *contradiction_note(const struct trace_report *r)
{
	char n[DURATION_SIZE];

	if (!r->a->contradictions)
		return NULL;
	return mem_printf("%s events contradicted earlier ones: the times around them are not known",
			  count_text(r->a->contradictions, n));
}

static char *latency_note(const struct trace_report *r)
{
	if (r->a->has[EVENT_WAKING] || r->a->has[EVENT_WAKEUP])
		return NULL;
	return mem_strdup("waiting for a CPU is known only for tasks that were preempted: neither sched_waking nor sched_wakeup was recorded");
}

void trace_notes(const struct trace_report *r, void (*each)(void *arg, const char *text), void *arg)
{
	static char *(*const notes[])(const struct trace_report *r) = {
		lost_note, early_note, open_note, braked_note, off_note, tasks_note, switch_note,
		unknown_note, user_note, either_note, fault_note,
		interrupt_note, wait_note,
		latency_note, contradiction_note,
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		AUTO_FREE char *text = notes[i](r);

		if (text)
			each(arg, text);
	}
}
