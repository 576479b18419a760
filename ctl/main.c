// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - the command line of ktrace. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/child.h"
#include "ctl/command.h"
#include "ctl/help.h"
#include "ctl/interrupt.h"
#include "ctl/memory.h"
#include "ctl/prompt.h"
#include "ctl/script.h"
#include "ctl/session.h"
#include "ctl/shell_complete.h"

/* What is to be run, in the order of the command line. */
struct input {
	bool is_file;
	const char *text;
};

struct invocation {
	struct input *inputs;
	size_t nr_inputs;
	const char *colour;
	bool no_rc, version, help;
	bool completes;		/* for a shell: the command's words are to be completed */
	struct words command;
};

enum { LONG_JSON = 256, LONG_CSV, LONG_COLOUR, LONG_NO_RC, LONG_FORMAT, LONG_VMLINUX, LONG_MODULE, LONG_YES, LONG_COMPLETE };

static const struct option long_options[] = {
	{ "json", no_argument, NULL, LONG_JSON },
	{ "csv", no_argument, NULL, LONG_CSV },
	{ "format", required_argument, NULL, LONG_FORMAT },
	{ "color", required_argument, NULL, LONG_COLOUR },
	{ "no-rc", no_argument, NULL, LONG_NO_RC },
	{ "input", required_argument, NULL, 'i' },
	{ "vmlinux", required_argument, NULL, LONG_VMLINUX },
	{ "module", required_argument, NULL, LONG_MODULE },
	{ "complete", no_argument, NULL, LONG_COMPLETE },
	{ "yes", no_argument, NULL, LONG_YES },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static void usage(FILE *out)
{
	fputs("usage: ktrace [OPTION]...                at the prompt, or from standard input\n"
	      "       ktrace [OPTION]... COMMAND [ARGUMENT]...\n"
	      "       ktrace [OPTION]... -e 'COMMAND; ...' | -f FILE\n"
	      "\n"
	      "  -e COMMANDS                 run these commands (may be repeated)\n"
	      "  -f FILE                     run the commands in FILE (- is standard input)\n"
	      "  -i DIR                      print the trace that was saved there\n"
	      "  --json, --csv               records as JSON lines or comma-separated values\n"
	      "  --color=auto|always|never   colour: by default on a terminal, unless NO_COLOR\n"
	      "  -n, --dry-run               check tracepoints but set none\n"
	      "  -q, --quiet                 no notes, and no echo of what is set\n"
	      "  --vmlinux FILE              take debug information from this file, or from an index of it\n"
	      "  --module FILE               take that of a module from its .ko file (may be repeated)\n"
	      "  --yes                       trace all that a pattern matches, unasked\n"
	      "  --no-rc                     do not run the start file at the prompt\n"
	      "  -V, --version               show the version\n"
	      "  -h, --help                  show this\n"
	      "\n", out);
	help_all(out);
}

static void add_input(struct invocation *inv, bool is_file, const char *text)
{
	inv->inputs = MEM_MORE(inv->inputs, inv->nr_inputs);
	inv->inputs[inv->nr_inputs++] = (struct input){ is_file, text };
}

static bool set_format(struct session *s, const char *name, struct error *err)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text", [PRINT_JSON] = "json", [PRINT_CSV] = "csv",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name))
			continue;
		s->format = i;
		return true;
	}
	return error_set(err, STATUS_USAGE, "--format=%s: unknown format: text, json or csv", name);
}

/* Which module it is of, its build id tells when that one is asked for. */
static bool add_module(struct session *s, const char *path, struct error *err)
{
	if (access(path, R_OK))
		return error_set(err, STATUS_USAGE, "--module %s: %s: give the .ko file of a module", path, strerror(errno));
	s->module_files = MEM_MORE(s->module_files, s->nr_module_files);
	s->module_files[s->nr_module_files++] = path;
	return true;
}

static bool take_option(struct session *s, struct invocation *inv, int option, char *const *argv,
			struct error *err)
{
	switch (option) {
	case 'e':
	case 'f':
		add_input(inv, option == 'f', optarg);
		return true;
	case 'i':
		s->input = optarg;
		return true;
	case 'n':
		s->dry_run = true;
		return true;
	case 'q':
		s->quiet = true;
		return true;
	case 'V':
		inv->version = true;
		return true;
	case 'h':
		inv->help = true;
		return true;
	case LONG_JSON:
		s->format = PRINT_JSON;
		return true;
	case LONG_CSV:
		s->format = PRINT_CSV;
		return true;
	case LONG_FORMAT:
		return set_format(s, optarg, err);
	case LONG_COLOUR:
		inv->colour = optarg;
		return true;
	case LONG_VMLINUX:
		s->vmlinux = optarg;
		return true;
	case LONG_MODULE:
		return add_module(s, optarg, err);
	case LONG_YES:
		s->yes = true;
		return true;
	case LONG_COMPLETE:
		inv->completes = true;
		return true;
	case LONG_NO_RC:
		inv->no_rc = true;
		return true;
	case ':':
		return error_set(err, STATUS_USAGE, "%s needs its argument: see ktrace --help",
				 argv[optind - 1]);
	default:
		return error_set(err, STATUS_USAGE, "unknown option %s: see ktrace --help",
				 argv[optind - 1]);
	}
}

/* Options end at the first word that is none: what follows is one command. */
static bool parse(struct session *s, struct invocation *inv, int argc, char **argv,
		  struct error *err)
{
	int option;

	opterr = 0;
	/* What follows is not for us, but to be completed. */
	while (!inv->completes && (option = getopt_long(argc, argv, "+:e:f:i:nqVh", long_options, NULL)) >= 0)
		if (!take_option(s, inv, option, argv, err))
			return false;
	for (; optind < argc; optind++)
		words_add(&inv->command, argv[optind], strlen(argv[optind]));
	if (inv->command.n && inv->nr_inputs)
		return error_set(err, STATUS_USAGE,
				 "'%s' and -e or -f: give one of them: put the command into -e",
				 inv->command.v[0]);
	return true;
}

static bool choose_colour(struct session *s, const char *when, struct error *err)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!strcmp(when, "auto"))
		s->colour = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
	else if (!strcmp(when, "always"))
		s->colour = true;
	else if (strcmp(when, "never"))
		return error_set(err, STATUS_USAGE, "--color=%s: auto, always or never", when);
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

static bool run(struct session *s, const struct invocation *inv, struct error *err)
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

static bool start(struct session *s, struct invocation *inv, int argc, char **argv,
		  struct error *err)
{
	if (!parse(s, inv, argc, argv, err) || !choose_colour(s, inv->colour, err))
		return false;
	if (inv->help)
		usage(stdout);
	else if (inv->version)
		puts("ktrace " KTRACE_VERSION);
	else if (inv->completes)
		shell_complete(s, inv->command.v, inv->command.n);
	else
		return run(s, inv, err);
	return true;
}

int main(int argc, char **argv)
{
	struct invocation inv = { .colour = "auto" };
	struct session s;
	struct error err;
	bool ok;

	setlocale(LC_CTYPE, "");
	session_init(&s);
	s.uses_debug = true;
	ok = start(&s, &inv, argc, argv, &err) && session_flush(&s, &err);
	if (!ok)
		session_complain(&s, NULL, &err);
	session_end(&s);
	words_free(&inv.command);
	free(inv.inputs);
	if (ok && s.wait_status)
		child_end_alike(s.wait_status);
	/* SIGTERM came while something ran: end as it would have. */
	if (interrupt_pending())
		raise(SIGTERM);
	return ok ? STATUS_OK : (int)err.status;
}
