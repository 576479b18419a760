// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the state of the system from /dev/ktrace, without a controller:
 *
 *   statedev tasks|files|maps|end	print the entries
 *   statedev compare			all kinds, beside what /proc says before and after; "KIND: N, missing M"
 *   statedev time [ROOM]		print for each kind: entries, calls, microseconds of all calls, of the longest
 *   statedev loop			read all kinds until killed; say "began" after each round
 *   statedev bad			make calls with bad arguments: each must fail as core/abi_state.h says
 *
 * `compare` also names what was in /proc both times and is missing. Exit status 1 if anything is.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

static int device;
static uint32_t room = KT_MAX_STATE_ROOM;
static uint64_t buf[KT_MAX_STATE_ROOM / 8];

static const char *const kinds[KT_NR_STATES] = { "tasks", "files", "maps", "end" };

/* ------------------------------------------------------------------ the calls */

struct cost {
	uint64_t entries, calls, sum, longest;	/* ns */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void next_part(struct kt_state *part, struct cost *cost)
{
	const uint64_t began = now();
	uint64_t took;

	must(device, KT_IOC_STATE, part, "KT_IOC_STATE");
	took = now() - began;
	cost->entries += part->nr;
	cost->calls++;
	cost->sum += took;
	cost->longest = took > cost->longest ? took : cost->longest;
}

static struct cost read_kind(uint32_t kind, void (*each)(const void *entry))
{
	struct kt_state part = { .size = sizeof(part), .kind = kind, .buf = (uintptr_t)buf, .room = room };
	struct cost cost = { 0 };

	do {
		const char *at = (const char *)buf;

		next_part(&part, &cost);
		for (uint32_t i = 0; i < part.nr; i++) {
			const struct kt_state_head *head = (const void *)at;

			if (head->len < sizeof(*head) || head->len % 8 || at + head->len > (const char *)buf + part.len)
				die("%s: entry %u has %u bytes", kinds[kind], i, head->len);
			if (each)
				each(head);
			at += head->len;
		}
		if (at != (const char *)buf + part.len)
			die("%s: %u bytes are not those of %u entries", kinds[kind], part.len, part.nr);
	} while (!part.done);
	return cost;
}

/* ---------------------------------------------------------------------- print */

/* A name as /proc/PID/maps shows it. */
static const char *escaped(const char *name)
{
	static char text[4 * KT_MAX_STATE_NAME];
	char *to = text;

	for (; *name; name++)
		if (*name == '\n')
			to = stpcpy(to, "\\012");
		else
			*to++ = *name;
	*to = '\0';
	return text;
}

static void print_task(const void *entry)
{
	const struct kt_state_task *t = entry;

	printf("%d tgid %d ppid %d pgrp %d session %d uid %u gid %u cpu %u ", t->head.pid, t->tgid, t->ppid, t->pgrp,
	       t->session, t->uid, t->gid, t->cpu);
	printf("status %u state %c flags %u policy %u prio %d ", t->status, t->state, t->flags, t->policy, t->prio);
	printf("cgroup %llu files %llx memory %llx name %s\n", t->cgroup, t->files, t->memory, escaped(t->name));
}

static void print_file(const void *entry)
{
	const struct kt_state_file *f = entry;

	printf("%d tgid %d table %llx fd %u flags %o mode %x inode %llu dev %u:%u name %s\n", f->head.pid, f->tgid, f->table,
	       f->fd, f->flags, f->mode, f->inode, f->dev >> 20, f->dev & 0xfffff, escaped(f->name));
}

/* The columns of /proc/PID/maps. */
static void write_map(char *to, size_t size, const struct kt_state_map *m)
{
	snprintf(to, size, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu %s", m->start, m->end, m->flags & 1 ? 'r' : '-',
		 m->flags & 2 ? 'w' : '-', m->flags & 4 ? 'x' : '-', m->flags & 8 ? 's' : 'p', m->offset, m->dev >> 20,
		 m->dev & 0xfffff, m->inode, escaped(m->name));
}

static void print_map(const void *entry)
{
	static char text[5 * KT_MAX_STATE_NAME];
	const struct kt_state_map *m = entry;

	write_map(text, sizeof(text), m);
	printf("%d tgid %d memory %llx %s\n", m->head.pid, m->tgid, m->memory, text);
}

static void print_cpu(const void *entry)
{
	const struct kt_state_cpu *c = entry;

	printf("cpu %u pid %d busy %u\n", c->cpu, c->head.pid, c->flags & KT_CPU_BUSY);
}

static void (*const prints[KT_NR_STATES])(const void *entry) = { print_task, print_file, print_map, print_cpu };

/* ---------------------------------------------------------------- sets of texts */

struct set {
	uint64_t *v;
	size_t n;
};

static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return h;
}

