// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_help.c - help, made from the rows of commands and options. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "ctl/ask/lang/option.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/help.h"
#include "examples.h"

#define NUMBER(OPTION, name, ...)	" $" #name
#define VARIABLE(OPTION, name, ...)	" $" #name
#define TEXT(...)

static const struct topic {
	const char *name;
	const char *text;
} topics[] = {
	{ "address",
	  "address\n"
	  "\n"
	  "  A sum of symbols and hexadecimal numbers.\n"
	  "\n"
	  "  vfs_write             the first instruction of a function\n"
	  "  vfs_write+50          0x50 bytes behind its start: numbers are hexadecimal\n"
	  "  ffffffff8134d3d0      a number, in short 8134d3d0; 0x forces one\n"
	  "  ext4:ext4_sync_fs     a symbol of a module; vmlinux: is the kernel itself\n"
	  "  f#2                   the second of several symbols of that name\n"
	  "  vfs_write%return      all returns of a function\n"
	  "  vfs_*                 every function that matches (also ? and [...])\n"
	  "  event:sched_switch    a static tracepoint of the kernel's own: ARGS are its\n"
	  "                        fields ('events' shows them); event:sched_* those that\n"
	  "                        match; sched:sched_switch by its system\n"
	  "  syscall:openat        a system call, also sys_openat if no symbol has that\n"
	  "                        name; syscall:openat%return when it returns.  Calls of\n"
	  "                        32-bit programs are compat_syscall:openat beside it\n"
	  "  bash:readline         a function of a program (by its name or path) or of a\n"
	  "                        library; also bash:f+12, :f%return, :file.c:12, :str*;\n"
	  "                        a module or a system of events of that name comes first\n"
	  "\n"
	  "  With the kernel's debug information (see 'status'):\n"
	  "\n"
	  "  fs/read_write.c:589   where the statements of a line begin, inlined or not\n"
	  "  vfs_write:12          the same, counted from the line that declares it\n"
	  "  inline:file_end_write every inlined copy of a function; with @fs/read_write.c\n"
	  "                        behind it those in the functions of that file\n"
	  "  f@fs/x.c              the function of that name in that file\n"
	  "  ext4:fs/ext4/file.c:9 likewise in a module; inline:ext4:f, ext4:f:12\n"
	  "\n"
	  "  A name is looked up as a symbol first.  The compiler's clones of a function\n"
	  "  (f.isra.0, f.constprop.0) are traced along with f; its pieces (f.part.0,\n"
	  "  f.cold) are reported and can be named.  The Tab key completes symbols and,\n"
	  "  behind a +, the places where instructions begin.\n"
	  "\n"
	  "example: trace vfs_write+50 PID\n" },
	{ "expressions",
	  "expressions\n"
	  "\n"
	  "  C expressions for VAR, STR and IF.  They need no quotes: they go on for as\n"
	  "  long as they read as one.\n"
	  "\n"
	  "  count  file->f_pos       variables of the function and the kernel's own, and\n"
	  "  name.len  comm[3]        their members: needs debug information or BTF\n"
	  "  ((struct file *)$" EX_ARG1 ")->f_flags, current->comm, this_cpu(runqueues).nr_running\n"
	  "  current->comm == \"dd\"    a text: also !=, and =~ or !~ \"dd*\" with a pattern\n"
	  "  ... == TCP_CLOSE         enums by name; -ENOENT, SIGKILL, O_DIRECT, NULL\n"
	  "  count > 9 ? 1 : 0        one of two values; with blanks around the colon\n"
	  "  big = count > 4096       in VAR and STR: a name for the value\n"
	  "  RETVAL                   at FUNCTION%return: what the function returns\n"
	  "  ELAPSED > 50us           there, in IF: how long the call took; ns, us, ms, s\n"
	  "  " EX_PARTS "a register, or a part of it: unsigned\n"
	  "  $pid, ...                of the current task; there are\n"
	  "                          "
#include "ctl/base/device/property_list.h"
	  "\n"
	  "  current                  the address of its struct task_struct\n"
	  "  *(u32*)($" EX_ARG1 "+0x44)       " EX_PAD "memory: say what is there; u8 to u64, s8 to s64,\n"
	  "                           char, short, int, long, unsigned ..., void, float,\n"
	  "                           double, and *\n"
	  "  ((u64*)$" EX_ARG2 ")[3]          " EX_PAD "the fourth of an array\n"
	  "  comm[0..3]               elements 0 to 3, only in VAR\n"
	  "  **(u64**)($" EX_ARG1 "+8)        " EX_PAD "from pointer to pointer\n"
	  "  *(int*)&name             a variable; &this_cpu(name) is that of this CPU,\n"
	  "                           &per_cpu(name, 1) that of CPU 1\n"
	  "  sizeof(x)  offsetof(struct file, f_pos)  container_of(p, struct file, f_pos)\n"
	  "  (s32)$" EX_RESULT " < 0            " EX_PAD "a cast, here to see the sign\n"
	  "\n"
	  "  Numbers are as in C: 31, 0x1f, octal 037; 'x' is a character (within \"...\").\n"
	  "  Operators, their precedence and the types of results are those of C.  What\n"
	  "  cannot be read is shown as ?.  A condition with it is false, and so is its\n"
	  "  opposite.\n"
	  "\n"
	  "  'explain vfs_write+50' shows the variables that are there.\n"
	  "\n"
	  "example: trace vfs_write IF count > 4096 VAR file->f_pos STR buf:16\n" },
	{ "numbers",
	  "numbers\n"
	  "\n"
	  "  Hexadecimal where they are addresses, decimal where they count.\n"
	  "\n"
	  "  addresses, STACK, FRAME, LOC          hexadecimal, 0x may stand before\n"
	  "  CONST, ONLY..., LIMIT, EVERY, follow  decimal, with 0x hexadecimal\n"
	  "  in expressions, LATEFREEZE            the same\n"
	  "\n"
	  "example: trace vfs_write STACK 10 CONST 16\n" },
};

