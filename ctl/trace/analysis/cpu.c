// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu.c - what each CPU executes: tasks, and the interrupts inside them. */
#include "ctl/trace/analysis/analysis_int.h"

#include <string.h>

#include "ctl/base/memory.h"

/* prev_state of sched_switch. */
#define STATE_MASK	0xff	/* the bit above says only that the task was preempted */
#define STATE_STOPPED	(0x4 | 0x8)

struct cpu *cpu_get(struct analysis *a, uint32_t number)
{
	struct cpu *cpu;

	a->cpus = MEM_REACH(a->cpus, a->nr_cpus, number);
	if (a->cpus[number])
		return a->cpus[number];
	cpu = a->cpus[number] = mem_zalloc(1, sizeof(*cpu));
	cpu->number = number;
	cpu->since = a->begin;
	return cpu;
}

static enum doing cpu_doing(const struct cpu *cpu)
{
	static const enum doing modes[] = {
		[MODE_UNKNOWN] = DOING_EITHER, [MODE_USER] = DOING_USER, [MODE_CALL] = DOING_CALL,
		[MODE_FAULT] = DOING_FAULT, [MODE_KERNEL] = DOING_KERNEL,
	};

	if (cpu->holds == HOLDS_UNKNOWN)
		return DOING_UNKNOWN;
	if (cpu->depth)
		return cpu->contexts[cpu->depth - 1].doing;
	return cpu->holds == HOLDS_IDLE ? DOING_IDLE : modes[cpu->task->mode];
}

void cpu_account(struct analysis *a, struct cpu *cpu, uint64_t t)
{
	const enum doing doing = cpu_doing(cpu);
	const uint64_t span = span_in_window(a, cpu->since, t);

	if (t <= cpu->since)
		return;
	cpu->time[doing] += span;
	cpu->stint[doing] += span;
	if (cpu->holds == HOLDS_IDLE)
		cpu->idle += span;
	if (cpu->holds == HOLDS_TASK) {
		cpu->task->time[doing] += span;
		cpu->task->since = t;
	}
	cpu->since = t;
}

void cpu_finish(struct analysis *a, struct cpu *cpu)
{
	cpu_account(a, cpu, a->now);
	if (cpu->holds == HOLDS_TASK && cpu->is_own)
		cpu->task->is_own = true;
}

void cpu_forget(struct analysis *a, struct cpu *cpu, uint64_t from)
{
	cpu_account(a, cpu, from);
	if (cpu->holds == HOLDS_TASK) {
		cpu->task->cpu = NULL;
		cpu->task->doing = DOING_UNKNOWN;
		task_forget(a, cpu->task, from);
	}
	cpu->holds = HOLDS_UNKNOWN;
	cpu->task = NULL;
	cpu->depth = 0;
	memset(cpu->stint, 0, sizeof(cpu->stint));
}

/* ---------------------------------------------------------------------- switch */

static enum doing blocked_state(struct analysis *a, const struct analysis_event *e)
{
	if (event_has(e, SWITCH_PREV_IOWAIT))
		return e->value[SWITCH_PREV_IOWAIT].number ? DOING_WAIT_IO : DOING_SLEEP;
	a->no_iowait++;
	return DOING_BLOCKED;
}

/* A wake-up that came before the task had left the CPU may have ended this sleep already. */
static enum doing state_behind(struct analysis *a, struct task *prev, const struct analysis_event *e)
{
	const int64_t state = e->value[SWITCH_PREV_STATE].number;
	const bool woken_early = prev->woken_early;

	prev->woken_early = false;
	if (!event_has(e, SWITCH_PREV_STATE) || state < 0)
		return DOING_UNKNOWN;
	if (!(state & STATE_MASK))
		return DOING_WAIT_CPU;
	if (state & SWITCH_STATE_DEAD)
		return DOING_DEAD;
	if (woken_early)
		return DOING_UNKNOWN;
	return state & STATE_STOPPED ? DOING_STOPPED : blocked_state(a, e);
}

static void move_time(uint64_t *time, enum doing from, uint64_t span)
{
	time[from] -= span;
	time[DOING_UNKNOWN] += span;
}

