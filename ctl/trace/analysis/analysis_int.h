/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis_int.h - internals of the analysis. */
#ifndef KTRACE_ANALYSIS_INT_H
#define KTRACE_ANALYSIS_INT_H

#include "ctl/trace/analysis/analysis.h"

typedef void event_fn(struct analysis *a, struct cpu *cpu, const struct analysis_event *e);

/* analysis.c */

/* The part of a span that is in the window. */
uint64_t span_in_window(const struct analysis *a, uint64_t from, uint64_t to);
/* Is the newest event in the window? */
bool in_window(const struct analysis *a);
void spans_add(struct spans *t, uint64_t value);

/* task.c: tasks and processes */

struct task *task_find(const struct analysis *a, int64_t tid);
/* Also make it, as a task that may have existed since the trace began.  NULL: tid is not that of a task. */
struct task *task_get(struct analysis *a, int64_t tid);
/* Make a new task, which begins now.  An older one with this tid ends. */
struct task *task_born(struct analysis *a, int64_t tid);
void task_end(struct analysis *a, struct task *task);
void task_name(struct analysis *a, struct task *task, const struct analysis_event *e, unsigned int slot);
/* Put the task into the process with this pid. */
void task_join(struct analysis *a, struct task *task, int64_t pid);
struct process *process_get(struct analysis *a, int64_t pid);
/* Complete the times of a task that is not running. */
void task_account(struct analysis *a, struct task *task, uint64_t t);
/* A task that is not running does this from now on; during a gap it is not known. */
void task_set(struct analysis *a, struct task *task, enum doing doing);
/* Nothing is known about the task from `from` on. */
void task_forget(struct analysis *a, struct task *task, uint64_t from);
void tasks_free(struct analysis *a);
/* Free those that have ended: the others get new numbers. */
void tasks_forget_ended(struct analysis *a);
event_fn on_waking, on_wakeup, on_wakeup_new, on_newtask, on_fork, on_exec, on_process_exit, on_free, on_dump_process;

/* spell.c: the names of a task */

/* The task gets another name now. */
void spell_end(struct analysis *a, struct task *task);
void spells_correct(struct task *task);
void spells_forget(struct task *task);
void spells_mark(const struct task *task, bool *used);

/* cpu.c: what CPUs execute */

struct cpu *cpu_get(struct analysis *a, uint32_t number);
/* Complete the times of a CPU, and of the task on it. */
/* Behind the last event. */
void cpu_finish(struct analysis *a, struct cpu *cpu);
void cpu_account(struct analysis *a, struct cpu *cpu, uint64_t t);
/* It is not known any more what the CPU executes. */
void cpu_forget(struct analysis *a, struct cpu *cpu, uint64_t from);
event_fn on_switch, on_irq_entry, on_irq_exit, on_softirq_entry, on_softirq_exit, on_vector_entry, on_vector_exit,
	on_timer_entry, on_timer_exit, on_fault_user, on_fault_kernel, on_fault_exit;

/* call.c: system calls */

/* Forget the open call of a task, because its end was lost. */
void call_forget(struct task *task);
void calls_free(struct analysis *a);
event_fn on_call_entry, on_call_exit;

/* file.c: open files */

/* The name of the file that the call is on, from the event of its entry; 0: it is on none. */
uint32_t file_of_call(struct analysis *a, struct task *task, const struct call_kind *kind,
		      const struct analysis_event *e);
/* The open call of the task has ended: follow what it did to the descriptors.  e: the event of its exit. */
void file_follow(struct analysis *a, struct task *task, const struct call_kind *kind, const struct analysis_event *e);
/* Count the open call of the task for its file. */
void file_count(struct analysis *a, const struct task *task, const struct call_kind *kind, uint64_t time,
		const struct analysis_event *e);
/* Has the call failed?  False if its result is not known. */
bool call_failed(const struct analysis_event *e);
/* The file of an event about the state at the start. */
struct open_file file_dumped(struct analysis *a, const struct analysis_event *e);
/* Forget the pipes and pairs of sockets whose names are not used: used[], by number. */
void channels_keep(struct analysis *a, const bool *used);

/* table.c: tables of open files */

/* What a descriptor is; the table grows for it.  NULL: the number is too large, and not followed. */
struct open_file *table_file(struct file_table *table, int64_t fd);
void table_set(struct file_table *table, int64_t fd, struct open_file file);
void table_clear(struct file_table *table);
/* The task has the table of its process. */
void table_join(struct analysis *a, struct task *task);
/* A new task.  shared: it uses the same table as its parent; otherwise it gets a copy of that table. */
void table_inherit(struct analysis *a, struct task *child, const struct task *parent, bool shared);
/* From now on the task has a copy of its table for itself. */
void table_unshare(struct analysis *a, struct task *task);
/* The task executes another program: some of its files are closed. */
void table_exec(struct analysis *a, struct task *task);
/* One user fewer: *held is NULL then. */
void table_put(struct analysis *a, struct file_table **held);
/* While the state is read: the kernel has the task's table at this address. */
void table_take_address(struct analysis *a, struct task *task, uint64_t address);
void table_forget_addresses(struct analysis *a);
/* Forget what is open. */
void tables_clear(struct analysis *a);
/* Mark the names of all open files: used[], by number. */
void tables_mark(const struct analysis *a, bool *used);
event_fn on_dump_file, on_dump_end;

/* device.c: disks and network interfaces */

/* Forget the requests that are under way. */
void requests_forget(struct analysis *a);
void devices_free(struct analysis *a);
event_fn on_rq_insert, on_rq_issue, on_rq_requeue, on_rq_complete, on_net_out, on_net_in, on_dump_disk;

#endif
