// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_tree.c - the tree of processes: who has started whom.  A process whose parent has ended keeps its place
 * here, although the kernel gives it another parent.
 */
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_cells.h"

#define MOST_INDENT	40	/* deeper processes are not indented further */
#define NONE		UINT32_MAX

/* A process, by its number. */
struct node {
	uint32_t child, last, next;	/* its first and last child, its next sibling; NONE: there is none */
	uint64_t threads, running;
	uint64_t born, died;
};

static void add_child(struct node *nodes, struct node *parent, uint32_t child)
{
	if (parent->child == NONE)
		parent->child = child;
	else
		nodes[parent->last].next = child;
	parent->last = child;
}

static void add_task(struct node *node, const struct task *task)
{
	node->threads++;
	for (int i = 0; i < NR_RUNNING; i++)
		node->running += task->time[i];
	if (task->born < node->born)
		node->born = task->born;
	if (task->died > node->died)
		node->died = task->died;
}

/* The last node is the parent of those whose parent is not known. */
static struct node *make_nodes(const struct analysis *a)
{
	struct node *nodes = mem_zalloc(a->nr_processes + 1, sizeof(*nodes));

	for (size_t i = 0; i <= a->nr_processes; i++)
		nodes[i] = (struct node){ .child = NONE, .next = NONE, .born = UINT64_MAX };
	for (size_t i = 0; i < a->nr_tasks; i++)
		if (a->tasks[i]->process && analysis_knows(a, a->tasks[i]))
			add_task(&nodes[a->tasks[i]->process->number], a->tasks[i]);
	for (size_t i = 0; i < a->nr_processes; i++) {
		const struct process *parent = a->processes[i]->parent;

		add_child(nodes, &nodes[parent ? parent->number : a->nr_processes], i);
	}
	return nodes;
}

static void add_moment(const struct trace_report *r, struct sheet *sheet, const char *key, bool known, uint64_t at)
{
	const uint64_t from = r->a->from > r->a->begin ? r->a->from : r->a->begin;

	cell_time(sheet, key, NULL, ((double)at - from) * r->ns_per_tick)->known = known;
}

static void add_node(const struct trace_report *r, struct sheet *sheet, const struct process *process,
		     const struct node *node, unsigned int depth)
{
	const struct analysis *a = r->a;
	const char *name = names_text(&a->names, process->name);
	const struct task whole = { .born = node->born, .died = node->died };
	const uint64_t lifetime = node->threads ? analysis_lifetime(a, &whole) : 0;

	sheet_row(sheet);
	cell_id(sheet, "pid", "pid", (uint64_t)process->pid);
	cell_id(sheet, "parent_pid", "parent", process->parent ? (uint64_t)process->parent->pid : 0)->known = process->parent;
	cell_number(sheet, "depth", NULL, depth);
	cell_number(sheet, "threads", "threads", node->threads);
	add_share(r, sheet, "running_ns", "running", node->running);
	cell_time(sheet, "lifetime_ns", "lived", ns_of(r, lifetime))->known = node->threads;
	add_moment(r, sheet, "began_ns", node->threads && node->born > a->begin, node->born);
	add_moment(r, sheet, "ended_ns", node->threads && node->died != UINT64_MAX, node->died);
	cell_format(sheet, "name", "process", "%*s%s", 2 * (int)(depth < MOST_INDENT ? depth : MOST_INDENT), "", name ? name : "?");
}

/* Down to the first child, else to the next sibling of it or of the nearest ancestor that has one. */
static uint32_t next_node(const struct analysis *a, const struct node *nodes, uint32_t at, unsigned int *depth)
{
	if (nodes[at].child != NONE) {
		++*depth;
		return nodes[at].child;
	}
	while (nodes[at].next == NONE && a->processes[at]->parent) {
		--*depth;
		at = a->processes[at]->parent->number;
	}
	return nodes[at].next;
}

void trace_tree(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	const struct analysis *a = r->a;
	struct node *nodes = make_nodes(a);
	static const struct process nobody;
	static const struct node none;
	unsigned int depth = 0;

	/* Processes that are their own ancestors, in a damaged trace, cannot be reached from here. */
	for (uint32_t at = nodes[a->nr_processes].child; at != NONE; at = next_node(a, nodes, at, &depth))
		add_node(r, sheet, a->processes[at], &nodes[at], depth);
	FILL_NONE(sheet, add_node(r, sheet, &nobody, &none, 0));
	free(nodes);
}
