// SPDX-License-Identifier: GPL-2.0-or-later
/* command.c - the commands.  See command.h. */
#include "ctl/cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/screen.h"
#include "ctl/base/shell.h"
#include "ctl/base/suggestion.h"
#include "ctl/cmd/foreign.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/show/doctor/doctor.h"
#include "examples.h"

const struct command commands[] = {
	{ "trace", "ADDRESS [OPTION]...", 1, ANY_NUMBER,
	  NEEDS_DEVICE | CHECKS_FIRST, COMPLETE_TRACE, cmd_trace, NULL,
	  "set tracepoints",
	  "More addresses, each with its options, may follow in one command: the\n"
	  "options after an address belong to that address.  On an address that is\n"
	  "already traced the new options replace the old ones.  All tracepoints of one\n"
	  "command are set, or none.  A function's name means its first instruction as\n"
	  "executed with the arguments in place, behind " EX_PROLOGUE ".  What\n"
	  "was resolved is shown.  See 'help address' and the options in 'help'.",
	  "trace vfs_write PID REG " EX_ARG1 " vfs_read PID" },
	{ "delete", "ADDRESS... or *", 1, ANY_NUMBER,
	  NEEDS_DEVICE, COMPLETE_SET, cmd_delete, NULL,
	  "remove tracepoints, with * all of them",
	  "Records already taken can still be printed.  Where an address has no\n"
	  "tracepoint, nothing is deleted.",
	  "delete vfs_write vfs_write+50" },
	{ "list", "[-v] [-o FILE]", 0, 3,
	  NEEDS_DEVICE | CHECKS_FIRST | TAKES_SAVED | PAGED, COMPLETE_NOTHING, cmd_list, &list_flags,
	  "show the tracepoints, as 'trace' takes them",
	  "The lines can be pasted after 'trace', one by one or all together.  All\n"
	  "returns of a function (vfs_read%return) are one line.  With -v each probe\n"
	  "point has its own: method, hits, hits not recorded, and the instruction;\n"
	  "the source line where debug information is at hand.  On a terminal the line\n"
	  "is shown without -v, too, as a comment.\n"
	  "With -o they go into a file, and 'source FILE' sets them again.\n"
	  "'ktrace -i DIR list' shows the tracepoints that a saved trace was made with.",
	  "list -v" },
	{ "print", "[DIR] [N | -N] [IF CONDITION] [-o FILE]", 0, ANY_NUMBER,
	  NEEDS_DEVICE | CHECKS_FIRST | TAKES_SAVED | PAGED, COMPLETE_RECORDS, cmd_print, &print_flags,
	  "print the records not yet cleared, oldest first",
	  "Records of all CPUs are merged in the order of their time: name, time,\n"
	  "difference to the record before, data, control flags.  'print DIR' prints a\n"
	  "trace that was saved, as 'ktrace -i DIR print' does.  Of a recording with the\n"
	  "events of the scheduler it shows behind the time who ran: cpu, pid, tid and\n"
	  "comm; ? is not known.  What a recording has of the time before it, tasks, open\n"
	  "files, mappings, only --state shows.  print 20 shows the first 20 records,\n"
	  "print -20 the last 20.  IF chooses by the fields of a record, named as they\n"
	  "are printed, by its name, its cpu, and who ran: IF name =~ 'vfs_*' && count >\n"
	  "4096, IF comm == dd, IF elapsed > 1ms.  A pager shows what is longer than the\n"
	  "screen.",
	  "print -20 IF pid == 4127" },
	{ "clear", "", 0, 0,
	  NEEDS_DEVICE, COMPLETE_NOTHING, cmd_clear, NULL,
	  "mark all that was recorded so far as seen",
	  NULL,
	  "clear" },
	{ "printclear", "", 0, 0,
	  NEEDS_DEVICE, COMPLETE_NOTHING, cmd_printclear, NULL,
	  "print, then clear exactly what was printed",
	  "A record taken meanwhile is left for the next time: none is lost in between.",
	  "printclear" },
	{ "follow", "[OPTION]... [SECONDS]", 0, 4,
	  NEEDS_DEVICE | CHECKS_FIRST, COMPLETE_NOTHING, cmd_follow, &follow_flags,
	  "print and clear as records arrive, or save them",
	  "Until Ctrl-C, or until the time is up: SECONDS may have a fraction.  It\n"
	  "sleeps while nothing arrives.  With -o the records go into a directory, as\n"
	  "'save' makes it, rather than being printed.",
	  "follow -o /tmp/trace 5" },
	{ "save", "DIR", 1, 1,
	  NEEDS_DEVICE, COMPLETE_FILES, cmd_save, NULL,
	  "save the records not yet cleared in a directory",
	  "'ktrace print DIR' prints them, also later and on another machine.  DIR is\n"
	  "a trace in the Common Trace Format 1.8, so 'babeltrace2 DIR' prints it, too.\n"
	  "An older saved trace is replaced, anything else is not.  Nothing is cleared.\n"
	  "If it takes longer than a second, a terminal shows the time left.",
	  "save /tmp/trace" },
	{ "buffer", "[SIZE] [MODE]", 0, 2,
	  NEEDS_DEVICE | CHECKS_FIRST, COMPLETE_BUFFER, cmd_buffer, NULL,
	  "show or change the size and mode of the buffer",
	  "Each CPU has a buffer of SIZE, 8K to 1G, rounded up to a power of two.  MODE\n"
	  "decides what happens to new records when it is full:\n"
	  "  overwrite  new ones take the place of the oldest\n"
	  "  discard    new ones are discarded, and counted\n"
	  "Tracing goes on while the size changes, and records not yet printed are kept:\n"
	  "a smaller buffer keeps the newest ones.  A note tells how many were lost.",
	  "buffer 4M discard" },
	{ "explain", "[OPTION]... ADDRESS", 1, ANY_NUMBER,
	  PAGED, COMPLETE_TRACE, cmd_explain, &explain_flags,
	  "show what can be traced and read at an address",
	  "For a function: all instructions with their source lines, the method for each\n"
	  "or the reason why it cannot be traced, and where the variables are.  For one\n"
	  "instruction (vfs_write+50): the variables that can be read there.\n"
	  "--code: instead, the machine code that the module has made for the hits of\n"
	  "the tracepoints there: the trampoline, and the code of each, or why it has\n"
	  "none.",
	  "explain vfs_write+50" },
	{ "events", "[-v] [-p PID] [PATTERN]", 0, 4,
	  PAGED, COMPLETE_EVENTS, cmd_events, &events_flags,
	  "list the kernel's events, or programs' SDT markers",
	  "Static tracepoints by system (sched:sched_switch), places that stand for\n"
	  "events without one, and system calls (syscall:openat).  PATTERN may match an\n"
	  "address, a system or a set.  ARGS records the fields of an event with a set,\n"
	  "of others the parameters.  -v shows them, how many bytes a record has, and how\n"
	  "many instructions of the capture program fill it.\n"
	  "PROGRAM:sdt:PATTERN lists the SDT markers of a program or library instead, and\n"
	  "user:PATTERN the events of running programs with libktrace; -p PID alone, both\n"
	  "of that process.",
	  "events -v sched" },
	{ "show", "EXPRESSION | TYPE | HEAD NEXT MEMBER...", 1, ANY_NUMBER,
	  PAGED, COMPLETE_VALUES, cmd_show, &show_flags,
	  "show a value, a type or a list of the kernel now",
	  "Nothing is traced, and the module is not needed: the memory is read as root\n"
	  "through /proc/kcore.  An expression is that of VAR, over global variables,\n"
	  "types and `current`, which is ktrace itself or the thread of --pid.  Of a type\n"
	  "it shows the members with offsets, sizes and holes.  HEAD NEXT MEMBER walks a\n"
	  "list: show init_task tasks pid comm begins at an object and follows its member\n"
	  "tasks; show modules module.list name begins at the head of a list of struct\n"
	  "module.  The kernel goes on meanwhile: a list may change under the walk.",
	  "show --pid 1 current->mm->total_vm" },
	{ "where", "PID", 1, 1,
	  PAGED, COMPLETE_PROCESSES, cmd_where, NULL,
	  "show where in the kernel a thread waits",
	  "Its stack in the kernel, the innermost function first, with source lines where\n"
	  "debug information is at hand.  While a thread runs, its stack is not known.",
	  "where 1" },
	{ "index", "VMLINUX [OPTION]...", 1, ANY_NUMBER,
	  0, COMPLETE_FILES, cmd_index, &index_flags,
	  "index the debug information of a kernel",
	  "The index is kept for the kernel with that build id, or written to FILE.  On\n"
	  "another machine 'ktrace --vmlinux FILE' uses it in place of the debug image.\n"
	  "If it takes longer than a second, a terminal shows the time left.",
	  "index /usr/lib/debug/boot/vmlinux-" EX_RELEASE " -o board.index" },
	{ "run", "'trace ...' [-- COMMAND]", 1, ANY_NUMBER,
	  PAGED, COMPLETE_NOTHING, cmd_run, &run_flags,
	  "trace a command and its child processes",
	  "Tracepoints that record only in that command and its descendants; the\n"
	  "records are printed at its end, and nothing is left set.  The command's\n"
	  "output, signals and exit status are as without ktrace.  Without a command:\n"
	  "everywhere.  With --pid the command is only the load.",
	  "run 'trace vfs_write PID' -- dd if=/dev/zero of=/dev/null count=3" },
	{ "latency", "FUNCTION | PATTERN | A B [-- COMMAND]", 1, ANY_NUMBER,
	  PAGED | GIVES_METRICS, COMPLETE_TRACE, cmd_latency, &latency_flags,
	  "measure how long calls of a function take",
	  "From entry to return, paired in each thread, or from place A to place B;\n"
	  "counted in the kernel, with no record of each call.  What the tracepoints\n"
	  "cost is taken off.  Behind a place stand options as for trace: IF, ONLY...,\n"
	  "METHOD.  'latency vfs_*' measures up to 256 functions: a row each.  --by adds\n"
	  "a row for each value of a key, for instance for what the calls return\n"
	  "(RETVAL), or for the return or tail call by which they leave (EXIT).\n"
	  "--off-cpu shows where the calls sleep, how long, and who wakes them.\n"
	  "With --pid only that process is measured, and COMMAND is the load.\n"
	  "'latency libc:malloc' measures a function of a program or library.",
	  "latency vfs_write --for 5s" },
	{ "lines", "FUNCTION [-- COMMAND]", 1, ANY_NUMBER,
	  PAGED, COMPLETE_TRACE, cmd_lines, &lines_flags,
	  "measure where the time goes inside a function",
	  "For each source line: how often control came there, and how long it stayed,\n"
	  "including called functions and interrupts.  Needs debug information.  The cost\n"
	  "of the tracepoints is taken off.  Options as for trace may follow: IF, ONLY...\n"
	  "--counts measures no time, and costs a fraction of that.  With --pid only\n"
	  "that process is measured, and COMMAND is the load.",
	  "lines vfs_write --count 1000" },
	{ "pairs", "A B --by KEY [-- COMMAND]", 1, ANY_NUMBER,
	  PAGED, COMPLETE_TRACE, cmd_pairing, &pairing_flags,
	  "show what was begun at A and not ended at B",
	  "Hits of A and B belong together if the expression KEY has the same value: a\n"
	  "lock, an object with references.  An end ends the newest begin of its key, of\n"
	  "its own thread or else of another.  Shown are the places that begin, the time\n"
	  "from begin to end, and the records of what was not ended, with the options\n"
	  "behind A, such as ARGS.",
	  "pairs vfs_open __fput --by file --for 5s" },
	{ "record", "[OPTION]... [-- COMMAND]", 0, ANY_NUMBER,
	  0, COMPLETE_NOTHING, cmd_record, &record_flags,
	  "record what the whole system does into a directory",
	  "The scheduler, interrupts, system calls and so on, on all CPUs: until COMMAND\n"
	  "ends, for a time, or until Ctrl-C.  A recording has buffers of its own, and\n"
	  "does not disturb what is set at a prompt.  'ktrace report DIR' sums it up,\n"
	  "'ktrace print DIR' prints it, and babeltrace2 or Trace Compass read it.  What\n"
	  "the disk is too slow for is counted as lost.  With --mode flight only the\n"
	  "newest events are kept, in memory: they are written at the end, when a\n"
	  "tracepoint with FREEZE is hit, after the signal SIGUSR1, and by 'snapshot'.\n"
	  "With --caller each system call also records an address of the code that made\n"
	  "it: 'depth 0' is where the program entered the kernel, 'depth 1' the caller\n"
	  "of this, 'in 0x401000-0x402000' or 'in FILE' the first one there.  --events\n"
	  "'user:*' records running programs with libktrace instead: 'events user:*'\n"
	  "lists their events.",
	  "record -o /tmp/trace --events sched,irq --for 2s" },
	{ "snapshot", "[OPTION]... [NAME]", 0, ANY_NUMBER,
	  NEEDS_DEVICE | CHECKS_FIRST, COMPLETE_NOTHING, cmd_snapshot, &snapshot_flags,
	  "write what a flight recording has, while it goes on",
	  "'record --mode flight' keeps the newest events in memory.  This writes them,\n"
	  "and the state of the system, into a directory, as 'record' itself does at its\n"
	  "end.  NAME is that of the recording, as 'status' lists it.",
	  "snapshot -o /tmp/slow" },
	{ "report", "[DIR] [OPTION]...", 0, ANY_NUMBER,
	  PAGED, COMPLETE_FILES, cmd_report, &report_flags,
	  "show where the time of a recording went",
	  "For each process: running, in its own code, in the kernel, in interrupts,\n"
	  "waiting for a CPU and for I/O, asleep; percentages are of the length of the\n"
	  "recording.  System calls with their times and errors.  What the recording does\n"
	  "not tell is shown as '?', and explained.  If reading takes longer than a\n"
	  "second, a terminal shows the time left.  Without DIR it is the recording of\n"
	  "-i.",
	  "report /tmp/recording --by cpu" },
	{ "export", "[DIR] FORMAT -o FILE", 1, ANY_NUMBER,
	  0, COMPLETE_FILES, cmd_export, &export_flags,
	  "write a recording in the format of another tool",
	  "DIR is what 'record' has made, also a series of --rotate: --perfetto makes one\n"
	  "trace of it, --ctf another series.  FILE must not exist.  ui.perfetto.dev\n"
	  "shows a trace of --perfetto, and Perfetto's trace processor answers SQL\n"
	  "queries about it, or about those of many machines.  If it takes longer than a\n"
	  "second, a terminal shows the time left.  Without DIR it is the recording of\n"
	  "-i.",
	  "export /tmp/recording --perfetto -o /tmp/recording.pftrace" },
	{ "top", "[OPTION]...", 0, ANY_NUMBER,
	  0, COMPLETE_NOTHING, cmd_top, &top_flags,
	  "show where the time goes now, each second",
	  "The figures of 'report', of one second after the other, from a recording in\n"
	  "memory: for each process what it does, its system calls and its scheduling\n"
	  "latency.  On a terminal keys choose the table and its order: h shows them, q\n"
	  "quits.  Otherwise it prints one table behind the other.  Where records were\n"
	  "lost, it says so, and shows '?' for what is not known.",
	  "top --by syscall --delay 2" },
	{ "freeze", "", 0, 0,
	  NEEDS_DEVICE, COMPLETE_NOTHING, cmd_freeze, NULL,
	  "stop recording",
	  "Tracepoints stay set; their hits are only counted ('status': frozen).  What\n"
	  "'record' writes goes on.",
	  "freeze" },
	{ "unfreeze", "", 0, 0,
	  NEEDS_DEVICE, COMPLETE_NOTHING, cmd_unfreeze, NULL,
	  "restart recording",
	  "It also cancels a pending LATEFREEZE.",
	  "unfreeze" },
	{ "status", "", 0, 0,
	  NEEDS_DEVICE | TAKES_SAVED | PAGED | GIVES_METRICS, COMPLETE_NOTHING, cmd_status, NULL,
	  "show counts of tracepoints, records and losses",
	  "The counts since the module was loaded; those that are 0 have no column:\n"
	  "  recorded   records taken = cleared + pending + lost\n"
	  "  cleared    seen, by clear, printclear or follow\n"
	  "  pending    still to be printed\n"
	  "  lost       overwritten before anyone saw them\n"
	  "  discarded  hits without room in the buffer\n"
	  "  recursed   hits inside ktrace's own code\n"
	  "  filtered   hits that a filter such as ONLYPID left out, and those in ktrace\n"
	  "             itself, without SELF\n"
	  "  frozen     hits while recording was stopped\n"
	  "  braked     hits turned away: tracepoints took too much of a CPU\n"
	  "calibration: the cost of the tracepoints at both ends of a call, for each\n"
	  "method, and its spread; 'latency' and 'lines' take it off.\n"
	  "'ktrace -i DIR status' tells what a saved trace is: from where and when, how\n"
	  "many records it has, and how many are lost.",
	  "status" },
	{ "doctor", "", 0, 0,
	  PAGED, COMPLETE_NOTHING, cmd_doctor, NULL,
	  "show whether ktrace works here, and what is missing",
	  "Kernel, rights, module, signing, symbols, debug information and clock, each\n"
	  "with the command that fixes it, the bytes that this fetches and keeps, and\n"
	  "what works without it.  A command that fails for one of these says the same.\n"
	  "It needs neither root nor the module, and says what it could not check.\n"
	  "Nothing is changed.  The exit status is 1 if something is missing that tracing\n"
	  "needs.",
	  "doctor" },
	{ "bugreport", "[--yes] FILE", 1, 2,
	  0, COMPLETE_FILES, cmd_bugreport, &bugreport_flags,
	  "write what to attach to an issue about ktrace",
	  "A text file with versions, the kernel's options, the rows of 'doctor', the\n"
	  "counts of 'status', the lines of ktrace in the kernel log, what else traces,\n"
	  "and the CPU.  What it holds is listed first, and a terminal asked.  It holds\n"
	  "no names of the host and its users, paths but the system's, arguments,\n"
	  "addresses or keys.  FILE must not exist; only its owner may read it.  The\n"
	  "module is not loaded for it.",
	  "bugreport --yes ktrace-bug.txt" },
	{ "help", "[COMMAND|OPTION]", 0, 1,
	  PAGED, COMPLETE_TOPICS, cmd_help, NULL,
	  "list commands and options, or explain one",
	  "There is help on 'address', 'expressions' and 'numbers', too.  'record --help'\n"
	  "means 'help record'.",
	  "help REG" },
	{ "source", "FILE", 1, 1,
	  0, COMPLETE_FILES, cmd_source, NULL,
	  "run the commands in a file",
	  "It stops at the first command that fails.",
	  "source measure.kt" },
	{ "!", "[SHELL-COMMAND]", 0, 1,
	  0, COMPLETE_FILES, cmd_shell, NULL,
	  "run a shell command, or a shell",
	  "All of the line behind ! goes to the shell.  Behind another command, !| sends\n"
	  "its output to a shell command: print !| sort -k 5",
	  "!dd if=/dev/zero of=/dev/null count=10" },
	{ "quit", "", 0, 0,
	  0, COMPLETE_NOTHING, cmd_quit, NULL,
	  "leave (also Ctrl-D); the tracepoints stay set",
	  "A later ktrace lists, prints and deletes them.",
	  "quit" },
	{ .name = NULL },
};

