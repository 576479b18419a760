// SPDX-License-Identifier: GPL-2.0-or-later
/* critical.c - see critical.h. */
#include "ctl/trace/analysis/critical.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/analysis/analysis_int.h"

#define BUFFER	(1 << 20)
/* Threads that wait for each other in a row; of the last one only the state counts. */
#define DEEPEST	100

/* A task begins to do something. */
struct edge {
	uint64_t at;
	uint64_t before;	/* number of the task's edge before; edges count from 1, 0: there is none */
	uint64_t by_edge;	/* AGENT_TASK: number of the waker's newest edge */
	uint32_t task;		/* index in analysis.tasks */
	uint32_t by;		/* who has woken it: the number of an agent */
	uint16_t by_kind;
	uint16_t doing;		/* DOING_EITHER: it runs */
	uint32_t unused;
};

/* The newest edge of a task. */
struct tip {
	uint64_t edge;		/* 0: there is none */
	enum doing doing;
};

struct critical {
	const struct analysis *a;
	FILE *file;
	char *buffer;
	uint64_t nr_edges;
	int failed;		/* errno of a write */
	struct tip *tips;	/* [nr_tips] by number of the task */
	size_t nr_tips;
	uint64_t contradictions;	/* of the analysis, when all tasks were last examined */

	const struct edge *edges;	/* the file, while a path is followed */
	struct critical_part *parts;
	size_t nr_parts;
	struct keymap by_part;
};

static bool cannot(int number, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "the wake-ups cannot be stored in /tmp: %s: make room there",
			 strerror(number));
}

struct critical *critical_create(const struct analysis *a, struct error *err)
{
	struct critical *c = mem_zalloc(1, sizeof(*c));

	c->a = a;
	c->file = tmpfile();
	if (!c->file) {
		cannot(errno, err);
		free(c);
		return NULL;
	}
	c->buffer = mem_zalloc(BUFFER, 1);
	setvbuf(c->file, c->buffer, _IOFBF, BUFFER);
	return c;
}

void critical_free(struct critical *c)
{
	if (!c)
		return;
	fclose(c->file);
	free(c->buffer);
	free(c->tips);
	free(c->parts);
	keymap_free(&c->by_part);
	free(c);
}

/* ----------------------------------------------------------------------- edges */

static struct tip *tip_of(struct critical *c, uint32_t task)
{
	size_t nr = c->nr_tips ? c->nr_tips : 64;

	while (nr <= task)
		nr *= 2;
	if (nr > c->nr_tips) {
		c->tips = mem_grow(c->tips, nr, sizeof(*c->tips));
		memset(c->tips + c->nr_tips, 0, (nr - c->nr_tips) * sizeof(*c->tips));
		c->nr_tips = nr;
	}
	return &c->tips[task];
}

/* The state of a task may have changed by this agent. */
static void examine(struct critical *c, const struct task *task, const struct agent *by)
{
	const enum doing doing = task->cpu ? DOING_EITHER : task->doing;
	struct tip *tip = tip_of(c, task->number);
	struct edge edge;

	if (tip->edge && tip->doing == doing)
		return;
	memset(&edge, 0, sizeof(edge));
	edge.at = c->a->now;
	edge.before = tip->edge;
	edge.task = task->number;
	edge.doing = doing;
	edge.by_kind = by->kind;
	edge.by = by->number;
	if (by->kind == AGENT_TASK)
		edge.by_edge = tip_of(c, by->number)->edge;
	if (fwrite(&edge, sizeof(edge), 1, c->file) != 1 && !c->failed)
		c->failed = errno;
	tip = tip_of(c, task->number);
	tip->edge = ++c->nr_edges;
	tip->doing = doing;
}

static void examine_tid(struct critical *c, const struct analysis_event *e, unsigned int slot, const struct agent *by)
{
	const struct task *task = event_has(e, slot) ? task_find(c->a, e->value[slot].number) : NULL;

	if (task)
		examine(c, task, by);
}

/* The analysis has taken back that this task ran: so did it since its newest edge. */
static void take_back(struct critical *c, struct tip *tip)
{
	const uint16_t unknown = DOING_UNKNOWN;
	const off_t at = (off_t)((tip->edge - 1) * sizeof(struct edge) + offsetof(struct edge, doing));

	tip->doing = DOING_UNKNOWN;
	if (fflush(c->file) || pwrite(fileno(c->file), &unknown, sizeof(unknown), at) != sizeof(unknown))
		c->failed = c->failed ? c->failed : errno;
}

/* Has it run on its CPU before this event, in the same stint? */
static bool ran_before(const struct task *task)
{
	for (int i = 0; task->cpu && i < NR_RUNNING; i++)
		if (task->cpu->stint[i])
			return true;
	return false;
}

static void take_back_all(struct critical *c)
{
	for (size_t i = 0; i < c->a->nr_living; i++) {
		const struct task *task = c->a->living[i];
		struct tip *tip = tip_of(c, task->number);

		if (tip->edge && tip->doing == DOING_EITHER && !ran_before(task))
			take_back(c, tip);
	}
}

