// SPDX-License-Identifier: GPL-2.0-or-later
/* marker_list.c - the SDT markers of programs.  See event_list.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/markers.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/show/explain/event_list.h"

struct list {
	struct session *s;
	const char *pattern;
	bool verbose;
	struct sheet sheet;
	size_t nr_programs, nr_markers, nr_bad;
};

/* The sites of one marker. */
struct entry {
	struct program *program;
	const char *word;		/* that names the program */
	const struct program_marker *sites;
	size_t n;
};

/* The path of a mapped file is a stranger's text. */
static char *address_of(const struct entry *entry)
{
	char *text = mem_printf("%s" MARKER ":%s:%s", entry->word, entry->sites->provider, entry->sites->name);

	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	return text;
}

/* "main+0x12"; the linked address where no function is known. */
static char *position_of(const struct entry *entry, const struct program_marker *site)
{
	const struct program_function *function = program_covering(entry->program, site->addr);

	if (!function)
		return mem_printf("0x%" PRIx64, site->addr);
	return mem_printf("%s+0x%" PRIx64, program_shown(entry->program, function), site->addr - function->addr);
}

/* -------------------------------------------------------------------- text */

/* "u64 s32 ?"; sites of one marker may differ. */
static char *types_of(const struct program_marker *site)
{
	char *text = mem_strdup("");

	for (size_t i = 0; i < site->nr_args; i++) {
		const char *type = marker_type(&site->args[i]);
		AUTO_FREE char *before = text;

		text = mem_printf("%s%s%s", before, *before ? " " : "", type ? type : "?");
	}
	return text;
}

static struct sheet arguments_of(const struct program_marker *site)
{
	struct sheet sheet = { .key = "fields" };

	for (size_t i = 0; i < site->nr_args; i++) {
		const struct program_argument *arg = &site->args[i];
		AUTO_FREE char *expression = marker_expression(arg);
		const char *type = marker_type(arg);

		sheet_row(&sheet);
		cell_format(&sheet, NULL, "", "    arg%zu", i + 1);
		cell_text(&sheet, NULL, "", type ? type : "?");
		if (expression)
			cell_text(&sheet, NULL, "", expression);
		else
			cell_format(&sheet, NULL, "", "%s: %s", arg->text, arg->why ? arg->why : "a floating-point number");
		cell_format(&sheet, "name", NULL, "arg%zu", i + 1);
		cell_text(&sheet, "ctype", NULL, type);
		cell_text(&sheet, "expression", NULL, expression);
		cell_text(&sheet, "operand", NULL, arg->text);
	}
	return sheet;
}

static void say_site(struct list *list, const struct entry *entry, const struct program_marker *site)
{
	AUTO_FREE char *point = position_of(entry, site);
	AUTO_SHEET struct sheet arguments = arguments_of(site);

	fprintf(list->s->out, "  at %s\n", escape_shown(point));
	sheet_print(&arguments, SIZE_MAX, list->s->out, false);
}

static void say_verbose(struct list *list, const struct entry *entry)
{
	AUTO_FREE char *address = address_of(entry);

	style_put(list->s->out, list->s->colour, STYLE_NAME, address, 0);
	fprintf(list->s->out, "  %zu site%s%s\n", entry->n, entry->n == 1 ? "" : "s",
		entry->sites->semaphore ? ", with a semaphore" : "");
	for (size_t i = 0; i < entry->n; i++)
		say_site(list, entry, &entry->sites[i]);
}

/* -------------------------------------------------------------------- rows */

static struct sheet sites_of(const struct entry *entry)
{
	struct sheet sheet = { .key = "sites" };

	for (size_t i = 0; i < entry->n; i++) {
		AUTO_FREE char *point = position_of(entry, &entry->sites[i]);
		struct sheet arguments = arguments_of(&entry->sites[i]);

		sheet_row(&sheet);
		cell_text(&sheet, "name", NULL, point);
		cell_hex(&sheet, "offset", NULL, entry->sites[i].offset);
		cell_sheet(&sheet, &arguments);
	}
	return sheet;
}

