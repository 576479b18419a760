// SPDX-License-Identifier: GPL-2.0-or-later
/* terminal.c - see terminal.h. */
#include "ctl/live/session/terminal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ctl/base/comm.h"
#include "ctl/base/memory.h"

#define MOST_LEVELS	4	/* terminals in terminals that are followed */
/* The device numbers of /dev/pts/N: Documentation/admin-guide/devices.txt. */
#define PTS_MAJOR	136
#define PTS_MAJORS	8
#define PTS_MINORS	256

/* The end that programs use.  Each container may have a /dev/pts of its own, so N alone does not tell. */
struct pts {
	unsigned int index;
	dev_t dev;
	ino_t ino;
};

static bool take(const struct stat *st, struct pts *out)
{
	const unsigned int number = major(st->st_rdev) - PTS_MAJOR;

	if (!S_ISCHR(st->st_mode) || number >= PTS_MAJORS)
		return false;
	*out = (struct pts){ number * PTS_MINORS + minor(st->st_rdev), st->st_dev, st->st_ino };
	return true;
}

/* /dev/pts/N as a process sees it. */
static bool take_seen(int pid, unsigned int index, struct pts *out)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/root/dev/pts/%u", pid, index);
	return !stat(path, &st) && take(&st, out) && out->index == index;
}

/* The parent, and the device number of the controlling terminal. */
static bool read_stat(int pid, int *parent, int *tty)
{
	char path[64], line[512] = "";
	const char *after;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);

	AUTO_CLOSE FILE *file = fopen(path, "re");

	/* The name, in parentheses, may contain anything. */
	after = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	return after && sscanf(after, ") %*c %d %*d %*d %d", parent, tty) == 2;
}

static bool terminal_of(int pid, struct pts *out)
{
	int parent, tty;
	unsigned int number;

	if (!read_stat(pid, &parent, &tty))
		return false;
	number = major(tty) - PTS_MAJOR;
	return number < PTS_MAJORS && take_seen(pid, number * PTS_MINORS + minor(tty), out);
}

/* The terminal that output goes to or keys come from, else the controlling one. */
static bool own_terminal(struct pts *out)
{
	struct stat st;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &st) && take(&st, out))
			return true;
	return terminal_of(getpid(), out);
}

/* -------------------------------------------------------------------- holders */

static bool is_other_end(int pid, const char *fd, unsigned int index)
{
	char path[320], line[128];
	unsigned int found;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, fd);

	AUTO_CLOSE FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "tty-index: %u", &found) == 1)
			return found == index;
	return false;
}

static bool is_ptmx(int dir, const char *fd)
{
	static const char end[] = "ptmx";
	char target[64];
	ssize_t n = readlinkat(dir, fd, target, sizeof(target));

	return n >= (ssize_t)strlen(end) && n < (ssize_t)sizeof(target) && !memcmp(target + n - strlen(end), end, strlen(end));
}

static bool has_open(int pid, unsigned int index)
{
	char path[64];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	for (struct dirent *at; dir && !found && (at = readdir(dir));)
		found = is_ptmx(dirfd(dir), at->d_name) && is_other_end(pid, at->d_name, index);
	if (dir)
		closedir(dir);
	return found;
}

static bool holds(int pid, const struct pts *pts)
{
	struct pts seen;

	return has_open(pid, pts->index) && take_seen(pid, pts->index, &seen) && seen.dev == pts->dev && seen.ino == pts->ino;
}

static void read_name(int pid, char name[KT_COMM_BYTES])
{
	if (!comm_read(pid, name))
		strcpy(name, "?");
	/* It is printed on terminals. */
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

static void add_if_holds(int pid, const struct pts *pts, struct terminal *out)
{
	if (!holds(pid, pts))
		return;
	if (out->n == KT_MAX_OWN) {
		out->is_unknown = true;
		return;
	}
	out->holders[out->n].pid = pid;
	read_name(pid, out->holders[out->n++].name);
}

/* The holder mostly is an ancestor: it has started the shell. */
static void ask_ancestors(const struct pts *pts, struct terminal *out)
{
	int parent, tty;

	for (int pid = getpid(); read_stat(pid, &parent, &tty) && parent > 0; pid = parent)
		add_if_holds(parent, pts, out);
}

static void ask_all(const struct pts *pts, struct terminal *out)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *at; dir && (at = readdir(dir));)
		if (atoi(at->d_name) > 0)
			add_if_holds(atoi(at->d_name), pts, out);
	if (dir)
		closedir(dir);
}

/* The terminal of one of the holders from number `first` on. */
static bool next_terminal(const struct terminal *found, size_t first, struct pts *out)
{
	for (size_t i = first; i < found->n; i++)
		if (terminal_of(found->holders[i].pid, out))
			return true;
	return false;
}

void terminal_find(struct terminal *out)
{
	struct pts pts;
	bool more = own_terminal(&pts);

	*out = (struct terminal){ 0 };
	for (int level = 0; more && level < MOST_LEVELS; level++) {
		const size_t before = out->n;

		ask_ancestors(&pts, out);
		if (out->n == before)
			ask_all(&pts, out);
		if (out->n == before)
			out->is_unknown = true;
		more = next_terminal(out, before, &pts);
	}
}
