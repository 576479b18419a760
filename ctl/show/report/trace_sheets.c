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

/* The columns that people see.  If not all system calls were recorded, some time in the kernel counts as either. */
static void add_shares(const struct trace_report *r, struct sheet *sheet, const struct task_group *group)
{
	const uint64_t *time = group->time;
	const uint64_t kernel = time[DOING_CALL] + time[DOING_FAULT] + time[DOING_KERNEL];
	const bool known = trace_knows_user(r->a) || !time[DOING_EITHER];

	add_share(r, sheet, "running_ns", "running", sum_of(group, 0, DOING_EITHER));
	add_share(r, sheet, "user_ns", "user", time[DOING_USER])->known = known;
	add_share(r, sheet, "kernel_ns", "kernel", kernel)->known = known;
	add_share(r, sheet, "interrupts_ns", "irqs", time[DOING_IRQ] + time[DOING_SOFTIRQ])->known = trace_knows_interrupts(r->a);
	add_share(r, sheet, "wait_cpu_ns", "wait cpu", time[DOING_WAIT_CPU]);
	add_share(r, sheet, "wait_io_ns", "wait i/o", time[DOING_WAIT_IO])->known = !r->a->no_iowait;
	add_share(r, sheet, "asleep_ns", "asleep", time[DOING_SLEEP] + time[DOING_BLOCKED] + time[DOING_STOPPED]);
	add_share(r, sheet, "unknown_ns", "unknown", time[DOING_UNKNOWN]);
}

static void add_known(const struct trace_report *r, struct sheet *sheet, const char *key, bool known, uint64_t ticks)
{
	cell_time(sheet, key, NULL, ns_of(r, ticks))->known = known;
}

static void add_group(const struct trace_report *r, struct sheet *sheet, const struct task_group *group)
{
	const bool calls = analysis_calls(r->a) != CALLS_NONE;
	const struct spans *latency = &group->latency;

	cell_number(sheet, "threads", NULL, group->threads);
	add_time(r, sheet, "lifetime_ns", NULL, group->lifetime);
	add_shares(r, sheet, group);
	add_known(r, sheet, "syscall_ns", calls, group->time[DOING_CALL]);
	add_known(r, sheet, "fault_ns", r->a->has[EVENT_FAULT_EXIT], group->time[DOING_FAULT]);
	add_time(r, sheet, "other_kernel_ns", NULL, group->time[DOING_KERNEL]);
	add_known(r, sheet, "irq_ns", r->a->has[EVENT_IRQ_ENTRY], group->time[DOING_IRQ]);
	add_known(r, sheet, "softirq_ns", r->a->has[EVENT_SOFTIRQ_ENTRY], group->time[DOING_SOFTIRQ]);
	add_time(r, sheet, "user_or_kernel_ns", NULL, group->time[DOING_EITHER]);
	add_time(r, sheet, "blocked_ns", NULL, group->time[DOING_BLOCKED]);
	add_time(r, sheet, "stopped_ns", NULL, group->time[DOING_STOPPED]);
	add_time(r, sheet, "dead_ns", NULL, group->time[DOING_DEAD]);
	cell_number(sheet, "syscalls", NULL, group->calls)->known = calls;
	cell_number(sheet, "wakeups", NULL, latency->count);
	add_mean(r, sheet, "latency_mean_ns", NULL, latency->sum, latency->count);
	add_max(r, sheet, "latency_max_ns", NULL, latency->max, latency->count);
	cell_number(sheet, "events", NULL, group->events);
}

/* The name of the group, under a key or a heading. */
static void add_name(const struct trace_report *r, struct sheet *sheet, const char *key, const char *heading,
		     const struct task_group *group, bool has_name)
{
	if (has_name)
		cell_text(sheet, key, heading, names_text(&r->a->names, group->name));
	else
		cell_format(sheet, key, heading, "(thread %lld)", (long long)group->tid);
}

static void add_pid(struct sheet *sheet, const struct task_group *group)
{
	cell_id(sheet, "pid", "pid", (uint64_t)group->pid)->known = group->pid >= 0;
}

static void add_head(const struct trace_report *r, struct sheet *sheet, const struct task_group *group, enum report_by by)
{
	const bool has_name = names_text(&r->a->names, group->name) || group->pid >= 0 || by != BY_PROCESS;

	sheet_row(sheet);
	if (by != BY_COMMAND)
		add_pid(sheet, group);
	if (by == BY_THREAD)
		cell_id(sheet, "tid", "tid", (uint64_t)group->tid);
	add_name(r, sheet, "name", by == BY_COMMAND ? "command" : NULL, group, has_name);
}

