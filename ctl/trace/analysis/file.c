// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - which file a descriptor is: from the calls that open and close, and from the state at the start.
 *
 * Names are those that the programs gave: a relative one is not completed.  A descriptor that nobody was seen to
 * open has a name that says so.
 */
#include "ctl/trace/analysis/analysis_int.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/analysis/file_calls.h"

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

/* NULL: the descriptors of the task are not followed now. */
static struct open_file *open_file(struct analysis *a, struct task *task, int64_t fd)
{
	return task->table && !a->gaps ? table_file(task->table, fd) : NULL;
}

/* Without all system calls, a file could be closed unnoticed, and its descriptor be another one's. */
static uint32_t name_of(struct analysis *a, struct task *task, int64_t fd)
{
	struct open_file *file = open_file(a, task, fd);

	if (analysis_calls(a) != CALLS_ALL)
		return number_name(a, task, fd, "not all system calls were recorded");
	if (!file)
		return number_name(a, task, fd, "not seen opened");
	if (!file->name)
		*file = (struct open_file){ .name = number_name(a, task, fd, "not seen opened"), .closes = true };
	return file->name;
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

uint32_t file_of_call(struct analysis *a, struct task *task, const struct call_kind *kind,
		      const struct analysis_event *e)
{
	static const unsigned int slots[] = { CALL_FD, CALL_OLDFD };

	if (event_has(e, CALL_NAME) && e->value[CALL_NAME].text)
		return path_of_slot(a, &e->value[CALL_NAME]);
	for (size_t i = 0; i < ARRAY_SIZE(slots) && !(kind && kind->follow == FOLLOW_CHANNEL); i++)
		if (event_has(e, slots[i]) && fd_of(e->value[slots[i]].number) >= 0)
			return name_of(a, task, fd_of(e->value[slots[i]].number));
	return 0;
}

struct open_file file_dumped(struct analysis *a, const struct analysis_event *e)
{
	const uint32_t name = path_of_slot(a, &e->value[FILE_NAME]);

	return (struct open_file){
		.name = name, .closes = !event_has(e, FILE_FLAGS) || e->value[FILE_FLAGS].number & CLOEXEC,
	};
}

/* ---------------------------------------------------------------------- pipes */

/* Two pipes are never one file, so the name has a number; file_text() shows another one. */
static uint32_t channel_new(struct analysis *a, const struct task *task, const char *what)
{
	char text[64];
	uint32_t name;

	snprintf(text, sizeof(text), "%s %" PRIu64 " of %d", what, ++a->made_channels, task->process->pid);
	name = names_add(&a->names, text, strlen(text));
	a->channels = MEM_MORE(a->channels, a->nr_channels);
	a->channels[a->nr_channels++] = (struct channel){ .name = name, .what = what, .maker = task->process->pid };
	keymap_set(&a->by_channel, name, a->nr_channels);
	return name;
}

static bool has_user(const struct channel *channel, int32_t pid)
{
	for (unsigned int i = 0; i < channel->nr_users && i < CHANNEL_USERS; i++)
		if (channel->users[i] == pid)
			return true;
	return false;
}

/* The task has moved bytes through its file. */
static void channel_use(struct analysis *a, const struct task *task)
{
	const uint32_t at = task->call_file ? keymap_find(&a->by_channel, task->call_file) : 0;
	struct channel *channel = at ? &a->channels[at - 1] : NULL;

	if (!channel || !task->process || channel->nr_users > CHANNEL_USERS || has_user(channel, task->process->pid))
		return;
	if (channel->nr_users < CHANNEL_USERS)
		channel->users[channel->nr_users] = task->process->pid;
	channel->nr_users++;
}

void channels_keep(struct analysis *a, const bool *used)
{
	size_t n = 0;

	keymap_free(&a->by_channel);
	for (size_t i = 0; i < a->nr_channels; i++) {
		if (!used[a->channels[i].name])
			continue;
		a->channels[n++] = a->channels[i];
		keymap_set(&a->by_channel, a->channels[n - 1].name, n);
	}
	a->nr_channels = n;
}

char *file_text(const struct analysis *a, uint32_t name)
{
	const uint32_t at = keymap_find(&a->by_channel, name);
	const struct channel *channel = at ? &a->channels[at - 1] : NULL;
	int32_t low, high;

	if (!channel)
		return mem_strdup(names_text(&a->names, name));
	if (channel->nr_users < 2)
		return mem_printf("%s of %d", channel->what, channel->nr_users ? channel->users[0] : channel->maker);
	low = channel->users[0] < channel->users[1] ? channel->users[0] : channel->users[1];
	high = channel->users[0] < channel->users[1] ? channel->users[1] : channel->users[0];
	return mem_printf(channel->nr_users > CHANNEL_USERS ? "%s of %d, %d and others" : "%s of %d and %d", channel->what, low, high);
}

/* -------------------------------------------------------------------- follow */

#define FD_CLOEXEC_BIT	1
#define RANGE_UNSHARE	2		/* CLOSE_RANGE_UNSHARE */
#define RANGE_CLOEXEC	4		/* CLOSE_RANGE_CLOEXEC */

/* Commands of fcntl(2) and ioctl(2). */
#define CMD_DUPFD		0
#define CMD_SETFD		2
#define CMD_DUPFD_CLOEXEC	1030
#define CMD_FIONCLEX		0x5450
#define CMD_FIOCLEX		0x5451

static bool knows(const struct task *task, unsigned int slot)
{
	return task->call_known >> slot & 1;
}

/* Where that is not known, assume that exec closes it: then it is not known behind that. */
static bool closes(const struct task *task, const struct call_kind *kind)
{
	const unsigned int slot = kind->closes == CLOSES_BY_TYPE ? CALL_TYPE : CALL_FLAGS;

	if (kind->closes == CLOSES_NEVER)
		return false;
	return kind->closes == CLOSES_ALWAYS || !knows(task, slot) || task->call_args[slot] & kind->bit;
}

static struct open_file now_open(const struct analysis *a, uint32_t name, bool closes)
{
	return (struct open_file){ .name = name, .closes = closes, .since = a->now };
}

static uint32_t opened_name(struct analysis *a, struct task *task, const struct analysis_event *e)
{
	uint32_t name = task->call_file;

	if (event_has(e, CALL_NAME))
		name = path_of_slot(a, &e->value[CALL_NAME]);
	return name ? name : number_name(a, task, e->value[CALL_RET].number, "its name could not be read");
}

static void duplicate(struct analysis *a, struct task *task, unsigned int from, int64_t to, bool closes)
{
	if (knows(task, from))
		table_set(task->table, to, now_open(a, name_of(a, task, fd_of(task->call_args[from])), closes));
	else
		table_set(task->table, to, (struct open_file){ .name = 0 });
}

static void follow_dup2(struct analysis *a, struct task *task, const struct call_kind *kind, int64_t to)
{
	/* Nothing happens if both are one. */
	if (!knows(task, CALL_OLDFD) || fd_of(task->call_args[CALL_OLDFD]) != to)
		duplicate(a, task, CALL_OLDFD, to, closes(task, kind));
}

static void follow_channel(struct analysis *a, struct task *task, const struct call_kind *kind,
			   const struct analysis_event *e)
{
	static const unsigned int ends[] = { CALL_FIRST_END, CALL_SECOND_END };
	const uint32_t name = channel_new(a, task, kind->what);

	/* An end that is not known was closed before, or is not known either. */
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (event_has(e, ends[i]))
			table_set(task->table, e->value[ends[i]].number, now_open(a, name, closes(task, kind)));
}

static void set_closes(struct analysis *a, struct task *task, bool closes)
{
	const int64_t fd = fd_of(task->call_args[CALL_FD]);

	if (knows(task, CALL_FD) && name_of(a, task, fd) && table_file(task->table, fd))
		table_file(task->table, fd)->closes = closes;
}

static void follow_fcntl(struct analysis *a, struct task *task, int64_t ret)
{
	const int64_t cmd = task->call_args[CALL_CMD];

	if (!knows(task, CALL_CMD) || !knows(task, CALL_FD))
		table_clear(task->table);
	else if (cmd == CMD_DUPFD || cmd == CMD_DUPFD_CLOEXEC)
		duplicate(a, task, CALL_FD, ret, cmd == CMD_DUPFD_CLOEXEC);
	else if (cmd == CMD_SETFD)
		set_closes(a, task, !knows(task, CALL_ARG) || task->call_args[CALL_ARG] & FD_CLOEXEC_BIT);
}

static void follow_ioctl(struct analysis *a, struct task *task)
{
	const uint32_t cmd = task->call_args[CALL_CMD];

	if (knows(task, CALL_CMD) && (cmd == CMD_FIOCLEX || cmd == CMD_FIONCLEX))
		set_closes(a, task, cmd == CMD_FIOCLEX);
}

static void follow_again(struct analysis *a, struct task *task, const struct call_kind *kind, int64_t ret)
{
	if (!knows(task, CALL_FD) || fd_of(task->call_args[CALL_FD]) != ret)
		table_set(task->table, ret,
			  now_open(a, names_add(&a->names, kind->what, strlen(kind->what)), closes(task, kind)));
}

/* Another thread may have opened another file by this number, before this call has returned. */
static void forget_older(const struct task *task, struct open_file *file)
{
	if (file && file->since <= task->call_began)
		*file = (struct open_file){ .name = 0 };
}

/* The kernel closes it also where it then tells of an error of the disk. */
static void follow_close(const struct task *task, int64_t ret)
{
	if (ret != -EBADF && knows(task, CALL_FD))
		forget_older(task, table_file(task->table, fd_of(task->call_args[CALL_FD])));
	else if (ret != -EBADF)
		table_clear(task->table);
}

static void follow_range(struct analysis *a, struct task *task)
{
	const uint64_t flags = knows(task, CALL_FLAGS) ? task->call_args[CALL_FLAGS] : 0;
	const uint64_t first = knows(task, CALL_FD) ? (uint32_t)task->call_args[CALL_FD] : 0;
	const uint64_t last = knows(task, CALL_LAST) ? (uint32_t)task->call_args[CALL_LAST] : UINT32_MAX;

	if (flags & RANGE_UNSHARE)
		table_unshare(a, task);
	for (uint64_t fd = first; fd < task->table->nr && fd <= last; fd++)
		if (flags & RANGE_CLOEXEC)
			task->table->files[fd].closes = true;
		else
			forget_older(task, &task->table->files[fd]);
}

static void follow_unshare(struct analysis *a, struct task *task)
{
	if (!knows(task, CALL_FLAGS) || task->call_args[CALL_FLAGS] & CLONE_FILES)
		table_unshare(a, task);
}

/* The call has succeeded. */
static void follow(struct analysis *a, struct task *task, const struct call_kind *kind, const struct analysis_event *e)
{
	const int64_t ret = e->value[CALL_RET].number;

	switch (kind->follow) {
	case FOLLOW_OPEN:
		table_set(task->table, ret, now_open(a, opened_name(a, task, e), closes(task, kind)));
		break;
	case FOLLOW_NEW:
		table_set(task->table, ret,
			  now_open(a, names_add(&a->names, kind->what, strlen(kind->what)), closes(task, kind)));
		break;
	case FOLLOW_AGAIN:
		follow_again(a, task, kind, ret);
		break;
	case FOLLOW_CHANNEL:
		follow_channel(a, task, kind, e);
		break;
	case FOLLOW_DUP:
		duplicate(a, task, CALL_FD, ret, false);
		break;
	case FOLLOW_DUP2:
		follow_dup2(a, task, kind, ret);
		break;
	case FOLLOW_RANGE:
		follow_range(a, task);
		break;
	case FOLLOW_FCNTL:
		follow_fcntl(a, task, ret);
		break;
	case FOLLOW_IOCTL:
		follow_ioctl(a, task);
		break;
	case FOLLOW_UNSHARE:
		follow_unshare(a, task);
		break;
	case FOLLOW_EXEC:
		table_exec(a, task);
		break;
	default:
		break;
	}
}

void file_follow(struct analysis *a, struct task *task, const struct call_kind *kind, const struct analysis_event *e)
{
	if (!kind || !task->table || (a->gaps && kind->follow != FOLLOW_UNSHARE))
		return;
	if (kind->moves)
		channel_use(a, task);
	else if (!event_has(e, CALL_RET))
		table_clear(task->table);
	else if (kind->follow == FOLLOW_CLOSE)
		follow_close(task, e->value[CALL_RET].number);
	else if (!call_failed(e))
		follow(a, task, kind, e);
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