/*
 * Two events disagree, because one between them was not recorded: nothing is known about what this CPU executed
 * since its last switch.
 */
static void contradict(struct analysis *a, struct cpu *cpu)
{
	/* Switches between other tasks are not recorded in a confined recording. */
	a->contradictions += !a->confined || (cpu->holds == HOLDS_TASK && cpu->task->is_own);
	cpu_account(a, cpu, a->now);
	for (enum doing i = 0; i < NR_DOINGS; i++) {
		move_time(cpu->time, i, cpu->stint[i]);
		if (cpu->holds == HOLDS_TASK)
			move_time(cpu->task->time, i, cpu->stint[i]);
		if (cpu->holds == HOLDS_IDLE)
			cpu->idle -= cpu->stint[i];
	}
	if (cpu->holds == HOLDS_TASK)
		spells_correct(cpu->task);
	memset(cpu->stint, 0, sizeof(cpu->stint));
	cpu_forget(a, cpu, a->now);
}

static bool to_idle(const struct analysis_event *e)
{
	return event_has(e, SWITCH_NEXT_TID) && !e->value[SWITCH_NEXT_TID].number;
}

static bool from_idle(const struct analysis_event *e)
{
	return event_has(e, SWITCH_PREV_TID) && !e->value[SWITCH_PREV_TID].number;
}

static void leave(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, SWITCH_PREV_TID) ? e->value[SWITCH_PREV_TID].number : -1;
	struct task *prev = tid > 0 ? task_get(a, tid) : NULL;

	if ((cpu->holds == HOLDS_TASK && cpu->task != prev) || (cpu->holds == HOLDS_IDLE && tid))
		contradict(a, cpu);
	if (!prev)
		return;
	if (cpu->task == prev && (cpu->is_own || to_idle(e)))
		prev->is_own = true;
	if (prev->cpu && prev->cpu != cpu)
		contradict(a, prev->cpu);
	if (prev->cpu) {
		prev->cpu = NULL;
		prev->doing = DOING_UNKNOWN;
	}
	task_name(a, prev, e, SWITCH_PREV_COMM);
	prev->woken = 0;
	task_set(a, prev, state_behind(a, prev, e));
}

static void count_latency(struct analysis *a, struct task *next)
{
	const uint64_t woken = next->woken;

	next->woken = 0;
	if (!woken || !in_window(a))
		return;
	spans_add(&next->latency, a->now - woken);
	if (a->now - woken > next->longest)
		next->longest = a->now - woken;
	samples_add(&a->latency, a->now - woken);
}

static void enter(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const int64_t tid = event_has(e, SWITCH_NEXT_TID) ? e->value[SWITCH_NEXT_TID].number : -1;
	struct task *next = tid > 0 ? task_get(a, tid) : NULL;

	cpu->depth = 0;
	memset(cpu->stint, 0, sizeof(cpu->stint));
	cpu->task = next;
	/* Of a confined recording, the switches from the idle task to others and back are not known. */
	cpu->holds = next ? HOLDS_TASK : tid || a->confined ? HOLDS_UNKNOWN : HOLDS_IDLE;
	cpu->is_own = from_idle(e);
	if (!next)
		return;
	if (next->cpu)
		contradict(a, next->cpu);
	task_account(a, next, a->now);
	task_name(a, next, e, SWITCH_NEXT_COMM);
	count_latency(a, next);
	next->cpu = cpu;
	next->woken_early = false;
}

void on_switch(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	cpu_account(a, cpu, a->now);
	leave(a, cpu, e);
	enter(a, cpu, e);
}

/* ------------------------------------------------------------------ interrupts */

static uint32_t work_of(struct analysis *a, enum work_kind kind, int64_t number, const struct event_value *name)
{
	const uint64_t key = (uint64_t)kind << 60 | (number & ((UINT64_C(1) << 60) - 1));
	uint32_t at = keymap_find(&a->by_work, key);

	if (!at) {
		a->works = MEM_MORE(a->works, a->nr_works);
		a->works[a->nr_works++] = (struct work){ .kind = kind, .number = number };
		at = a->nr_works;
		keymap_set(&a->by_work, key, at);
	}
	if (name && name->text && !a->works[at - 1].name)
		a->works[at - 1].name = names_add(&a->names, name->text, name->length);
	return at - 1;
}

