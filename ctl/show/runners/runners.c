// SPDX-License-Identifier: GPL-2.0-or-later
/* runners.c - see runners.h. */
#include "ctl/show/runners/runners.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define KTHREADD	2	/* tid of the parent of all kernel threads */
#define COMM_LENGTH	15	/* the kernel cuts longer names */

/* The system call that a task is in, where all are recorded. */
enum inside {
	INSIDE_UNKNOWN,
	INSIDE_OTHER,		/* or in none */
	INSIDE_EXEC, INSIDE_PRCTL,
};

struct thread {
	int32_t tid;
	int32_t pid;		/* 0: not known */
	bool is_kernel;		/* a kernel thread */
	bool lives;		/* the first thread of its process, and no event of its end is missing or has come */
	bool is_own;		/* of a confined recording: its own events are recorded */
	enum inside inside;
	uint32_t renamed;	/* name that another task has given it since it ran; 0: none */
};

/* A CPU, and the task on it. */
struct seat {
	enum { HOLDS_NOTHING, HOLDS_MAYBE, HOLDS_SURELY } holds;
	struct thread task;	/* tid 0: the idle task */
	uint32_t name;		/* 0: not known */
	uint32_t exec_name;	/* that the task gets by the exec which is going on; 0: not known */
	bool in_gap;
};

struct runners {
	struct analysis *a;
	bool has_gaps;
	bool is_early;		/* not all events are recorded yet */
	unsigned int gaps;	/* CPUs of which records are missing now, and is_early, and has_gaps */
	uint32_t execve, execveat, prctl;	/* numbers of names */
	struct seat *seats;
	size_t nr_seats;
	int32_t least_tids;	/* see runners.h */
	int32_t newest;		/* tid of the newest task; 0: not known */
	/* What is known of tasks while they do not run.  While records are missing, and not `keeps`, nothing. */
	bool keeps;		/* so few are missing that no tid was given a second time */
	struct thread *tasks;
	uint32_t nr_tasks;
	uint32_t *spare, nr_spare;
	struct keymap by_tid;	/* index in tasks, plus 1 */
};

struct runners *runners_create(struct analysis *a, int32_t least_tids, bool has_gaps)
{
	struct runners *r = mem_zalloc(1, sizeof(*r));

	*r = (struct runners){
		.a = a, .least_tids = least_tids, .has_gaps = has_gaps, .is_early = a->complete, .gaps = !!a->complete + has_gaps,
		.execve = names_add(&a->names, "execve", strlen("execve")),
		.execveat = names_add(&a->names, "execveat", strlen("execveat")),
		.prctl = names_add(&a->names, "prctl", strlen("prctl")),
	};
	return r;
}

void runners_free(struct runners *r)
{
	if (!r)
		return;
	keymap_free(&r->by_tid);
	free(r->tasks);
	free(r->spare);
	free(r->seats);
	free(r);
}

static bool has_calls(const struct runners *r)
{
	return analysis_calls(r->a) == CALLS_ALL;
}

static struct seat *seat_of(struct runners *r, uint32_t cpu)
{
	r->seats = MEM_REACH(r->seats, r->nr_seats, cpu);
	return &r->seats[cpu];
}

/* ------------------------------------------------------------------- tasks that do not run */

static struct thread *find(const struct runners *r, int64_t tid)
{
	const uint32_t at = tid > 0 ? keymap_find(&r->by_tid, tid) : 0;

	return at ? &r->tasks[at - 1] : NULL;
}

static void forget(struct runners *r, int64_t tid)
{
	const uint32_t at = tid > 0 ? keymap_find(&r->by_tid, tid) : 0;

	if (!at)
		return;
	keymap_remove(&r->by_tid, tid);
	r->spare = MEM_MORE(r->spare, r->nr_spare);
	r->spare[r->nr_spare++] = at;
}

static void forget_all(struct runners *r)
{
	keymap_free(&r->by_tid);
	r->nr_tasks = r->nr_spare = 0;
}

/* It may run where records are missing. */
static void doubt(struct thread *task)
{
	task->lives = false;
	task->inside = INSIDE_UNKNOWN;
	task->renamed = 0;
}

