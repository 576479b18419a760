// SPDX-License-Identifier: GPL-2.0-or-later
/* proc.c - read from /proc the processes, threads and files of the system. */
#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include "statedev.h"

void (*tell_to)(unsigned int kind, const char *text);

void tell(unsigned int kind, const char *format, ...)
{
	static char text[6 * KT_MAX_STATE_NAME];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tell_to(kind, text);
}

const char *const namespaces[KT_NR_NS] = { "pid", "mnt", "net", "user", "uts", "ipc", "cgroup", "time" };

#define LONGEST 256	/* bytes of a path below /proc */

static void path_of(char path[LONGEST], const char *directory, const char *name)
{
	if (snprintf(path, LONGEST, "%s/%s", directory, name) >= LONGEST)
		die("%s/%s: too long", directory, name);
}

static void path_of_number(char path[LONGEST], const char *directory, int number)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", number);
	path_of(path, directory, name);
}

/* A file below /proc as text; false: it has gone. */
static bool slurp(char *to, size_t size, const char *directory, const char *name)
{
	char path[LONGEST];
	size_t len = 0;
	ssize_t n;
	int fd;

	path_of(path, directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (len < size - 1 && (n = read(fd, to + len, size - 1 - len)) > 0)
		len += n;
	close(fd);
	to[len] = '\0';
	return len;
}

static bool follow(char *to, size_t size, const char *directory, const char *name)
{
	char path[LONGEST];
	ssize_t n;

	path_of(path, directory, name);
	n = readlink(path, to, size - 1);
	if (n < 0)
		return false;
	to[n] = '\0';
	return true;
}

static unsigned long long number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : ~0ULL;
}

static void proc_namespaces(const char *directory, int tid)
{
	char name[32], link[64];

	for (int i = 0; i < KT_NR_NS; i++) {
		snprintf(name, sizeof(name), "ns/%s", namespaces[i]);
		if (follow(link, sizeof(link), directory, name))
			tell(KT_STATE_TASKS, "%d %s %llu", tid, namespaces[i], number_behind(link, ":["));
	}
}

/* Of "NStgid:	7	1": the numbers of the task, in the initial namespace first. */
static void proc_pids(const char *status, int tid, int ppid)
{
	const char *own = strstr(status, "\nNSpid:"), *process = strstr(status, "\nNStgid:");
	int vtid, vpid, used, of_process;

	if (!own || !process)
		return;
	own += strlen("\nNSpid:");
	process += strlen("\nNStgid:");
	for (int level = 0; sscanf(own, "%d%n", &vtid, &used) == 1 && sscanf(process, "%d%n", &vpid, &of_process) == 1; level++) {
		tell(KT_STATE_PIDS, "%d level %d tid %d pid %d", tid, level, vtid, vpid);
		own += used;
		process += of_process;
		if (*own != '\t')
			break;
	}
	tell(KT_STATE_PIDS, "%d ppid %d", tid, ppid);
}

#define PF_KTHREAD 0x200000

struct stat_line {
	char text[1024], *name, state;
	int ppid, pgrp, session;
	unsigned int flags;
	unsigned long long start;
};

static bool read_stat(struct stat_line *out, const char *directory)
{
	char *rest;

	if (!slurp(out->text, sizeof(out->text), directory, "stat"))
		return false;
	out->name = strchr(out->text, '(') + 1;
	rest = strrchr(out->text, ')');
	*rest = '\0';
	/* proc_pid_stat(5): fields 3 to 6 (state, parent, group, session), 9 (flags) and 22 (start time). */
	if (sscanf(rest + 2, "%c %d %d %d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &out->state,
		   &out->ppid, &out->pgrp, &out->session, &out->flags, &out->start) != 6)
		die("%s/stat: %s", directory, rest + 2);
	return true;
}

/*
 * Of the process that is looked at, and of its thread: an id may be used again, so the texts name the start, too.
 */
