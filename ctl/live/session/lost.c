// SPDX-License-Identifier: GPL-2.0-or-later
/* lost.c - see lost.h. */
#include "ctl/live/session/lost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "symbols/query/program.h"

#define MOST_NAMED	4	/* tracepoints in one sentence */

/* The tracepoints in one module or file. */
struct lost {
	struct lost *next;
	const struct target *home;	/* the program; NULL: a module */
	char module[64];
	uint64_t inode;			/* of the module */
	struct lost_point {
		uint64_t addr;
		char *name;
	} *v;
	size_t n;
	bool is_lost, is_said;
};

uint64_t module_inode(const char *module)
{
	AUTO_FREE char *path = mem_printf("/sys/module/%s", module);
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/* ------------------------------------------------------------------- watch */

static bool is_of(const struct lost *lost, const struct target *home, const char *module)
{
	return !lost->is_lost && lost->home == home && (home || !strcmp(lost->module, module));
}

static struct lost *watch_for(struct session *s, const struct target *home, const char *module)
{
	struct lost *lost;

	for (lost = s->lost; lost; lost = lost->next)
		if (is_of(lost, home, module))
			return lost;
	lost = mem_zalloc(1, sizeof(*lost));
	lost->home = home;
	snprintf(lost->module, sizeof(lost->module), "%s", home ? "" : module);
	lost->inode = home ? 0 : module_inode(module);
	lost->next = s->lost;
	s->lost = lost;
	return lost;
}

static void add_point(struct lost *lost, uint64_t addr, const char *name)
{
	for (size_t i = 0; i < lost->n; i++)
		if (lost->v[i].addr == addr)
			return;
	lost->v = MEM_MORE(lost->v, lost->n);
	lost->v[lost->n++] = (struct lost_point){ addr, mem_strdup(name) };
}

void lost_watch(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	for (size_t i = 0; i < plans->n; i++) {
		const struct plan *plan = &plans->v[i];
		const char *module = plan->point.sym && !plan->home ? plan->point.sym->module : "";

		/* A file that has no name any more cannot lose it. */
		if (reqs[i].refusal || plan->nr_closing || (!plan->home && !*module) || (plan->home && !programs_is_current(plan->home)))
			continue;
		add_point(watch_for(s, plan->home, module), reqs[i].addr, plan->point.name);
	}
}

/* ------------------------------------------------------------------ forget */

static bool is_set(const struct kt_list_entry *entries, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].addr == addr)
			return true;
	return false;
}

static void keep_those_set(struct lost *lost, const struct kt_list_entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < lost->n; i++) {
		if (is_set(entries, n, lost->v[i].addr))
			lost->v[kept++] = lost->v[i];
		else
			free(lost->v[i].name);
	}
	lost->n = kept;
}

static void drop(struct lost **at)
{
	struct lost *lost = *at;

	*at = lost->next;
	for (size_t i = 0; i < lost->n; i++)
		free(lost->v[i].name);
	free(lost->v);
	free(lost);
}

bool code_is_gone(const struct target *home, const char *module, uint64_t inode)
{
	struct stat st;

	if (!home)
		return module_inode(module) != inode;
	/* When a process ends, the directory that was its root has no path any more: that says nothing of the file. */
	return !programs_is_current(home) && (!*program_root(home->program) || !stat(program_root(home->program), &st));
}

/* Is something lost that was not said yet? */
static bool look(struct session *s)
{
	bool any = false;

	for (struct lost *lost = s->lost; lost; lost = lost->next) {
		lost->is_lost |= code_is_gone(lost->home, lost->module, lost->inode);
		any |= lost->is_lost && !lost->is_said;
	}
	return any;
}

void lost_forget(struct session *s, bool everything)
{
	struct kt_list_entry *entries = NULL;
	size_t n = 0;

	if (!s->lost || !device_list(&s->dev, &entries, &n, NULL))
		return;
	/* Behind the list: what an unload has taken out of it is known to be lost. */
	look(s);
	for (struct lost **at = &s->lost; *at;) {
		struct lost *lost = *at;

		/* Those of an unloaded module are set no more, but not because of a delete. */
		if (lost->home || !lost->is_lost)
			keep_those_set(lost, entries, n);
		if (!lost->n || (everything && lost->is_lost && !lost->home))
			drop(at);
		else
			at = &lost->next;
	}
	free(entries);
}

void lost_free(struct session *s)
{
	while (s->lost)
		drop(&s->lost);
}

/* -------------------------------------------------------------------- tell */

/* "a, b, c, d and 3 more" */
static char *names_of(const struct lost *lost)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out && i < lost->n && i < MOST_NAMED; i++)
		fprintf(out, "%s%s", i ? ", " : "", lost->v[i].name);
	if (out && lost->n > MOST_NAMED)
		fprintf(out, " and %zu more", lost->n - MOST_NAMED);
	if (out)
		fclose(out);
	return text;
}

static void say(struct session *s, struct lost *lost)
{
	AUTO_FREE char *names = names_of(lost);

	lost->is_said = true;
	if (!names)
		return;
	if (!lost->home)
		session_warn(s, "warning: module %s was unloaded, and the tracepoints in it went with it: %s", lost->module, names);
	else
		session_warn(s, "warning: %s was replaced or removed: %s see only processes that run the old file; to trace the new one, delete and set them again",
			     program_path(lost->home->program), names);
}

void lost_tell(struct session *s, bool again)
{
	if (!look(s) && !again)
		return;
	/* Others may have deleted some meanwhile. */
	lost_forget(s, false);
	for (struct lost *lost = s->lost; lost; lost = lost->next)
		if (lost->is_lost && (again || !lost->is_said))
			say(s, lost);
}