static void keep(struct runners *r, const struct thread *task)
{
	struct thread *known = find(r, task->tid);

	if ((r->gaps && !r->keeps) || task->tid <= 0)
		return;
	if (!known && r->nr_spare) {
		keymap_set(&r->by_tid, task->tid, r->spare[--r->nr_spare]);
	} else if (!known) {
		r->tasks = MEM_MORE(r->tasks, r->nr_tasks);
		keymap_set(&r->by_tid, task->tid, ++r->nr_tasks);
	}
	known = find(r, task->tid);
	*known = *task;
	if (r->gaps)
		doubt(known);
}

/* -------------------------------------------------------------------------- what is known */

static bool is_constant(const struct thread *task)
{
	return !task->tid || task->is_kernel;
}

static bool name_lasts(const struct runners *r, const struct thread *task)
{
	if (is_constant(task))
		return true;
	if (r->gaps)
		return false;
	return r->a->has[EVENT_RENAME] || (has_calls(r) && task->inside == INSIDE_OTHER);
}

static bool first_thread_lives(const struct runners *r, const struct thread *task)
{
	const struct thread *first = task->pid ? find(r, task->pid) : NULL;

	return first && first->lives && r->a->has[EVENT_EXIT] && !r->a->confined;
}

static bool tid_lasts(const struct runners *r, const struct thread *task)
{
	if (is_constant(task) || task->tid == task->pid || first_thread_lives(r, task))
		return true;
	return has_calls(r) && (task->inside == INSIDE_OTHER || task->inside == INSIDE_PRCTL);
}

static void tell(const struct runners *r, const struct seat *seat, struct runner *out)
{
	const struct thread *task = &seat->task;

	*out = (struct runner){ .pid = RUNNER_UNKNOWN, .tid = RUNNER_UNKNOWN };
	if (seat->holds != HOLDS_SURELY)
		return;
	if (task->pid || !task->tid)
		out->pid = task->pid;
	if (tid_lasts(r, task))
		out->tid = task->tid;
	if (seat->name && name_lasts(r, task))
		out->comm = names_text(&r->a->names, seat->name);
}

static uint32_t name_of(struct runners *r, const struct analysis_event *e, unsigned int slot)
{
	const struct event_value *value = &e->value[slot];

	if (!event_has(e, slot) || !value->text)
		return 0;
	return names_add(&r->a->names, value->text, value->length < COMM_LENGTH ? value->length : COMM_LENGTH);
}

/* The kernel names a task after the last part of the path.  Of an open file that is executed, later kernels do not. */
static uint32_t name_of_path(struct runners *r, const struct analysis_event *e)
{
	static const char by_file[] = "/dev/fd/";
	const struct event_value *path = &e->value[EXEC_FILENAME];
	size_t start = path->length, length;

	if (!event_has(e, EXEC_FILENAME) || !path->text || path->is_cut ||
	    (path->length >= strlen(by_file) && !memcmp(path->text, by_file, strlen(by_file))))
		return 0;
	while (start && path->text[start - 1] != '/')
		start--;
	length = path->length - start;
	return names_add(&r->a->names, path->text + start, length < COMM_LENGTH ? length : COMM_LENGTH);
}

/* An event tells that this task is running here. */
static void here(struct runners *r, struct seat *seat, int64_t tid)
{
	const struct thread *known;

	if (seat->holds != HOLDS_NOTHING && seat->task.tid == tid) {
		seat->holds = HOLDS_SURELY;
		return;
	}
	/* A thread that has executed a program has another tid now, and the old one is free. */
	if (seat->holds == HOLDS_SURELY)
		forget(r, seat->task.tid);
	known = find(r, tid);
	*seat = (struct seat){
		.holds = HOLDS_SURELY, .task = known ? *known : (struct thread){ .tid = tid }, .in_gap = seat->in_gap,
	};
}

/* The task of `seat` gets this tid: who had it on another CPU has lost it. */
static void clear_others(struct runners *r, const struct seat *seat, int64_t tid)
{
	for (size_t i = 0; i < r->nr_seats; i++)
		if (&r->seats[i] != seat && r->seats[i].task.tid == tid)
			r->seats[i].holds = HOLDS_NOTHING;
}

/* ---------------------------------------------------------------------------------- switch */