/* The first thread of a process may have ended before the window. */
static void add_names(const struct trace_report *r, struct sheet *sheet, const struct task_group *group, enum report_by by)
{
	const bool is_first = group->pid < 0 || group->named->tid == group->pid;
	AUTO_FREE char *names = is_first ? analysis_task_names(r->a, group->named) : NULL;
	const char *heading = by == BY_THREAD ? "thread" : "process";

	if (names && *names)
		cell_text(sheet, "names", heading, names);
	else
		add_name(r, sheet, "names", heading, group, group->name || group->pid >= 0);
}

static void add_tasks(const struct trace_report *r, struct sheet *sheet, const struct task_group *group, enum report_by by)
{
	add_head(r, sheet, group, by);
	if (by != BY_COMMAND)
		add_names(r, sheet, group, by);
	add_group(r, sheet, group);
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
	static const struct task nobody = { .tid = 1 };
	static const struct task_group none = { .named = &nobody };
	struct task_groups groups = { .n = 0 };

	/* A task may have lived outside the window only, or its events were not recorded. */
	for (size_t i = 0; i < r->a->nr_tasks; i++)
		if (analysis_lifetime(r->a, r->a->tasks[i]) && analysis_knows(r->a, r->a->tasks[i]))
			add_task(r, &groups, r->a->tasks[i], by);
	for (size_t i = 0; i < groups.n; i++)
		add_tasks(r, sheet, &groups.v[i], by);
	FILL_NONE(sheet, add_tasks(r, sheet, &none, by));
	keymap_free(&groups.map);
	free(groups.v);
}

/* ------------------------------------------------------------------------ CPUs */

static void add_cpu(const struct trace_report *r, struct sheet *sheet, const struct cpu *cpu)
{
	const uint64_t *time = cpu->time;
	const bool all = !r->a->confined, known = all && (trace_knows_user(r->a) || !time[DOING_EITHER]);

	sheet_row(sheet);
	cell_id(sheet, "cpu", "cpu", cpu->number);
	add_share(r, sheet, "idle_ns", "idle", time[DOING_IDLE])->known = all;
	add_share(r, sheet, "user_ns", "user", time[DOING_USER])->known = known;
	add_share(r, sheet, "kernel_ns", "kernel", time[DOING_CALL] + time[DOING_FAULT] + time[DOING_KERNEL])->known = known;
	add_share(r, sheet, "irq_ns", "irqs", time[DOING_IRQ])->known = all && r->a->has[EVENT_IRQ_ENTRY];
	add_share(r, sheet, "softirq_ns", "softirqs", time[DOING_SOFTIRQ])->known = all && r->a->has[EVENT_SOFTIRQ_ENTRY];
	add_share(r, sheet, "user_or_kernel_ns", "user or kernel", time[DOING_EITHER])->known = all;
	add_share(r, sheet, "unknown_ns", "unknown", time[DOING_UNKNOWN])->known = all;
	cell_number(sheet, "events", "events", cpu->events);
	cell_number(sheet, "lost", "lost", cpu->lost);
}

static void fill_cpus(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct cpu none;

	for (size_t i = 0; i < r->a->nr_cpus; i++)
		if (r->a->cpus[i])
			add_cpu(r, sheet, r->a->cpus[i]);
	FILL_NONE(sheet, add_cpu(r, sheet, &none));
}

/* ----------------------------------------------------------------- system calls */

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
static void add_errors(struct sheet *sheet, const char *key, const struct call *call)
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
	cell_text(sheet, key, NULL, text ? text : "");
	free(text);
}

static void add_call(const struct trace_report *r, struct sheet *sheet, const struct call *call)
{
	const struct samples *time = &call->time;

	sheet_row(sheet);
	cell_text(sheet, "name", "system call", names_text(&r->a->names, call->name));
	cell_number(sheet, "count", "count", time->count);
	cell_number(sheet, "errors", "errors", call->errors);
	cell_text(sheet, "commonest_error", "mostly", commonest_error(call));
	add_time(r, sheet, "total_ns", "total", time->sum);
	add_mean(r, sheet, "mean_ns", "mean", time->sum, time->count);
	add_percentile(r, sheet, "p50_ns", "p50", time);
	add_percentile(r, sheet, "p99_ns", "p99", time);
	add_max(r, sheet, "max_ns", "max", time->max, time->count);
	cell_number(sheet, "unpaired", NULL, call->half);
	add_errors(sheet, "errors_by_name", call);
}

static void fill_calls(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct call none;

	for (size_t i = 0; i < r->a->nr_calls; i++)
		if (r->a->calls[i].time.count || r->a->calls[i].half)
			add_call(r, sheet, &r->a->calls[i]);
	FILL_NONE(sheet, add_call(r, sheet, &none));
}

