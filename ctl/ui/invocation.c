// SPDX-License-Identifier: GPL-2.0-or-later
/* invocation.c - the command line of ktrace.  See invocation.h. */
#include "ctl/ui/invocation.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/help.h"
#include "ctl/cmd/script.h"
#include "ctl/ui/prompt.h"

/* ----------------------------------------------------------------- options */

/* -e, -f */
static bool add_input(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct invocation *inv = to;

	inv->inputs = MEM_MORE(inv->inputs, inv->nr_inputs);
	inv->inputs[inv->nr_inputs++] = (struct input){ flag->letter == 'f', arg };
	return true;
}

static bool set_vmlinux(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	if (access(arg, R_OK))
		return error_set(err, STATUS_USAGE, "--vmlinux %s: %s: give a vmlinux file", arg, strerror(errno));
	return flag_set_text(s, to, flag, arg, err);
}

/* The build id tells its module when that module's debug information is needed. */
static bool add_module(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	if (access(arg, R_OK))
		return error_set(err, STATUS_USAGE, "--module %s: %s: give the .ko file of a module", arg, strerror(errno));
	s->module_files = MEM_MORE(s->module_files, s->nr_module_files);
	s->module_files[s->nr_module_files++] = arg;
	return true;
}

#define SESSION(set, member)	OF_SESSION, set, offsetof(struct session, member)
#define INVOCATION(set, member)	OF_INVOCATION, set, offsetof(struct invocation, member)

static const struct flag rows[] = {
	{ "-e", "COMMANDS", OF_INVOCATION, add_input, .letter = 'e', .summary = "run these commands (may be repeated)" },
	{ "-f", "FILE", OF_INVOCATION, add_input, .letter = 'f', .values = FLAG_FILES,
	  .summary = "run the commands in FILE (- is standard input)" },
	{ "--input", "DIR", SESSION(flag_set_text, input), .letter = 'i', .values = FLAG_FILES,
	  .summary = "print a saved trace from that directory" },
	{ "--json", NULL, OF_SESSION, flag_set_format, .summary = "records as JSON lines" },
	{ "--csv", NULL, OF_SESSION, flag_set_format, .summary = "records as comma-separated values" },
	{ "--openmetrics", NULL, OF_SESSION, flag_set_format, .summary = "figures of status and latency for Prometheus" },
	{ "--format", "FORMAT", OF_SESSION, flag_set_format, .values = "text json csv openmetrics",
	  .summary = "one of text, json, csv and openmetrics" },
	{ "--color", "WHEN", INVOCATION(flag_set_choice, colour), .values = "auto always never",
	  .summary = "auto: on a terminal, unless NO_COLOR; always; never" },
	{ "--dry-run", NULL, SESSION(flag_set_true, dry_run), .letter = 'n',
	  .summary = "check tracepoints but set none" },
	{ "--quiet", NULL, SESSION(flag_set_true, quiet), .letter = 'q',
	  .summary = "print no notes, and do not list the tracepoints set" },
	{ "--vmlinux", "FILE", SESSION(set_vmlinux, vmlinux), .values = FLAG_FILES,
	  .summary = "take debug information from this file, or an index of it" },
	{ "--module", "FILE", OF_SESSION, add_module, .values = FLAG_FILES,
	  .summary = "the same for a module: its .ko file (may be repeated)" },
	{ "--yes", NULL, SESSION(flag_set_true, yes), .summary = "do not ask: trace all matches of a pattern, and so on" },
	{ "--debuginfod", "WHEN", SESSION(flag_set_choice, debuginfod), .values = "ask on off",
	  .summary = "may debug information be fetched from DEBUGINFOD_URLS?" },
	{ "--keep-going", NULL, SESSION(flag_set_true, keep_going),
	  .summary = "go on in a script where a command failed" },
	{ "--no-pager", NULL, INVOCATION(flag_set_true, no_pager),
	  .summary = "show output longer than the screen without $PAGER" },
	{ "--wide", NULL, INVOCATION(flag_set_true, wide),
	  .summary = "on a terminal print records as into a file" },
	{ "--no-rc", NULL, INVOCATION(flag_set_true, no_rc), .summary = "do not run the start file at the prompt" },
	{ "--version", NULL, INVOCATION(flag_set_true, version), .letter = 'V', .summary = "show the version" },
	{ "--help", NULL, INVOCATION(flag_set_true, help), .letter = 'h', .summary = "show this" },
	{ "--complete", NULL, INVOCATION(flag_set_true, completes), .summary = NULL },
	{ .name = NULL },
};

const struct flags own_flags = { rows, OF_INVOCATION | OF_SESSION };

static bool has_dashes(const struct flag *row)
{
	return row->name[1] == '-';
}

/* ----------------------------------------------------------------- parsing */

/* Options in getopt's form; it returns ROW plus the index of the row. */
#define ROW	256