static void leave(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const bool to_idle = event_has(e, SWITCH_NEXT_TID) && !e->value[SWITCH_NEXT_TID].number;
	const bool is_dead = !event_has(e, SWITCH_PREV_STATE) ||
			     (e->value[SWITCH_PREV_STATE].number >= 0 && e->value[SWITCH_PREV_STATE].number & SWITCH_STATE_DEAD);

	if (seat->holds != HOLDS_SURELY || !seat->task.tid)
		return;
	seat->task.is_own |= to_idle;
	if (is_dead || (seat->task.inside == INSIDE_EXEC && seat->task.tid != seat->task.pid))
		forget(r, seat->task.tid);
	else
		keep(r, &seat->task);
}

static void enter(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const bool from_idle = event_has(e, SWITCH_PREV_TID) && !e->value[SWITCH_PREV_TID].number;
	const int64_t tid = event_has(e, SWITCH_NEXT_TID) ? e->value[SWITCH_NEXT_TID].number : -1;
	uint32_t name = name_of(r, e, SWITCH_NEXT_COMM);
	struct thread *task = &seat->task;

	seat->holds = HOLDS_NOTHING;
	if (tid < 0 || tid > INT32_MAX || r->has_gaps || (!tid && r->a->confined))
		return;
	here(r, seat, tid);
	task->is_own |= from_idle;
	/* The name that the switch tells may be older than that. */
	if (task->renamed && task->renamed != name)
		name = 0;
	task->renamed = 0;
	if (find(r, tid))
		find(r, tid)->renamed = 0;
	seat->name = r->gaps && !is_constant(task) ? 0 : name;
	if (r->a->confined && !task->is_own)
		seat->holds = HOLDS_MAYBE;
}

static void on_switch(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	leave(r, seat, e);
	enter(r, seat, e);
}

/* ------------------------------------------------------------------------- names and execs */

/* Either this thread has the tid of the first one already, by execve(), or it gives the first one another name. */
static bool may_have_tid(const struct runners *r, const struct thread *task, int64_t tid)
{
	if (is_constant(task) || task->tid == task->pid)
		return false;
	return !task->pid || (task->pid == tid && !first_thread_lives(r, task));
}

static void on_rename(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, RENAME_TID) ? e->value[RENAME_TID].number : 0;
	const uint32_t name = name_of(r, e, RENAME_COMM);
	const bool is_known = seat->holds == HOLDS_SURELY;
	struct thread *task = find(r, tid);

	if (is_known && seat->task.tid == tid) {
		seat->name = r->gaps ? 0 : name;
		return;
	}
	if (task)
		task->renamed = name;
	for (size_t i = 0; i < r->nr_seats; i++)
		if (r->seats[i].task.tid == tid)
			r->seats[i].name = 0;
	if (is_known && !may_have_tid(r, &seat->task, tid))
		return;
	seat->name = 0;
	seat->exec_name = r->gaps ? 0 : name;
	clear_others(r, seat, tid);
}

/* The thread that runs here is the only one of its process now. */
static void take_over(struct runners *r, struct seat *seat, int64_t pid)
{
	if (seat->task.tid != pid)
		forget(r, seat->task.tid);
	clear_others(r, seat, pid);
	seat->holds = HOLDS_SURELY;
	seat->task = (struct thread){
		.tid = pid, .pid = pid, .lives = !r->gaps, .is_own = seat->task.is_own, .inside = seat->task.inside,
	};
	keep(r, &seat->task);
}

static void on_exec(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, EXEC_TID) ? e->value[EXEC_TID].number : 0;
	const bool is_same = seat->holds == HOLDS_SURELY && seat->task.tid == tid;

	if (tid <= 0 || tid > INT32_MAX) {
		seat->holds = HOLDS_NOTHING;
		return;
	}
	if (r->a->has[EVENT_RENAME])
		seat->name = is_same ? seat->name : seat->exec_name;
	else
		seat->name = r->gaps ? 0 : name_of_path(r, e);
	seat->exec_name = 0;
	take_over(r, seat, tid);
	seat->task.inside = INSIDE_OTHER;
}

/* ---------------------------------------------------------------------------- system calls */

static enum inside call_of(const struct runners *r, const struct analysis_event *e)
{
	if (e->type.part == r->execve || e->type.part == r->execveat)
		return INSIDE_EXEC;
	return e->type.part == r->prctl ? INSIDE_PRCTL : INSIDE_OTHER;
}

