// SPDX-License-Identifier: GPL-2.0-or-later
/* print.c - entries as texts. */
#include "statedev.h"

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

static void print_pids(const void *entry)
{
	const struct kt_state_pids *p = entry;

	printf("%d level %u ns %u vtid %d vpid %d vppid %d\n", p->head.pid, p->level, p->ns, p->vtid, p->vpid, p->vppid);
}

static void print_file(const void *entry)
{
	const struct kt_state_file *f = entry;

	printf("%d tgid %d table %llx fd %u flags %o mode %x inode %llu dev %u:%u name %s\n", f->head.pid, f->tgid, f->table,
	       f->fd, f->flags, f->mode, f->inode, f->dev >> 20, f->dev & 0xfffff, escaped(f->name));
}

void write_map(char *to, size_t size, const struct kt_state_map *m)
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

void (*const prints[KT_NR_STATES])(const void *entry) = { print_task, print_pids, print_file, print_map, print_cpu };
