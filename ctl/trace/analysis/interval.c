// SPDX-License-Identifier: GPL-2.0-or-later
/* interval.c - the figures of one interval after the other.  See analysis_restart(). */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/analysis/analysis_int.h"

/* Names that were added since unused ones were last removed, before they are searched again. */
#define MANY_NAMES	1024

/* The buckets stay. */
static void samples_restart(struct samples *s)
{
	uint64_t *buckets = s->buckets;

	if (s->count)
		memset(buckets, 0, KT_HIST_BUCKETS * sizeof(*buckets));
	*s = (struct samples){ .buckets = buckets };
}

static void restart_tasks(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_tasks; i++) {
		struct task *task = a->tasks[i];

		memset(task->time, 0, sizeof(task->time));
		task->events = task->calls = 0;
		task->latency = (struct spans){ 0 };
		spells_forget(task);
	}
}

static void restart_cpus(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_cpus; i++) {
		struct cpu *cpu = a->cpus[i];

		if (!cpu)
			continue;
		memset(cpu->time, 0, sizeof(cpu->time));
		memset(cpu->stint, 0, sizeof(cpu->stint));
		cpu->idle = cpu->events = cpu->lost = 0;
	}
	for (size_t i = 0; i < a->nr_works; i++)
		a->works[i].time = (struct spans){ 0 };
}

static void restart_calls(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_calls; i++) {
		struct call *call = &a->calls[i];

		samples_restart(&call->time);
		if (call->errors)
			memset(call->by_errno, 0, ERRNOS * sizeof(*call->by_errno));
		call->half = call->errors = 0;
	}
	a->nr_uses = a->nr_files = 0;
	keymap_free(&a->by_use);
	keymap_free(&a->by_file);
}

static void restart_devices(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_disks; i++) {
		struct disk *disk = &a->disks[i];

		memset(disk->uses, 0, sizeof(disk->uses));
		samples_restart(&disk->time);
		disk->queued = (struct spans){ 0 };
		disk->half = 0;
	}
	a->nr_interfaces = 0;
	keymap_free(&a->by_interface);
}

void analysis_restart(struct analysis *a)
{
	a->from = a->now;
	a->events = a->lost = a->contradictions = a->no_iowait = 0;
	if (a->nr_counts)
		memset(a->counts, 0, a->nr_counts * sizeof(*a->counts));
	samples_restart(&a->latency);
	tasks_forget_ended(a);
	restart_tasks(a);
	restart_cpus(a);
	restart_calls(a);
	restart_devices(a);
}

/* ----------------------------------------------------------------------- names */

static void mark_tasks(const struct analysis *a, bool *used)
{
	for (size_t i = 0; i < a->nr_tasks; i++) {
		used[a->tasks[i]->name] = used[a->tasks[i]->call_file] = true;
		spells_mark(a->tasks[i], used);
	}
	for (size_t i = 0; i < a->nr_processes; i++)
		used[a->processes[i]->name] = true;
	tables_mark(a, used);
}

static void mark_others(const struct analysis *a, bool *used)
{
	for (uint32_t i = 1; i <= a->names.nr; i++)
		used[i] |= keymap_find(&a->typed, i);
	for (size_t i = 0; i < a->nr_works; i++)
		used[a->works[i].name] = true;
	for (size_t i = 0; i < a->nr_calls; i++)
		used[a->calls[i].name] = true;
	for (size_t i = 0; i < a->nr_files; i++)
		used[a->files[i].name] = true;
	for (size_t i = 0; i < a->nr_disks; i++)
		used[a->disks[i].name] = true;
	for (size_t i = 0; i < a->nr_interfaces; i++)
		used[a->interfaces[i].name] = true;
}

static uint32_t names_present(const struct analysis *a)
{
	return a->names.nr - a->names.nr_spare;
}

void analysis_forget_names(struct analysis *a)
{
	bool *used;

	if (names_present(a) < 2 * a->kept + MANY_NAMES)
		return;
	used = mem_zalloc(a->names.nr + 1, sizeof(*used));
	mark_tasks(a, used);
	mark_others(a, used);
	channels_keep(a, used);
	names_keep(&a->names, used);
	a->kept = names_present(a);
	free(used);
}

/* ----------------------------------------------------------------------- tasks */

void analysis_forget_missing(struct analysis *a, const struct keymap *alive, uint64_t since)
{
	for (size_t i = a->nr_living; i--;) {
		struct task *task = a->living[i];

		if (!task->cpu && task->doing == DOING_UNKNOWN && task->born < since &&
		    !keymap_find(alive, task->tid))
			task_end(a, task);
	}
}