/* execve() has succeeded.  An event of the exec itself, if there was one, has told the name. */
static void end_exec(struct runners *r, struct seat *seat)
{
	if (!r->a->has[EVENT_RENAME] && (!r->a->has[EVENT_EXEC] || seat->task.inside == INSIDE_EXEC))
		seat->name = 0;
	if (seat->task.pid)
		take_over(r, seat, seat->task.pid);
	else
		seat->holds = HOLDS_NOTHING;
}

/* Some architectures do not tell the end of execve() if it has succeeded. */
static void on_call_entry(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	if (seat->task.inside == INSIDE_EXEC)
		end_exec(r, seat);
	seat->task.inside = call_of(r, e);
}

static void on_call_exit(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const enum inside call = call_of(r, e);
	const bool has_failed = event_has(e, CALL_RET) && e->value[CALL_RET].number < 0;

	if (call == INSIDE_EXEC ? !has_failed : seat->task.inside == INSIDE_EXEC)
		end_exec(r, seat);
	if (call == INSIDE_PRCTL && !has_failed && !r->a->has[EVENT_RENAME])
		seat->name = 0;
	seat->task.inside = INSIDE_OTHER;
}

/* ------------------------------------------------------------------------- begins and ends */

static void on_fork(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, FORK_CHILD_TID) ? e->value[FORK_CHILD_TID].number : 0;
	const int64_t pid = event_has(e, FORK_CHILD_PID) ? e->value[FORK_CHILD_PID].number : 0;

	if (tid <= 0 || tid > INT32_MAX || pid < 0 || pid > INT32_MAX)
		return;
	r->newest = tid;
	keep(r, &(struct thread){
		.tid = tid, .pid = pid, .is_kernel = seat->task.tid == KTHREADD, .lives = tid == pid, .inside = INSIDE_OTHER,
	});
}

static void on_exit_of(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	seat->task.lives = false;
	keep(r, &seat->task);
}

/* Some events tell of the task that was running when they were recorded.  True: this one does. */
static bool take_current(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	static const unsigned char slots[NR_EVENTS] = {
		[EVENT_SWITCH] = SWITCH_PREV_TID + 1, [EVENT_FORK] = FORK_PARENT_TID + 1, [EVENT_EXIT] = EXIT_TID + 1,
	};
	const unsigned int slot = slots[e->type.id];
	int64_t pid;

	if (!slot || !event_has(e, slot - 1) || e->value[slot - 1].number < 0 || e->value[slot - 1].number > INT32_MAX)
		return false;
	here(r, seat, e->value[slot - 1].number);
	pid = e->type.id == EVENT_FORK && event_has(e, FORK_PARENT_PID) ? e->value[FORK_PARENT_PID].number : 0;
	if (pid > 0 && pid <= INT32_MAX) {
		seat->task.pid = pid;
		keep(r, &seat->task);
	}
	return true;
}

/* --------------------------------------------------------------------- state of the system */

/* Is that a status of lttng_statedump_process_state at the end of a task? */
static bool is_ending(const struct analysis_event *e)
{
	const int64_t status = event_has(e, PROCESS_STATUS) ? e->value[PROCESS_STATUS].number : 0;

	return status != 1 && status != 2 && status != 5;
}

static void take_state(struct runners *r, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, PROCESS_TID) ? e->value[PROCESS_TID].number : 0;
	const int64_t pid = event_has(e, PROCESS_PID) ? e->value[PROCESS_PID].number : 0;
	const struct thread *known = find(r, tid);
	struct thread task = known ? *known : (struct thread){ .tid = tid, .lives = tid == pid && !is_ending(e) };

	if (tid <= 0 || tid > INT32_MAX || pid <= 0 || pid > INT32_MAX || (r->gaps && !r->keeps))
		return;
	task.pid = pid;
	task.is_kernel = event_has(e, PROCESS_TYPE) && e->value[PROCESS_TYPE].number == 1;
	keep(r, &task);
	for (size_t i = 0; i < r->nr_seats; i++) {
		if (r->seats[i].holds == HOLDS_NOTHING || r->seats[i].task.tid != tid)
			continue;
		r->seats[i].task.pid = pid;
		r->seats[i].task.is_kernel = task.is_kernel;
		r->seats[i].task.lives = task.lives;
	}
}

/* ---------------------------------------------------------------------------------- events */

/* All tracepoints are set before the state is read.  In a snapshot of a flight recording the state comes last. */
static void end_early(struct runners *r, const struct analysis_event *e)
{
	if (!r->is_early || (e->ticks < r->a->complete && !e->is_state))
		return;
	r->is_early = false;
	r->gaps--;
}

