// SPDX-License-Identifier: GPL-2.0-or-later
/* systems.c - the systems of static tracepoints.  See systems.h. */
#include "ctl/ask/events/systems.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ask/events/events.h"
#include "ctl/base/memory.h"

#define PATH_SIZE	512

static const char *chosen;
static DIR *folder;		/* the directory "events" of tracefs; NULL: it is not open */

/* A format file that was read, or is not there. */
struct format {
	char *name;		/* SYSTEM/EVENT */
	char *text;		/* NULL: tracefs does not have it */
};

static void *formats;		/* all that were asked for: a tree of tsearch(3) */

static void format_free(void *format)
{
	free(((struct format *)format)->name);
	free(((struct format *)format)->text);
	free(format);
}

void systems_use(const char *tracefs)
{
	chosen = tracefs;
	if (folder)
		closedir(folder);
	folder = NULL;
	tdestroy(formats, format_free);
	formats = NULL;
}

/* The folder "events" of tracefs.  NULL: it is not mounted, or not readable. */
static DIR *open_events(char *path, size_t size)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	DIR *dir = NULL;

	for (size_t i = 0; !dir && i < ARRAY_SIZE(mounts); i++) {
		snprintf(path, size, "%s/events", chosen ? chosen : mounts[i]);
		dir = opendir(path);
	}
	return dir;
}

/* Is there a system that matches, and has the event?  event NULL: any. */
static bool is_in_tracefs(DIR *dir, const char *events, const char *system, const char *event, char **found)
{
	struct dirent *entry;
	bool is = false;

	while (!is && (entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s/%s", events, entry->d_name, event ? event : "");

		if (*entry->d_name == '.' || fnmatch(system, entry->d_name, 0) || access(path, F_OK))
			continue;
		is = true;
		if (found)
			*found = mem_strdup(entry->d_name);
	}
	return is;
}

static bool is_among_rows(const char *system, const char *event, char **found)
{
	const struct event_row *row = event ? events_of_tracepoint(event) : events_next(NULL);

	for (; row; row = event ? NULL : events_next(row)) {
		if (!row->system || fnmatch(system, row->system, 0))
			continue;
		if (found)
			*found = mem_strdup(row->system);
		return true;
	}
	return false;
}

static bool look_up(const char *system, const char *event, char **found)
{
	char events[PATH_SIZE];
	DIR *dir = open_events(events, sizeof(events));
	bool is;

	if (!dir)
		return is_among_rows(system, event, found);
	is = is_in_tracefs(dir, events, system, event, found);
	closedir(dir);
	return is;
}

bool systems_has(const char *system)
{
	return !strpbrk(system, "*?[/") && look_up(system, NULL, NULL);
}

bool systems_match(const char *system, const char *event)
{
	return look_up(system, event, NULL);
}

char *systems_of(const char *event)
{
	char *found = NULL;

	look_up("*", event, &found);
	return found;
}

typedef void each_fn(const char *system, const char *event, void *arg);

static void each_in(const char *events, const char *system, each_fn *each, void *arg)
{
	AUTO_FREE char *path = mem_printf("%s/%s", events, system);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && entry->d_type == DT_DIR)
			each(system, entry->d_name, arg);
	if (dir)
		closedir(dir);
}

void systems_each(each_fn *each, void *arg)
{
	char events[PATH_SIZE];
	DIR *dir = open_events(events, sizeof(events));
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && entry->d_type == DT_DIR)
			each_in(events, entry->d_name, each, arg);
	if (dir) {
		closedir(dir);
		return;
	}
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		const char *rest = row->system ? row->at : NULL;
		char *name;

		while ((name = events_alternative(&rest))) {
			each(row->system, name, arg);
			free(name);
		}
	}
}

static bool find_folder(void)
{
	char path[PATH_SIZE];

	if (!folder)
		folder = open_events(path, sizeof(path));
	return folder;
}

/* NULL: it cannot be read. */
static char *read_format(const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/format", name);
	const int fd = openat(dirfd(folder), path, O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = NULL;
	size_t room = 0;

	if (in && getdelim(&text, &room, '\0', in) >= 0)
		return text;
	free(text);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct format *)a)->name, ((const struct format *)b)->name);
}

const char *systems_format(const char *system, const char *event)
{
	struct format *format, **known;

	if (!find_folder())
		return NULL;
	format = mem_zalloc(1, sizeof(*format));
	format->name = mem_printf("%s/%s", system, event);
	known = tsearch(format, &formats, by_name);
	if (*known == format)
		format->text = read_format(format->name);
	else
		format_free(format);
	return (*known)->text;
}