static void add_row(struct sheet *sheet, const struct entry *entry)
{
	AUTO_FREE char *address = address_of(entry), *types = types_of(entry->sites);
	struct sheet sites = sites_of(entry);

	sheet_row(sheet);
	cell_text(sheet, "address", "MARKER", address);
	cell_text(sheet, "file", NULL, program_path(entry->program));
	cell_text(sheet, "provider", NULL, entry->sites->provider);
	cell_text(sheet, "marker", NULL, entry->sites->name);
	cell_boolean(sheet, "semaphore", NULL, entry->sites->semaphore);
	cell_id(sheet, NULL, "SITES", entry->n);
	cell_text(sheet, NULL, "ARGUMENTS", types);
	cell_sheet(sheet, &sites);
}

/* ----------------------------------------------------------------- programs */

static void list_entry(struct list *list, const struct entry *entry)
{
	list->nr_markers++;
	if (list->s->format == PRINT_TEXT && list->verbose)
		say_verbose(list, entry);
	else
		add_row(&list->sheet, entry);
}

static void list_program(struct list *list, struct program *program, const char *word)
{
	size_t n, bad;
	const struct program_marker *all = program_markers(program, &n, &bad);
	struct entry entry = { program, word, NULL, 0 };

	list->nr_programs++;
	list->nr_bad += bad;
	for (size_t i = 0; i < n; i += entry.n) {
		entry.sites = &all[i];
		for (entry.n = 1; i + entry.n < n && marker_is_same(&all[i], &all[i + entry.n]); entry.n++)
			;
		if (marker_matches(&all[i], list->pattern))
			list_entry(list, &entry);
	}
}

struct mapped {
	struct list *list;
	int pid;
};

/* What cannot be read as a program of this machine has no markers that could be traced. */
static void list_mapped(const char *path, bool is_deleted, void *arg)
{
	struct mapped *mapped = arg;
	struct program *program = program_open_word(path, mapped->pid, NULL);

	if (program)
		list_program(mapped->list, program, path);
	program_close(program);
}

static bool list_named(struct list *list, const char *word, int pid, struct error *err)
{
	struct debug_error why;
	struct program *program = program_open_word(word, pid, &why);

	if (!program)
		return error_set(err, STATUS_FAILURE, "%s", why.text);
	list_program(list, program, word);
	program_close(program);
	return true;
}

static bool list_process(struct list *list, int pid, struct error *err)
{
	struct mapped mapped = { list, pid };
	struct debug_error why;

	return program_each_mapped(pid, list_mapped, &mapped, &why) || error_set(err, STATUS_FAILURE, "%s", why.text);
}

static bool nothing(const struct list *list, const char *word, int pid, struct error *err)
{
	AUTO_FREE char *damaged = list->nr_bad ? mem_printf("; damaged notes, which are left out: %zu", list->nr_bad)
					       : mem_strdup("");

	if (word)
		return error_set(err, STATUS_FAILURE, "events: '%s' has no SDT marker that matches '%s': its build may have left them out%s",
				 word, list->pattern, damaged);
	return error_set(err, STATUS_FAILURE, "events: no SDT marker matches '%s' in the %zu programs and libraries of process %d%s",
			 list->pattern, list->nr_programs, pid, damaged);
}

bool marker_list(struct session *s, const char *text, int pid, bool verbose, struct error *err)
{
	AUTO_FREE char *word = NULL, *pattern = NULL;
	struct list list = { .s = s, .verbose = verbose, .sheet.key = "marker" };
	bool ok;

	if (text && marker_is(text))
		marker_split(text, &word, &pattern);
	list.pattern = pattern ? pattern : text ? text : "*";
	ok = word ? list_named(&list, word, pid, err) : list_process(&list, pid, err);
	if (ok && !list.nr_markers)
		ok = nothing(&list, word, pid, err);
	sheet_write(&list.sheet, s->format, s->out, s->colour);
	sheet_free(&list.sheet);
	return ok;
}