static void apply(struct runners *r, struct seat *seat, const struct analysis_event *e)
{
	static void (*const on_event[NR_EVENTS])(struct runners *r, struct seat *seat, const struct analysis_event *e) = {
		[EVENT_SWITCH] = on_switch, [EVENT_RENAME] = on_rename, [EVENT_FORK] = on_fork, [EVENT_EXIT] = on_exit_of,
		[EVENT_CALL_ENTRY] = on_call_entry, [EVENT_CALL_EXIT] = on_call_exit,
	};
	const bool is_call = e->type.id == EVENT_CALL_ENTRY || e->type.id == EVENT_CALL_EXIT;

	if (on_event[e->type.id] && (!is_call || seat->holds == HOLDS_SURELY))
		on_event[e->type.id](r, seat, e);
}

/* The task that runs when the event is recorded. */
static void tell_current(struct runners *r, struct seat *seat, const struct analysis_event *e, struct runner *out)
{
	const bool is_told = take_current(r, seat, e);
	uint32_t comm = 0;

	if (e->type.id == EVENT_EXEC)
		on_exec(r, seat, e);
	tell(r, seat, out);
	if (is_told)
		out->tid = seat->task.tid;
	if (e->type.id == EVENT_SWITCH)
		comm = name_of(r, e, SWITCH_PREV_COMM);
	else if (e->type.id == EVENT_EXIT)
		comm = name_of(r, e, EXIT_COMM);
	if (comm)
		out->comm = names_text(&r->a->names, comm);
}

/* Of a confined recording, this event was recorded for the task that runs. */
static void take_own(struct seat *seat)
{
	if (seat->holds == HOLDS_NOTHING)
		return;
	seat->holds = HOLDS_SURELY;
	seat->task.is_own = true;
}

void runners_event(struct runners *r, const struct analysis_event *e, struct runner *out)
{
	struct seat *seat;

	end_early(r, e);
	*out = (struct runner){ .pid = RUNNER_UNKNOWN, .tid = RUNNER_UNKNOWN };
	if (e->type.id == EVENT_DUMP_PROCESS)
		take_state(r, e);
	if (e->is_state)
		return;
	seat = seat_of(r, e->cpu);
	if (e->type.id > EVENT_WAKEUP_NEW)
		take_own(seat);
	tell_current(r, seat, e, out);
	apply(r, seat, e);
	if (r->has_gaps)
		seat->holds = HOLDS_NOTHING;
}

/* ------------------------------------------------------------------------------------ gaps */

/* Tids that other tasks may have got, in forks of which the records are missing: up to this one; 0: any. */
static int64_t newest_possible(const struct runners *r, uint64_t lost)
{
	/* Numbers in use are passed over, and some tasks begin without an event. */
	const uint64_t passed = 2 * (lost + r->by_tid.nr) + 1000, most = r->newest + passed;

	return r->newest && r->a->has[EVENT_FORK] && lost < INT32_MAX && most < (uint64_t)r->least_tids ? (int64_t)most : 0;
}

static void doubt_all(struct runners *r, int64_t newest)
{
	for (uint32_t i = 0; i < r->by_tid.room; i++)
		if (r->by_tid.values[i])
			doubt(&r->tasks[r->by_tid.values[i] - 1]);
	for (int64_t tid = r->newest + 1; tid <= newest; tid++)
		forget(r, tid);
}

void runners_gap_begin(struct runners *r, uint32_t cpu, uint64_t lost)
{
	struct seat *seat = seat_of(r, cpu);
	const int64_t newest = newest_possible(r, lost);

	r->keeps = newest && (!r->gaps || r->keeps);
	r->gaps += !seat->in_gap;
	seat->in_gap = true;
	if (r->keeps)
		doubt_all(r, newest);
	else
		forget_all(r);
	for (size_t i = 0; i < r->nr_seats; i++)
		if (!is_constant(&r->seats[i].task))
			r->seats[i].name = r->seats[i].exec_name = 0;
}

void runners_gap_end(struct runners *r, uint32_t cpu, uint64_t lost)
{
	struct seat *seat = seat_of(r, cpu);

	if (!seat->in_gap)
		runners_gap_begin(r, cpu, lost);
	r->gaps--;
	*seat = (struct seat){ .holds = HOLDS_NOTHING };
}
