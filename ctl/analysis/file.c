// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - which file a descriptor is: from the calls that open and close, and from the state at the start.
 *
 * Names are those that the programs gave: a relative one is not completed.  A descriptor that nobody was seen to
 * open has a name that says so.
 */
#include "ctl/analysis/analysis_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define MOST_FILES	(1U << 20)	/* larger descriptors are not followed */
#define FILE_CLOEXEC	(1U << 31)
#define CLOEXEC		02000000	/* O_CLOEXEC, SOCK_CLOEXEC, EFD_CLOEXEC and so on */
#define FD_CLOEXEC_BIT	1
#define RANGE_CLOEXEC	4		/* CLOSE_RANGE_CLOEXEC */

/* Commands of fcntl(2). */
#define CMD_DUPFD		0
#define CMD_SETFD		2
#define CMD_DUPFD_CLOEXEC	1030

enum follow {
	FOLLOW_NOTHING, FOLLOW_OPEN, FOLLOW_NEW, FOLLOW_DUP, FOLLOW_DUP2, FOLLOW_CLOSE, FOLLOW_RANGE, FOLLOW_FCNTL,
	FOLLOW_EXEC,
};
enum moves { MOVES_NOTHING, MOVES_IN, MOVES_OUT };

/* Where a call says whether exec closes the new descriptor.  Where that is not known, assume it does. */
enum cloexec { CLOEXEC_YES, CLOEXEC_NO, CLOEXEC_FLAGS, CLOEXEC_TYPE };

struct call_kind {
	const char *name;
	enum follow follow;
	enum cloexec cloexec;
	const char *what;	/* FOLLOW_NEW: name of the file */
	enum moves moves;	/* its result is a number of bytes */
};

