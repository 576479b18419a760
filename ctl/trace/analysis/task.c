// SPDX-License-Identifier: GPL-2.0-or-later
/* task.c - tasks and processes: who exists, under which name, and in which state off the CPU. */
#include "ctl/trace/analysis/analysis_int.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define KTHREADD	2	/* tid of the parent of all kernel threads */

/* --------------------------------------------------------------------- states */

void task_account(struct analysis *a, struct task *task, uint64_t t)
{
	if (t <= task->since)
		return;
	task->time[task->doing] += span_in_window(a, task->since, t);
	task->since = t;
}

void task_set(struct analysis *a, struct task *task, enum doing doing)
{
	task_account(a, task, a->now);
	task->doing = a->gaps ? DOING_UNKNOWN : doing;
	if (!a->gaps)
		return;
	task->mode = MODE_UNKNOWN;
	task->woken = 0;
	call_forget(task);
}

void task_forget(struct analysis *a, struct task *task, uint64_t from)
{
	task_account(a, task, from);
	task->doing = DOING_UNKNOWN;
	task->mode = MODE_UNKNOWN;
	task->woken = 0;
	task->woken_early = false;
	call_forget(task);
}

/* ---------------------------------------------------------------------- tasks */

struct task *task_find(const struct analysis *a, int64_t tid)
{
	const uint32_t at = tid > 0 ? keymap_find(&a->by_tid, tid) : 0;

	return at ? a->tasks[at - 1] : NULL;
}

static struct task *task_new(struct analysis *a, int32_t tid, uint64_t born)
{
	struct task *task = mem_zalloc(1, sizeof(*task));

	*task = (struct task){
		.tid = tid, .number = a->nr_tasks, .nth = a->nr_living, .born = born, .died = UINT64_MAX,
		.since = born, .doing = DOING_UNKNOWN,
	};
	/* There is room for all tasks in both. */
	a->tasks = MEM_MORE(a->tasks, a->nr_tasks);
	a->living = MEM_MORE(a->living, a->nr_tasks);
	a->tasks[a->nr_tasks++] = task;
	a->living[a->nr_living++] = task;
	keymap_set(&a->by_tid, tid, task->number + 1);
	return task;
}

struct task *task_get(struct analysis *a, int64_t tid)
{
	struct task *task = task_find(a, tid);

	if (task || tid <= 0 || tid > INT32_MAX)
		return task;
	return task_new(a, tid, a->begin);
}

static void process_end(struct analysis *a, struct process *process)
{
	table_put(a, &process->table);
	if (keymap_find(&a->by_pid, process->pid) == process->number + 1)
		keymap_remove(&a->by_pid, process->pid);
}

/* Take the task out of the tables of the living ones. */
static void unlink_task(struct analysis *a, struct task *task)
{
	struct task *last = a->living[--a->nr_living];

	a->living[task->nth] = last;
	last->nth = task->nth;
	if (keymap_find(&a->by_tid, task->tid) == task->number + 1)
		keymap_remove(&a->by_tid, task->tid);
}

void task_end(struct analysis *a, struct task *task)
{
	if (task->cpu)
		cpu_forget(a, task->cpu, a->now);
	task_account(a, task, a->now);
	call_forget(task);
	task->died = a->now;
	table_put(a, &task->table);
	unlink_task(a, task);
	if (task->process && task->process->pid == task->tid)
		process_end(a, task->process);
}

struct task *task_born(struct analysis *a, int64_t tid)
{
	struct task *older = task_find(a, tid);

	if (tid <= 0 || tid > INT32_MAX)
		return NULL;
	if (older)
		task_end(a, older);
	return task_new(a, tid, a->now);
}

static void set_name(struct analysis *a, struct task *task, uint32_t name)
{
	if (task->name && task->name != name)
		spell_end(a, task);
	task->name = name;
	if (task->process && task->process->pid == task->tid)
		task->process->name = name;
}

static void name_by_text(struct analysis *a, struct task *task, const void *text, size_t len)
{
	const char *now = names_text(&a->names, task->name);

	if (now && !strncmp(now, text, len) && !now[len])
		return;
	set_name(a, task, names_add(&a->names, text, len));
}

void task_name(struct analysis *a, struct task *task, const struct analysis_event *e, unsigned int slot)
{
	if (event_has(e, slot) && e->value[slot].text && e->value[slot].length)
		name_by_text(a, task, e->value[slot].text, e->value[slot].length);
}

