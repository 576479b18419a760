// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_sheets.c - the figures of a recording as tables.  See trace_report.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/trace_cells.h"
#include "ctl/show/report/trace_report.h"

const char *const report_bys[] = {
	"", "process", "thread", "command", "cpu", "syscall", "process-syscall", "irq", "file", "disk", "network",
	"event", "tree", "critical", NULL,
};

enum report_by report_by_named(const char *name)
{
	for (enum report_by by = BY_PROCESS; report_bys[by]; by++)
		if (!strcmp(report_bys[by], name))
			return by;
	return BY_NOTHING;
}

bool trace_knows_user(const struct analysis *a)
{
	return analysis_calls(a) == CALLS_ALL;
}

bool trace_knows_interrupts(const struct analysis *a)
{
	return a->has[EVENT_IRQ_ENTRY] && a->has[EVENT_SOFTIRQ_ENTRY];
}

bool trace_percentile(const struct trace_report *r, const struct samples *s, const char *name, double *ns)
{
	const struct measure_field *field = measure_field_find(name);
	const struct measurement m = { .kind = MEASURE_CALL, .ns_per_tick = r->ns_per_tick, .all = *s };

	if (!measure_known(&m, field))
		return false;
	*ns = field->get(&m);
	return true;
}

/* --------------------------------------------- processes, threads and commands */

/* Tasks that are one row. */
struct task_group {
	int64_t pid, tid;	/* -1: none, or not known */
	uint32_t name;
	const struct task *named;	/* whose names the row has: the thread, or the first one of the process */
	uint64_t threads, lifetime, events, calls;
	uint64_t time[NR_DOINGS];
	struct spans latency;
};

#define TASK_COLUMNS \
	{ "threads", NULL, CELL_NUMBER }, { "lifetime_ns", NULL, CELL_TIME }, { "running_ns", "running", CELL_SHARE }, \
		{ "user_ns", "user", CELL_SHARE }, { "kernel_ns", "kernel", CELL_SHARE }, \
		{ "interrupts_ns", "irqs", CELL_SHARE }, { "wait_cpu_ns", "wait cpu", CELL_SHARE }, \
		{ "wait_io_ns", "wait i/o", CELL_SHARE }, { "asleep_ns", "asleep", CELL_SHARE }, \
		{ "unknown_ns", "unknown", CELL_SHARE }, { "syscall_ns", NULL, CELL_TIME }, \
		{ "fault_ns", NULL, CELL_TIME }, \
		{ "other_kernel_ns", NULL, CELL_TIME }, { "irq_ns", NULL, CELL_TIME }, { "softirq_ns", NULL, CELL_TIME }, \
		{ "user_or_kernel_ns", NULL, CELL_TIME }, { "blocked_ns", NULL, CELL_TIME }, \
		{ "stopped_ns", NULL, CELL_TIME }, \
		{ "dead_ns", NULL, CELL_TIME }, { "syscalls", NULL, CELL_NUMBER }, { "wakeups", NULL, CELL_NUMBER }, \
		{ "latency_mean_ns", NULL, CELL_TIME }, \
		{ "latency_max_ns", NULL, CELL_TIME }, { "events", NULL, CELL_NUMBER },

static const struct sheet_column process_columns[] = {
	{ "pid", "pid", CELL_ID }, { "name", NULL, CELL_TEXT }, { "names", "process", CELL_TEXT }, TASK_COLUMNS
};
static const struct sheet_column thread_columns[] = {
	{ "pid", "pid", CELL_ID }, { "tid", "tid", CELL_ID }, { "name", NULL, CELL_TEXT }, { "names", "thread", CELL_TEXT },
	TASK_COLUMNS
};
static const struct sheet_column command_columns[] = { { "name", "command", CELL_TEXT }, TASK_COLUMNS };

/* The column running_ns is the third of TASK_COLUMNS. */
#define RUNNING_BEHIND	2

static uint64_t group_key(const struct task *task, enum report_by by, uint32_t name)
{
	if (by == BY_COMMAND)
		return name;
	if (by == BY_PROCESS && task->process)
		return UINT64_C(1) << 40 | task->process->number;
	return UINT64_C(2) << 40 | task->number;
}

static void group_add(struct task_group *group, const struct figures *figures)
{
	group->lifetime += figures->lifetime;
	group->events += figures->events;
	group->calls += figures->calls;
	for (int i = 0; i < NR_DOINGS; i++)
		group->time[i] += figures->time[i];
	spans_merge(&group->latency, &figures->latency);
}

