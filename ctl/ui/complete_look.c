// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_look.c - completions behind `show`, of the fields of records behind `print IF`, and of events of processes. */
#include "ctl/ui/complete_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/user/user_event.h"

/* -------------------------------------------------------------------- show */

/* The words that are not options. */
static void take_arguments(const struct command *command, const struct words *words, struct words *out)
{
	for (size_t i = 1; i < words->n; i++) {
		const struct flag *flag = flags_find(command->flags, words->v[i], strlen(words->v[i]));

		if (flag)
			i += (flag->metavar != NULL) + flag->two_words;
		else
			words_add(out, words->v[i], strlen(words->v[i]));
	}
}

static bool is_name(const char *text)
{
	static const char *const keywords[] = { "struct", "union", "enum", "unsigned", "signed" };

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(text, keywords[i]))
			return false;
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || (*text && strchr("_.->", *text)))
		text++;
	return !*text;
}

/* What stands in front of a member in HEAD NEXT MEMBER...: the object.  NULL: it is no list. */
static char *object_of(const struct words *arguments)
{
	const char *next = arguments->n > 1 ? arguments->v[1] : "";
	const int type = strcspn(next, ".");

	for (size_t i = 0; i < arguments->n; i++)
		if (!is_name(arguments->v[i]))
			return NULL;
	if (next[type])
		return mem_printf("((struct %.*s *)0)->", type, next);
	return arguments->n ? mem_printf("(%s).", arguments->v[0]) : NULL;
}

void offer_show(const struct offer *o, const struct command *command, const struct words *words)
{
	AUTO_WORDS struct words arguments = { 0 };
	AUTO_FREE char *before = NULL;

	take_arguments(command, words, &arguments);
	before = object_of(&arguments);
	if (!before)
		before = words_join(&arguments, 0);
	offer_expression(o, NOWHERE, before);
}

/* ------------------------------------------------------------------ records */

static void offer_fields_of(const struct offer *o, int before, const struct desc *desc)
{
	for (size_t i = 0; desc && i < desc->nr_fields; i++)
		if (desc->fields[i].kind != FIELD_CONST && !strchr(desc->fields[i].name, ' '))
			offer_behind(o, before, desc->fields[i].name);
}

/* Of the saved trace, or of the tracepoints that are set. */
static void offer_fields(const struct offer *o, int before)
{
	AUTO_SITES struct sites sites = { 0 };

	if (o->s->input) {
		const struct trace_info *info = session_saved(o->s, NULL) ? saved_info(o->s->saved) : NULL;

		for (size_t i = 0; info && i < info->nr_events; i++)
			offer_fields_of(o, before, trace_event_desc(&info->events[i]));
		return;
	}
	if (!session_connect(o->s, NULL) || !sites_load(&o->s->dev, &sites, NULL))
		return;
	for (size_t i = 0; i < sites.n; i++)
		offer_fields_of(o, before, sites.descs[i]);
}

/* Where a name may begin: behind && || ! and an open bracket. */
static const char *term_in(const char *word)
{
	const char *start = word;

	for (const char *at = word; *at; at++)
		if (strchr("(&|", *at) || (*at == '!' && at[1] != '=' && at[1] != '~'))
			start = at + 1;
	return start;
}

/* Of recordings: the task that ran. */
static void offer_runner(const struct offer *o, size_t before)
{
	offer_behind(o, before, "pid");
	offer_behind(o, before, "tid");
	offer_behind(o, before, "comm");
}

void offer_records(const struct offer *o, const struct words *words)
{
	const char *last = words->v[words->n - 1], *start = term_in(o->word);
	bool is_condition = false;

	for (size_t i = 1; i < words->n; i++)
		is_condition |= !strcmp(words->v[i], "IF");
	if (!is_condition) {
		offer_one(o, "IF");
		if (*o->word)
			offer_files(o);
		return;
	}
	/* Behind a comparison stands a value. */
	if (start == o->word && strcmp(last, "IF") && *term_in(last))
		return;
	offer_behind(o, start - o->word, "name");
	offer_behind(o, start - o->word, "cpu");
	if (o->s->input)
		offer_runner(o, start - o->word);
	offer_fields(o, start - o->word);
}

/* ---------------------------------------------------------------- processes */

static void offer_events_of(const struct offer *o, struct registrar *r, const struct kt_user_entry *entry)
{
	struct error err;
	struct user_file *file = user_event_open(r, entry, NULL, &err);

	for (size_t i = 0; file && i < file->nr_sites; i++) {
		AUTO_FREE char *name = mem_printf(USER_EVENT "%s:%s", file->sites[i].provider, file->sites[i].name);

		offer_one(o, name);
	}
	user_file_close(file);
}

void offer_registered(const struct offer *o)
{
	struct registrar r;
	struct registered all;

	offer_one(o, USER_EVENT "*");
	if (!user_event_is(o->word) || !registrar_open_loaded(&r))
		return;
	if (registered_list(&r, &all, NULL))
		for (size_t i = 0; i < all.n; i++)
			offer_events_of(o, &r, &all.v[i]);
	free(all.v);
	registrar_close(&r);
}
