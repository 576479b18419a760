/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h - the changes of control of one thread, in the order of time. */
#ifndef KTRACE_FLOW_H
#define KTRACE_FLOW_H

#include "ctl/trace/analysis/analysis.h"

/* Who executed an event: the innermost interrupt, or the task of the CPU. */
struct agent {
	enum { AGENT_UNKNOWN, AGENT_IDLE, AGENT_TASK, AGENT_WORK } kind;
	uint32_t cpu;
	uint32_t number;	/* in analysis.tasks or analysis.works */
};

/* The agent on this CPU now. */
struct agent agent_of(const struct analysis *a, uint32_t cpu);

struct flow_step {
	uint64_t from, to;	/* ticks */
	enum doing doing;
	unsigned int depth;	/* 0: its own code; 1: in a system call; and one for each interrupt in it */
	bool on_cpu;
	uint32_t cpu;		/* where it runs, or ran last */
	uint32_t name;		/* of the system call; 0: none, or not known */
	struct agent in;	/* the interrupt; or, while the thread is not running, the next task of its CPU */
	struct agent woken_by;	/* DOING_WAIT_CPU: who has woken it; AGENT_UNKNOWN: nobody, or not known */
};

typedef void flow_fn(void *arg, const struct flow_step *step);

struct flow;

/* Follow the thread with this tid.  Steps outside the window of `a` are left out. */
struct flow *flow_create(const struct analysis *a, int32_t tid, flow_fn *each, void *arg);
/* For feed_saved(): behind each event.  flow is a struct flow. */
void flow_event(void *flow, const struct analysis_event *e);
/* Behind the last event: complete the last step, and free the flow. */
void flow_finish(struct flow *flow);

#endif
