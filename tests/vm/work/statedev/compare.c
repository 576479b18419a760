// SPDX-License-Identifier: GPL-2.0-or-later
/* compare.c - is all that /proc says in the entries of the module, too? */
#include <unistd.h>

#include "statedev.h"

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
	tell(KT_STATE_TASKS, "%d of %d ppid %d pgrp %d session %d start %llu uid %u gid %u name %s", t->head.pid, t->tgid,
	     t->ppid, t->pgrp, t->session, start, t->uid, t->gid, t->flags & KT_TASK_KERNEL ? "" : t->name);
	for (int i = 0; i < KT_NR_NS; i++)
		tell(KT_STATE_TASKS, "%d %s %u", t->head.pid, namespaces[i], t->ns[i]);
}

static void dumped_pids(const void *entry)
{
	const struct kt_state_pids *p = entry;

	tell(KT_STATE_PIDS, "%d level %u tid %d pid %d", p->head.pid, p->level, p->vtid, p->vpid);
	if (!p->level)
		tell(KT_STATE_PIDS, "%d ppid %d", p->head.pid, p->vppid);
}

static void dumped_file_of(const struct kt_state_file *f, const struct user *user)
{
	tell(KT_STATE_FILES, "%d of %llu fd %u %s", user->tid, user->start, f->fd, f->name);
	if (f->fd < FLAGS_BELOW)
		tell(KT_STATE_FILES, "%d of %llu fd %u flags %o", user->tid, user->start, f->fd, f->flags);
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
	tell(KT_STATE_MAPS, "%d of %llu %s", m->tgid, start_of(m->tgid), text);
}

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

int do_compare(void)
{
	void (*const each[])(const void *entry) = { dumped_task, dumped_pids, dumped_file, dumped_map };
	uint64_t all = 0;

	look_at_proc(note_before);
	tell_to = note_dumped;
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
