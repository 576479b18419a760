// SPDX-License-Identifier: GPL-2.0-or-later
/* user_list.c - the events of processes with libktrace.  See event_list.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/show/explain/event_list.h"
#include "ctl/trace/user/user_event.h"

struct list {
	struct session *s;
	struct registrar registrar;
	const char *pattern;
	int pid;		/* 0: all processes */
	bool verbose;
	struct sheet sheet;
};

static void add_one(struct list *list, const struct kt_user_entry *entry, const struct user_file *file,
		    const struct user_site *site)
{
	const bool recorded = entry->flags & KT_USER_ON;

	sheet_row(&list->sheet);
	cell_format(&list->sheet, "address", "EVENT", USER_EVENT "%s:%s", site->provider, site->name);
	cell_format(&list->sheet, NULL, "PROCESS", "%s (%d)%s", file->head.program, entry->pid, recorded ? ", recorded" : "");
	cell_text(&list->sheet, "program", NULL, file->head.program);
	cell_id(&list->sheet, "pid", NULL, entry->pid);
	cell_id(&list->sheet, "uid", NULL, entry->uid);
	cell_text(&list->sheet, "arguments", "ARGUMENTS", site->args);
	cell_format(&list->sheet, "source", list->verbose ? "SOURCE" : NULL, "%s:%u", site->source, site->line);
	cell_boolean(&list->sheet, "recorded", NULL, recorded);
}

static void list_process(struct list *list, const struct kt_user_entry *entry)
{
	struct error err;
	struct user_file *file = user_event_open(&list->registrar, entry, NULL, &err);

	if (!file && *err.text)
		session_warn(list->s, "%s", err.text);
	for (size_t i = 0; file && i < file->nr_sites; i++) {
		const struct user_site *site = &file->sites[i];

		if (user_event_matches(list->pattern, site))
			add_one(list, entry, file, site);
	}
	user_file_close(file);
}

static bool nothing(const struct list *list, struct error *err)
{
	if (list->pid)
		return error_set(err, STATUS_FAILURE, "events: process %d has not registered, or none of its events matches '%s': it must be linked with libktrace, begin while the module ktrace_user is loaded or can be, and may open " KT_USER_DEVICE,
				 list->pid, list->pattern);
	return error_set(err, STATUS_FAILURE, "events: no process has registered an event that matches '%s': it must be linked with libktrace, begin while the module ktrace_user is loaded or can be, and may open " KT_USER_DEVICE,
			 list->pattern);
}

static bool list_all(struct list *list, struct error *err)
{
	struct registered all;

	if (!registered_list(&list->registrar, &all, err))
		return false;
	for (size_t i = 0; i < all.n; i++)
		if (!(all.v[i].flags & KT_USER_ENDED) && (!list->pid || all.v[i].pid == list->pid))
			list_process(list, &all.v[i]);
	free(all.v);
	return true;
}

bool user_list(struct session *s, const char *pattern, int pid, bool verbose, struct error *err)
{
	struct list list = { .s = s, .pattern = pattern, .pid = pid, .verbose = verbose, .sheet.key = "user_event" };
	bool ok;

	if (!registrar_open(&list.registrar, err))
		return false;
	ok = list_all(&list, err) && (sheet_rows(&list.sheet) || nothing(&list, err));
	registrar_close(&list.registrar);
	if (ok)
		sheet_write(&list.sheet, s->format, s->out, s->colour);
	sheet_free(&list.sheet);
	return ok;
}

bool user_has_registered(int pid)
{
	struct registrar r;
	struct registered all;
	bool found = false;

	if (!registrar_open_loaded(&r))
		return false;
	if (registered_list(&r, &all, NULL))
		for (size_t i = 0; i < all.n; i++)
			found |= all.v[i].pid == pid && !(all.v[i].flags & KT_USER_ENDED);
	free(all.v);
	registrar_close(&r);
	return found;
}
