// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_runners.c - a machine that schedules at random, with threads that execute programs, forks, other names, few tids
 * that come again soon, and lost records.  What runners.h tells of each event must be what the machine knows, or
 * "not known"; and that not too often.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/show/runners/runners.h"
#include "sample.h"

#define CPUS		3
#define TASKS		24
#define STEPS		40000
#define FIRST_TID	300
#define KERNEL_TASKS	3
#define FEW_TIDS	(FIRST_TID + 2 * TASKS)
#define MANY_TIDS	32768
#define MOST_LOST	5000	/* in a gap */

/* Which events the recording has. */
enum has { HAS_RENAME = 1, HAS_PROCESS = 2, HAS_CALLS = 4 };

enum step { STEP_NONE, STEP_CALL, STEP_PRCTL, STEP_NAMED, STEP_EXEC, STEP_EXCHANGED, STEP_EXECUTED };

struct actor {
	bool exists, is_kernel, has_exited, must_die;
	bool has_swapped;	/* the first thread of a process that another thread has taken over */
	int tid, pid, cpu;	/* cpu -1: not running */
	char comm[16];
	enum step step;		/* in which system call, and how far */
};

struct machine {
	struct analysis *a;
	struct runners *runners;
	unsigned int has;
	bool loses;
	int last_tid;		/* before the first comes again */
	uint64_t now, random;
	struct actor actors[TASKS];
	struct actor *runs[CPUS];	/* NULL: idle */
	bool lost[CPUS];
	int newest_tid;
	unsigned int names;
	struct {
		uint64_t all, pid, tid, comm;	/* events in which it is not known */
	} count;
};

static uint64_t draw(struct machine *m, uint64_t below)
{
	return sample_random(&m->random) % below;
}

/* --------------------------------------------------------------------------------- events */

/* is_recorded: the recording has such events.  Others have no kind. */
static struct analysis_event event(struct machine *m, int cpu, bool is_recorded, const char *name)
{
	struct analysis_event e = { .cpu = cpu, .ticks = m->now };

	if (is_recorded)
		e.type = analysis_type(m->a, name);
	return e;
}

static void put(struct analysis_event *e, unsigned int slot, int64_t number)
{
	e->known |= 1U << slot;
	e->value[slot] = (struct event_value){ .number = number };
}

static void put_text(struct analysis_event *e, unsigned int slot, const char *text)
{
	e->known |= 1U << slot;
	e->value[slot] = (struct event_value){ .text = (const uint8_t *)text, .length = strlen(text) };
}

static const char *comm_of(const struct machine *m, int cpu)
{
	static const char *const idle[CPUS] = { "swapper/0", "swapper/1", "swapper/2" };

	return m->runs[cpu] ? m->runs[cpu]->comm : idle[cpu];
}

static void check(struct machine *m, int cpu, const char *name, const struct runner *got)
{
	const struct actor *actor = m->runs[cpu];
	const int tid = actor ? actor->tid : 0, pid = actor ? actor->pid : 0;
	const bool is_pid = got->pid == pid || got->pid == RUNNER_UNKNOWN, is_comm = !got->comm || !strcmp(got->comm, comm_of(m, cpu));
	const bool is_tid = got->tid == tid || got->tid == RUNNER_UNKNOWN || (actor && actor->has_swapped && got->tid == pid);

	if (!is_pid || !is_tid || !is_comm)
		fail_msg("%llu cpu %d %s (has %u): %d %d %s, not %d %d %s", (unsigned long long)m->now, cpu, name, m->has, got->pid,
			 got->tid, got->comm ? got->comm : "?", pid, tid, comm_of(m, cpu));
	m->count.all++;
	m->count.pid += got->pid == RUNNER_UNKNOWN;
	m->count.tid += got->tid == RUNNER_UNKNOWN;
	m->count.comm += !got->comm;
}

static void emit(struct machine *m, struct analysis_event *e, const char *name)
{
	struct runner got;

	m->now++;
	if (m->lost[e->cpu] || !e->type.name)
		return;
	runners_event(m->runners, e, &got);
	if (!e->is_state)
		check(m, (int)e->cpu, name, &got);
}

static void emit_plain(struct machine *m, int cpu, const char *name)
{
	struct analysis_event e = event(m, cpu, true, name);

	emit(m, &e, name);
}

static void emit_call(struct machine *m, int cpu, const char *name, int64_t ret)
{
	struct analysis_event e = event(m, cpu, m->has & HAS_CALLS, name);

	put(&e, CALL_RET, ret);
	emit(m, &e, name);
}

