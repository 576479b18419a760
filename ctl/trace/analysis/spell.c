// SPDX-License-Identifier: GPL-2.0-or-later
/* spell.c - the names that a task had, one after the other, and what it did under each. */
#include "ctl/trace/analysis/analysis_int.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

/* A task that renames itself again and again: the rest counts for the name that it has then. */
#define MOST_SPELLS	16

static struct figures figures_of(const struct task *task)
{
	struct figures figures = {
		.events = task->events, .calls = task->calls,
		.latency = { .count = task->latency.count, .sum = task->latency.sum, .max = task->longest },
	};

	for (int i = 0; i < NR_DOINGS; i++)
		figures.time[i] = task->time[i];
	return figures;
}

void spell_end(struct analysis *a, struct task *task)
{
	if (task->cpu)
		cpu_account(a, task->cpu, a->now);
	else
		task_account(a, task, a->now);
	if (task->nr_spells == MOST_SPELLS)
		return;
	task->spells = MEM_MORE(task->spells, task->nr_spells);
	task->spells[task->nr_spells++] = (struct spell){
		.name = task->name, .until = a->now, .so_far = figures_of(task),
	};
	task->longest = 0;
}

/* Some of the task's time is not known any more: no earlier sum is larger than the present one. */
void spells_correct(struct task *task)
{
	for (uint32_t i = 0; i < task->nr_spells; i++) {
		uint64_t *time = task->spells[i].so_far.time;

		for (enum doing doing = 0; doing < NR_DOINGS; doing++) {
			if (time[doing] <= task->time[doing])
				continue;
			time[DOING_UNKNOWN] += time[doing] - task->time[doing];
			time[doing] = task->time[doing];
		}
	}
}

void spells_forget(struct task *task)
{
	free(task->spells);
	task->spells = NULL;
	task->nr_spells = 0;
	task->longest = 0;
}

void spells_mark(const struct task *task, bool *used)
{
	for (uint32_t i = 0; i < task->nr_spells; i++)
		used[task->spells[i].name] = true;
}

uint32_t analysis_spell(const struct analysis *a, const struct task *task, uint32_t i, struct figures *out)
{
	const bool is_last = i == task->nr_spells;
	const struct spell *before = i ? &task->spells[i - 1] : NULL;
	const uint64_t died = task->died < a->now ? task->died : a->now;

	*out = is_last ? figures_of(task) : task->spells[i].so_far;
	out->lifetime = span_in_window(a, before ? before->until : task->born, is_last ? died : task->spells[i].until);
	if (before) {
		out->events -= before->so_far.events;
		out->calls -= before->so_far.calls;
		out->latency.count -= before->so_far.latency.count;
		out->latency.sum -= before->so_far.latency.sum;
		for (int n = 0; n < NR_DOINGS; n++)
			out->time[n] -= before->so_far.time[n];
	}
	return is_last ? task->name : task->spells[i].name;
}

char *analysis_task_names(const struct analysis *a, const struct task *task)
{
	char *text = mem_strdup("");
	uint32_t last = 0;

	for (uint32_t i = 0; i <= task->nr_spells; i++) {
		struct figures figures;
		const uint32_t name = analysis_spell(a, task, i, &figures);
		char *longer;

		if (!name || name == last || (!figures.lifetime && i < task->nr_spells))
			continue;
		longer = mem_printf("%s%s%s", text, *text ? " > " : "", names_text(&a->names, name));
		free(text);
		text = longer;
		last = name;
	}
	return text;
}
