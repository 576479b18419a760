// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto_tasks.c - processes and threads: those that were there at the begin, and what events tell of others. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/reader/pick.h"
#include "ctl/trace/export/schema.h"
#include "ctl/trace/saved/saved.h"

#define CLONE_THREAD_FLAG	0x00010000

/* ------------------------------------------------------------------- the process tree */


/* A task as the state of the system has it. */
struct task {
	int32_t tid, tgid, ppid, uid;
	bool is_kernel, was_created;
	char *name, *cmdline;	/* cmdline NULL: not known */
};

static struct task read_task(const struct record *record)
{
	enum { TID, PID, PPID, UID, TYPE, NAME, NR };
	static const char *const names[NR] = { "tid", "pid", "ppid", "uid", "type", "name" };
	struct picked v[NR];

	pick(record, names, NR, v);
	return (struct task){
		.tid = v[TID].number, .tgid = v[PID].number, .ppid = v[PPID].number, .uid = v[UID].number,
		.is_kernel = v[TYPE].number, .name = mem_strndup(v[NAME].text ? v[NAME].text : "", v[NAME].length),
	};
}

static void put_process(struct pb *pb, const struct task *task)
{
	const size_t at = pb_open(pb, TREE_PROCESS);

	pb_number(pb, PROCESS_TREE_PID, (uint64_t)task->tgid);
	pb_number(pb, PROCESS_TREE_PPID, (uint64_t)task->ppid);
	pb_string(pb, PROCESS_TREE_CMDLINE, task->cmdline ? task->cmdline : task->name);
	pb_number(pb, PROCESS_TREE_UID, (uint64_t)(int64_t)task->uid);
	pb_number(pb, PROCESS_TREE_IS_KTHREAD, task->is_kernel);
	pb_number(pb, PROCESS_TREE_IS_COMM, !task->cmdline);
	pb_close(pb, at);
}

static void put_thread(struct pb *pb, int32_t tid, int32_t tgid, const char *name)
{
	const size_t at = pb_open(pb, TREE_THREAD);

	pb_number(pb, THREAD_TREE_TID, (uint64_t)tid);
	pb_number(pb, THREAD_TREE_TGID, (uint64_t)tgid);
	if (name)
		pb_string(pb, THREAD_TREE_NAME, name);
	pb_close(pb, at);
}

static void put_task(struct pb *pb, const struct task *task)
{
	if (task->tid == task->tgid)
		put_process(pb, task);
	put_thread(pb, task->tid, task->tgid, task->name);
}

/* A process tree is a packet with a time; between these two write its entries. */
struct tree {
	size_t packet, tree;
};

static struct tree open_tree(struct perfetto *p, uint64_t ns)
{
	struct tree tree = { .packet = packet_open(p, SEQ_SYSTEM, 0) };

	pb_number(&p->pb, PACKET_TIMESTAMP, ns);
	tree.tree = pb_open(&p->pb, PACKET_PROCESS_TREE);
	return tree;
}

static void close_tree(struct perfetto *p, struct tree tree)
{
	pb_close(&p->pb, tree.tree);
	packet_close(p, tree.packet);
}

/* The process of a thread is known now. */
static void belongs(struct perfetto *p, int32_t tid, int32_t tgid, uint64_t ns)
{
	struct thread *thread = threads_get(&p->threads, tid);

	if (thread->tgid == tgid)
		return;
	track_call_ends(p, ns, tid);
	thread->tgid = tgid;
	if (thread->has_track)
		thread->track = ++p->threads.tracks;
	thread->has_track = false;
}

/* ------------------------------------------------------------------ what is learnt */

void learn_switch(struct perfetto *p, const struct record *record, int32_t tid)
{
	enum { PREV, NEXT, IOWAIT, NR };
	static const char *const names[NR] = { "prev_tid", "next_tid", "prev_iowait" };
	struct picked v[NR];

	pick(record, names, NR, v);
	perfetto_cpu(p, record->cpu)->current = v[NEXT].is_known ? (int32_t)v[NEXT].number : NOBODY;
	if (v[IOWAIT].number && v[PREV].is_known)
		ftrace_blocked(p, record->cpu, perfetto_ns(p, record->ticks), v[PREV].number);
}

void learn_task(struct perfetto *p, const struct record *record, int32_t tid)
{
	enum { TID, FLAGS, NR };
	static const char *const names[NR] = { "tid", "clone_flags" };
	int32_t tgid = 0;
	struct picked v[NR];

	pick(record, names, NR, v);
	if (!v[TID].is_known || v[TID].number <= 0)
		return;
	if (v[FLAGS].is_known && !(v[FLAGS].number & CLONE_THREAD_FLAG))
		tgid = v[TID].number;
	else if (v[FLAGS].is_known && tid > 0)
		tgid = threads_get(&p->threads, tid)->tgid;
	track_call_ends(p, perfetto_ns(p, record->ticks), v[TID].number);
	threads_create(&p->threads, v[TID].number, tgid)->is_new = true;
}

