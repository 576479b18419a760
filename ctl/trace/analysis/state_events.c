// SPDX-License-Identifier: GPL-2.0-or-later
/* state_events.c - see state_events.h. */
#include "ctl/trace/analysis/state_events.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/state/state.h"

/* Objects between two calls of between(). */
#define BETWEEN	64

struct reading {
	struct state_events *out;
	bool (*between)(void *arg, struct error *err);
	void *arg;
};

/* The texts are copied. */
static bool add(struct reading *reading, struct analysis_event event, uint64_t time, struct error *err)
{
	struct state_events *out = reading->out;

	/* As in the file of a recording, the events are in the order of their times. */
	event.ticks = out->n && time < out->v[out->n - 1].ticks ? out->v[out->n - 1].ticks : time;
	event.is_state = true;
	event.cpu = (uint32_t)sched_getcpu();
	for (int i = 0; i < EVENT_SLOTS; i++)
		if (event.value[i].text)
			event.value[i].text = (uint8_t *)mem_strndup((const char *)event.value[i].text, event.value[i].length);
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = event;
	return out->n % BETWEEN || reading->between(reading->arg, err);
}

static void put_number(struct analysis_event *event, unsigned int slot, int64_t number)
{
	event->known |= 1U << slot;
	event->value[slot] = (struct event_value){ .number = number };
}

static void put_text(struct analysis_event *event, unsigned int slot, const char *text)
{
	event->known |= 1U << slot;
	event->value[slot] = (struct event_value){ .text = (const uint8_t *)text, .length = strlen(text) };
}

static bool put_start(void *arg, uint64_t time, struct error *err)
{
	struct reading *reading = arg;

	reading->out->began = time;
	return true;
}

static bool put_disk(void *arg, const struct state_block_device *disk, struct error *err)
{
	struct analysis_event event = { .type.id = EVENT_DUMP_DISK };

	put_number(&event, DISK_DEV, disk->dev);
	put_text(&event, DISK_NAME, disk->name);
	return add(arg, event, disk->time, err);
}

static bool put_task(void *arg, const struct kt_state_task *t, struct error *err)
{
	struct analysis_event event = { .type.id = EVENT_DUMP_PROCESS };
	struct reading *reading = arg;

	put_number(&event, PROCESS_TID, t->head.pid);
	put_number(&event, PROCESS_PID, t->tgid);
	put_number(&event, PROCESS_PPID, t->ppid);
	put_text(&event, PROCESS_NAME, t->name);
	put_number(&event, PROCESS_TYPE, !!(t->flags & KT_TASK_KERNEL));
	put_number(&event, PROCESS_STATUS, t->flags & KT_TASK_ON_CPU ? KT_STATUS_RUN : t->status);
	put_number(&event, PROCESS_IOWAIT, !!(t->flags & KT_TASK_IOWAIT));
	put_number(&event, PROCESS_TABLE, (int64_t)t->files);
	keymap_set(&reading->out->tids, t->head.pid, 1);
	return add(reading, event, t->head.time, err);
}

static bool put_file(void *arg, const struct kt_state_file *f, struct error *err)
{
	struct analysis_event event = { .type.id = EVENT_DUMP_FILE };

	put_number(&event, FILE_PID, f->tgid);
	put_number(&event, FILE_FD, f->fd);
	put_text(&event, FILE_NAME, f->name);
	put_number(&event, FILE_FLAGS, f->flags);
	put_number(&event, FILE_TABLE, (int64_t)f->table);
	return add(arg, event, f->head.time, err);
}

static bool put_end(void *arg, uint64_t time, struct error *err)
{
	struct reading *reading = arg;

	reading->out->ended = time;
	return add(reading, (struct analysis_event){ .type.id = EVENT_DUMP_END }, time, err);
}

bool state_events_read(struct state_events *out, struct device *dev, bool (*between)(void *arg, struct error *err),
		       void *arg, struct error *err)
{
	struct reading reading = { .out = out, .between = between, .arg = arg };
	const struct state_sink sink = {
		.data = &reading, .start = put_start, .block_device = put_disk, .task = put_task, .file = put_file,
		.end = put_end,
	};

	*out = (struct state_events){ 0 };
	return state_dump(dev, "", &sink, err);
}

void state_events_free(struct state_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		for (int slot = 0; slot < EVENT_SLOTS; slot++)
			free((void *)events->v[i].value[slot].text);
	free(events->v);
	keymap_free(&events->tids);
	*events = (struct state_events){ 0 };
}
