// SPDX-License-Identifier: GPL-2.0-or-later
/* user_list.c - the events of processes with libktrace.  See event_list.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/table.h"
#include "ctl/show/explain/event_list.h"
#include "ctl/trace/user/user_event.h"

struct list {
	struct session *s;
	const char *pattern;
	int pid;		/* 0: all processes */
	bool verbose;
	size_t n;
	struct table table;
};

static void put_one(struct session *s, const struct kt_user_entry *entry, const struct user_file *file,
		    const struct user_site *site)
{
	struct json j = json_typed(s->out, "user_event");
	AUTO_FREE char *address = mem_printf(USER_EVENT "%s:%s", site->provider, site->name);
	AUTO_FREE char *source = mem_printf("%s:%u", site->source, site->line);

	json_text(&j, "address", address);
	json_text(&j, "program", file->head.program);
	json_number(&j, "pid", entry->pid);
	json_number(&j, "uid", entry->uid);
	json_text(&j, "arguments", site->args);
	json_text(&j, "source", source);
	json_boolean(&j, "recorded", entry->flags & KT_USER_ON);
	json_end(&j);
}

static void add_one(struct list *list, const struct kt_user_entry *entry, const struct user_file *file,
		    const struct user_site *site)
{
	table_add(&list->table, USER_EVENT "%s:%s", site->provider, site->name);
	table_add(&list->table, "%s (%d)%s", file->head.program, entry->pid, entry->flags & KT_USER_ON ? ", recorded" : "");
	table_add(&list->table, "%s", site->args);
	if (list->verbose)
		table_add(&list->table, "%s:%u", site->source, site->line);
}

static void list_process(struct list *list, const struct kt_user_entry *entry)
{
	struct error err;
	struct user_file *file = user_event_open(&list->s->dev, entry, NULL, &err);

	if (!file && *err.text)
		session_warn(list->s, "%s", err.text);
	for (size_t i = 0; file && i < file->nr_sites; i++) {
		const struct user_site *site = &file->sites[i];

		if (!user_event_matches(list->pattern, site))
			continue;
		list->n++;
		if (list->s->format == PRINT_JSON)
			put_one(list->s, entry, file, site);
		else
			add_one(list, entry, file, site);
	}
	user_file_close(file);
}

static void add_headings(struct list *list)
{
	list->table.align = list->verbose ? "llll" : "lll";
	table_add(&list->table, "EVENT");
	table_add(&list->table, "PROCESS");
	table_add(&list->table, "ARGUMENTS");
	if (list->verbose)
		table_add(&list->table, "SOURCE");
}

static bool nothing(const struct list *list, struct error *err)
{
	if (list->pid)
		return error_set(err, STATUS_FAILURE, "events: process %d has not registered, or none of its events matches '%s': it must be linked with libktrace, begin while the module is loaded, and may open " KT_USER_DEVICE,
				 list->pid, list->pattern);
	return error_set(err, STATUS_FAILURE, "events: no process has registered an event that matches '%s': it must be linked with libktrace, begin while the module is loaded, and may open " KT_USER_DEVICE,
			 list->pattern);
}

bool user_list(struct session *s, const char *pattern, int pid, bool verbose, struct error *err)
{
	struct list list = { .s = s, .pattern = pattern, .pid = pid, .verbose = verbose };
	struct registered all;
	bool ok;

	if (!session_connect(s, err) || !registered_list(&s->dev, &all, err))
		return false;
	add_headings(&list);
	for (size_t i = 0; i < all.n; i++)
		if (!(all.v[i].flags & KT_USER_ENDED) && (!pid || all.v[i].pid == pid))
			list_process(&list, &all.v[i]);
	free(all.v);
	ok = list.n || nothing(&list, err);
	if (list.n && s->format != PRINT_JSON)
		table_print(&list.table, true, s->out, s->colour);
	table_free(&list.table);
	return ok;
}

bool user_has_registered(struct session *s, int pid)
{
	struct registered all;
	bool found = false;

	if (!session_connect(s, NULL) || !registered_list(&s->dev, &all, NULL))
		return false;
	for (size_t i = 0; i < all.n; i++)
		found |= all.v[i].pid == pid && !(all.v[i].flags & KT_USER_ENDED);
	free(all.v);
	return found;
}
