// SPDX-License-Identifier: GPL-2.0-or-later
/* flow.c - see flow.h. */
#include "ctl/trace/analysis/flow.h"

#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/trace/analysis/analysis_int.h"

struct flow {
	const struct analysis *a;
	int32_t tid;
	flow_fn *each;
	void *arg;
	bool lives;		/* the thread exists: step is valid, but for its end */
	struct flow_step step;
};

struct agent agent_of(const struct analysis *a, uint32_t number)
{
	const struct cpu *cpu = number < a->nr_cpus ? a->cpus[number] : NULL;
	struct agent agent = { .kind = AGENT_UNKNOWN, .cpu = number };

	if (cpu && cpu->depth) {
		agent.kind = AGENT_WORK;
		agent.number = cpu->contexts[cpu->depth - 1].work;
	} else if (cpu && cpu->holds == HOLDS_TASK) {
		agent.kind = AGENT_TASK;
		agent.number = cpu->task->number;
	} else if (cpu && cpu->holds == HOLDS_IDLE) {
		agent.kind = AGENT_IDLE;
	}
	return agent;
}

struct flow *flow_create(const struct analysis *a, int32_t tid, flow_fn *each, void *arg)
{
	struct flow *flow = mem_zalloc(1, sizeof(*flow));

	*flow = (struct flow){ .a = a, .tid = tid, .each = each, .arg = arg };
	return flow;
}

static struct flow_step running_step(const struct analysis *a, const struct task *task)
{
	static const enum doing modes[] = {
		[MODE_UNKNOWN] = DOING_EITHER, [MODE_USER] = DOING_USER, [MODE_CALL] = DOING_CALL,
		[MODE_FAULT] = DOING_FAULT, [MODE_KERNEL] = DOING_KERNEL,
	};
	const struct cpu *cpu = task->cpu;
	struct flow_step step = { .on_cpu = true, .cpu = cpu->number, .doing = modes[task->mode] };

	step.depth = (task->mode == MODE_CALL || task->mode == MODE_FAULT) + cpu->depth;
	if (cpu->depth) {
		step.in = agent_of(a, cpu->number);
		step.doing = cpu->contexts[cpu->depth - 1].doing;
	} else if (task->mode == MODE_CALL && task->call) {
		step.name = a->calls[task->call - 1].name;
	}
	return step;
}

/* What the thread does now. */
static struct flow_step step_of(const struct flow *flow, const struct task *task, const struct analysis_event *e)
{
	struct flow_step step;

	if (task->cpu)
		return running_step(flow->a, task);
	step = (struct flow_step){ .doing = task->doing, .cpu = flow->step.cpu };
	if (e && e->type.id == EVENT_SWITCH && flow->step.on_cpu)
		step.in = agent_of(flow->a, e->cpu);
	if (e && (e->type.id == EVENT_WAKING || e->type.id == EVENT_WAKEUP) && step.doing == DOING_WAIT_CPU)
		step.woken_by = agent_of(flow->a, e->cpu);
	return step;
}

static bool is_same(const struct flow_step *x, const struct flow_step *y)
{
	if (x->doing != y->doing || x->on_cpu != y->on_cpu)
		return false;
	return !x->on_cpu || (x->cpu == y->cpu && x->depth == y->depth && x->name == y->name &&
			      x->in.kind == y->in.kind && x->in.number == y->in.number);
}

/* Hand out the part of the step that is in the window. */
static void end_step(struct flow *flow)
{
	struct flow_step step = flow->step;

	step.from = step.from < flow->a->from ? flow->a->from : step.from;
	step.to = flow->a->now < flow->a->to ? flow->a->now : flow->a->to;
	if (step.from < step.to)
		flow->each(flow->arg, &step);
}

static void begin_step(struct flow *flow, const struct flow_step *step, uint64_t from)
{
	flow->step = *step;
	flow->step.from = from;
	flow->lives = true;
}

void flow_event(void *arg, const struct analysis_event *e)
{
	struct flow *flow = arg;
	const struct task *task = task_find(flow->a, flow->tid);
	struct flow_step step;

	if (!task) {
		if (flow->lives)
			end_step(flow);
		flow->lives = false;
		return;
	}
	if (!flow->lives)
		begin_step(flow, &(struct flow_step){ .doing = DOING_UNKNOWN }, task->born);
	step = step_of(flow, task, e);
	if (is_same(&step, &flow->step))
		return;
	end_step(flow);
	begin_step(flow, &step, flow->a->now);
}

void flow_finish(struct flow *flow)
{
	if (flow->lives)
		end_step(flow);
	free(flow);
}