void tasks_free(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_tasks; i++) {
		table_put(a, &a->tasks[i]->table);
		spells_forget(a->tasks[i]);
		free(a->tasks[i]);
	}
	free(a->tasks);
	free(a->living);
	keymap_free(&a->by_tid);
	for (size_t i = 0; i < a->nr_processes; i++) {
		table_put(a, &a->processes[i]->table);
		free(a->processes[i]);
	}
	free(a->processes);
	free(a->tables);
	keymap_free(&a->by_table);
	keymap_free(&a->newborn);
	keymap_free(&a->by_pid);
}

/* ------------------------------------------------------------------ processes */

static struct process *process_new(struct analysis *a, int32_t pid)
{
	struct process *process = mem_zalloc(1, sizeof(*process));

	*process = (struct process){ .pid = pid, .number = a->nr_processes };
	a->processes = MEM_MORE(a->processes, a->nr_processes);
	a->processes[a->nr_processes++] = process;
	keymap_set(&a->by_pid, pid, process->number + 1);
	return process;
}

struct process *process_get(struct analysis *a, int64_t pid)
{
	const uint32_t at = keymap_find(&a->by_pid, pid);

	if (pid <= 0 || pid > INT32_MAX)
		return NULL;
	return at ? a->processes[at - 1] : process_new(a, pid);
}

void task_join(struct analysis *a, struct task *task, int64_t pid)
{
	struct process *process = process_get(a, pid);

	if (!process || task->process == process)
		return;
	if (task->process)
		table_put(a, &task->table);
	task->process = process;
	table_join(a, task);
	if (task->tid == pid && task->name)
		process->name = task->name;
}

/* ------------------------------------------------------------- ended ones */

static void forget_tasks(struct analysis *a)
{
	uint32_t n = 0;

	for (size_t i = 0; i < a->nr_tasks; i++) {
		struct task *task = a->tasks[i];

		if (task->died != UINT64_MAX) {
			table_put(a, &task->table);
			spells_forget(task);
			free(task);
			continue;
		}
		task->number = n;
		a->tasks[n++] = task;
		keymap_set(&a->by_tid, task->tid, n);
	}
	a->nr_tasks = n;
}

static void forget_process(struct analysis *a, struct process *process)
{
	process_end(a, process);
	free(process);
}

/* A process is its living tasks. */
static void forget_processes(struct analysis *a)
{
	AUTO_FREE bool *lives = mem_zalloc(a->nr_processes + 1, sizeof(*lives));
	uint32_t n = 0;

	for (size_t i = 0; i < a->nr_tasks; i++)
		if (a->tasks[i]->process)
			lives[a->tasks[i]->process->number] = true;
	for (size_t i = 0; i < a->nr_processes; i++)
		if (a->processes[i]->parent && !lives[a->processes[i]->parent->number])
			a->processes[i]->parent = NULL;
	for (size_t i = 0; i < a->nr_processes; i++) {
		struct process *process = a->processes[i];

		if (!lives[i]) {
			forget_process(a, process);
			continue;
		}
		if (keymap_find(&a->by_pid, process->pid) == process->number + 1)
			keymap_set(&a->by_pid, process->pid, n + 1);
		process->number = n;
		a->processes[n++] = process;
	}
	a->nr_processes = n;
}

void tasks_forget_ended(struct analysis *a)
{
	forget_tasks(a);
	forget_processes(a);
}

/* --------------------------------------------------------------------- events */

void on_waking(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, WAKE_TID) ? task_get(a, e->value[WAKE_TID].number) : NULL;

	if (!task)
		return;
	task_name(a, task, e, WAKE_COMM);
	if (task->cpu) {
		task->woken_early = true;
		return;
	}
	if (!task->woken)
		task->woken = a->now;
	task_set(a, task, DOING_WAIT_CPU);
}

/* Where both are recorded, the latency counts from sched_waking. */
void on_wakeup(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, WAKE_TID) ? task_get(a, e->value[WAKE_TID].number) : NULL;

	if (!task)
		return;
	task_name(a, task, e, WAKE_COMM);
	task->woken_early = false;
	if (task->cpu)
		return;
	if (!task->woken && !a->has[EVENT_WAKING])
		task->woken = a->now;
	task_set(a, task, DOING_WAIT_CPU);
}

void on_wakeup_new(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, WAKE_TID) ? task_get(a, e->value[WAKE_TID].number) : NULL;

	if (!task || task->cpu)
		return;
	task_name(a, task, e, WAKE_COMM);
	task->woken = a->now;
	task_set(a, task, DOING_WAIT_CPU);
}