/* Of the actor, by whom runs on the CPU. */
static void rename_actor(struct machine *m, int cpu, struct actor *actor)
{
	struct analysis_event e = event(m, cpu, m->has & HAS_RENAME, "task_rename");
	char comm[16];

	snprintf(comm, sizeof(comm), "name%u", m->names++);
	put(&e, RENAME_TID, actor->tid);
	put_text(&e, RENAME_COMM, comm);
	emit(m, &e, "task_rename");
	strcpy(actor->comm, comm);
}

/* ---------------------------------------------------------------------------------- tasks */

static struct actor *pick_actor(struct machine *m)
{
	return &m->actors[draw(m, TASKS)];
}

/* The tid of a process is taken until its last thread has ended. */
static bool is_taken(const struct machine *m, int tid)
{
	for (size_t i = 0; i < TASKS; i++)
		if (m->actors[i].exists && (m->actors[i].tid == tid || m->actors[i].pid == tid))
			return true;
	return false;
}

static int next_tid(struct machine *m)
{
	do
		m->newest_tid = m->newest_tid < m->last_tid ? m->newest_tid + 1 : FIRST_TID;
	while (is_taken(m, m->newest_tid));
	return m->newest_tid;
}

static struct actor *first_of(struct machine *m, const struct actor *actor)
{
	for (size_t i = 0; i < TASKS; i++)
		if (m->actors[i].exists && m->actors[i].tid == actor->pid)
			return &m->actors[i];
	return NULL;
}

static void do_switch(struct machine *m, int cpu)
{
	struct actor *prev = m->runs[cpu], *next = pick_actor(m);
	struct analysis_event e = event(m, cpu, true, "sched_switch");
	const bool is_dead = prev && prev->has_exited, runs = next->exists && next->cpu < 0 && draw(m, 4);

	if (prev && prev->has_exited && draw(m, 3))
		return;
	put(&e, SWITCH_PREV_TID, prev ? prev->tid : 0);
	put(&e, SWITCH_PREV_STATE, is_dead ? 0x20 : (int64_t)draw(m, 2));
	put_text(&e, SWITCH_PREV_COMM, comm_of(m, cpu));
	put(&e, SWITCH_NEXT_TID, runs ? next->tid : 0);
	if (runs)
		put_text(&e, SWITCH_NEXT_COMM, next->comm);
	else
		put_text(&e, SWITCH_NEXT_COMM, cpu == 0 ? "swapper/0" : cpu == 1 ? "swapper/1" : "swapper/2");
	emit(m, &e, "sched_switch");
	if (prev) {
		prev->cpu = -1;
		prev->exists = !is_dead;
	}
	m->runs[cpu] = runs ? next : NULL;
	if (runs)
		next->cpu = cpu;
}

static void do_fork(struct machine *m, int cpu)
{
	struct actor *parent = m->runs[cpu], *child = pick_actor(m);
	struct analysis_event e = event(m, cpu, m->has & HAS_PROCESS, "sched_process_fork");
	const bool is_thread = draw(m, 2);

	if (!parent || parent->step > STEP_CALL || parent->has_exited || child->exists)
		return;
	*child = (struct actor){ .exists = true, .cpu = -1, .tid = next_tid(m), .is_kernel = parent->is_kernel };
	child->pid = is_thread && !parent->is_kernel ? parent->pid : child->tid;
	strcpy(child->comm, parent->comm);
	put(&e, FORK_PARENT_TID, parent->tid);
	put(&e, FORK_PARENT_PID, parent->pid);
	put(&e, FORK_CHILD_TID, child->tid);
	put(&e, FORK_CHILD_PID, child->pid);
	put_text(&e, FORK_CHILD_COMM, child->comm);
	emit(m, &e, "sched_process_fork");
}

static void do_exit(struct machine *m, int cpu)
{
	struct actor *actor = m->runs[cpu];
	struct analysis_event e = event(m, cpu, m->has & HAS_PROCESS, "sched_process_exit");

	if (!actor || actor->has_exited || (actor->is_kernel && draw(m, 4)) || (actor->step > STEP_CALL && !actor->must_die))
		return;
	if (!actor->must_die && draw(m, 3))
		return;
	put(&e, EXIT_TID, actor->tid);
	put_text(&e, EXIT_COMM, actor->comm);
	emit(m, &e, "sched_process_exit");
	actor->has_exited = true;
}

/* Another thread of its process, or a kernel thread that did not run yet. */
static void do_rename_other(struct machine *m, int cpu)
{
	struct actor *actor = m->runs[cpu], *other = pick_actor(m);
	const bool is_sibling = actor && other->pid == actor->pid && !actor->is_kernel;

	/* Where only system calls are recorded, this is not seen. */
	if (!actor || actor == other || !other->exists || !is_sibling || actor->has_exited || other->has_swapped)
		return;
	if (actor->step > STEP_CALL || (!(m->has & HAS_RENAME) && m->has & HAS_CALLS))
		return;
	rename_actor(m, cpu, other);
}