static const struct call_kind kinds[] = {
	{ "open", FOLLOW_OPEN, CLOEXEC_FLAGS, NULL, MOVES_NOTHING },
	{ "openat", FOLLOW_OPEN, CLOEXEC_FLAGS, NULL, MOVES_NOTHING },
	{ "openat2", FOLLOW_OPEN, CLOEXEC_YES, NULL, MOVES_NOTHING },
	{ "creat", FOLLOW_OPEN, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "memfd_create", FOLLOW_OPEN, CLOEXEC_YES, NULL, MOVES_NOTHING },
	{ "open_by_handle_at", FOLLOW_NEW, CLOEXEC_FLAGS, "file opened by handle", MOVES_NOTHING },
	{ "socket", FOLLOW_NEW, CLOEXEC_TYPE, "socket", MOVES_NOTHING },
	{ "accept", FOLLOW_NEW, CLOEXEC_NO, "socket", MOVES_NOTHING },
	{ "accept4", FOLLOW_NEW, CLOEXEC_FLAGS, "socket", MOVES_NOTHING },
	{ "eventfd", FOLLOW_NEW, CLOEXEC_NO, "eventfd", MOVES_NOTHING },
	{ "eventfd2", FOLLOW_NEW, CLOEXEC_FLAGS, "eventfd", MOVES_NOTHING },
	{ "epoll_create", FOLLOW_NEW, CLOEXEC_NO, "epoll", MOVES_NOTHING },
	{ "epoll_create1", FOLLOW_NEW, CLOEXEC_FLAGS, "epoll", MOVES_NOTHING },
	{ "timerfd_create", FOLLOW_NEW, CLOEXEC_FLAGS, "timerfd", MOVES_NOTHING },
	{ "signalfd", FOLLOW_NEW, CLOEXEC_NO, "signalfd", MOVES_NOTHING },
	{ "signalfd4", FOLLOW_NEW, CLOEXEC_FLAGS, "signalfd", MOVES_NOTHING },
	{ "inotify_init", FOLLOW_NEW, CLOEXEC_NO, "inotify", MOVES_NOTHING },
	{ "inotify_init1", FOLLOW_NEW, CLOEXEC_FLAGS, "inotify", MOVES_NOTHING },
	{ "fanotify_init", FOLLOW_NEW, CLOEXEC_YES, "fanotify", MOVES_NOTHING },
	{ "userfaultfd", FOLLOW_NEW, CLOEXEC_FLAGS, "userfaultfd", MOVES_NOTHING },
	{ "pidfd_open", FOLLOW_NEW, CLOEXEC_YES, "pidfd", MOVES_NOTHING },
	{ "pidfd_getfd", FOLLOW_NEW, CLOEXEC_YES, "file of another process", MOVES_NOTHING },
	{ "io_uring_setup", FOLLOW_NEW, CLOEXEC_YES, "io_uring", MOVES_NOTHING },
	{ "perf_event_open", FOLLOW_NEW, CLOEXEC_YES, "perf event", MOVES_NOTHING },
	{ "dup", FOLLOW_DUP, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "dup2", FOLLOW_DUP2, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "dup3", FOLLOW_DUP2, CLOEXEC_FLAGS, NULL, MOVES_NOTHING },
	{ "fcntl", FOLLOW_FCNTL, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "close", FOLLOW_CLOSE, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "close_range", FOLLOW_RANGE, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "execve", FOLLOW_EXEC, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "execveat", FOLLOW_EXEC, CLOEXEC_NO, NULL, MOVES_NOTHING },
	{ "read", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "pread64", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "readv", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "preadv", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "preadv2", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "recvfrom", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "recvmsg", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "getdents64", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_IN },
	{ "write", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "pwrite64", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "writev", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "pwritev", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "pwritev2", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "sendto", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
	{ "sendmsg", FOLLOW_NOTHING, CLOEXEC_NO, NULL, MOVES_OUT },
};

const struct call_kind *file_call_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* --------------------------------------------------------------------- tables */

static uint32_t *descriptor(struct file_table *table, int64_t fd)
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

static void set(struct file_table *table, int64_t fd, uint32_t name)
{
	uint32_t *file = descriptor(table, fd);

	if (file)
		*file = name;
}

void file_table_copy(struct file_table *to, const struct file_table *from)
{
	file_table_clear(to);
	if (!from->nr)
		return;
	to->files = mem_grow(NULL, from->nr, sizeof(*to->files));
	memcpy(to->files, from->files, from->nr * sizeof(*to->files));
	to->nr = from->nr;
}

void file_table_exec(struct file_table *table)
{
	for (uint32_t i = 0; i < table->nr; i++)
		if (table->files[i] & FILE_CLOEXEC)
			table->files[i] = 0;
}

void file_table_clear(struct file_table *table)
{
	free(table->files);
	*table = (struct file_table){ 0 };
}

void file_table_mark(const struct file_table *table, bool *used)
{
	for (uint32_t i = 0; i < table->nr; i++)
		used[table->files[i] & ~FILE_CLOEXEC] = true;
}

/* ---------------------------------------------------------------------- names */

static uint32_t number_name(struct analysis *a, const struct task *task, int64_t fd, const char *why)
{
	char text[96];

	if (task->process)
		snprintf(text, sizeof(text), "fd %" PRId64 " of %d (%s)", fd, task->process->pid, why);
	else
		snprintf(text, sizeof(text), "fd %" PRId64 " of thread %d (%s)", fd, task->tid, why);
	return names_add(&a->names, text, strlen(text));
}

/* Without all system calls, a file could be closed unnoticed, and its descriptor be another one's. */
static uint32_t name_of(struct analysis *a, struct task *task, int64_t fd)
{
	uint32_t *file = task->process && !a->gaps ? descriptor(&task->process->table, fd) : NULL;

	if (analysis_calls(a) != CALLS_ALL)
		return number_name(a, task, fd, "not all system calls were recorded");
	if (file && *file)
		return *file & ~FILE_CLOEXEC;
	if (!file)
		return number_name(a, task, fd, "not seen opened");
	return *file = number_name(a, task, fd, "not seen opened");
}

static uint32_t path_of_slot(struct analysis *a, const struct event_value *value)
{
	char *text;
	uint32_t name;

	if (!value->text || !value->length)
		return 0;
	if (!value->is_cut)
		return names_add(&a->names, value->text, value->length);
	text = mem_printf("%.*s...", (int)value->length, (const char *)value->text);
	name = names_add(&a->names, text, strlen(text));
	free(text);
	return name;
}

/* Descriptors are int, but they may have been recorded as unsigned words. */
static int64_t fd_of(int64_t value)
{
	return (int32_t)value;
}

uint32_t file_of_call(struct analysis *a, struct task *task, const struct analysis_event *e)
{
	static const unsigned int slots[] = { CALL_FD, CALL_OLDFD };

	if (event_has(e, CALL_NAME) && e->value[CALL_NAME].text)
		return path_of_slot(a, &e->value[CALL_NAME]);
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++)
		if (event_has(e, slots[i]) && fd_of(e->value[slots[i]].number) >= 0)
			return name_of(a, task, fd_of(e->value[slots[i]].number));
	return 0;
}

/* -------------------------------------------------------------------- follow */

static bool knows(const struct task *task, unsigned int slot)
{
	return task->call_known >> slot & 1;
}

static uint32_t cloexec(const struct task *task, enum cloexec where)
{
	const unsigned int slot = where == CLOEXEC_TYPE ? CALL_TYPE : CALL_FLAGS;

	if (where == CLOEXEC_NO)
		return 0;
	return where == CLOEXEC_YES || !knows(task, slot) || task->call_args[slot] & CLOEXEC ? FILE_CLOEXEC : 0;
}

static uint32_t opened_name(struct analysis *a, struct task *task, const struct analysis_event *e)
{
	uint32_t name = task->call_file;

	if (event_has(e, CALL_NAME))
		name = path_of_slot(a, &e->value[CALL_NAME]);
	return name ? name : number_name(a, task, e->value[CALL_RET].number, "its name could not be read");
}