static void examine_all(struct critical *c)
{
	const struct agent nobody = { .kind = AGENT_UNKNOWN };

	for (size_t i = 0; i < c->a->nr_living; i++)
		examine(c, c->a->living[i], &nobody);
}

void critical_event(void *arg, const struct analysis_event *e)
{
	const struct agent nobody = { .kind = AGENT_UNKNOWN };
	struct critical *c = arg;
	struct agent by = nobody;

	if (c->contradictions != c->a->contradictions)
		take_back_all(c);
	if (!e || c->contradictions != c->a->contradictions) {
		c->contradictions = c->a->contradictions;
		examine_all(c);
		return;
	}
	switch (e->type.id) {
	case EVENT_SWITCH:
		examine_tid(c, e, SWITCH_PREV_TID, &nobody);
		examine_tid(c, e, SWITCH_NEXT_TID, &nobody);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		by = agent_of(c->a, e->cpu);
		examine_tid(c, e, WAKE_TID, &by);
		break;
	case EVENT_FORK:
		examine_tid(c, e, FORK_CHILD_TID, &nobody);
		break;
	case EVENT_DUMP_PROCESS:
		examine_tid(c, e, PROCESS_TID, &nobody);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------ path */

static void count(struct critical *c, struct agent who, enum doing doing, uint64_t from, uint64_t to)
{
	const uint64_t key = (uint64_t)who.kind << 48 | (uint64_t)doing << 40 | who.number;
	uint32_t at = keymap_find(&c->by_part, key);

	if (!at) {
		c->parts = MEM_MORE(c->parts, c->nr_parts);
		c->parts[c->nr_parts++] = (struct critical_part){ .who = who, .doing = doing };
		at = c->nr_parts;
		keymap_set(&c->by_part, key, at);
	}
	spans_add(&c->parts[at - 1].time, to - from);
}

static void count_task(struct critical *c, uint32_t task, enum doing doing, uint64_t from, uint64_t to)
{
	count(c, (struct agent){ .kind = AGENT_TASK, .number = task }, doing, from, to);
}

static bool is_blocked(enum doing doing)
{
	return doing == DOING_SLEEP || doing == DOING_WAIT_IO || doing == DOING_BLOCKED || doing == DOING_STOPPED;
}

static void follow(struct critical *c, uint32_t task, uint64_t edge, uint64_t from, uint64_t to, unsigned int depth);

/* A task was blocked from `from` to `to`.  woken: the edge that ended this; NULL: none did. */
static void blame(struct critical *c, const struct edge *blocked, const struct edge *woken, uint64_t from, uint64_t to,
		  unsigned int depth)
{
	if (woken && woken->by_kind == AGENT_WORK)
		count(c, (struct agent){ .kind = AGENT_WORK, .number = woken->by }, blocked->doing, from, to);
	else if (woken && woken->by_kind == AGENT_TASK && depth < DEEPEST)
		follow(c, woken->by, woken->by_edge, from, to, depth + 1);
	else
		count_task(c, blocked->task, blocked->doing, from, to);
}

/* Go back from `to`, where `edge` is the newest of the task, to `from`. */
static void follow(struct critical *c, uint32_t task, uint64_t edge, uint64_t from, uint64_t to, unsigned int depth)
{
	const struct edge *woken = NULL, *e;
	uint64_t begin;

	for (; edge && to > from; edge = e->before) {
		e = &c->edges[edge - 1];
		begin = e->at > from ? e->at : from;
		if (begin < to && is_blocked(e->doing))
			blame(c, e, woken, begin, to, depth);
		else if (begin < to)
			count_task(c, task, e->doing, begin, to);
		to = begin < to ? begin : to;
		woken = e;
	}
	if (to > from)
		count_task(c, task, DOING_UNKNOWN, from, to);
}

static bool open_edges(struct critical *c, struct error *err)
{
	void *map;

	if (fflush(c->file) && !c->failed)
		c->failed = errno;
	if (c->failed)
		return cannot(c->failed, err);
	map = mmap(NULL, c->nr_edges * sizeof(struct edge), PROT_READ, MAP_PRIVATE, fileno(c->file), 0);
	if (map == MAP_FAILED)
		return cannot(errno, err);
	c->edges = map;
	return true;
}

bool critical_find(struct critical *c, const struct task *task, const struct critical_part **parts, size_t *nr,
		   struct error *err)
{
	const struct analysis *a = c->a;
	const uint64_t from = task->born > a->from ? task->born : a->from;
	const uint64_t end = task->died < a->now ? task->died : a->now, to = end < a->to ? end : a->to;

	if (c->nr_edges && !open_edges(c, err))
		return false;
	follow(c, task->number, tip_of(c, task->number)->edge, from, to, 0);
	if (c->nr_edges)
		munmap((void *)c->edges, c->nr_edges * sizeof(struct edge));
	c->edges = NULL;
	*parts = c->parts;
	*nr = c->nr_parts;
	return true;
}