static void begin(struct analysis *a, struct cpu *cpu, uint32_t work)
{
	const enum work_kind kind = a->works[work].kind;
	enum doing doing = kind == WORK_SOFTIRQ ? DOING_SOFTIRQ : DOING_IRQ;

	cpu_account(a, cpu, a->now);
	if (cpu->depth == CONTEXTS) {
		contradict(a, cpu);
		return;
	}
	/* Timers run inside an interrupt or a softirq. */
	if (kind == WORK_TIMER && cpu->depth)
		doing = cpu->contexts[cpu->depth - 1].doing;
	cpu->contexts[cpu->depth++] = (struct context){ .work = work, .doing = doing, .began = a->now };
}

/* End the innermost context of this work, and those in it, whose ends were not seen. */
static void end(struct analysis *a, struct cpu *cpu, uint32_t work)
{
	unsigned int at = cpu->depth;
	const struct context *context;
	uint64_t took;

	while (at && cpu->contexts[at - 1].work != work)
		at--;
	if (!at)
		return;
	cpu_account(a, cpu, a->now);
	context = &cpu->contexts[at - 1];
	took = a->now - context->began;
	if (in_window(a))
		spans_add(&a->works[work].time, took > context->nested ? took - context->nested : 0);
	cpu->depth = at - 1;
	if (cpu->depth)
		cpu->contexts[cpu->depth - 1].nested += took;
}

static int64_t slot_or(const struct analysis_event *e, unsigned int slot, int64_t otherwise)
{
	return event_has(e, slot) ? e->value[slot].number : otherwise;
}

void on_irq_entry(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const struct event_value *name = event_has(e, IRQ_NAME) ? &e->value[IRQ_NAME] : NULL;

	begin(a, cpu, work_of(a, WORK_IRQ, slot_or(e, IRQ_NUMBER, -1), name));
}

void on_irq_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	end(a, cpu, work_of(a, WORK_IRQ, slot_or(e, IRQ_NUMBER, -1), NULL));
}

void on_softirq_entry(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	begin(a, cpu, work_of(a, WORK_SOFTIRQ, slot_or(e, SOFTIRQ_VEC, -1), NULL));
}

void on_softirq_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	end(a, cpu, work_of(a, WORK_SOFTIRQ, slot_or(e, SOFTIRQ_VEC, -1), NULL));
}

/* Vectors are told apart by their names. */
static uint32_t vector_of(struct analysis *a, const struct analysis_event *e)
{
	const uint32_t work = work_of(a, WORK_VECTOR, e->type.part, NULL);

	a->works[work].name = e->type.part;
	return work;
}

void on_vector_entry(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	begin(a, cpu, vector_of(a, e));
}

void on_vector_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	end(a, cpu, vector_of(a, e));
}

void on_timer_entry(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	begin(a, cpu, work_of(a, WORK_TIMER, 0, NULL));
}

void on_timer_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	end(a, cpu, work_of(a, WORK_TIMER, 0, NULL));
}

/* ---------------------------------------------------------------------- faults */

static void fault(struct analysis *a, struct cpu *cpu, enum mode back)
{
	struct task *task = cpu->task;

	cpu_account(a, cpu, a->now);
	if (!a->has[EVENT_FAULT_EXIT]) {
		task->mode = back;
		return;
	}
	if (task->mode != MODE_FAULT)
		task->back = back;
	task->mode = MODE_FAULT;
}

/* The task was executing its own code. */
void on_fault_user(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	if (cpu->holds != HOLDS_TASK)
		return;
	call_forget(cpu->task);
	cpu->task->privilege = PRIVILEGE_USER;
	fault(a, cpu, analysis_calls(a) == CALLS_ALL ? MODE_USER : MODE_UNKNOWN);
}

void on_fault_kernel(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	if (cpu->holds == HOLDS_TASK)
		fault(a, cpu, cpu->task->mode);
}

void on_fault_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	if (cpu->holds != HOLDS_TASK || cpu->task->mode != MODE_FAULT)
		return;
	cpu_account(a, cpu, a->now);
	cpu->task->mode = cpu->task->back;
}