static void duplicate(struct analysis *a, struct task *task, unsigned int from, int64_t to, uint32_t flag)
{
	if (knows(task, from))
		set(&task->process->table, to, name_of(a, task, fd_of(task->call_args[from])) | flag);
	else
		set(&task->process->table, to, 0);
}

static void follow_fcntl(struct analysis *a, struct task *task, int64_t ret)
{
	struct file_table *table = &task->process->table;
	const int64_t fd = fd_of(task->call_args[CALL_FD]), cmd = task->call_args[CALL_CMD];
	uint32_t *file;

	if (!knows(task, CALL_CMD) || !knows(task, CALL_FD)) {
		file_table_clear(table);
		return;
	}
	if (cmd == CMD_DUPFD || cmd == CMD_DUPFD_CLOEXEC)
		duplicate(a, task, CALL_FD, ret, cmd == CMD_DUPFD ? 0 : FILE_CLOEXEC);
	file = cmd == CMD_SETFD ? descriptor(table, fd) : NULL;
	if (file && *file)
		*file = (*file & ~FILE_CLOEXEC) |
			(knows(task, CALL_ARG) && !(task->call_args[CALL_ARG] & FD_CLOEXEC_BIT) ? 0 : FILE_CLOEXEC);
}

/* Where the range ends is not read: forget all from its first descriptor on. */
static void follow_range(struct task *task)
{
	struct file_table *table = &task->process->table;
	const bool closes = !knows(task, CALL_FLAGS) || !(task->call_args[CALL_FLAGS] & RANGE_CLOEXEC);
	const uint64_t first = knows(task, CALL_FD) ? (uint32_t)task->call_args[CALL_FD] : 0;

	for (uint64_t i = first; i < table->nr; i++)
		table->files[i] = closes || !table->files[i] ? 0 : table->files[i] | FILE_CLOEXEC;
}

void file_follow(struct analysis *a, struct task *task, const struct call_kind *kind, const struct analysis_event *e)
{
	const int64_t ret = e->value[CALL_RET].number;
	struct file_table *table = task->process ? &task->process->table : NULL;

	if (!kind || !table || kind->follow == FOLLOW_NOTHING || call_failed(e) || a->gaps)
		return;
	if (!event_has(e, CALL_RET)) {
		file_table_clear(table);
		return;
	}
	switch (kind->follow) {
	case FOLLOW_OPEN:
		set(table, ret, opened_name(a, task, e) | cloexec(task, kind->cloexec));
		break;
	case FOLLOW_NEW:
		set(table, ret, names_add(&a->names, kind->what, strlen(kind->what)) | cloexec(task, kind->cloexec));
		break;
	case FOLLOW_DUP:
		duplicate(a, task, CALL_FD, ret, 0);
		break;
	case FOLLOW_DUP2:
		duplicate(a, task, CALL_OLDFD, ret, cloexec(task, kind->cloexec));
		break;
	case FOLLOW_CLOSE:
		set(table, knows(task, CALL_FD) ? fd_of(task->call_args[CALL_FD]) : -1, 0);
		break;
	case FOLLOW_RANGE:
		follow_range(task);
		break;
	case FOLLOW_EXEC:
		file_table_exec(table);
		break;
	default:
		follow_fcntl(a, task, ret);
	}
}

/* --------------------------------------------------------------------- counts */

void file_count(struct analysis *a, const struct task *task, const struct call_kind *kind, uint64_t time,
		const struct analysis_event *e)
{
	const int64_t ret = event_has(e, CALL_RET) ? e->value[CALL_RET].number : 0;
	uint32_t at = keymap_find(&a->by_file, task->call_file);
	struct file *file;

	if (!task->call_file)
		return;
	if (!at) {
		a->files = MEM_MORE(a->files, a->nr_files);
		a->files[a->nr_files++] = (struct file){ .name = task->call_file };
		at = a->nr_files;
		keymap_set(&a->by_file, task->call_file, at);
	}
	file = &a->files[at - 1];
	spans_add(&file->time, time);
	file->errors += call_failed(e);
	if (ret > 0 && kind && kind->moves == MOVES_IN)
		file->read += ret;
	if (ret > 0 && kind && kind->moves == MOVES_OUT)
		file->written += ret;
}

/* Events tell descriptors better: the dump may have looked at the file before them. */
void on_dump_file(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct process *process = event_has(e, FILE_PID) ? process_get(a, e->value[FILE_PID].number) : NULL;
	uint32_t *file;

	if (!process || !event_has(e, FILE_FD) || !event_has(e, FILE_NAME) || a->gaps)
		return;
	file = descriptor(&process->table, e->value[FILE_FD].number);
	if (file && !*file)
		*file = path_of_slot(a, &e->value[FILE_NAME]);
}
