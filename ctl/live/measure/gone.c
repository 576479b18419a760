// SPDX-License-Identifier: GPL-2.0-or-later
/* gone.c - see gone.h. */
#include "ctl/live/measure/gone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/live/session/lost.h"
#include "symbols/query/program.h"

#define MAX_NAMED	4	/* tracepoints named in one line */

static size_t file_index(struct gone *gone, const struct target *home, const char *module)
{
	struct gone_file *file;
	size_t i;

	for (i = 0; i < gone->nr_files; i++)
		if (gone->files[i].home == home && !strcmp(gone->files[i].module, module))
			return i;
	gone->files = MEM_MORE(gone->files, gone->nr_files);
	file = &gone->files[gone->nr_files++];
	*file = (struct gone_file){ .home = home, .inode = home ? 0 : module_inode(module), .at_ms = -1 };
	snprintf(file->module, sizeof(file->module), "%s", module);
	return i;
}

static size_t file_of(struct gone *gone, const struct plan *plan)
{
	const char *module = plan->point.sym && !plan->home ? plan->point.sym->module : "";

	if (plan->home ? code_is_gone(plan->home, "", 0) : !*module)
		return GONE_NEVER;
	return file_index(gone, plan->home, module);
}

void gone_watch(struct gone *gone, const struct plans *plans)
{
	gone_free(gone);
	gone->file_of = mem_zalloc(plans->n + 1, sizeof(*gone->file_of));
	gone->nr_plans = plans->n;
	gone->began_ms = now_ms();
	for (size_t i = 0; i < plans->n; i++)
		gone->file_of[i] = file_of(gone, &plans->v[i]);
}

void gone_look(struct gone *gone)
{
	for (size_t i = 0; i < gone->nr_files; i++) {
		struct gone_file *file = &gone->files[i];

		if (file->at_ms < 0 && code_is_gone(file->home, file->module, file->inode))
			file->at_ms = now_ms() - gone->began_ms;
	}
}

bool gone_has(const struct gone *gone, size_t plan)
{
	const struct gone_file *file = plan < gone->nr_plans && gone->file_of[plan] != GONE_NEVER ?
					 &gone->files[gone->file_of[plan]] : NULL;

	return file && !file->home && file->at_ms >= 0;
}

/* "a, b, c, d and 3 more"; internal tracepoints that only open calls are left out. */
static void name_plans(const struct gone *gone, size_t file, const struct plans *plans, FILE *out)
{
	size_t named = 0, more = 0;

	for (size_t i = 0; i < gone->nr_plans; i++) {
		if (gone->file_of[i] != file || plans->v[i].nr_closing)
			continue;
		if (named == MAX_NAMED)
			more++;
		else
			fprintf(out, "%s%s", named++ ? ", " : "", plans->v[i].point.name);
	}
	if (more)
		fprintf(out, " and %zu more", more);
}

static void say_one(struct session *s, const struct gone *gone, size_t i, const struct plans *plans)
{
	const struct gone_file *file = &gone->files[i];
	char after[DURATION_SIZE];
	AUTO_FREE char *names = NULL;
	size_t len;
	FILE *out = open_memstream(&names, &len);

	if (!out)
		return;
	name_plans(gone, i, plans, out);
	fclose(out);
	duration_text(file->at_ms * 1e6, after);
	if (file->home)
		session_warn(s, "warning: %s was replaced or removed after %s: %s saw only processes that ran the old file",
			     program_path(file->home->program), after, names);
	else
		session_warn(s, "warning: module %s was unloaded after %s, with %s: only earlier hits are counted", file->module, after, names);
}

void gone_say(struct session *s, const struct gone *gone, const struct plans *plans)
{
	for (size_t i = 0; i < gone->nr_files; i++)
		if (gone->files[i].at_ms >= 0)
			say_one(s, gone, i, plans);
}

void gone_free(struct gone *gone)
{
	free(gone->files);
	free(gone->file_of);
	*gone = (struct gone){ 0 };
}