/* task_newtask comes before sched_process_fork, and tells more. */
void on_newtask(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, NEWTASK_TID) ? e->value[NEWTASK_TID].number : 0;

	if (tid > 0 && event_has(e, NEWTASK_FLAGS) && a->has[EVENT_FORK])
		keymap_set(&a->newborn, tid,
			   e->value[NEWTASK_FLAGS].number & CLONE_FILES ? NEWBORN_SHARES : NEWBORN_COPIES);
}

/* Does the child share its creator's open files?  If that was not recorded: a thread does, a process does not. */
static bool shares_files(struct analysis *a, const struct task *child, const struct task *parent)
{
	const uint32_t newborn = keymap_find(&a->newborn, child->tid);

	keymap_remove(&a->newborn, child->tid);
	if (newborn)
		return newborn == NEWBORN_SHARES;
	if (parent->call && !strncmp(names_text(&a->names, a->calls[parent->call - 1].name), "clone", 5) &&
	    parent->call_known >> CALL_FLAGS & 1)
		return parent->call_args[CALL_FLAGS] & CLONE_FILES;
	return child->process == parent->process;
}

static void add_files(struct analysis *a, struct task *child, const struct task *parent)
{
	if (parent && parent->table)
		table_inherit(a, child, parent, shares_files(a, child, parent));
	else
		table_join(a, child);
}

/* A new process has a copy of its creator's open files; a thread shares them. */
static void add_child(struct analysis *a, struct task *child, const struct task *parent,
		      const struct analysis_event *e)
{
	struct process *from = parent ? parent->process : NULL;
	const int64_t pid = e->value[FORK_CHILD_PID].number;

	if (!event_has(e, FORK_CHILD_PID))
		return;
	child->process = pid == child->tid ? process_new(a, pid) : process_get(a, pid);
	if (!child->process)
		return;
	if (pid == child->tid)
		child->process->parent = from;
	add_files(a, child, parent);
}

static enum privilege child_privilege(const struct task *parent)
{
	if (!parent)
		return PRIVILEGE_UNKNOWN;
	return parent->tid == KTHREADD ? PRIVILEGE_KERNEL : parent->privilege;
}

void on_fork(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *parent = event_has(e, FORK_PARENT_TID) ? task_get(a, e->value[FORK_PARENT_TID].number) : NULL;
	struct task *child = event_has(e, FORK_CHILD_TID) ? task_born(a, e->value[FORK_CHILD_TID].number) : NULL;

	if (parent && event_has(e, FORK_PARENT_PID))
		task_join(a, parent, e->value[FORK_PARENT_PID].number);
	if (!child)
		return;
	add_child(a, child, parent, e);
	if (parent)
		set_name(a, child, parent->name);
	task_name(a, child, e, FORK_CHILD_COMM);
	child->privilege = child_privilege(parent);
	/* Whether the child reports the end of the parent's system call depends on the architecture. */
	child->mode = child->privilege == PRIVILEGE_KERNEL ? MODE_KERNEL : MODE_UNKNOWN;
	task_set(a, child, DOING_WAIT_CPU);
}

/* A thread that executes a program gets the tid of its process; the first thread, if it is another, is gone. */
static void take_over(struct analysis *a, struct task *task, int32_t tid)
{
	struct task *first = task_find(a, tid);

	if (first) {
		if (first->cpu)
			cpu_forget(a, first->cpu, a->now);
		task_account(a, first, a->now);
		first->died = a->now;
		table_put(a, &first->table);
		unlink_task(a, first);
	}
	if (keymap_find(&a->by_tid, task->tid) == task->number + 1)
		keymap_remove(&a->by_tid, task->tid);
	task->tid = tid;
	keymap_set(&a->by_tid, tid, task->number + 1);
}

/* The kernel names a task after the last part of the path, and keeps 15 bytes. */
static void name_by_path(struct analysis *a, struct task *task, const struct event_value *path)
{
	size_t start = path->length;

	if (!path->text || path->is_cut)
		return;
	while (start && path->text[start - 1] != '/')
		start--;
	if (start < path->length)
		name_by_text(a, task, path->text + start, path->length - start < 15 ? path->length - start : 15);
}