/* It comes behind task_newtask, if that is recorded. */
void learn_fork(struct perfetto *p, const struct record *record, int32_t tid)
{
	enum { TID, PID, NR };
	static const char *const names[NR] = { "child_tid", "child_pid" };
	const uint64_t ns = perfetto_ns(p, record->ticks);
	struct picked v[NR];
	struct tree tree;

	pick(record, names, NR, v);
	if (!v[TID].is_known || !v[PID].is_known || v[TID].number <= 0)
		return;
	if (!threads_get(&p->threads, v[TID].number)->is_new) {
		track_call_ends(p, ns, v[TID].number);
		threads_create(&p->threads, v[TID].number, v[PID].number);
	}
	threads_get(&p->threads, v[TID].number)->is_new = false;
	belongs(p, v[TID].number, v[PID].number, ns);
	tree = open_tree(p, ns);
	put_thread(&p->pb, v[TID].number, v[PID].number, NULL);
	close_tree(p, tree);
}

/* A thread that was not the first of its process goes on with the id of the first. */
void learn_exec(struct perfetto *p, const struct record *record, int32_t tid)
{
	static const char *const names[] = { "tid", "old_tid" };
	const uint64_t ns = perfetto_ns(p, record->ticks);
	struct picked v[2];

	pick(record, names, 2, v);
	if (!v[0].is_known || !v[1].is_known || v[0].number == v[1].number)
		return;
	track_call_ends(p, ns, v[0].number);
	track_call_ends(p, ns, v[1].number);
}

/* exit(2) does not return. */
void learn_exit(struct perfetto *p, const struct record *record, int32_t tid)
{
	static const char *const names[] = { "tid" };
	struct picked v;

	pick(record, names, 1, &v);
	if (v.is_known)
		track_call_ends(p, perfetto_ns(p, record->ticks), v.number);
}

/* ---------------------------------------------------------------------- at the begin */

/* The tasks of the state of the system. */
struct first {
	struct task *tasks;
	size_t nr;
	struct keymap by_tid;	/* one more than the index */
	struct keymap created;	/* ids of tasks that were created before their state was read */
	uint64_t began, ended;	/* ticks of the first record, and of the last of the state */
	bool begun, over;
};

static void first_task(struct first *first, const struct record *record)
{
	struct task task = read_task(record);

	if (task.tid <= 0 || task.tgid <= 0 || keymap_find(&first->by_tid, (uint32_t)task.tid)) {
		free(task.name);
		return;
	}
	task.was_created = keymap_find(&first->created, (uint32_t)task.tid);
	first->tasks = MEM_MORE(first->tasks, first->nr);
	first->tasks[first->nr++] = task;
	keymap_set(&first->by_tid, (uint32_t)task.tid, first->nr);
}

static void first_cmdline(struct first *first, const struct record *record)
{
	static const char *const names[] = { "pid", "args" };
	struct picked v[2];
	uint32_t at;

	pick(record, names, 2, v);
	at = keymap_find(&first->by_tid, (uint32_t)v[0].number);
	if (at && v[1].length && !first->tasks[at - 1].cmdline)
		first->tasks[at - 1].cmdline = mem_strndup(v[1].text, v[1].length);
}

static void first_created(struct first *first, const struct record *record, const char *field)
{
	struct picked v;

	pick(record, &field, 1, &v);
	if (v.is_known)
		keymap_set(&first->created, (uint32_t)v.number, 1);
}

static void first_record(struct first *first, const struct record *record)
{
	const char *name;

	if (!first->begun)
		first->began = record->ticks;
	first->begun = true;
	first->ended = record->ticks;
	name = record->type == RECORD_HIT ? record->desc->name : "";
	if (!strcmp(name, "task_newtask"))
		first_created(first, record, "tid");
	else if (!strcmp(name, "sched_process_fork"))
		first_created(first, record, "child_tid");
	else if (!strcmp(name, "lttng_statedump_process_state"))
		first_task(first, record);
	else if (!strcmp(name, "ktrace_statedump_command_line"))
		first_cmdline(first, record);
	else if (!strcmp(name, "lttng_statedump_end"))
		first->over = true;
}

/* Read the recording up to the end of the state.  Without a state only up to the first record. */
static bool read_first(struct saved *saved, struct first *first, struct error *err)
{
	const bool state = trace_info_has_state(saved_info(saved));
	struct snapshot *snap;

	saved_rewind(saved);
	while (!first->over && !(first->begun && !state)) {
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "interrupted");
		if (!saved_next(saved, &snap, err))
			return false;
		if (!snap)
			return true;
		for (size_t i = 0; i < snapshot_count(snap) && !first->over; i++)
			first_record(first, snapshot_at(snap, i));
		snapshot_free(snap);
	}
	return true;
}

static void put_tasks(struct perfetto *p, const struct first *first, bool created)
{
	const uint64_t ns = perfetto_ns(p, created ? first->ended : first->began);
	const struct tree tree = open_tree(p, ns);

	for (size_t i = 0; i < first->nr; i++) {
		const struct task *task = &first->tasks[i];

		if (task->was_created != created)
			continue;
		put_task(&p->pb, task);
		if (!created)
			belongs(p, task->tid, task->tgid, ns);
	}
	close_tree(p, tree);
}

static void first_free(struct first *first)
{
	for (size_t i = 0; i < first->nr; i++) {
		free(first->tasks[i].name);
		free(first->tasks[i].cmdline);
	}
	free(first->tasks);
	keymap_free(&first->by_tid);
	keymap_free(&first->created);
}

bool perfetto_first(struct perfetto *p, struct saved *saved, struct error *err)
{
	struct first first = { 0 };
	const bool ok = read_first(saved, &first, err);

	if (ok && first.nr) {
		put_tasks(p, &first, false);
		put_tasks(p, &first, true);
	}
	first_free(&first);
	return ok;
}