/* --------------------------------------------------------------------------- system calls */

static void begin_call(struct machine *m, int cpu, struct actor *actor)
{
	const uint64_t what = draw(m, 12);

	if (actor->is_kernel || actor->has_exited)
		return;
	actor->step = what == 0 ? STEP_EXEC : what < 4 ? STEP_PRCTL : STEP_CALL;
	emit_call(m, cpu, actor->step == STEP_EXEC ? "syscall_entry_execve" : actor->step == STEP_PRCTL ? "syscall_entry_prctl" : "syscall_entry_read", 0);
}

/* All others end first; the first thread may still be on its way out. */
static bool is_alone(struct machine *m, struct actor *actor)
{
	bool alone = true;

	for (size_t i = 0; i < TASKS; i++) {
		struct actor *other = &m->actors[i];

		if (!other->exists || other == actor || other->pid != actor->pid)
			continue;
		other->must_die = true;
		alone &= other->tid == other->pid && other->has_exited;
	}
	return alone;
}

/* It fails, or waits for the others to end, and takes the tid of the first thread. */
static void go_on_exec(struct machine *m, int cpu, struct actor *actor)
{
	struct actor *first = first_of(m, actor);

	if (!draw(m, 8) && !actor->must_die) {
		actor->step = STEP_NONE;
		emit_call(m, cpu, "syscall_exit_execve", -2);
		return;
	}
	if (actor->must_die || !is_alone(m, actor))
		return;
	if (first && first != actor) {
		first->tid = actor->tid;
		first->has_swapped = true;
	}
	actor->tid = actor->pid;
	actor->step = STEP_EXCHANGED;
}

static void end_exec(struct machine *m, int cpu, struct actor *actor)
{
	AUTO_FREE char *path = mem_printf("/usr/bin/%s", actor->comm);
	struct analysis_event e = event(m, cpu, m->has & HAS_PROCESS, "sched_process_exec");

	actor->step = STEP_EXECUTED;
	put(&e, EXEC_TID, actor->tid);
	put_text(&e, EXEC_FILENAME, path);
	emit(m, &e, "sched_process_exec");
}

static void do_call(struct machine *m, int cpu)
{
	struct actor *actor = m->runs[cpu];

	if (!actor)
		return;
	switch (actor->step) {
	case STEP_NONE:
		begin_call(m, cpu, actor);
		return;
	case STEP_CALL:
	case STEP_NAMED:
		if (!actor->has_exited)
			emit_call(m, cpu, actor->step == STEP_CALL ? "syscall_exit_read" : "syscall_exit_prctl", 0);
		actor->step = STEP_NONE;
		return;
	case STEP_PRCTL:
		if (!actor->has_exited)
			rename_actor(m, cpu, actor);
		actor->step = STEP_NAMED;
		return;
	case STEP_EXEC:
		if (!actor->has_exited)
			go_on_exec(m, cpu, actor);
		return;
	case STEP_EXCHANGED:
		rename_actor(m, cpu, actor);
		end_exec(m, cpu, actor);
		return;
	case STEP_EXECUTED:
		emit_call(m, cpu, "syscall_exit_execve", 0);
		actor->step = STEP_NONE;
	}
}

/* Anything that happens between. */
static void do_other(struct machine *m, int cpu)
{
	emit_plain(m, cpu, "irq_softirq_entry");
}

static void do_loss(struct machine *m, int cpu)
{
	if (!m->loses || (!m->lost[cpu] && draw(m, 20)))
		return;
	if (m->lost[cpu])
		runners_gap_end(m->runners, cpu, MOST_LOST);
	else
		runners_gap_begin(m->runners, cpu, MOST_LOST);
	m->lost[cpu] = !m->lost[cpu];
}

/* ------------------------------------------------------------------------------------ run */

static void declare(struct machine *m)
{
	analysis_type(m->a, "sched_switch");
	if (m->has & HAS_RENAME)
		analysis_type(m->a, "task_rename");
	if (m->has & HAS_PROCESS) {
		analysis_type(m->a, "sched_process_fork");
		analysis_type(m->a, "sched_process_exec");
		analysis_type(m->a, "sched_process_exit");
	}
	m->a->all_calls = m->has & HAS_CALLS;
	if (m->has & HAS_CALLS) {
		analysis_type(m->a, "syscall_entry_read");
		analysis_type(m->a, "syscall_exit_read");
	}
}