static void set_add(struct set *set, const char *text)
{
	if (!(set->n & (set->n - 1)))
		set->v = must_realloc(set->v, (set->n ? 2 * set->n : 1) * sizeof(*set->v));
	set->v[set->n++] = hash(text);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void set_sort(struct set *set)
{
	qsort(set->v, set->n, sizeof(*set->v), compare);
}

static bool set_has(const struct set *set, const char *text)
{
	const uint64_t h = hash(text);

	return bsearch(&h, set->v, set->n, sizeof(h), compare);
}

/* ------------------------------------------------------------------ what /proc says */

static void (*tell)(unsigned int kind, const char *text);

#define TELL(kind, ...) \
	do { \
		static char tell_text[6 * KT_MAX_STATE_NAME]; \
		snprintf(tell_text, sizeof(tell_text), __VA_ARGS__); \
		tell(kind, tell_text); \
	} while (0)

/* Names of a namespace, by KT_NS_*. */
static const char *const namespaces[KT_NR_NS] = { "pid", "mnt", "net", "user", "uts", "ipc", "cgroup", "time" };

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
			TELL(KT_STATE_TASKS, "%d %s %llu", tid, namespaces[i], number_behind(link, ":["));
	}
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
	/* Up to the 22nd field. */
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
	TELL(KT_STATE_TASKS, "%d of %d ppid %d pgrp %d session %d start %llu uid %llu gid %llu name %s", tid, tgid, s.ppid,
	     s.pgrp, s.session, s.start, number_behind(status, "\nUid:"), number_behind(status, "\nGid:"),
	     s.flags & PF_KTHREAD ? "" : s.name);
	/* A zombie has left some namespaces; the order in which it does so is the kernel's. */
	if (s.state != 'Z' && s.state != 'X')
		proc_namespaces(directory, tid);
	return true;
}

/* The flags of small numbers only: they cost four times as much as the name. */
#define FLAGS_BELOW 64

