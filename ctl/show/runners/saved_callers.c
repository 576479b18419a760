// SPDX-License-Identifier: GPL-2.0-or-later
/* saved_callers.c - see saved_callers.h. */
#include "ctl/show/runners/saved_callers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/trace/analysis/keymap.h"
#include "ctl/base/memory.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/reader/pick.h"
#include "ctl/ask/resolve/user_code.h"

#define NAME_ROOM	192
#define VM_EXEC		4	/* of the flags of a mapping */

/* The code of a file in the memory of a process. */
struct mapping {
	uint64_t start, end;
	uint64_t at;		/* of start: its offset in the file; is_linked: its address there, too */
	bool is_linked;
	uint32_t file;		/* number of its path */
	uint64_t inode;		/* 0: not known */
	int64_t when_ns;
};

struct space {
	struct mapping *v;
	size_t n;
};

struct saved_callers {
	bool is_here;		/* recorded on this machine since it was started: files still have the inodes that the events name */
	struct clockmap *map;
	struct user_code *code;
	struct names texts;	/* paths, and names of callers */
	struct space *spaces;
	size_t nr_spaces;
	struct keymap by_pid;	/* one more than the index of its space */
	struct keymap named;	/* numbers of the names of addresses in files, see key_of() */
};

/* ------------------------------------------------------------------ mappings */

static struct space *space_of(struct saved_callers *callers, int64_t pid)
{
	const uint32_t at = keymap_find(&callers->by_pid, (uint64_t)pid);

	return at ? &callers->spaces[at - 1] : NULL;
}

static struct space *new_space(struct saved_callers *callers, int64_t pid)
{
	struct space *space = space_of(callers, pid);

	if (space)
		return space;
	callers->spaces = MEM_MORE(callers->spaces, callers->nr_spaces);
	callers->spaces[callers->nr_spaces++] = (struct space){ 0 };
	keymap_set(&callers->by_pid, (uint64_t)pid, callers->nr_spaces);
	return &callers->spaces[callers->nr_spaces - 1];
}

static void add_mapping(struct space *space, const struct mapping *mapping)
{
	space->v = MEM_MORE(space->v, space->n);
	space->v[space->n++] = *mapping;
}

/* pid negative: some process, so any. */
static void forget_process(struct saved_callers *callers, int64_t pid)
{
	struct space *space = space_of(callers, pid);

	if (pid < 0)
		saved_callers_forget(callers);
	else if (space)
		space->n = 0;
}

static void forget_range(struct saved_callers *callers, int64_t pid, uint64_t from, uint64_t len)
{
	struct space *space = space_of(callers, pid);
	size_t n = 0;

	if (pid < 0)
		return saved_callers_forget(callers);
	for (size_t i = 0; space && i < space->n; i++)
		if (space->v[i].end <= from || (space->v[i].start >= from && space->v[i].start - from >= len))
			space->v[n++] = space->v[i];
	if (space)
		space->n = n;
}

/* --------------------------------------------------------------- the events */

#define MOST_FIELDS	8

typedef void take_fn(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *fields);

static void take_map(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *f)
{
	enum { PID, START, END, FLAGS, OFFSET, INODE, NAME };
	const struct picked *name = &f[NAME];
	struct mapping mapping = {
		.start = (uint64_t)f[START].number, .end = (uint64_t)f[END].number, .at = (uint64_t)f[OFFSET].number,
		.inode = (uint64_t)f[INODE].number, .when_ns = clockmap_wall_ns(callers->map, record->ticks),
	};

	if (!name->is_known || !name->length || !(f[FLAGS].number & VM_EXEC))
		return;
	mapping.file = names_add(&callers->texts, name->text, name->length);
	add_mapping(new_space(callers, f[PID].number), &mapping);
}

static void take_fork(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *f)
{
	enum { PARENT, CHILD };
	const struct space *from;
	struct space *to;

	if (!f[PARENT].is_known || !f[CHILD].is_known)
		return saved_callers_forget(callers);
	if (f[PARENT].number == f[CHILD].number)
		return;
	to = new_space(callers, f[CHILD].number);
	to->n = 0;
	from = space_of(callers, f[PARENT].number);
	for (size_t i = 0; from && i < from->n; i++)
		add_mapping(to, &from->v[i]);
}

/* Of the files that it maps only a program at a fixed address is known: its path is, if it is one from /. */
static void take_exec(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *f)
{
	enum { NAME };
	AUTO_FREE char *path = f[NAME].is_known ? mem_strndup(f[NAME].text, f[NAME].length) : NULL;
	const struct user_file file = { .path = path, .when_ns = clockmap_wall_ns(callers->map, record->ticks) };
	struct mapping mapping = { .is_linked = true, .when_ns = file.when_ns };

	forget_process(callers, pid);
	if (pid < 0 || !callers->is_here || !path || *path != '/' || !user_code_span(callers->code, &file, &mapping.start, &mapping.end))
		return;
	mapping.at = mapping.start;
	mapping.file = names_add(&callers->texts, path, strlen(path));
	add_mapping(new_space(callers, pid), &mapping);
}

/* The new range may be where others were, and one that moves leaves its place. */
static void take_change(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *f)
{
	enum { ADDR, LEN, NEW_ADDR, NEW_LEN };

	if (!f[ADDR].is_known || !f[LEN].is_known)
		return forget_process(callers, pid);
	if (f[ADDR].number)
		forget_range(callers, pid, (uint64_t)f[ADDR].number, (uint64_t)f[LEN].number);
	if (f[NEW_ADDR].is_known && f[NEW_ADDR].number)
		forget_range(callers, pid, (uint64_t)f[NEW_ADDR].number, (uint64_t)f[NEW_LEN].number);
}