/* ---------------------------------------------------------------- finding */

static bool begins(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

/* `l` means list, `d` delete and `r` run: these less frequent commands give way for one-letter abbreviations. */
static bool stands_back(const struct command *command, const char *start)
{
	return !start[1] &&
	       (command->run == cmd_latency || command->run == cmd_lines || command->run == cmd_doctor ||
		command->run == cmd_events || command->run == cmd_record || command->run == cmd_report ||
		command->run == cmd_top || command->run == cmd_export || command->run == cmd_pairing || command->run == cmd_bugreport);
}

/* The shortest command with that start, if all others only extend its name. */
static const struct command *shortest(const char *start)
{
	const struct command *best = NULL;

	for (const struct command *c = commands; c->name; c++)
		if (begins(c->name, start) && !stands_back(c, start) &&
		    (!best || strlen(c->name) < strlen(best->name)))
			best = c;
	for (const struct command *c = commands; c->name && best; c++)
		if (begins(c->name, start) && !stands_back(c, start) && !begins(c->name, best->name))
			return NULL;
	return best;
}

static void ambiguous(const char *start, struct error *err)
{
	char names[256] = "";
	size_t at = 0;

	for (const struct command *c = commands; c->name; c++)
		if (begins(c->name, start) && at < sizeof(names))
			at += snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
				       c->name);
	error_set(err, STATUS_USAGE, "'%s' is short for several commands: choose one of %s", start,
		  names);
}