/* --------------------------------------------------------------- one topic */

static void print_indented(FILE *out, const char *text)
{
	while (*text) {
		int len = strcspn(text, "\n");

		fprintf(out, "  %.*s\n", len, text);
		text += len + (text[len] == '\n');
	}
}

static void put_flags(FILE *out, const struct flags *flags)
{
	for (const struct flag *row = flags_next(flags, NULL); row; row = flags_next(flags, row)) {
		AUTO_FREE char *name = mem_printf("%s %s", row->name, row->metavar ? row->metavar : "");

		fprintf(out, "    %-19s %s\n", name, row->summary);
	}
}

static void print_topic(FILE *out, const char *name, const char *arguments, const char *summary,
			const char *help, const struct flags *flags, const char *example)
{
	fprintf(out, "%s%s%s\n\n  %c%s.\n", name, *arguments ? " " : "", arguments,
		toupper((unsigned char)*summary), summary + 1);
	if (help)
		print_indented(out, help);
	if (flags)
		put_flags(out, flags);
	fprintf(out, "\nexample: %s\n", example);
}

static void print_command(FILE *out, const struct command *c)
{
	print_topic(out, c->name, c->arguments, c->summary, c->help, c->flags, c->example);
}

static void print_option(FILE *out, const struct option_row *row)
{
	print_topic(out, row->name, row->metavar ? row->metavar : "", row->summary, row->help, NULL,
		    row->example);
}

/* ------------------------------------------------------------- everything */

#define SUMMARY_AT	29

static void print_row(FILE *out, const char *name, const char *arguments, const char *summary)
{
	int n = fprintf(out, "  %s %s", name, arguments);

	/* If the text is too long for its column, continue on the next line. */
	if (n >= SUMMARY_AT)
		n = fprintf(out, "\n") - 1;
	fprintf(out, "%*s%s\n", SUMMARY_AT - n, "", summary);
}

static void print_commands(FILE *out)
{
	fputs("commands, or any unique abbreviation; several are separated by ;\n", out);
	for (const struct command *c = commands; c->name; c++)
		print_row(out, c->name, c->arguments, c->summary);
}

static void print_options(FILE *out)
{
	fputs("\noptions of a tracepoint, after its address\n", out);
	for (const struct option_row *row = option_rows; row->name; row++)
		print_row(out, row->name, row->metavar ? row->metavar : "", row->summary);
}

void help_all(FILE *out)
{
	print_commands(out);
	print_options(out);
	fputs("\n'help trace' or 'help REG' explains one of them;\nthere is also help on", out);
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		fprintf(out, "%s %s", i ? "," : "", topics[i].name);
	fputs(".\n", out);
}

/* Accept "addresses" for "address" and "expression" for "expressions". */
static const struct topic *topic_find(const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++) {
		size_t len = strlen(topics[i].name), n = strlen(what);

		if (n + 2 >= len && n <= len + 2 && !strncmp(topics[i].name, what, n < len ? n : len))
			return &topics[i];
	}
	return NULL;
}

static bool help_on(FILE *out, const char *what)
{
	const struct topic *topic = topic_find(what);
	const struct option_row *row = option_find(what);
	const struct command *command = topic || row ? NULL : command_find(what, NULL);

	if (topic)
		fputs(topic->text, out);
	else if (row)
		print_option(out, row);
	else if (command)
		print_command(out, command);
	return topic || row || command;
}

static void offer(const char *name, void *similar)
{
	suggestion_offer(similar, name);
}

static bool nothing_on(const char *what, struct error *err)
{
	struct suggestions similar = { .word = what };
	char buf[256];

	help_topics("", offer, &similar);
	return error_set(err, STATUS_USAGE, "no help on '%s': %s", what,
			 suggestion_say(similar.names, similar.n, "'help' lists what there is", buf,
					sizeof(buf)));
}

void help_topics(const char *start, void (*each)(const char *name, void *arg), void *arg)
{
	size_t len = strlen(start);

	for (const struct command *c = commands; c->name; c++)
		if (!strncmp(c->name, start, len))
			each(c->name, arg);
	for (const struct option_row *row = option_rows; row->name; row++)
		if (!strncmp(row->name, start, len))
			each(row->name, arg);
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (!strncmp(topics[i].name, start, len))
			each(topics[i].name, arg);
}

bool cmd_help(struct session *s, const struct words *words, struct error *err)
{
	if (words->n < 2) {
		help_all(s->out);
		return true;
	}
	return help_on(s->out, words->v[1]) || nothing_on(words->v[1], err);
}
