// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis_play.c - see analysis_play.h. */
#include "analysis_play.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

static void take_field(struct analysis_event *e, char *word)
{
	char *equals = strchr(word, '='), *end;
	struct event_value *value;
	int slot;

	if (!equals)
		fail_msg("'%s' is no field", word);
	*equals = '\0';
	slot = event_slot(e->type.id, word);
	if (slot < 0)
		return;
	value = &e->value[slot];
	*value = (struct event_value){ .number = strtoll(equals + 1, &end, 0) };
	if (*end || end == equals + 1)
		*value = (struct event_value){ .text = (uint8_t *)equals + 1, .length = strlen(equals + 1) };
	e->known |= 1U << slot;
}

static void play_line(struct analysis *a, char *line)
{
	struct analysis_event e = { .known = 0 };
	char *save = NULL, *word = strtok_r(line, " \t", &save), *name;
	unsigned long long lost = 0;

	if (!word || *word == '#')
		return;
	e.ticks = strtoull(word, NULL, 0);
	e.cpu = atoi(strtok_r(NULL, " \t", &save));
	name = strtok_r(NULL, " \t", &save);
	if (!strcmp(name, "gap")) {
		analysis_gap_begin(a, e.cpu, e.ticks);
		return;
	}
	if (!strcmp(name, "end-gap")) {
		sscanf(save, "lost=%llu", &lost);
		analysis_gap_end(a, e.cpu, e.ticks, lost);
		return;
	}
	e.type = analysis_type(a, name);
	while ((word = strtok_r(NULL, " \t", &save)))
		take_field(&e, word);
	analysis_event(a, &e);
}

void analysis_play(struct analysis *a, const char *script)
{
	AUTO_FREE char *copy = mem_strdup(script);
	char *next = copy, *line;

	while ((line = strsep(&next, "\n")))
		play_line(a, line);
}

void analysis_all_calls(struct analysis *a)
{
	char name[64];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "syscall_entry_number%d", i);
		analysis_type(a, name);
	}
	analysis_type(a, "syscall_exit_number0");
}

static uint64_t sum(const uint64_t *time)
{
	uint64_t all = 0;

	for (int i = 0; i < NR_DOINGS; i++)
		all += time[i];
	return all;
}

/* What a task did under each of its names is all that it did. */
static void check_names(const struct analysis *a, const struct task *task)
{
	uint64_t lifetime = 0, events = 0, calls = 0, time[NR_DOINGS] = { 0 };

	for (uint32_t i = 0; i <= task->nr_spells; i++) {
		struct figures figures;

		analysis_spell(a, task, i, &figures);
		lifetime += figures.lifetime;
		events += figures.events;
		calls += figures.calls;
		for (int n = 0; n < NR_DOINGS; n++) {
			time[n] += figures.time[n];
			if (figures.time[n] > task->time[n])
				fail_msg("task %d: state %d is longer under a name than in all", task->tid, n);
		}
	}
	if (lifetime != analysis_lifetime(a, task) || events != task->events || calls != task->calls ||
	    memcmp(time, task->time, sizeof(time)))
		fail_msg("task %d: the sums of its names differ", task->tid);
}

void analysis_check(const struct analysis *a)
{
	for (size_t i = 0; i < a->nr_tasks; i++)
		check_names(a, a->tasks[i]);
	for (size_t i = 0; i < a->nr_tasks; i++)
		if (sum(a->tasks[i]->time) != analysis_lifetime(a, a->tasks[i]))
			fail_msg("task %d: %llu ticks in states, %llu in its life", a->tasks[i]->tid,
				 (unsigned long long)sum(a->tasks[i]->time),
				 (unsigned long long)analysis_lifetime(a, a->tasks[i]));
	for (size_t i = 0; i < a->nr_cpus; i++)
		if (a->cpus[i] && sum(a->cpus[i]->time) != analysis_length(a))
			fail_msg("CPU %zu: %llu ticks of %llu", i, (unsigned long long)sum(a->cpus[i]->time),
				 (unsigned long long)analysis_length(a));
	for (size_t i = 0; i < NR_RUNNING; i++) {
		uint64_t tasks = 0, cpus = 0;

		for (size_t n = 0; n < a->nr_tasks; n++)
			tasks += a->tasks[n]->time[i];
		for (size_t n = 0; n < a->nr_cpus; n++)
			cpus += a->cpus[n] ? a->cpus[n]->time[i] : 0;
		/* CPUs also count the interrupts of their idle time. */
		if (i == DOING_IRQ || i == DOING_SOFTIRQ ? cpus < tasks : cpus != tasks)
			fail_msg("state %zu: %llu ticks of CPUs, %llu of tasks", i, (unsigned long long)cpus,
				 (unsigned long long)tasks);
	}
}

struct task *analysis_task(const struct analysis *a, int tid)
{
	for (size_t i = a->nr_tasks; i--;)
		if (a->tasks[i]->tid == tid)
			return a->tasks[i];
	fail_msg("there is no task %d", tid);
	return NULL;
}