static void unknown(const char *name, struct error *err)
{
	struct suggestions similar = { .word = name };
	char buf[256];

	for (const struct command *c = commands; c->name; c++)
		suggestion_offer(&similar, c->name);
	foreign_offer(&similar);
	error_set(err, STATUS_USAGE, "unknown command '%s': %s", name,
		  suggestion_say(similar.names, similar.n, "'help' lists the commands", buf, sizeof(buf)));
}

static bool is_prefix_of_any(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (begins(c->name, name))
			return true;
	return false;
}

const struct command *command_find(const char *name, struct error *err)
{
	const struct command *command = *name ? shortest(name) : NULL;

	if (command)
		return command;
	if (*name && is_prefix_of_any(name))
		ambiguous(name, err);
	else
		unknown(name, err);
	return NULL;
}

/* ---------------------------------------------------------------- running */

static bool check_arguments(const struct command *command, size_t n, struct error *err)
{
	if (n >= command->min_args && n <= command->max_args)
		return true;
	if (!command->max_args)
		return error_set(err, STATUS_USAGE, "%s takes no arguments: 'help %s' explains it",
				 command->name, command->name);
	return error_set(err, STATUS_USAGE, "%s: too %s arguments: %s %s", command->name,
			 n < command->min_args ? "few" : "many", command->name,
			 command->arguments);
}

