// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state.c - the state of the system before a recording starts.  See state.h.
 *
 * The order matters.  The end comes last: the module then forces a scheduling event on each CPU.  Command lines come
 * behind the mappings: the kernel reads them from the memory of the process, and a process whose mappings are locked
 * would keep us waiting.
 */
#include "ctl/base/state/state.h"

#include <stdlib.h>

#include "ctl/base/device/device.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/state/entries.h"
#include "ctl/base/state/system.h"

struct process {
	int32_t pid;
	bool locked;		/* its mappings could not be read */
};

struct dump {
	struct device *dev;
	const struct state_sink *sink;
	const char *root;
	void *buf;		/* KT_MAX_STATE_ROOM bytes */
	struct process *processes;	/* of user space, by rising pid, to read their command lines */
	size_t nr_processes;
};

static bool now(struct dump *d, uint64_t *ticks, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;

	if (!device_clock(d->dev, &clock, &anchors, err))
		return false;
	free(anchors);
	*ticks = clock.now;
	return true;
}

/* ---------------------------------------------------------- from the module */

static bool give_task(struct dump *d, const void *entry, struct error *err)
{
	const struct kt_state_task *task = entry;

	if (task->head.pid == task->tgid && !(task->flags & KT_TASK_KERNEL)) {
		d->processes = MEM_MORE(d->processes, d->nr_processes);
		d->processes[d->nr_processes++] = (struct process){ .pid = task->tgid };
	}
	return !d->sink->task || d->sink->task(d->sink->data, task, err);
}

static bool give_pids(struct dump *d, const void *entry, struct error *err)
{
	return d->sink->pids(d->sink->data, entry, err);
}

static bool give_file(struct dump *d, const void *entry, struct error *err)
{
	return d->sink->file(d->sink->data, entry, err);
}

static int compare_processes(const void *key, const void *element)
{
	const int32_t pid = *(const int32_t *)key;
	const struct process *process = element;

	return (pid > process->pid) - (pid < process->pid);
}

static void note_locked(struct dump *d, int32_t tgid)
{
	struct process *process = d->nr_processes ? bsearch(&tgid, d->processes, d->nr_processes, sizeof(*process),
							    compare_processes) : NULL;

	if (process)
		process->locked = true;
}

static bool give_map(struct dump *d, const void *entry, struct error *err)
{
	const struct kt_state_map *map = entry;

	if (!map->end)
		note_locked(d, map->tgid);
	return !d->sink->map || d->sink->map(d->sink->data, map, err);
}

static bool give_cpu(struct dump *d, const void *entry, struct error *err)
{
	return !d->sink->cpu || d->sink->cpu(d->sink->data, entry, err);
}

static bool (*const gives[KT_NR_STATES])(struct dump *d, const void *entry, struct error *err) = {
	[KT_STATE_TASKS] = give_task,
	[KT_STATE_PIDS] = give_pids,
	[KT_STATE_FILES] = give_file,
	[KT_STATE_MAPS] = give_map,
	[KT_STATE_END] = give_cpu,
};

static bool give_part(struct dump *d, const struct kt_state *part, struct error *err)
{
	struct entries entries = { .at = d->buf, .end = (unsigned char *)d->buf + part->len, .kind = part->kind };
	const struct kt_state_head *head;

	while ((head = entries_next(&entries)))
		if (!gives[part->kind](d, head, err))
			return false;
	return entries.at == entries.end ||
	       error_set(err, STATUS_FAILURE, "the module describes the state of the system in an unknown form: reload the module (rmmod ktrace; modprobe ktrace)");
}

static bool from_module(struct dump *d, enum kt_state_kind kind, struct error *err)
{
	struct kt_state part = { .kind = kind, .buf = (uintptr_t)d->buf, .room = KT_MAX_STATE_ROOM };

	do {
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "the state of the system: interrupted");
		if (!device_state(d->dev, &part, err) || !give_part(d, &part, err))
			return false;
	} while (!part.done);
	return true;
}

/* ----------------------------------------------------- from /proc and /sys */

static bool from_system(struct dump *d, struct error *err)
{
	const struct state_sink *sink = d->sink;
	const struct {
		bool wanted;
		bool (*read)(const struct system_source *from, struct error *err);
	} kinds[] = {
		{ sink->online_cpu, system_online_cpus }, { sink->interrupt, system_interrupts },
		{ sink->module, system_modules }, { sink->block_device, system_block_devices },
		{ sink->interface, system_interfaces },
	};
	struct system_source from = { .root = d->root, .sink = sink };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].wanted && (!now(d, &from.time, err) || !kinds[i].read(&from, err)))
			return false;
	return true;
}

static bool cmdlines(struct dump *d, struct error *err)
{
	struct system_source from = { .root = d->root, .sink = d->sink };

	if (!d->sink->cmdline)
		return true;
	if (!now(d, &from.time, err))
		return false;
	for (size_t i = 0; i < d->nr_processes; i++)
		if (!d->processes[i].locked && !system_cmdline(&from, d->processes[i].pid, err))
			return false;
	return true;
}

static bool mark(struct dump *d, bool (*to)(void *data, uint64_t time, struct error *err), struct error *err)
{
	uint64_t time;

	return !to || (now(d, &time, err) && to(d->sink->data, time, err));
}

bool state_dump(struct device *dev, const char *root, const struct state_sink *sink, struct error *err)
{
	struct dump d = { .dev = dev, .sink = sink, .root = root, .buf = mem_zalloc(1, KT_MAX_STATE_ROOM) };
	const bool ok = mark(&d, sink->start, err) && from_system(&d, err) &&
			from_module(&d, KT_STATE_TASKS, err) &&
			(!sink->pids || from_module(&d, KT_STATE_PIDS, err)) &&
			(!sink->file || from_module(&d, KT_STATE_FILES, err)) &&
			((!sink->map && !sink->cmdline) || from_module(&d, KT_STATE_MAPS, err)) &&
			cmdlines(&d, err) && from_module(&d, KT_STATE_END, err) && mark(&d, sink->end, err);

	free(d.processes);
	free(d.buf);
	return ok;
}