/* directory: the one of the thread's files. */
static void one_file(const char *directory, int tid, int fd)
{
	char thread[LONGEST], infos[LONGEST], name[16], info[1024], target[KT_MAX_STATE_NAME];

	snprintf(name, sizeof(name), "%d", fd);
	if (!follow(target, sizeof(target), directory, name))
		return;
	TELL(KT_STATE_FILES, "%d of %llu fd %d %s", tid, thread_start, fd, target);
	snprintf(thread, sizeof(thread), "%.*s", (int)(strlen(directory) - strlen("/fd")), directory);
	path_of(infos, thread, "fdinfo");
	if (fd < FLAGS_BELOW && slurp(info, sizeof(info), infos, name))
		TELL(KT_STATE_FILES, "%d of %llu fd %d flags %llo", tid, thread_start, fd,
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
			TELL(KT_STATE_MAPS, "%d of %llu %s %s %s %s %llu %s", tgid, process_start, range, perms, offset,
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

/* All but this process, whose files change while it looks. */
static void look_at_proc(void (*to)(unsigned int kind, const char *text))
{
	tell = to;
	each_number("/proc", getpid(), one_process, 0);
}

/* ------------------------------------------------------ the same from the module */

static struct set before[KT_NR_STATES], dumped[KT_NR_STATES];
static uint64_t common[KT_NR_STATES], missing[KT_NR_STATES];

/* The tasks, by rising id. */
static struct tasks {
	struct user {
		int tgid, tid;
		uint64_t table;
		unsigned long long start;
	} *v;
	size_t n;
} users;

static void remember(const struct kt_state_task *t, unsigned long long start)
{
	if (!(users.n & (users.n - 1)))
		users.v = must_realloc(users.v, (users.n ? 2 * users.n : 1) * sizeof(*users.v));
	if (users.n && users.v[users.n - 1].tid >= t->head.pid)
		die("tasks: %d behind %d", t->head.pid, users.v[users.n - 1].tid);
	users.v[users.n++] = (struct user){ t->tgid, t->head.pid, t->files, start };
}

static unsigned long long start_of(int tid)
{
	size_t low = 0, high = users.n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (users.v[middle].tid == tid)
			return users.v[middle].start;
		if (users.v[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static void note_dumped(unsigned int kind, const char *text)
{
	set_add(&dumped[kind], text);
}

static void dumped_task(const void *entry)
{
	const struct kt_state_task *t = entry;
	const unsigned long long start = t->start / (1000000000 / sysconf(_SC_CLK_TCK));

	remember(t, start);
	TELL(KT_STATE_TASKS, "%d of %d ppid %d pgrp %d session %d start %llu uid %u gid %u name %s", t->head.pid, t->tgid,
	     t->ppid, t->pgrp, t->session, start, t->uid, t->gid, t->flags & KT_TASK_KERNEL ? "" : t->name);
	for (int i = 0; i < KT_NR_NS; i++)
		TELL(KT_STATE_TASKS, "%d %s %u", t->head.pid, namespaces[i], t->ns[i]);
}

static void dumped_file_of(const struct kt_state_file *f, const struct user *user)
{
	TELL(KT_STATE_FILES, "%d of %llu fd %u %s", user->tid, user->start, f->fd, f->name);
	if (f->fd < FLAGS_BELOW)
		TELL(KT_STATE_FILES, "%d of %llu fd %u flags %o", user->tid, user->start, f->fd, f->flags);
}

/* For all threads of the process that have this table. */
static void dumped_file(const void *entry)
{
	const struct kt_state_file *f = entry;

	for (size_t i = 0; i < users.n; i++)
		if (users.v[i].tgid == f->tgid && users.v[i].table == f->table)
			dumped_file_of(f, &users.v[i]);
}

static void dumped_map(const void *entry)
{
	static char text[5 * KT_MAX_STATE_NAME];
	const struct kt_state_map *m = entry;

	write_map(text, sizeof(text), m);
	TELL(KT_STATE_MAPS, "%d of %llu %s", m->tgid, start_of(m->tgid), text);
}

/* ------------------------------------------------------------------- the commands */

static void note_before(unsigned int kind, const char *text)
{
	set_add(&before[kind], text);
}

static void check_after(unsigned int kind, const char *text)
{
	if (!set_has(&before[kind], text))
		return;
	common[kind]++;
	if (set_has(&dumped[kind], text))
		return;
	if (missing[kind]++ < 20)
		printf("missing: %s: %s\n", kinds[kind], text);
}

static int do_compare(void)
{
	void (*const each[])(const void *entry) = { dumped_task, dumped_file, dumped_map };
	uint64_t all = 0;

	look_at_proc(note_before);
	tell = note_dumped;
	for (unsigned int kind = 0; kind < KT_STATE_END; kind++) {
		read_kind(kind, each[kind]);
		set_sort(&before[kind]);
		set_sort(&dumped[kind]);
	}
	look_at_proc(check_after);
	for (unsigned int kind = 0; kind < KT_STATE_END; kind++) {
		printf("%s: %llu, missing %llu\n", kinds[kind], (unsigned long long)common[kind],
		       (unsigned long long)missing[kind]);
		all += missing[kind];
	}
	return all != 0;
}

static int do_time(void)
{
	for (unsigned int kind = 0; kind < KT_NR_STATES; kind++) {
		const struct cost cost = read_kind(kind, NULL);

		printf("%s: %llu entries, %llu calls, %llu us, longest %llu us\n", kinds[kind], (unsigned long long)cost.entries,
		       (unsigned long long)cost.calls, (unsigned long long)cost.sum / 1000,
		       (unsigned long long)cost.longest / 1000);
	}
	return 0;
}

static int do_loop(void)
{
	do {
		for (unsigned int kind = 0; kind < KT_NR_STATES; kind++)
			read_kind(kind, NULL);
	} while (puts("began") >= 0 && !fflush(stdout));
	return 1;
}

/* A call with these arguments, which must fail so (0: succeed). */
static void expect(const char *what, struct kt_state part, int no)
{
	const struct kt_state was = part;
	const int got = ioctl(device, KT_IOC_STATE, &part) < 0 ? errno : 0;

	if (got != no)
		die("%s: %s instead of %s", what, strerrorname_np(got), strerrorname_np(no));
	if (no && (part.len || part.nr || part.done || memcmp(part.cursor, was.cursor, sizeof(part.cursor))))
		die("%s: the call failed, and has changed its arguments", what);
}

/* Cursors that the module never returned: any entries are right, but the walk must end. */
static void odd_cursors(const struct kt_state *good)
{
	static const uint64_t odd[] = {
		0, 1, 2, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 47, ~1ULL, ~0ULL,
	};
	enum { NR = sizeof(odd) / sizeof(odd[0]) };

	for (unsigned int i = 0; i < KT_NR_STATES * NR * NR; i++) {
		struct kt_state part = *good;

		part.kind = i % KT_NR_STATES;
		part.cursor[0] = odd[i / KT_NR_STATES % NR];
		part.cursor[1] = part.cursor[2] = i % 3;
		part.cursor[3] = odd[i / KT_NR_STATES / NR];
		for (unsigned int calls = 0; !part.done; calls++) {
			must(device, KT_IOC_STATE, &part, "KT_IOC_STATE with an odd cursor");
			if (calls == 10000)
				die("a walk from an odd cursor does not end");
		}
	}
}

static int do_bad(void)
{
	enum { SIZE = sizeof(struct kt_state), ROOM = KT_MIN_STATE_ROOM };
	const uint64_t to = (uintptr_t)buf,
		       locked = (uintptr_t)mmap(NULL, ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct {
		const char *what;
		struct kt_state part;
		int no;
	} calls[] = {
		{ "a good call", { .size = SIZE, .buf = to, .room = ROOM }, 0 },
		{ "more room than is used", { .size = SIZE, .buf = to, .room = ~0U }, 0 },
		{ "a wrong size", { .size = SIZE - 1, .buf = to, .room = ROOM }, EINVAL },
		{ "an unknown kind", { .size = SIZE, .kind = KT_NR_STATES, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "an unknown kind", { .size = SIZE, .kind = ~0U, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "an unknown flag", { .size = SIZE, .flags = 1, .buf = to, .room = ROOM }, EOPNOTSUPP },
		{ "a reserved field", { .size = SIZE, .reserved = 1, .buf = to, .room = ROOM }, EINVAL },
		{ "little room", { .size = SIZE, .buf = to, .room = ROOM - 1 }, EINVAL },
		{ "no buffer", { .size = SIZE, .buf = 0, .room = ROOM }, EFAULT },
		{ "a locked buffer", { .size = SIZE, .buf = locked, .room = ROOM }, EFAULT },
		{ "a buffer of the kernel", { .size = SIZE, .buf = ~0ULL << 12, .room = ROOM }, EFAULT },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		expect(calls[i].what, calls[i].part, calls[i].no);
	odd_cursors(&calls[0].part);
	puts("bad: ok");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} commands[] = { { "compare", do_compare }, { "time", do_time }, { "loop", do_loop }, { "bad", do_bad } };
	const char *const name = argc > 1 ? argv[1] : "";

	if (argc > 2)
		room = atoi(argv[2]);
	device = device_open(NULL);
	for (unsigned int kind = 0; kind < KT_NR_STATES; kind++)
		if (!strcmp(name, kinds[kind]))
			return read_kind(kind, prints[kind]).entries == 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run();
	die("usage: statedev tasks|files|maps|end|compare|time|loop|bad [ROOM]");
}