static void make_getopt(char letters[3 * ARRAY_SIZE(rows)], struct option longs[ARRAY_SIZE(rows)])
{
	char *letter = letters;

	*letter++ = '+';
	*letter++ = ':';
	for (const struct flag *row = rows; row->name; row++) {
		if (row->letter) {
			*letter++ = row->letter;
			if (row->metavar)
				*letter++ = ':';
		}
		if (has_dashes(row))
			*longs++ = (struct option){ row->name + 2, row->metavar ? required_argument : no_argument, NULL,
						    ROW + (row - rows) };
	}
	*letter = '\0';
	*longs = (struct option){ 0 };
}

static const struct flag *row_of(int option)
{
	const char name[] = { '-', (char)option, '\0' };

	return option >= ROW ? &rows[option - ROW] : flags_find(&own_flags, name, 2);
}

/* "-v" is similar to "-V" only. */
static void offer_letter(struct suggestions *similar, const struct flag *row, char typed)
{
	if (row->letter && tolower((unsigned char)typed) == tolower((unsigned char)row->letter))
		suggestion_add(similar, row->name);
}

static bool unknown_option(const char *name, struct error *err)
{
	const bool is_long = name[1] == '-';
	struct suggestions similar = { .word = name };
	char buf[256];

	for (const struct flag *row = rows; row->name; row++)
		if (row->summary && is_long)
			suggestion_offer(&similar, row->name);
		else if (row->summary)
			offer_letter(&similar, row, name[1]);
	return error_set(err, STATUS_USAGE, "unknown option %s: %s", name,
			 suggestion_say(similar.names, similar.n, "see ktrace --help", buf, sizeof(buf)));
}

static bool lacks_argument(const char *name, struct error *err)
{
	const struct flag *row = flags_find(&own_flags, name, strlen(name));

	if (!row)	/* several letters, or the beginning of a name */
		return error_set(err, STATUS_USAGE, "%s needs its argument: see ktrace --help", name);
	return error_set(err, STATUS_USAGE, "%s needs its %s (%s)", name, row->metavar, row->summary);
}

static bool take_option(struct session *s, struct invocation *inv, int option, char *const *argv, struct error *err)
{
	const struct flag *row;

	if (option == ':')
		return lacks_argument(argv[optind - 1], err);
	if (option == '?')
		return unknown_option(argv[optind - 1], err);
	row = row_of(option);
	return row->set(s, (char *)(row->takers == OF_SESSION ? (void *)s : inv) + row->at, row, optarg, err);
}

bool invocation_parse(struct session *s, struct invocation *inv, int argc, char **argv, struct error *err)
{
	char letters[3 * ARRAY_SIZE(rows)];
	struct option longs[ARRAY_SIZE(rows)];
	int option;

	s->own_flags = &own_flags;
	make_getopt(letters, longs);
	opterr = 0;
	/* The words behind --complete are to be completed, not parsed. */
	while (!inv->completes && (option = getopt_long(argc, argv, letters, longs, NULL)) >= 0)
		if (!take_option(s, inv, option, argv, err))
			return false;
	for (; optind < argc; optind++)
		words_add(&inv->command, argv[optind], strlen(argv[optind]));
	if (inv->command.n && inv->nr_inputs)
		return error_set(err, STATUS_USAGE,
				 "'%s' cannot be combined with -e or -f: put the command into -e",
				 inv->command.v[0]);
	return true;
}

static bool run_inputs(struct session *s, const struct invocation *inv, struct error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && !s->quit && i < inv->nr_inputs; i++)
		ok = inv->inputs[i].is_file ? script_file(s, inv->inputs[i].text, err)
					    : script_text(s, inv->inputs[i].text, err);
	return ok;
}

bool invocation_run(struct session *s, const struct invocation *inv, struct error *err)
{
	if (inv->command.n)
		return command_run(s, &inv->command, err);
	if (inv->nr_inputs)
		return run_inputs(s, inv, err);
	if (!isatty(STDIN_FILENO))
		return script_stream(s, stdin, "stdin", err);
	prompt_run(s, !inv->no_rc);
	return true;
}

void invocation_free(struct invocation *inv)
{
	words_free(&inv->command);
	free(inv->inputs);
}

/* -------------------------------------------------------------------- help */

void invocation_help(FILE *out)
{
	fputs("usage: ktrace [OPTION]...                at the prompt, or from standard input\n"
	      "       ktrace [OPTION]... COMMAND [ARGUMENT]...\n"
	      "       ktrace [OPTION]... -e 'COMMAND; ...' | -f FILE\n\n", out);
	for (const struct flag *row = rows; row->name; row++) {
		const char short_name[] = { '-', row->letter, ',', ' ', '\0' };
		AUTO_FREE char *name = mem_printf("%s%s%s%s", row->letter && has_dashes(row) ? short_name : "", row->name,
						  !row->metavar ? "" : has_dashes(row) ? "=" : " ",
						  row->metavar ? row->metavar : "");

		if (row->summary)
			fprintf(out, "  %-19s %s\n", name, row->summary);
	}
	fputc('\n', out);
	help_all(out);
}