static struct task_group group_of(const struct task *task, enum report_by by)
{
	const bool whole = by == BY_PROCESS && task->process;

	return (struct task_group){
		.pid = task->process ? task->process->pid : -1, .tid = task->tid,
		.name = whole && task->process->name ? task->process->name : task->name, .named = task,
	};
}

static uint64_t sum_of(const struct task_group *group, enum doing from, enum doing to)
{
	uint64_t sum = 0;

	for (enum doing i = from; i <= to; i++)
		sum += group->time[i];
	return sum;
}

static void add_state(const struct trace_report *r, struct sheet *sheet, const struct task_group *group,
		      enum doing doing)
{
	sheet_number(sheet, ns_of(r, group->time[doing]));
}

/* The columns that people see.  If not all system calls were recorded, some time in the kernel counts as either. */
static void add_shares(const struct trace_report *r, struct sheet *sheet, const struct task_group *group)
{
	const uint64_t *time = group->time;
	const uint64_t kernel = time[DOING_CALL] + time[DOING_FAULT] + time[DOING_KERNEL];
	const bool known = trace_knows_user(r->a) || !time[DOING_EITHER];

	sheet_number(sheet, ns_of(r, sum_of(group, 0, DOING_EITHER)));
	add_if(sheet, known, ns_of(r, time[DOING_USER]));
	add_if(sheet, known, ns_of(r, kernel));
	add_if(sheet, trace_knows_interrupts(r->a), ns_of(r, time[DOING_IRQ] + time[DOING_SOFTIRQ]));
	add_state(r, sheet, group, DOING_WAIT_CPU);
	add_if(sheet, !r->a->no_iowait, ns_of(r, time[DOING_WAIT_IO]));
	sheet_number(sheet, ns_of(r, time[DOING_SLEEP] + time[DOING_BLOCKED] + time[DOING_STOPPED]));
	add_state(r, sheet, group, DOING_UNKNOWN);
}

static void add_group(const struct trace_report *r, struct sheet *sheet, const struct task_group *group)
{
	sheet_number(sheet, group->threads);
	sheet_number(sheet, ns_of(r, group->lifetime));
	add_shares(r, sheet, group);
	add_if(sheet, analysis_calls(r->a) != CALLS_NONE, ns_of(r, group->time[DOING_CALL]));
	add_if(sheet, r->a->has[EVENT_FAULT_EXIT], ns_of(r, group->time[DOING_FAULT]));
	add_state(r, sheet, group, DOING_KERNEL);
	add_if(sheet, r->a->has[EVENT_IRQ_ENTRY], ns_of(r, group->time[DOING_IRQ]));
	add_if(sheet, r->a->has[EVENT_SOFTIRQ_ENTRY], ns_of(r, group->time[DOING_SOFTIRQ]));
	add_state(r, sheet, group, DOING_EITHER);
	add_state(r, sheet, group, DOING_BLOCKED);
	add_state(r, sheet, group, DOING_STOPPED);
	add_state(r, sheet, group, DOING_DEAD);
	add_if(sheet, analysis_calls(r->a) != CALLS_NONE, group->calls);
	sheet_number(sheet, group->latency.count);
	add_mean(r, sheet, group->latency.sum, group->latency.count);
	add_max(r, sheet, &group->latency);
	sheet_number(sheet, group->events);
}

static void add_head(const struct trace_report *r, struct sheet *sheet, const struct task_group *group,
		     enum report_by by)
{
	const char *name = names_text(&r->a->names, group->name);

	if (by != BY_COMMAND)
		add_if(sheet, group->pid >= 0, group->pid);
	if (by == BY_THREAD)
		sheet_number(sheet, group->tid);
	if (name || group->pid >= 0 || by != BY_PROCESS)
		sheet_text(sheet, name);
	else
		sheet_format(sheet, "(thread %lld)", (long long)group->tid);
}

/* The first thread of a process may have ended before the window. */
static void add_names(const struct trace_report *r, struct sheet *sheet, const struct task_group *group)
{
	const bool is_first = group->pid < 0 || group->named->tid == group->pid;
	AUTO_FREE char *names = is_first ? analysis_task_names(r->a, group->named) : NULL;

	if (names && *names)
		sheet_format(sheet, "%s", names);
	else if (group->name || group->pid >= 0)
		sheet_text(sheet, names_text(&r->a->names, group->name));
	else
		sheet_format(sheet, "(thread %lld)", (long long)group->tid);
}

struct task_groups {
	struct task_group *v;
	size_t n;
	struct keymap map;	/* key of the group: index in v, plus 1 */
};

