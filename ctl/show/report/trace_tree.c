// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_tree.c - the tree of processes: who has started whom.  A process whose parent has ended keeps its place
 * here, although the kernel gives it another parent.
 */
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_report.h"

#define MOST_INDENT	40	/* deeper processes are not indented further */
#define NONE		UINT32_MAX

const struct sheet_column tree_columns[TREE_COLUMNS] = {
	{ "pid", "pid", CELL_ID }, { "parent_pid", "parent", CELL_ID }, { "depth", NULL, CELL_NUMBER },
	{ "threads", "threads", CELL_NUMBER }, { "running_ns", "running", CELL_SHARE },
	{ "lifetime_ns", "lived", CELL_TIME }, { "began_ns", NULL, CELL_TIME }, { "ended_ns", NULL, CELL_TIME },
	{ "name", "process", CELL_TEXT },
};

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

static void add_time(const struct trace_report *r, struct sheet *sheet, bool known, uint64_t at)
{
	const uint64_t from = r->a->from > r->a->begin ? r->a->from : r->a->begin;

	if (known)
		sheet_number(sheet, ((double)at - from) * r->ns_per_tick);
	else
		sheet_unknown(sheet);
}

static void add_node(const struct trace_report *r, struct sheet *sheet, const struct process *process,
		     const struct node *node, unsigned int depth)
{
	const struct analysis *a = r->a;
	const char *name = names_text(&a->names, process->name);
	const struct task whole = { .born = node->born, .died = node->died };

	sheet_number(sheet, process->pid);
	if (process->parent)
		sheet_number(sheet, process->parent->pid);
	else
		sheet_unknown(sheet);
	sheet_number(sheet, depth);
	sheet_number(sheet, node->threads);
	sheet_number(sheet, node->running * r->ns_per_tick);
	if (node->threads)
		sheet_number(sheet, analysis_lifetime(a, &whole) * r->ns_per_tick);
	else
		sheet_unknown(sheet);
	add_time(r, sheet, node->threads && node->born > a->begin, node->born);
	add_time(r, sheet, node->threads && node->died != UINT64_MAX, node->died);
	sheet_format(sheet, "%*s%s", 2 * (int)(depth < MOST_INDENT ? depth : MOST_INDENT), "", name ? name : "?");
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
	unsigned int depth = 0;

	/* Processes that are their own ancestors, in a damaged trace, cannot be reached from here. */
	for (uint32_t at = nodes[a->nr_processes].child; at != NONE; at = next_node(a, nodes, at, &depth))
		add_node(r, sheet, a->processes[at], &nodes[at], depth);
	free(nodes);
}