/* `list | grep x` and the like: at the prompt no word stands for the shell but !|. */
static bool check_shell(const struct command *command, const struct words *words, struct error *err)
{
	static const char *const shell[] = { "|", ">", ">>", "<", "&", "&&" };

	/* Behind an address, and in a condition, these may be operators. */
	if (command->completes == COMPLETE_TRACE || command->completes == COMPLETE_VALUES || command->run == cmd_shell)
		return true;
	for (size_t i = 1; i < words->n && strcmp(words->v[i], "IF") && strcmp(words->v[i], "--"); i++)
		for (size_t j = 0; j < ARRAY_SIZE(shell); j++)
			if (!strcmp(words->v[i], shell[j]))
				return error_set(err, STATUS_USAGE, "%s: no '%s' here: '%s !| less' sends the output to a shell command",
						 command->name, shell[j], command->name);
	return true;
}

/* `record --help` means `help record`. */
static bool asks_for_help(const struct words *words)
{
	return words->n == 2 && (!strcmp(words->v[1], "--help") || !strcmp(words->v[1], "-h"));
}

static bool help_on(struct session *s, const struct command *command, struct error *err)
{
	char *v[] = { "help", (char *)command->name };

	return command_run(s, &(struct words){ .v = v, .n = ARRAY_SIZE(v) }, err);
}