static struct task_group *group_at(struct task_groups *groups, const struct task *task, enum report_by by,
				   uint32_t name)
{
	const uint64_t key = group_key(task, by, name);
	uint32_t at = keymap_find(&groups->map, key);

	if (!at) {
		groups->v = MEM_MORE(groups->v, groups->n);
		groups->v[groups->n++] = group_of(task, by);
		at = groups->n;
		keymap_set(&groups->map, key, at);
		if (by == BY_COMMAND)
			groups->v[at - 1].name = name;
	}
	return &groups->v[at - 1];
}

/* What it did under each of its names.  Only the groups of commands are different ones. */
static void add_task(const struct trace_report *r, struct task_groups *groups, const struct task *task,
		     enum report_by by)
{
	struct figures figures;
	uint32_t last = 0;
	bool any = false;

	for (uint32_t i = 0; i <= task->nr_spells; i++) {
		const uint32_t name = analysis_spell(r->a, task, i, &figures);
		struct task_group *group;

		if (!figures.lifetime && task->nr_spells)
			continue;
		group = group_at(groups, task, by, name);
		group->threads += !any || (by == BY_COMMAND && name != last);
		last = name;
		any = true;
		if (by == BY_PROCESS && group->pid == task->tid)
			group->named = task;
		group_add(group, &figures);
	}
}

static void fill_tasks(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	struct task_groups groups = { .n = 0 };

	/* A task may have lived outside the window only, or its events were not recorded. */
	for (size_t i = 0; i < r->a->nr_tasks; i++)
		if (analysis_lifetime(r->a, r->a->tasks[i]) && analysis_knows(r->a, r->a->tasks[i]))
			add_task(r, &groups, r->a->tasks[i], by);
	for (size_t i = 0; i < groups.n; i++) {
		add_head(r, sheet, &groups.v[i], by);
		if (by != BY_COMMAND)
			add_names(r, sheet, &groups.v[i]);
		add_group(r, sheet, &groups.v[i]);
	}
	keymap_free(&groups.map);
	free(groups.v);
}

/* ------------------------------------------------------------------------ CPUs */

static const struct sheet_column cpu_columns[] = {
	{ "cpu", "cpu", CELL_ID }, { "idle_ns", "idle", CELL_SHARE }, { "user_ns", "user", CELL_SHARE },
	{ "kernel_ns", "kernel", CELL_SHARE }, { "irq_ns", "irqs", CELL_SHARE },
	{ "softirq_ns", "softirqs", CELL_SHARE }, { "user_or_kernel_ns", "user or kernel", CELL_SHARE },
	{ "unknown_ns", "unknown", CELL_SHARE },
	{ "events", "events", CELL_NUMBER }, { "lost", "lost", CELL_NUMBER },
};

static void fill_cpus(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->a->nr_cpus; i++) {
		const struct cpu *cpu = r->a->cpus[i];
		const uint64_t *time = cpu ? cpu->time : NULL;
		const bool known = cpu && !r->a->confined && (trace_knows_user(r->a) || !time[DOING_EITHER]);

		if (!cpu)
			continue;
		sheet_number(sheet, cpu->number);
		add_if(sheet, !r->a->confined, ns_of(r, time[DOING_IDLE]));
		add_if(sheet, known, ns_of(r, time[DOING_USER]));
		add_if(sheet, known, ns_of(r, time[DOING_CALL] + time[DOING_FAULT] + time[DOING_KERNEL]));
		add_if(sheet, !r->a->confined && r->a->has[EVENT_IRQ_ENTRY], ns_of(r, time[DOING_IRQ]));
		add_if(sheet, !r->a->confined && r->a->has[EVENT_SOFTIRQ_ENTRY], ns_of(r, time[DOING_SOFTIRQ]));
		add_if(sheet, !r->a->confined, ns_of(r, time[DOING_EITHER]));
		add_if(sheet, !r->a->confined, ns_of(r, time[DOING_UNKNOWN]));
		sheet_number(sheet, cpu->events);
		sheet_number(sheet, cpu->lost);
	}
}

/* ----------------------------------------------------------------- system calls */

static const struct sheet_column call_columns[] = {
	{ "name", "system call", CELL_TEXT }, { "count", "count", CELL_NUMBER }, { "errors", "errors", CELL_NUMBER },
	{ "commonest_error", "mostly", CELL_TEXT }, { "total_ns", "total", CELL_TIME },
	{ "mean_ns", "mean", CELL_TIME }, { "p50_ns", "p50", CELL_TIME }, { "p99_ns", "p99", CELL_TIME },
	{ "max_ns", "max", CELL_TIME }, { "unpaired", NULL, CELL_NUMBER }, { "errors_by_name", NULL, CELL_TEXT },
};

