// SPDX-License-Identifier: GPL-2.0-or-later
/* system.c - what /proc and /sys tell about the state of the system.  See system.h. */
#include "ctl/base/state/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/state/text.h"

#define SECTOR	512	/* bytes: the unit of /sys/class/block/NAME/size, whatever the device */

static bool unreadable(struct error *err, const char *path)
{
	return error_set(err, STATUS_FAILURE, "%s cannot be read: %s: is it mounted?", path, strerrordesc_np(errno));
}

/* The text of a file, "" if it does not exist.  NULL: it cannot be read.  The caller frees it. */
static char *read_text(const struct system_source *from, const char *path, struct error *err)
{
	AUTO_FREE char *full = mem_printf("%s%s", from->root, path);
	AUTO_CLOSE FILE *file = fopen(full, "re");
	char *text = NULL;
	size_t room = 0;

	if (!file && errno == ENOENT)
		return mem_strdup("");
	if (file && getdelim(&text, &room, '\0', file) >= 0)
		return text;
	free(text);
	if (file && feof(file))
		return mem_strdup("");
	unreadable(err, full);
	return NULL;
}

/* --------------------------------------------------------- lists in a file */

bool system_online_cpus(const struct system_source *from, struct error *err)
{
	AUTO_FREE char *text = read_text(from, "/sys/devices/system/cpu/online", err);
	AUTO_FREE uint32_t *cpus = NULL;
	const size_t n = text ? state_parse_cpus(text, &cpus) : 0;
	struct state_online_cpu one = { .time = from->time };

	for (size_t i = 0; i < n; i++) {
		one.cpu = cpus[i];
		if (!from->sink->online_cpu(from->sink->data, &one, err))
			return false;
	}
	return text;
}

bool system_interrupts(const struct system_source *from, struct error *err)
{
	AUTO_FREE char *text = read_text(from, "/proc/interrupts", err);
	AUTO_FREE struct state_interrupt *all = NULL;
	const size_t n = text ? state_parse_interrupts(text, &all) : 0;

	for (size_t i = 0; i < n; i++) {
		all[i].time = from->time;
		if (!from->sink->interrupt(from->sink->data, &all[i], err))
			return false;
	}
	return text;
}

bool system_modules(const struct system_source *from, struct error *err)
{
	AUTO_FREE char *text = read_text(from, "/proc/modules", err);
	AUTO_FREE struct state_module *all = NULL;
	const size_t n = text ? state_parse_modules(text, &all) : 0;

	for (size_t i = 0; i < n; i++) {
		all[i].time = from->time;
		if (!from->sink->module(from->sink->data, &all[i], err))
			return false;
	}
	return text;
}

/* ------------------------------------------------- a directory of each one */

/* A file with one line; the caller frees it.  NULL: the device has gone meanwhile, or the file cannot be read. */
static char *read_line(const struct system_source *from, const char *class, const char *name, const char *file)
{
	AUTO_FREE char *path = mem_printf("/sys/class/%s/%s/%s", class, name, file);
	char *text = read_text(from, path, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static bool give_block_device(const struct system_source *from, const char *name, struct error *err)
{
	AUTO_FREE char *dev = read_line(from, "block", name, "dev"), *size = read_line(from, "block", name, "size");
	AUTO_FREE char *shown = mem_strdup(name);
	struct state_block_device one = { .time = from->time, .name = shown };

	if (!dev || !size || !state_parse_dev(dev, &one.dev))
		return true;
	one.bytes = strtoull(size, NULL, 10) * SECTOR;
	/* A directory cannot have the slashes that the name of the device may have. */
	for (char *c = shown; (c = strchr(c, '!'));)
		*c = '/';
	return from->sink->block_device(from->sink->data, &one, err);
}

static bool give_interface(const struct system_source *from, const char *name, struct error *err)
{
	AUTO_FREE char *index = read_line(from, "net", name, "ifindex"), *address = read_line(from, "net", name, "address");
	struct state_interface one = { .time = from->time, .name = name, .address = address ? address : "" };

	one.index = index ? atoi(index) : 0;
	return one.index <= 0 || from->sink->interface(from->sink->data, &one, err);
}

static bool each_of_class(const struct system_source *from, const char *class,
			  bool (*give)(const struct system_source *from, const char *name, struct error *err),
			  struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/sys/class/%s", from->root, class);
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool ok = true;

	if (!dir)
		return errno == ENOENT || unreadable(err, path);
	while (ok && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ok = give(from, entry->d_name, err);
	closedir(dir);
	return ok;
}

bool system_block_devices(const struct system_source *from, struct error *err)
{
	return each_of_class(from, "block", give_block_device, err);
}

bool system_interfaces(const struct system_source *from, struct error *err)
{
	return each_of_class(from, "net", give_interface, err);
}

/* ------------------------------------------------------------ command lines */

/* Reading may fail at any time: the process may end. */
static size_t read_cmdline(const char *path, char *to, size_t room)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;
	size_t len = 0;

	if (fd < 0)
		return 0;
	while (len < room && (n = read(fd, to + len, room - len)) > 0)
		len += n;
	close(fd);
	return len;
}

bool system_cmdline(const struct system_source *from, int pid, struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/proc/%d/cmdline", from->root, pid);
	char args[STATE_MAX_CMDLINE];
	const struct state_cmdline one = {
		.time = from->time, .pid = pid, .args = args, .len = read_cmdline(path, args, sizeof(args)),
	};

	return !one.len || from->sink->cmdline(from->sink->data, &one, err);
}