static bool provide(struct session *s, const struct command *command, struct error *err)
{
	if (s->input && command->needs & TAKES_SAVED)
		return session_saved(s, err);
	if (s->input && command->needs & NEEDS_DEVICE)
		return error_set(err, STATUS_USAGE,
				 "%s works on the running kernel, not on a saved trace: leave out -i",
				 command->name);
	return !(command->needs & NEEDS_DEVICE) || session_connect(s, err);
}

bool command_provide(struct session *s, const struct words *words, struct error *err)
{
	const struct command *command = command_find(words->v[0], err);

	return command && provide(s, command, err);
}

/* An unknown command that is a symbol: the user may have left out `trace`. */
static void suggest_trace(struct session *s, const char *word, struct error *err)
{
	AUTO_FREE char *name = mem_strndup(word, strcspn(word, "+#"));
	const struct sym *const *first;

	if (session_symbols(s, NULL) && symtab_by_name(s->tab, name, NULL, &first))
		error_set(err, STATUS_USAGE,
			  "unknown command '%s': 'trace %s' sets a tracepoint there", word, word);
}

/* Tracepoints are planned from the kernel's code: if the code changed meanwhile, run the command again. */
#define MOST_REPEATS	3

static bool run(struct session *s, const struct command *command, const struct words *words, struct error *err)
{
	unsigned int repeats = 0;
	bool ok;

	do {
		err->again = false;
		ok = command->run(s, words, err);
		session_drop_old(s);
	} while (!ok && err->again && repeats++ < MOST_REPEATS);
	return ok;
}