/* Number 0 is that of all without a name. */
static const char *error_name(int number)
{
	const char *name = number && number != ERRNO_RESTART ? strerrorname_np(number) : NULL;

	if (number == ERRNO_RESTART)
		return "ERESTART";
	return name ? name : "other";
}

static const char *commonest_error(const struct call *call)
{
	int most = 0;

	if (!call->by_errno)
		return "";
	for (int i = 1; i < ERRNOS; i++)
		if (call->by_errno[i] > call->by_errno[most])
			most = i;
	return error_name(most);
}

/* "ENOENT 3, EAGAIN 1". */
static void add_errors(struct sheet *sheet, const struct call *call)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	const char *comma = "";

	for (int i = 0; out && call->by_errno && i < ERRNOS; i++) {
		if (!call->by_errno[i])
			continue;
		fprintf(out, "%s%s %llu", comma, error_name(i), (unsigned long long)call->by_errno[i]);
		comma = ", ";
	}
	if (out)
		fclose(out);
	sheet_format(sheet, "%s", text ? text : "");
	free(text);
}

static void fill_calls(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->a->nr_calls; i++) {
		const struct call *call = &r->a->calls[i];
		const struct samples *time = &call->time;

		if (!time->count && !call->half)
			continue;
		sheet_text(sheet, names_text(&r->a->names, call->name));
		sheet_number(sheet, time->count);
		sheet_number(sheet, call->errors);
		sheet_text(sheet, commonest_error(call));
		sheet_number(sheet, ns_of(r, time->sum));
		add_mean(r, sheet, time->sum, time->count);
		add_percentile(r, sheet, time, "p50");
		add_percentile(r, sheet, time, "p99");
		add_if(sheet, time->count, ns_of(r, time->max));
		sheet_number(sheet, call->half);
		add_errors(sheet, call);
	}
}

static const struct sheet_column use_columns[] = {
	{ "pid", "pid", CELL_ID }, { "process", "process", CELL_TEXT }, { "name", "system call", CELL_TEXT },
	{ "count", "count", CELL_NUMBER }, { "errors", "errors", CELL_NUMBER }, { "total_ns", "total", CELL_TIME },
	{ "mean_ns", "mean", CELL_TIME }, { "max_ns", "max", CELL_TIME },
};

static void add_use(const struct trace_report *r, struct sheet *sheet, const struct call_use *use)
{
	const struct task_group group = group_of(r->a->tasks[use->task], BY_PROCESS);

	add_head(r, sheet, &group, BY_PROCESS);
	sheet_text(sheet, names_text(&r->a->names, r->a->calls[use->call].name));
	sheet_number(sheet, use->time.count);
	sheet_number(sheet, use->errors);
	sheet_number(sheet, ns_of(r, use->time.sum));
	add_mean(r, sheet, use->time.sum, use->time.count);
	add_max(r, sheet, &use->time);
}

/* One row for all threads of a process. */
static void fill_uses(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	const struct analysis *a = r->a;
	struct keymap map = { 0 };
	struct call_use *uses = NULL;
	size_t n = 0;

	for (size_t i = 0; i < a->nr_uses; i++) {
		const struct call_use *use = &a->uses[i];
		const uint64_t key = (uint64_t)use->call << 42 ^ group_key(a->tasks[use->task], BY_PROCESS, 0);
		uint32_t at = keymap_find(&map, key);

		if (!at) {
			uses = MEM_MORE(uses, n);
			uses[n++] = (struct call_use){ .task = use->task, .call = use->call };
			at = n;
			keymap_set(&map, key, at);
		}
		uses[at - 1].errors += use->errors;
		spans_merge(&uses[at - 1].time, &use->time);
	}
	for (size_t i = 0; i < n; i++)
		add_use(r, sheet, &uses[i]);
	keymap_free(&map);
	free(uses);
}

/* ------------------------------------------------------------------- interrupts */

static const struct sheet_column work_columns[] = {
	{ "kind", "kind", CELL_TEXT }, { "number", "number", CELL_ID }, { "name", "name", CELL_TEXT },
	{ "count", "count", CELL_NUMBER }, { "total_ns", "total", CELL_TIME }, { "mean_ns", "mean", CELL_TIME },
	{ "max_ns", "max", CELL_TIME },
};