void on_exec(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, EXEC_TID) ? e->value[EXEC_TID].number : 0;
	struct task *task = cpu->holds == HOLDS_TASK ? cpu->task : task_get(a, tid);

	if (!task)
		return;
	cpu_account(a, cpu, a->now);
	if (tid > 0 && tid <= INT32_MAX && tid != task->tid)
		take_over(a, task, tid);
	if (event_has(e, EXEC_FILENAME))
		name_by_path(a, task, &e->value[EXEC_FILENAME]);
	task->privilege = PRIVILEGE_USER;
	if (task->mode == MODE_KERNEL)
		task->mode = MODE_UNKNOWN;
	table_exec(a, task);
}

/* From here on the task executes no code of its own. */
void on_process_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, EXIT_TID) ? task_get(a, e->value[EXIT_TID].number) : NULL;

	if (!task || task->cpu != cpu)
		return;
	cpu_account(a, cpu, a->now);
	task_name(a, task, e, EXIT_COMM);
	task->mode = MODE_KERNEL;
	call_forget(task);
}

/* A newer task may have the tid already. */
void on_free(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, EXIT_TID) ? task_find(a, e->value[EXIT_TID].number) : NULL;

	if (task && !task->cpu && (task->doing == DOING_DEAD || task->doing == DOING_UNKNOWN))
		task_end(a, task);
}

/* ------------------------------------------------------------ state at the start */

/* The status of lttng_statedump_process_state. */
static const enum doing statuses[] = {
	DOING_UNKNOWN, DOING_WAIT_CPU, DOING_WAIT_CPU, DOING_DEAD, DOING_DEAD, DOING_BLOCKED, DOING_UNKNOWN, DOING_DEAD,
};

static const enum privilege types[] = { PRIVILEGE_USER, PRIVILEGE_KERNEL };

/* The mode of a task that is not running: 0 its own code, 1 a system call; others are not followed. */
static void take_mode(struct analysis *a, struct task *task, const struct analysis_event *e)
{
	const int64_t mode = e->value[PROCESS_MODE].number;

	if (!event_has(e, PROCESS_MODE) || task->mode != MODE_UNKNOWN || task->cpu || a->gaps)
		return;
	if (mode == 1)
		task->mode = MODE_CALL;
	else if (!mode && analysis_calls(a) == CALLS_ALL)
		task->mode = MODE_USER;
}

static enum doing status_of(const struct analysis_event *e)
{
	const uint64_t status = event_has(e, PROCESS_STATUS) ? (uint64_t)e->value[PROCESS_STATUS].number : 0;
	const enum doing doing = status < ARRAY_SIZE(statuses) ? statuses[status] : DOING_UNKNOWN;

	if (doing == DOING_BLOCKED && event_has(e, PROCESS_IOWAIT))
		return e->value[PROCESS_IOWAIT].number ? DOING_WAIT_IO : DOING_SLEEP;
	return doing;
}

/* Events tell the state better: the dump may have looked at the task before them. */
static void take_state(struct analysis *a, struct task *task, const struct analysis_event *e)
{
	const uint64_t type = (uint64_t)e->value[PROCESS_TYPE].number;

	if (event_has(e, PROCESS_TYPE) && type < ARRAY_SIZE(types) && task->privilege == PRIVILEGE_UNKNOWN)
		task->privilege = types[type];
	if (task->cpu)
		cpu_account(a, task->cpu, a->now);
	if (task->privilege == PRIVILEGE_KERNEL && task->mode == MODE_UNKNOWN)
		task->mode = MODE_KERNEL;
	take_mode(a, task, e);
	if (!task->cpu && task->doing == DOING_UNKNOWN && !a->gaps)
		task_set(a, task, status_of(e));
}

void on_dump_process(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct task *task = event_has(e, PROCESS_TID) ? task_get(a, e->value[PROCESS_TID].number) : NULL;

	if (!task)
		return;
	if (event_has(e, PROCESS_PID))
		task_join(a, task, e->value[PROCESS_PID].number);
	if (event_has(e, PROCESS_PPID) && task->process && !task->process->parent)
		task->process->parent = process_get(a, e->value[PROCESS_PPID].number);
	if (event_has(e, PROCESS_TABLE) && task->process && !a->gaps)
		table_take_address(a, task, (uint64_t)e->value[PROCESS_TABLE].number);
	if (!task->name)
		task_name(a, task, e, PROCESS_NAME);
	/* Of a confined recording it is not known whether what changes its state is recorded from the begin on. */
	if (!a->confined)
		take_state(a, task, e);
}