/* On a terminal, lines that are longer than its width break at blanks. */
static bool run_fitting(struct session *s, const struct command *command, const struct words *words, struct error *err)
{
	FILE *const out = session_fit(s);
	const bool ok = run(s, command, words, err) && session_flush(s, err);

	session_fit_end(s, out);
	return ok;
}

/* Into a shell command, or into the pager if there is more than a screen. */
static bool run_into(struct session *s, const struct command *command, const struct words *words, struct error *err)
{
	const bool pages = !words->pipe && s->pager && command->needs & PAGED;
	const struct session before = *s;
	size_t rows = 0, columns = 0;
	struct shell *shell;
	bool ok;
	int status;

	if (!words->pipe && !pages)
		return run_fitting(s, command, words, err);
	if (words->pipe && !*words->pipe)
		return error_set(err, STATUS_USAGE, "!| needs a shell command: %s !| less", command->name);
	if (pages)
		screen_size(&rows, &columns);
	fflush(s->out);
	shell = shell_open(pages ? s->pager : words->pipe, s->out, rows, columns, err);
	if (!shell)
		return false;
	s->out = shell_stream(shell);
	s->colour &= pages;
	s->on_terminal &= pages;
	s->pager = NULL;
	ok = run_fitting(s, command, words, err);
	s->out = before.out;
	s->colour = before.colour;
	s->on_terminal = before.on_terminal;
	s->pager = before.pager;
	status = shell_close(shell);
	return ok && (pages || shell_result(status, err));
}

