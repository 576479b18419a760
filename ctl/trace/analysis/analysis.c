// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis.c - take events in, and give each to the part that follows it.  See analysis.h. */
#include "ctl/trace/analysis/analysis_int.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

/* Every Linux has more system calls than this; a recording with fewer kinds does not have all. */
#define ALL_CALLS	200

static event_fn *const handlers[NR_EVENTS] = {
	[EVENT_SWITCH] = on_switch,
	[EVENT_WAKING] = on_waking, [EVENT_WAKEUP] = on_wakeup, [EVENT_WAKEUP_NEW] = on_wakeup_new,
	[EVENT_NEWTASK] = on_newtask,
	[EVENT_FORK] = on_fork, [EVENT_EXEC] = on_exec, [EVENT_EXIT] = on_process_exit, [EVENT_FREE] = on_free,
	[EVENT_IRQ_ENTRY] = on_irq_entry, [EVENT_IRQ_EXIT] = on_irq_exit,
	[EVENT_SOFTIRQ_ENTRY] = on_softirq_entry, [EVENT_SOFTIRQ_EXIT] = on_softirq_exit,
	[EVENT_VECTOR_ENTRY] = on_vector_entry, [EVENT_VECTOR_EXIT] = on_vector_exit,
	[EVENT_TIMER_ENTRY] = on_timer_entry, [EVENT_TIMER_EXIT] = on_timer_exit,
	[EVENT_FAULT_USER] = on_fault_user, [EVENT_FAULT_KERNEL] = on_fault_kernel, [EVENT_FAULT_EXIT] = on_fault_exit,
	[EVENT_CALL_ENTRY] = on_call_entry, [EVENT_CALL_EXIT] = on_call_exit,
	[EVENT_RQ_INSERT] = on_rq_insert, [EVENT_RQ_ISSUE] = on_rq_issue, [EVENT_RQ_REQUEUE] = on_rq_requeue,
	[EVENT_RQ_COMPLETE] = on_rq_complete,
	[EVENT_NET_OUT] = on_net_out, [EVENT_NET_IN] = on_net_in,
	[EVENT_DUMP_END] = on_dump_end,
	[EVENT_DUMP_PROCESS] = on_dump_process, [EVENT_DUMP_FILE] = on_dump_file, [EVENT_DUMP_DISK] = on_dump_disk,
};

struct analysis *analysis_create(uint64_t from, uint64_t to)
{
	struct analysis *a = mem_zalloc(1, sizeof(*a));

	a->from = from;
	a->to = to;
	return a;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	tasks_free(a);
	calls_free(a);
	devices_free(a);
	names_free(&a->names);
	keymap_free(&a->declared);
	keymap_free(&a->typed);
	keymap_free(&a->by_work);
	free(a->works);
	for (size_t i = 0; i < a->nr_cpus; i++)
		free(a->cpus[i]);
	free(a->cpus);
	free(a->counts);
	free(a->latency.buckets);
	free(a);
}

struct event_type analysis_type(struct analysis *a, const char *name)
{
	const char *part = "";
	size_t len = 0;
	struct event_type type = {
		.id = event_find(name, &part, &len),
		.name = names_add(&a->names, name, strlen(name)),
	};

	keymap_set(&a->typed, type.name, 1);
	if (len) {
		type.part = names_add(&a->names, part, len);
		keymap_set(&a->typed, type.part, 1);
	}
	a->has[type.id] = true;
	if (type.id == EVENT_CALL_ENTRY)
		keymap_set(&a->declared, type.part, 1);
	if (type.name >= a->nr_counts) {
		const uint32_t nr = 2 * type.name + 64;

		a->counts = mem_grow(a->counts, nr, sizeof(*a->counts));
		memset(a->counts + a->nr_counts, 0, (nr - a->nr_counts) * sizeof(*a->counts));
		a->nr_counts = nr;
	}
	return type;
}

enum calls_recorded analysis_calls(const struct analysis *a)
{
	if (!a->has[EVENT_CALL_ENTRY] || !a->has[EVENT_CALL_EXIT])
		return CALLS_NONE;
	if (a->all_calls)
		return CALLS_ALL;
	return a->declared.nr < ALL_CALLS ? CALLS_SOME : CALLS_ALL;
}

/* -------------------------------------------------------------------- window */

uint64_t span_in_window(const struct analysis *a, uint64_t from, uint64_t to)
{
	from = from < a->from ? a->from : from;
	to = to > a->to ? a->to : to;
	return from < to ? to - from : 0;
}

bool in_window(const struct analysis *a)
{
	return a->now >= a->from && a->now < a->to;
}

uint64_t analysis_length(const struct analysis *a)
{
	return span_in_window(a, a->begin, a->now);
}

uint64_t analysis_lifetime(const struct analysis *a, const struct task *task)
{
	return span_in_window(a, task->born, task->died < a->now ? task->died : a->now);
}

void spans_add(struct spans *t, uint64_t value)
{
	t->count++;
	t->sum += value;
	if (value > t->max)
		t->max = value;
}

/* -------------------------------------------------------------------- events */

static uint64_t later(uint64_t t, uint64_t ticks)
{
	return ticks > UINT64_MAX - t ? UINT64_MAX : t + ticks;
}

static void advance(struct analysis *a, uint64_t t)
{
	if (!a->begun) {
		a->begun = true;
		a->begin = a->now = t;
		a->zero = t > a->complete ? t : a->complete;
		a->from = later(a->zero, a->from);
		a->to = later(a->zero, a->to);
	}
	if (t > a->now)
		a->now = t;
}

void analysis_advance(struct analysis *a, uint64_t t)
{
	advance(a, t);
}

void analysis_event(struct analysis *a, const struct analysis_event *e)
{
	struct cpu *cpu;

	advance(a, e->ticks);
	cpu = cpu_get(a, e->cpu);
	a->early += !e->is_state && a->now < a->zero;
	if (in_window(a) && !e->is_state) {
		a->events++;
		a->counts[e->type.name]++;
		cpu->events++;
		if (cpu->holds == HOLDS_TASK)
			cpu->task->events++;
	}
	if (!e->is_state && e->type.id > EVENT_WAKEUP_NEW)
		cpu->is_own = true;
	if (handlers[e->type.id])
		handlers[e->type.id](a, cpu, e);
}

/* Of all that is not running, the lost records may have changed the state, the files and the requests. */
void analysis_gap_begin(struct analysis *a, uint32_t number, uint64_t from)
{
	struct cpu *cpu;

	advance(a, from);
	cpu = cpu_get(a, number);
	a->gaps += !cpu->in_gap;
	cpu->in_gap = true;
	cpu_forget(a, cpu, from);
	for (size_t i = 0; i < a->nr_living; i++)
		if (!a->living[i]->cpu)
			task_forget(a, a->living[i], from);
	tables_clear(a);
	requests_forget(a);
}

/* Files and requests that were opened on other CPUs meanwhile may be closed, too. */
void analysis_gap_end(struct analysis *a, uint32_t number, uint64_t to, uint64_t lost)
{
	struct cpu *cpu;

	advance(a, to);
	cpu = cpu_get(a, number);
	a->gaps -= cpu->in_gap;
	cpu->in_gap = false;
	cpu->lost += lost;
	a->lost += lost;
	tables_clear(a);
	requests_forget(a);
}

void analysis_finish(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_cpus; i++)
		if (a->cpus[i])
			cpu_finish(a, a->cpus[i]);
	for (size_t i = 0; i < a->nr_living; i++)
		if (!a->living[i]->cpu)
			task_account(a, a->living[i], a->now);
}