static void add_use(const struct trace_report *r, struct sheet *sheet, const struct task_group *process, uint32_t name,
		    const struct call_use *use)
{
	const bool has_name = names_text(&r->a->names, process->name) || process->pid >= 0;

	sheet_row(sheet);
	add_pid(sheet, process);
	add_name(r, sheet, "process", "process", process, has_name);
	cell_text(sheet, "name", "system call", names_text(&r->a->names, name));
	cell_number(sheet, "count", "count", use->time.count);
	cell_number(sheet, "errors", "errors", use->errors);
	add_time(r, sheet, "total_ns", "total", use->time.sum);
	add_mean(r, sheet, "mean_ns", "mean", use->time.sum, use->time.count);
	add_max(r, sheet, "max_ns", "max", use->time.max, use->time.count);
}

/* One row for all threads of a process. */
static void fill_uses(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	const struct analysis *a = r->a;
	static const struct task_group nobody;
	static const struct call_use none;
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
	for (size_t i = 0; i < n; i++) {
		const struct task_group process = group_of(a->tasks[uses[i].task], BY_PROCESS);

		add_use(r, sheet, &process, a->calls[uses[i].call].name, &uses[i]);
	}
	FILL_NONE(sheet, add_use(r, sheet, &nobody, 0, &none));
	keymap_free(&map);
	free(uses);
}

/* ------------------------------------------------------------------- interrupts */

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

static void add_work(const struct trace_report *r, struct sheet *sheet, const struct work *work)
{
	const bool numbered = (work->kind == WORK_IRQ || work->kind == WORK_SOFTIRQ) && work->number >= 0;

	sheet_row(sheet);
	cell_text(sheet, "kind", "kind", trace_work_kind(work));
	cell_id(sheet, "number", "number", (uint64_t)work->number)->known = numbered;
	cell_text(sheet, "name", "name", trace_work_name(r->a, work));
	cell_number(sheet, "count", "count", work->time.count);
	add_time(r, sheet, "total_ns", "total", work->time.sum);
	add_mean(r, sheet, "mean_ns", "mean", work->time.sum, work->time.count);
	add_max(r, sheet, "max_ns", "max", work->time.max, work->time.count);
}

static void fill_works(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct work none;

	for (size_t i = 0; i < r->a->nr_works; i++)
		if (r->a->works[i].time.count)
			add_work(r, sheet, &r->a->works[i]);
	FILL_NONE(sheet, add_work(r, sheet, &none));
}

/* ----------------------------------------------------------------------- events */

static void add_event(struct sheet *sheet, const char *name, uint64_t count)
{
	sheet_row(sheet);
	cell_text(sheet, "name", "event", name);
	cell_number(sheet, "count", "count", count);
}

static void fill_events(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (uint32_t i = 1; i < r->a->nr_counts && i <= r->a->names.nr; i++)
		if (r->a->counts[i])
			add_event(sheet, names_text(&r->a->names, i), r->a->counts[i]);
	FILL_NONE(sheet, add_event(sheet, NULL, 0));
}

/* ----------------------------------------------------------------------- sheets */

static const struct {
	const char *key, *title, *by;
	void (*fill)(const struct trace_report *r, struct sheet *sheet, enum report_by by);
} sheets[NR_BYS] = {
	[BY_PROCESS] = { "processes", "Processes", "running_ns", fill_tasks },
	[BY_THREAD] = { "threads", "Threads", "running_ns", fill_tasks },
	[BY_COMMAND] = { "commands", "Commands", "running_ns", fill_tasks },
	[BY_CPU] = { "cpus", "CPUs", NULL, fill_cpus },
	[BY_SYSCALL] = { "syscalls", "System calls", "total_ns", fill_calls },
	[BY_PROCESS_SYSCALL] = { "process_syscalls", "System calls of each process", "total_ns", fill_uses },
	[BY_IRQ] = { "interrupts", "Interrupts", "total_ns", fill_works },
	[BY_FILE] = { "files", "Files", "total_ns", trace_files },
	[BY_DISK] = { "disks", "Disks", "requests", trace_disks },
	[BY_NETWORK] = { "networks", "Network interfaces", "packets_in", trace_networks },
	[BY_TREE] = { "tree", "Processes", NULL, trace_tree },
	[BY_CRITICAL] = { "critical_path", "Critical path", "time_ns", trace_critical },
	[BY_EVENT] = { "events", "Events", "count", fill_events },
};

struct sheet trace_sheet(const struct trace_report *r, enum report_by by)
{
	struct sheet sheet = { .key = sheets[by].key, .title = sheets[by].title, .whole = ns_of(r, analysis_length(r->a)), .squeezes = true };

	if (by == BY_CRITICAL)
		sheet.whole = ns_of(r, analysis_lifetime(r->a, r->waiter));
	sheets[by].fill(r, &sheet, by);
	if (r->live)
		trace_live(r, &sheet);
	if (sheets[by].by) {
		sheet.by = sheet_column(&sheet, sheets[by].by);
		sheet_sort(&sheet);
	}
	return sheet;
}