static unsigned long long process_start, thread_start;

/* /proc shows kernel threads with longer names. */
static bool proc_task(const char *directory, int tgid, int tid)
{
	struct stat_line s;
	char status[4096];

	if (!read_stat(&s, directory) || !slurp(status, sizeof(status), directory, "status"))
		return false;
	thread_start = s.start;
	tell(KT_STATE_TASKS, "%d of %d ppid %d pgrp %d session %d start %llu uid %llu gid %llu name %s", tid, tgid, s.ppid,
	     s.pgrp, s.session, s.start, number_behind(status, "\nUid:"), number_behind(status, "\nGid:"),
	     s.flags & PF_KTHREAD ? "" : s.name);
	/* A zombie has left some namespaces; the order in which it does so is the kernel's. */
	if (s.state != 'Z' && s.state != 'X') {
		proc_namespaces(directory, tid);
		proc_pids(status, tid, s.ppid);
	}
	return true;
}

/* directory: the one of the thread's files. */
static void one_file(const char *directory, int tid, int fd)
{
	char thread[LONGEST], infos[LONGEST], name[16], info[1024], target[KT_MAX_STATE_NAME];

	snprintf(name, sizeof(name), "%d", fd);
	if (!follow(target, sizeof(target), directory, name))
		return;
	tell(KT_STATE_FILES, "%d of %llu fd %d %s", tid, thread_start, fd, target);
	snprintf(thread, sizeof(thread), "%.*s", (int)(strlen(directory) - strlen("/fd")), directory);
	path_of(infos, thread, "fdinfo");
	if (fd < FLAGS_BELOW && slurp(info, sizeof(info), infos, name))
		tell(KT_STATE_FILES, "%d of %llu fd %d flags %llo", tid, thread_start, fd,
		     strtoull(strstr(info, "flags:") + 6, NULL, 8));
}

/* Call each() for each entry of a directory that is a number, but not for the number `own`. */
static void each_number(const char *directory, int own, void (*each)(const char *directory, int parent, int number),
			int parent)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) != own)
			each(directory, parent, atoi(entry->d_name));
	closedir(dir);
}

/* Names that prctl(2) gives, and the page that belongs to no process. */
static bool is_known(const char *line)
{
	return !strstr(line, "[anon") && !strstr(line, "[vsyscall]");
}

static void proc_maps(const char *directory, int tgid)
{
	static char text[1 << 20];
	char *line, *rest = text;

	if (!slurp(text, sizeof(text), directory, "maps"))
		return;
	while ((line = strsep(&rest, "\n"))) {
		char range[64], perms[8], offset[32], dev[16];
		unsigned long long inode;
		int at = 0;

		if (sscanf(line, "%63s %7s %31s %15s %llu%n", range, perms, offset, dev, &inode, &at) == 5 && is_known(line))
			tell(KT_STATE_MAPS, "%d of %llu %s %s %s %s %llu %s", tgid, process_start, range, perms, offset,
			     dev, inode, line + at + strspn(line + at, " "));
	}
}

static void one_thread(const char *directory, int tgid, int tid)
{
	char thread[LONGEST], files[LONGEST];

	path_of_number(thread, directory, tid);
	path_of(files, thread, "fd");
	if (!proc_task(thread, tgid, tid))
		return;
	each_number(files, -1, one_file, tid);
	proc_maps(thread, tgid);
}

static void one_process(const char *directory, int parent, int tgid)
{
	char process[LONGEST], threads[LONGEST];
	struct stat_line s;

	(void)parent;
	path_of_number(process, directory, tgid);
	path_of(threads, process, "task");
	if (!read_stat(&s, process))
		return;
	process_start = s.start;
	each_number(threads, -1, one_thread, tgid);
}

void look_at_proc(void (*to)(unsigned int kind, const char *text))
{
	tell_to = to;
	each_number("/proc", getpid(), one_process, 0);
}
