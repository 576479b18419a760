// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - tables of open files: which threads and processes share one, and what is open in each.
 *
 * A thread has the table of its creator, a process a copy of it; flags of clone(2) can say otherwise.  exec, unshare(2)
 * and close_range(2) end the sharing.
 */
#include "ctl/trace/analysis/analysis_int.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define MOST_FILES	(1U << 20)	/* larger descriptors are not followed */

/* -------------------------------------------------------------------- entries */

struct open_file *table_file(struct file_table *table, int64_t fd)
{
	uint32_t nr = table->nr ? table->nr : 16;

	if (fd < 0 || fd >= MOST_FILES)
		return NULL;
	if (fd < table->nr)
		return &table->files[fd];
	while (nr <= fd)
		nr *= 2;
	table->files = mem_grow(table->files, nr, sizeof(*table->files));
	memset(table->files + table->nr, 0, (nr - table->nr) * sizeof(*table->files));
	table->nr = nr;
	return &table->files[fd];
}

void table_set(struct file_table *table, int64_t fd, struct open_file file)
{
	struct open_file *known = table_file(table, fd);

	if (known)
		*known = file;
}

void table_clear(struct file_table *table)
{
	free(table->files);
	table->files = NULL;
	table->nr = 0;
}

void tables_clear(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_tables; i++)
		table_clear(a->tables[i]);
}

void tables_mark(const struct analysis *a, bool *used)
{
	for (size_t i = 0; i < a->nr_tables; i++)
		for (uint32_t fd = 0; fd < a->tables[i]->nr; fd++)
			used[a->tables[i]->files[fd].name] = true;
}

/* -------------------------------------------------------------------- sharing */

static struct file_table *table_new(struct analysis *a)
{
	struct file_table *table = mem_zalloc(1, sizeof(*table));

	table->number = a->nr_tables;
	a->tables = MEM_MORE(a->tables, a->nr_tables);
	a->tables[a->nr_tables++] = table;
	return table;
}

/* The kernel's address of a table is that of another one later: use it only while the state is read. */
static void set_address(struct analysis *a, struct file_table *table, uint64_t address)
{
	if (table->address && keymap_find(&a->by_table, table->address) == table->number + 1)
		keymap_remove(&a->by_table, table->address);
	table->address = address;
	if (address)
		keymap_set(&a->by_table, address, table->number + 1);
}

static void renumber(struct analysis *a, struct file_table *table, uint32_t number)
{
	const uint64_t address = table->address;

	set_address(a, table, 0);
	table->number = number;
	a->tables[number] = table;
	set_address(a, table, address);
}

void table_put(struct analysis *a, struct file_table **table)
{
	struct file_table *old = *table;

	*table = NULL;
	if (!old || --old->users)
		return;
	set_address(a, old, 0);
	if (old->number != --a->nr_tables)
		renumber(a, a->tables[a->nr_tables], old->number);
	table_clear(old);
	free(old);
}

static void use(struct analysis *a, struct file_table **held, struct file_table *table)
{
	table->users++;
	table_put(a, held);
	*held = table;
}

void table_join(struct analysis *a, struct task *task)
{
	struct process *process = task->process;

	if (!process->table)
		use(a, &process->table, task->table ? task->table : table_new(a));
	use(a, &task->table, process->table);
}

void table_unshare(struct analysis *a, struct task *task)
{
	const struct file_table *from = task->table;
	struct file_table *table = table_new(a);

	if (from->nr) {
		table->files = mem_grow(NULL, from->nr, sizeof(*table->files));
		memcpy(table->files, from->files, from->nr * sizeof(*table->files));
		table->nr = from->nr;
	}
	use(a, &task->table, table);
	if (task->process->pid == task->tid)
		use(a, &task->process->table, table);
}

void table_inherit(struct analysis *a, struct task *child, const struct task *parent, bool shared)
{
	use(a, &child->table, parent->table);
	if (!child->process->table)
		use(a, &child->process->table, child->table);
	if (!shared)
		table_unshare(a, child);
}

void table_exec(struct analysis *a, struct task *task)
{
	struct file_table *table;

	if (!task->table)
		return;
	table_unshare(a, task);
	table = task->table;
	use(a, &task->process->table, table);
	for (uint32_t i = 0; i < table->nr; i++)
		if (table->files[i].closes)
			table->files[i] = (struct open_file){ .name = 0 };
}

/* ------------------------------------------------------------ state at the start */

static struct file_table *table_at(const struct analysis *a, uint64_t address)
{
	const uint32_t at = address ? keymap_find(&a->by_table, address) : 0;

	return at ? a->tables[at - 1] : NULL;
}

void table_forget_addresses(struct analysis *a)
{
	keymap_free(&a->by_table);
	for (size_t i = 0; i < a->nr_tables; i++)
		a->tables[i]->address = 0;
}

/* Events have told files of both tables, which are one. */
static void take_files(struct file_table *table, const struct file_table *from)
{
	for (uint32_t fd = 0; fd < from->nr; fd++) {
		struct open_file *file = from->files[fd].name ? table_file(table, fd) : NULL;

		if (file && file->since <= from->files[fd].since)
			*file = from->files[fd];
	}
}

void table_take_address(struct analysis *a, struct task *task, uint64_t address)
{
	struct file_table *known = table_at(a, address);

	if (!address || known == task->table)
		return;
	if (!known && !task->table->address) {
		set_address(a, task->table, address);
		return;
	}
	/* It does not share the table that it seemed to share: whose the files in it are is not known. */
	if (task->table->address && task->table->users > 1)
		table_clear(task->table);
	if (!known) {
		known = table_new(a);
		set_address(a, known, address);
	} else if (!task->table->address) {
		take_files(known, task->table);
	}
	use(a, &task->table, known);
	if (task->process->pid == task->tid)
		use(a, &task->process->table, known);
}

/* The table that is at this address; else that of the process, if its address is not known. */
static struct file_table *dumped_table(struct analysis *a, const struct analysis_event *e)
{
	const uint64_t address = event_has(e, FILE_TABLE) ? (uint64_t)e->value[FILE_TABLE].number : 0;
	struct process *process = event_has(e, FILE_PID) ? process_get(a, e->value[FILE_PID].number) : NULL;
	struct file_table *table = table_at(a, address);

	if (table || !process)
		return table;
	if (!process->table)
		use(a, &process->table, table_new(a));
	if (process->table->address && process->table->address != address)
		return NULL;
	set_address(a, process->table, address);
	return process->table;
}

/* What an event has told about a descriptor stays: the dump may have read the descriptor before that event. */
void on_dump_file(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const bool whole = event_has(e, FILE_FD) && event_has(e, FILE_NAME);
	struct file_table *table = whole && !a->gaps ? dumped_table(a, e) : NULL;
	struct open_file *file = table ? table_file(table, e->value[FILE_FD].number) : NULL;

	if (file && !file->name)
		*file = file_dumped(a, e);
}

void on_dump_end(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	table_forget_addresses(a);
}