static void dump(struct machine *m, const struct actor *actor)
{
	struct analysis_event e = event(m, 0, true, "lttng_statedump_process_state");

	e.is_state = true;
	put(&e, PROCESS_TID, actor->tid);
	put(&e, PROCESS_PID, actor->pid);
	put_text(&e, PROCESS_NAME, actor->comm);
	put(&e, PROCESS_TYPE, actor->is_kernel);
	put(&e, PROCESS_STATUS, 5);
	emit(m, &e, "dump");
}

/* A recording, and of 1000 events: of so many at most it is not known who ran. */
struct limits {
	unsigned int has;
	uint64_t pid, tid, comm;
};

static void start(struct machine *m, uint64_t seed, unsigned int has, bool loses, int last_tid)
{
	*m = (struct machine){ .a = analysis_create(0, UINT64_MAX), .has = has, .loses = loses, .last_tid = last_tid, .now = 1000, .random = seed,
			       .newest_tid = FIRST_TID + 3 * KERNEL_TASKS };
	declare(m);
	m->runners = runners_create(m->a, last_tid == MANY_TIDS ? MANY_TIDS : 0, false);
	for (int i = 0; i < 3 * KERNEL_TASKS; i++) {
		struct actor *actor = &m->actors[i];

		*actor = (struct actor){ .exists = true, .cpu = -1, .tid = FIRST_TID + i, .pid = FIRST_TID + i, .is_kernel = i < KERNEL_TASKS };
		if (!actor->is_kernel && i % 3)
			actor->pid = FIRST_TID + i - i % 3;
		snprintf(actor->comm, sizeof(actor->comm), "start%d", i % 100);
		dump(m, actor);
	}
}

static void finish(struct machine *m)
{
	runners_free(m->runners);
	analysis_free(m->a);
}

static void play(struct machine *m, uint64_t seed, unsigned int has, bool loses, int last_tid)
{
	static void (*const things[])(struct machine *m, int cpu) = {
		do_switch, do_switch, do_call, do_call, do_call, do_other, do_other, do_fork, do_exit, do_rename_other, do_loss,
	};

	start(m, seed, has, loses, last_tid);
	for (int i = 0; i < STEPS; i++)
		things[draw(m, ARRAY_SIZE(things))](m, (int)draw(m, CPUS));
}

static void expect_most(const struct machine *m, const struct limits *limits)
{
	const uint64_t all = m->count.all;

	if (1000 * m->count.pid > limits->pid * all || 1000 * m->count.tid > limits->tid * all ||
	    1000 * m->count.comm > limits->comm * all)
		fail_msg("has %u: of %llu: %llu pids, %llu tids, %llu names are not known", m->has, (unsigned long long)all,
			 (unsigned long long)m->count.pid, (unsigned long long)m->count.tid, (unsigned long long)m->count.comm);
}

static void play_rows(const struct limits *rows, size_t n, bool loses, int last_tid)
{
	for (size_t i = 0; i < n; i++) {
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct machine m;

			play(&m, seed, rows[i].has, loses, last_tid);
			expect_most(&m, &rows[i]);
			finish(&m);
		}
	}
}

/* Without events of the begin of tasks, the process of new ones is not known; without those of renames and calls, no name. */
static void test_complete(void **state)
{
	static const struct limits rows[] = {
		{ HAS_RENAME | HAS_PROCESS | HAS_CALLS, 4, 4, 2 }, { HAS_RENAME | HAS_PROCESS, 4, 8, 2 },
		{ HAS_PROCESS | HAS_CALLS, 4, 4, 8 }, { HAS_PROCESS, 4, 8, 400 }, { HAS_CALLS, 700, 400, 400 }, { 0, 700, 400, 400 },
	};

	play_rows(rows, ARRAY_SIZE(rows), false, FEW_TIDS);
}

/* Records of some CPU are missing half of the time, and each number may be that of another task. */
static void test_lost(void **state)
{
	static const struct limits rows[] = {
		{ HAS_RENAME | HAS_PROCESS | HAS_CALLS, 650, 350, 100 }, { HAS_RENAME | HAS_PROCESS, 650, 350, 100 },
		{ HAS_PROCESS | HAS_CALLS, 650, 350, 400 }, { HAS_CALLS, 700, 400, 400 }, { 0, 700, 400, 400 },
	};

	play_rows(rows, ARRAY_SIZE(rows), true, FEW_TIDS);
}

/* Tasks have the same numbers as before the loss. */
static void test_few_lost(void **state)
{
	static const struct limits rows[] = {
		{ HAS_RENAME | HAS_PROCESS | HAS_CALLS, 80, 60, 120 }, { HAS_RENAME | HAS_PROCESS, 80, 60, 120 },
		{ HAS_PROCESS | HAS_CALLS, 80, 60, 400 },
	};

	play_rows(rows, ARRAY_SIZE(rows), true, MANY_TIDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_few_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