const char *trace_work_kind(const struct work *work)
{
	static const char *const kinds[] = {
		[WORK_IRQ] = "irq", [WORK_VECTOR] = "cpu", [WORK_SOFTIRQ] = "softirq", [WORK_TIMER] = "timer",
	};

	return kinds[work->kind];
}

const char *trace_work_name(const struct analysis *a, const struct work *work)
{
	static const char *const softirqs[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
	};

	if (work->kind == WORK_SOFTIRQ && work->number >= 0 && work->number < (int64_t)ARRAY_SIZE(softirqs))
		return softirqs[work->number];
	if (work->kind == WORK_TIMER)
		return "hrtimer";
	return names_text(&a->names, work->name);
}

static void fill_works(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->a->nr_works; i++) {
		const struct work *work = &r->a->works[i];

		if (!work->time.count)
			continue;
		sheet_text(sheet, trace_work_kind(work));
		add_if(sheet, (work->kind == WORK_IRQ || work->kind == WORK_SOFTIRQ) && work->number >= 0,
		       work->number);
		sheet_text(sheet, trace_work_name(r->a, work));
		sheet_number(sheet, work->time.count);
		sheet_number(sheet, ns_of(r, work->time.sum));
		add_mean(r, sheet, work->time.sum, work->time.count);
		add_max(r, sheet, &work->time);
	}
}

/* ----------------------------------------------------------------------- events */

static const struct sheet_column event_columns[] = {
	{ "name", "event", CELL_TEXT }, { "count", "count", CELL_NUMBER },
};

static void fill_events(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (uint32_t i = 1; i < r->a->nr_counts && i <= r->a->names.nr; i++) {
		if (!r->a->counts[i])
			continue;
		sheet_text(sheet, names_text(&r->a->names, i));
		sheet_number(sheet, r->a->counts[i]);
	}
}

/* ----------------------------------------------------------------------- sheets */

#define COLUMNS(columns)	columns, ARRAY_SIZE(columns)

static const struct {
	const char *key, *title;
	const struct sheet_column *columns;
	size_t nr_columns, by;
	void (*fill)(const struct trace_report *r, struct sheet *sheet, enum report_by by);
} sheets[NR_BYS] = {
	[BY_PROCESS] = { "processes", "Processes", COLUMNS(process_columns), 3 + RUNNING_BEHIND, fill_tasks },
	[BY_THREAD] = { "threads", "Threads", COLUMNS(thread_columns), 4 + RUNNING_BEHIND, fill_tasks },
	[BY_COMMAND] = { "commands", "Commands", COLUMNS(command_columns), 1 + RUNNING_BEHIND, fill_tasks },
	[BY_CPU] = { "cpus", "CPUs", COLUMNS(cpu_columns), 1, fill_cpus },
	[BY_SYSCALL] = { "syscalls", "System calls", COLUMNS(call_columns), 4, fill_calls },
	[BY_PROCESS_SYSCALL] = { "process_syscalls", "System calls of each process", COLUMNS(use_columns), 5, fill_uses },
	[BY_IRQ] = { "interrupts", "Interrupts", COLUMNS(work_columns), 4, fill_works },
	[BY_FILE] = { "files", "Files", file_columns, FILE_COLUMNS, 5, trace_files },
	[BY_DISK] = { "disks", "Disks", disk_columns, DISK_COLUMNS, 1, trace_disks },
	[BY_NETWORK] = { "networks", "Network interfaces", network_columns, NETWORK_COLUMNS, 1, trace_networks },
	[BY_TREE] = { "tree", "Processes", tree_columns, TREE_COLUMNS, 0, trace_tree },
	[BY_CRITICAL] = { "critical_path", "Critical path", critical_columns, CRITICAL_COLUMNS, 3, trace_critical },
	[BY_EVENT] = { "events", "Events", COLUMNS(event_columns), 1, fill_events },
};

struct sheet trace_sheet(const struct trace_report *r, enum report_by by)
{
	struct sheet sheet = {
		.key = sheets[by].key, .title = sheets[by].title, .columns = sheets[by].columns,
		.nr_columns = sheets[by].nr_columns, .by = sheets[by].by, .whole = ns_of(r, analysis_length(r->a)), .squeezes = true,
	};

	if (by == BY_CRITICAL)
		sheet.whole = ns_of(r, analysis_lifetime(r->a, r->waiter));
	sheets[by].fill(r, &sheet, by);
	if (r->live)
		trace_live(r, &sheet);
	if (by != BY_CPU && by != BY_TREE)
		sheet_sort(&sheet);
	return sheet;
}
