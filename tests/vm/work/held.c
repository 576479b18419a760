// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long locks are held: held reads the text of ftrace's function tracer, with a clock of ticks and the functions
 * that `held functions` prints. It prints a line for each caller that took locks, in ticks:
 *
 *	KIND CALLER SECTIONS SUM LONGEST
 *
 * KIND is spin, rcu, rwsem or mutex. `held between NAME` counts only what is between the events NAME and NAME_end.
 *
 * Lines of interrupts are left out: what they take is part of the section that they interrupt. So are the locks of the
 * scheduler, which another task releases.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_TASKS = 64, MAX_CALLERS = 512, NAME = 64 };

static const struct function {
	const char *name, *kind;
	int step;		/* 1: takes, -1: releases */
} functions[] = {
	{ "_raw_spin_lock", "spin", 1 }, { "_raw_spin_unlock", "spin", -1 },
	{ "_raw_spin_lock_bh", "spin", 1 }, { "_raw_spin_unlock_bh", "spin", -1 },
	{ "_raw_spin_lock_irq", "spin", 1 }, { "_raw_spin_unlock_irq", "spin", -1 },
	{ "_raw_spin_lock_irqsave", "spin", 1 }, { "_raw_spin_unlock_irqrestore", "spin", -1 },
	{ "_raw_read_lock", "spin", 1 }, { "_raw_read_unlock", "spin", -1 },
	{ "_raw_write_lock_irq", "spin", 1 }, { "_raw_write_unlock_irq", "spin", -1 },
	{ "__rcu_read_lock", "rcu", 1 }, { "__rcu_read_unlock", "rcu", -1 },
	{ "down_read", "rwsem", 1 }, { "down_read_killable", "rwsem", 1 }, { "down_read_trylock", "rwsem", 1 },
	{ "up_read", "rwsem", -1 }, { "down_write", "rwsem", 1 }, { "down_write_killable", "rwsem", 1 },
	{ "up_write", "rwsem", -1 },
	{ "mutex_lock", "mutex", 1 }, { "mutex_lock_killable", "mutex", 1 }, { "mutex_lock_interruptible", "mutex", 1 },
	{ "mutex_unlock", "mutex", -1 },
};
enum { NR_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static const char *const scheduler[] = { "__schedule", "raw_spin_rq", "finish_task_switch" };

static struct caller {
	const char *kind;
	char name[NAME];
	uint64_t n, sum, longest;
} callers[MAX_CALLERS];
static size_t nr_callers;

struct line {
	char task[NAME], function[NAME], caller[NAME], flags[8];
	uint64_t time;
};

static struct task {
	char name[NAME];
	size_t depth;
	struct held {
		const char *kind;
		char caller[NAME];
		uint64_t since;
	} stack[MAX_DEPTH];
} tasks[MAX_TASKS];
static size_t nr_tasks;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "held: %s\n", what);
	exit(1);
}

static const struct function *function_named(const char *name)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static struct task *task_named(const char *name)
{
	for (size_t i = 0; i < nr_tasks; i++)
		if (!strcmp(tasks[i].name, name))
			return &tasks[i];
	if (nr_tasks == MAX_TASKS)
		die("too many tasks");
	snprintf(tasks[nr_tasks].name, NAME, "%s", name);
	return &tasks[nr_tasks++];
}

static struct caller *caller_named(const char *kind, const char *name)
{
	for (size_t i = 0; i < nr_callers; i++)
		if (callers[i].kind == kind && !strcmp(callers[i].name, name))
			return &callers[i];
	if (nr_callers == MAX_CALLERS)
		die("too many callers");
	callers[nr_callers].kind = kind;
	snprintf(callers[nr_callers].name, NAME, "%s", name);
	return &callers[nr_callers++];
}

/* A lock that could not be had, by down_read_trylock(), stays on the stack until its caller tries again. */
static void take(struct task *task, const struct function *f, const struct line *line)
{
	struct held *top = task->depth ? &task->stack[task->depth - 1] : NULL;

	if (strcmp(f->name, "down_read_trylock") || !top || top->kind != f->kind || strcmp(top->caller, line->caller)) {
		if (task->depth == MAX_DEPTH)
			die("a task holds too many locks");
		top = &task->stack[task->depth++];
	}
	top->kind = f->kind;
	top->since = line->time;
	memcpy(top->caller, line->caller, NAME);
}

/* The last lock of this kind that was taken.  A release without one: the lock was taken before the trace began. */
static void release(struct task *task, const struct function *f, const struct line *line)
{
	size_t i = task->depth;
	struct caller *caller;
	uint64_t ticks;

	while (i && task->stack[i - 1].kind != f->kind)
		i--;
	if (!i)
		return;
	ticks = line->time - task->stack[i - 1].since;
	caller = caller_named(f->kind, task->stack[i - 1].caller);
	caller->n++;
	caller->sum += ticks;
	caller->longest = ticks > caller->longest ? ticks : caller->longest;
	memmove(&task->stack[i - 1], &task->stack[i], (task->depth - i) * sizeof(task->stack[0]));
	task->depth--;
}

static bool is_scheduler(const char *name)
{
	for (size_t i = 0; i < sizeof(scheduler) / sizeof(scheduler[0]); i++)
		if (!strncmp(name, scheduler[i], strlen(scheduler[i])))
			return true;
	return false;
}

/* In an interrupt: one of the flags h, H, s, z, Z. */
static bool counts(const struct line *line)
{
	return !strpbrk(line->flags, "hHszZ") && !is_scheduler(line->caller);
}

/* "  name-123   [000] d..1.  1234567: function <-caller", or an event: "...: name: (place)". */
static bool parse(struct line *line, const char *text)
{
	const char *cpu = strstr(text, " [0");

	*line = (struct line){ 0 };
	if (!cpu || sscanf(text, " %63[^[]", line->task) != 1)
		return false;
	return sscanf(cpu, " [%*d] %7s %lu: %63s <-%63s", line->flags, &line->time, line->function, line->caller) >= 3;
}

static void print(void)
{
	for (size_t i = 0; i < nr_callers; i++)
		printf("%s %s %lu %lu %lu\n", callers[i].kind, callers[i].name, callers[i].n, callers[i].sum,
		       callers[i].longest);
}

/* Is the line between the two events?  NULL: there are none. */
static bool is_between(const char *event, const struct line *line)
{
	static bool inside;
	const size_t len = event ? strlen(event) : 0;

	if (!event)
		return true;
	if (!strncmp(line->function, event, len) && !line->caller[0])
		inside = line->function[len] == ':';
	return inside;
}

static void read_trace(const char *event)
{
	static char text[1024];
	const struct function *f;
	struct line line;

	while (fgets(text, sizeof(text), stdin)) {
		if (strstr(text, "LOST"))
			die("events are lost");
		if (!parse(&line, text) || !is_between(event, &line) || !counts(&line))
			continue;
		f = function_named(line.function);
		if (f)
			(f->step > 0 ? take : release)(task_named(line.task), f, &line);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "functions")) {
		for (size_t i = 0; i < NR_FUNCTIONS; i++)
			puts(functions[i].name);
		return 0;
	}
	if (argc != 1 && (argc != 3 || strcmp(argv[1], "between"))) {
		fputs("usage: held [between NAME] | held functions\n", stderr);
		return 2;
	}
	read_trace(argc == 3 ? argv[2] : NULL);
	print();
	return 0;
}
