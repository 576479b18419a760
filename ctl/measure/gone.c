// SPDX-License-Identifier: GPL-2.0-or-later
/* gone.c - see gone.h. */
#include "ctl/measure/gone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/session/lost.h"

#define MAX_NAMED	4	/* tracepoints named in one line */

static size_t module_index(struct gone *gone, const char *name)
{
	struct gone_module *module;
	size_t i;

	for (i = 0; i < gone->nr_modules; i++)
		if (!strcmp(gone->modules[i].name, name))
			return i;
	gone->modules = MEM_MORE(gone->modules, gone->nr_modules);
	module = &gone->modules[gone->nr_modules++];
	*module = (struct gone_module){ .inode = module_inode(name), .at_ms = -1 };
	snprintf(module->name, sizeof(module->name), "%s", name);
	return i;
}

void gone_watch(struct gone *gone, const struct plans *plans)
{
	gone_free(gone);
	gone->module_of = mem_zalloc(plans->n + 1, sizeof(*gone->module_of));
	gone->nr_plans = plans->n;
	gone->began_ms = now_ms();
	for (size_t i = 0; i < plans->n; i++) {
		const struct sym *sym = plans->v[i].point.sym;

		gone->module_of[i] = sym && *sym->module ? module_index(gone, sym->module) : GONE_NEVER;
	}
}

void gone_look(struct gone *gone)
{
	for (size_t i = 0; i < gone->nr_modules; i++) {
		struct gone_module *module = &gone->modules[i];

		if (module->at_ms < 0 && module_inode(module->name) != module->inode)
			module->at_ms = now_ms() - gone->began_ms;
	}
}

bool gone_has(const struct gone *gone, size_t plan)
{
	return plan < gone->nr_plans && gone->module_of[plan] != GONE_NEVER &&
	       gone->modules[gone->module_of[plan]].at_ms >= 0;
}

/* "a, b, c, d and 3 more"; internal tracepoints that only open calls are left out. */
static void name_plans(const struct gone *gone, size_t module, const struct plans *plans, FILE *out)
{
	size_t named = 0, more = 0;

	for (size_t i = 0; i < gone->nr_plans; i++) {
		if (gone->module_of[i] != module || plans->v[i].nr_closing)
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
	char after[DURATION_SIZE];
	AUTO_FREE char *names = NULL;
	size_t len;
	FILE *out = open_memstream(&names, &len);

	if (!out)
		return;
	name_plans(gone, i, plans, out);
	fclose(out);
	session_warn(s, "warning: module %s was unloaded after %s, with %s: only earlier hits are counted", gone->modules[i].name,
		     duration_text(gone->modules[i].at_ms * 1e6, after), names);
}

void gone_say(struct session *s, const struct gone *gone, const struct plans *plans)
{
	for (size_t i = 0; i < gone->nr_modules; i++)
		if (gone->modules[i].at_ms >= 0)
			say_one(s, gone, i, plans);
}

void gone_free(struct gone *gone)
{
	free(gone->modules);
	free(gone->module_of);
	*gone = (struct gone){ 0 };
}