static void take_unknown_change(struct saved_callers *callers, const struct record *record, int32_t pid, const struct picked *f)
{
	forget_process(callers, pid);
}

static const struct row {
	const char *name;	/* a * at its end: all that begin so */
	take_fn *take;
	const char *fields[MOST_FIELDS];
} rows[] = {
	{ "lttng_statedump_vm_map", take_map, { "pid", "start", "end", "flags", "pgoff", "inode", "filename" } },
	{ "sched_process_fork", take_fork, { "parent_pid", "child_pid" } },
	{ "sched_process_exec", take_exec, { "filename" } },
	{ "syscall_entry_mmap", take_change, { "addr", "len" } },
	{ "syscall_entry_munmap", take_change, { "addr", "len" } },
	{ "syscall_entry_mremap", take_change, { "addr", "old_len", "new_addr", "new_len" } },
	{ "syscall_entry_shmat", take_unknown_change, { NULL } },
	{ "syscall_entry_remap_file_pages", take_unknown_change, { NULL } },
	{ "compat_syscall_entry_*", take_unknown_change, { NULL } },
};

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t len = strcspn(rows[i].name, "*");

		if (!strncmp(name, rows[i].name, len) && (rows[i].name[len] || !name[len]))
			return &rows[i];
	}
	return NULL;
}

static size_t count_fields(const struct row *row)
{
	size_t n = 0;

	while (n < MOST_FIELDS && row->fields[n])
		n++;
	return n;
}

/* ------------------------------------------------------------------- names */

/* Offsets and addresses of code have less than 48 bits. */
static uint64_t key_of(const struct mapping *mapping, uint64_t at)
{
	return (uint64_t)mapping->file << 48 ^ (uint64_t)mapping->is_linked << 47 ^ at;
}

/* Of a file that cannot be asked any more only the offset is known. */
static uint32_t make_name(struct saved_callers *callers, const struct mapping *mapping, uint64_t at)
{
	const char *path = names_text(&callers->texts, mapping->file), *slash = strrchr(path, '/');
	const struct user_file file = { path, mapping->inode, mapping->when_ns };
	char buf[NAME_ROOM];

	if (!callers->is_here || !user_code_name_in(callers->code, &file, mapping->is_linked, at, buf, sizeof(buf)))
		snprintf(buf, sizeof(buf), "%.*s+0x%" PRIx64, NAME_ROOM - 20, slash ? slash + 1 : path, at);
	return names_add(&callers->texts, buf, strlen(buf));
}

static const char *name_in(struct saved_callers *callers, const struct mapping *mapping, uint64_t addr)
{
	const uint64_t at = addr - mapping->start + mapping->at, key = key_of(mapping, at);
	uint32_t number = keymap_find(&callers->named, key);

	if (!number) {
		number = make_name(callers, mapping, at);
		keymap_set(&callers->named, key, number);
	}
	return names_text(&callers->texts, number);
}

static const char *name_of(struct saved_callers *callers, const struct record *record, int32_t pid)
{
	static const char *const field[] = { CALLER_FIELD };
	const struct space *space = space_of(callers, pid);
	struct picked caller;

	if (!space || !space->n)
		return NULL;
	pick(record, field, 1, &caller);
	for (size_t i = 0; caller.is_known && i < space->n; i++)
		if ((uint64_t)caller.number > space->v[i].start && (uint64_t)caller.number <= space->v[i].end)
			return name_in(callers, &space->v[i], (uint64_t)caller.number);
	return NULL;
}

const char *saved_callers_next(struct saved_callers *callers, const struct record *record, int32_t pid)
{
	const struct row *row = callers ? row_of(record->desc->name) : NULL;
	struct picked fields[MOST_FIELDS] = { 0 };
	const char *name = NULL;

	if (callers && pid >= 0 && desc_has_caller(record->desc))
		name = name_of(callers, record, pid);
	if (!row)
		return name;
	pick(record, row->fields, count_fields(row), fields);
	row->take(callers, record, pid, fields);
	return name;
}

/* ----------------------------------------------------------------- the trace */

static bool has_event(const struct trace_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (!strcmp(trace_event_named(&info->events[i])->name, name))
			return true;
	return false;
}

static bool has_callers(const struct trace_info *info)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (desc_mentions(info->events[i].bare, CALLER_FIELD) && desc_has_caller(trace_event_desc(&info->events[i])))
			return true;
	return false;
}

struct saved_callers *saved_callers_create(const struct trace_info *info)
{
	struct saved_callers *callers;

	/* It is not known where hits are missing that the brake has turned away. */
	if (info->braked || info->off || !has_callers(info) || !has_event(info, "sched_process_fork") ||
	    !has_event(info, "sched_process_exec"))
		return NULL;
	callers = mem_zalloc(1, sizeof(*callers));
	callers->is_here = trace_info_is_here(info);
	callers->map = trace_clockmap(info);
	callers->code = user_code_new();
	return callers;
}

void saved_callers_forget(struct saved_callers *callers)
{
	if (!callers)
		return;
	for (size_t i = 0; i < callers->nr_spaces; i++)
		free(callers->spaces[i].v);
	free(callers->spaces);
	callers->spaces = NULL;
	callers->nr_spaces = 0;
	keymap_free(&callers->by_pid);
}

void saved_callers_free(struct saved_callers *callers)
{
	if (!callers)
		return;
	saved_callers_forget(callers);
	keymap_free(&callers->named);
	names_free(&callers->texts);
	user_code_free(callers->code);
	clockmap_free(callers->map);
	free(callers);
}