/* The words, quoted where a shell needs that. */
static char *typed_text(const struct words *words)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out && i < words->n; i++) {
		const char *word = words->v[i], *quote = *word && !word[strspn(word, plain)] ? "" : strchr(word, '\'') ? "\"" : "'";

		fprintf(out, "%s%s%s%s", i ? " " : "", quote, word, quote);
	}
	if (out)
		fclose(out);
	return text;
}

static bool run_words(struct session *s, const struct words *words, struct error *err)
{
	const struct command *command = command_find(words->v[0], err);
	char *const before = s->typed;
	bool ok;

	if (!command)
		suggest_trace(s, words->v[0], err);
	if (command && command->run != cmd_shell && asks_for_help(words))
		return help_on(s, command, err);
	if (!command || !check_shell(command, words, err) || !check_arguments(command, words->n - 1, err))
		return false;
	if (s->format == PRINT_METRICS && !(command->needs & GIVES_METRICS))
		return error_set(err, STATUS_USAGE, "%s prints no OpenMetrics: use --json", command->name);
	if (!(command->needs & CHECKS_FIRST) && !provide(s, command, err))
		return false;
	s->typed = typed_text(words);
	ok = run_into(s, command, words, err);
	free(s->typed);
	s->typed = before;
	return ok;
}

bool command_run(struct session *s, const struct words *words, struct error *err)
{
	const bool ok = run_words(s, words, err);

	if (!ok)
		doctor_complete(s, err);
	return ok;
}
