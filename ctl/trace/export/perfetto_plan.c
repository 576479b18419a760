// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto_plan.c - what becomes of the records of each descriptor. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/events/events.h"
#include "ctl/base/memory.h"
#include "ctl/trace/export/perfetto_int.h"

/* ------------------------------------------------------------------ what is learnt */

static const struct {
	const char *event;
	learn_fn *learn;
} lessons[] = {
	{ "sched_switch", learn_switch },
	{ "task_newtask", learn_task },
	{ "sched_process_fork", learn_fork },
	{ "sched_process_exec", learn_exec },
	{ "sched_process_exit", learn_exit },
};

static learn_fn *find_lesson(const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(lessons); i++)
		if (!strcmp(lessons[i].event, event))
			return lessons[i].learn;
	return NULL;
}

/* ------------------------------------------------------------------- system calls */

/* The events of system calls: what they begin with, and what their slices begin with. */
static const struct {
	const char *event, *slice;
	enum plan_kind kind;
} calls[] = {
	{ "syscall_entry", "sys", PLAN_CALL_ENTRY }, { "syscall_exit", "sys", PLAN_CALL_EXIT },
	{ "compat_syscall_entry", "compat_sys", PLAN_CALL_ENTRY },
	{ "compat_syscall_exit", "compat_sys", PLAN_CALL_EXIT },
};

#define BY_NUMBER	"_unknown"	/* of calls without an event of their own: the record has the number */

/* "syscall_entry_read" is "sys_read".  False: it is no system call. */
static bool plan_call(struct perfetto *p, struct plan *plan)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const size_t len = strlen(calls[i].event);
		const char *rest = plan->desc->name + len;
		AUTO_FREE char *name = NULL;

		if (strncmp(plan->desc->name, calls[i].event, len) || (*rest && *rest != '_'))
			continue;
		plan->kind = calls[i].kind;
		name = mem_printf("%s%s", calls[i].slice, rest);
		plan->name = *rest && strcmp(rest, BY_NUMBER) ? names_add(&p->names, name, strlen(name)) : 0;
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------------ the items */

static bool has_field(const struct desc *desc, const char *name)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (!strcmp(desc->fields[i].name, name))
			return true;
	return false;
}

static bool is_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; at && (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/*
 * Does the message have what the record has?  A kernel may lack some fields, but not those that tell which thread it
 * is. A tracepoint of the user's may have the name of an event, and other fields.
 */
static bool fits(const struct ftrace_row *row, const struct desc *desc)
{
	for (const struct ftrace_field *field = row->fields; field->name; field++)
		if (strstr(field->name, "tid") && !has_field(desc, field->name))
			return false;
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (!ftrace_field(row, desc->fields[i].name) && !is_word(row->without, desc->fields[i].name))
			return false;
	return desc->nr_fields;
}

static void add_item(struct plan *plan, const char *name)
{
	plan->items = MEM_MORE(plan->items, plan->nr_items);
	plan->items[plan->nr_items++] = (struct plan_item){
		.name = name, .to = plan->row ? ftrace_field(plan->row, name) : NULL,
	};
}

/* The same items as record_items() gives. */
static void add_items(struct plan *plan)
{
	for (size_t i = 0; i < plan->desc->nr_fields; i++) {
		const struct field *field = &plan->desc->fields[i];

		if (field->kind == FIELD_ALLREGS)
			for (size_t reg = 0; reg < arch_native.nr_all_regs; reg++)
				add_item(plan, arch_reg_name(&arch_native, arch_native.all_regs[reg]));
		else if (!field_is_hidden(field))
			add_item(plan, field->name);
	}
}

static void number_items(struct perfetto *p, struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_items; i++) {
		struct plan_item *item = &plan->items[i];
		AUTO_FREE char *named = mem_printf("%s_name", item->name);

		item->number = names_add(&p->names, item->name, strlen(item->name));
		item->named = names_add(&p->names, named, strlen(named));
	}
}

/* ------------------------------------------------------------------------- the plan */

static const char *category_of(const struct plan *plan)
{
	const struct event_row *row = events_named(plan->desc->name);

	if (plan->kind == PLAN_CALL_ENTRY || plan->kind == PLAN_CALL_EXIT)
		return events_set_name(EVENTS_SYSCALLS);
	if (plan->desc->is_state)
		return "state";
	return row ? events_set_name(row->set) : "tracepoint";
}

static void make(struct perfetto *p, struct plan *plan)
{
	/* Records of the state, and of texts that were read at the return, have the name of an event but are no such event. */
	const bool is_event = !plan->desc->is_state && !plan->desc->late_of;
	const char *category;

	plan->learn = plan->desc->late_of ? NULL : find_lesson(plan->desc->name);
	plan->row = is_event ? ftrace_row(plan->desc->name) : NULL;
	if (plan->row && !fits(plan->row, plan->desc))
		plan->row = NULL;
	plan->kind = plan->row ? PLAN_FTRACE : PLAN_INSTANT;
	if (plan->row || !is_event || !plan_call(p, plan))
		plan->name = names_add(&p->names, plan->desc->name, strlen(plan->desc->name));
	category = category_of(plan);
	plan->category = names_add(&p->names, category, strlen(category));
	add_items(plan);
	number_items(p, plan);
}

const struct plan *perfetto_plan(struct perfetto *p, const struct desc *desc)
{
	const uint32_t at = keymap_find(&p->by_desc, (uintptr_t)desc);

	if (at)
		return &p->plans[at - 1];
	p->plans = MEM_MORE(p->plans, p->nr_plans);
	p->plans[p->nr_plans] = (struct plan){ .desc = desc };
	make(p, &p->plans[p->nr_plans++]);
	keymap_set(&p->by_desc, (uintptr_t)desc, p->nr_plans);
	return &p->plans[p->nr_plans - 1];
}

void perfetto_plans_drop(struct perfetto *p)
{
	for (size_t i = 0; i < p->nr_plans; i++)
		free(p->plans[i].items);
	free(p->plans);
	p->plans = NULL;
	p->nr_plans = 0;
	keymap_free(&p->by_desc);
}
