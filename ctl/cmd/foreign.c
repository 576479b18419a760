// SPDX-License-Identifier: GPL-2.0-or-later
/* foreign.c - commands of other tools.  See foreign.h. */
#include "ctl/cmd/foreign.h"

#include <string.h>

#include "ctl/base/memory.h"

static const struct {
	const char *word;	/* as in gdb, perf, bpftrace, strace, ftrace or a shell */
	const char *ours[2];
} rows[] = {
	{ "exit", { "quit" } },	      { "bye", { "quit" } },	      { "?", { "help" } },
	{ "man", { "help" } },	      { "break", { "trace" } },	      { "tbreak", { "trace" } },
	{ "probe", { "trace" } },     { "kprobe", { "trace" } },      { "add", { "trace" } },
	{ "set", { "trace" } },	      { "attach", { "trace" } },      { "enable", { "unfreeze", "trace" } },
	{ "start", { "unfreeze", "record" } }, { "continue", { "unfreeze" } }, { "stop", { "freeze" } },
	{ "disable", { "freeze", "delete" } }, { "remove", { "delete" } },     { "rm", { "delete" } },
	{ "unset", { "delete" } },    { "untrace", { "delete" } },    { "detach", { "delete" } },
	{ "ls", { "list" } },	      { "info", { "list", "status" } }, { "stat", { "status", "latency" } },
	{ "script", { "print" } },    { "dump", { "print" } },	      { "cat", { "print" } },
	{ "bt", { "where" } },	      { "backtrace", { "where" } },   { "stack", { "where" } },
	{ "x", { "show" } },	      { "ptype", { "show" } },	      { "disassemble", { "explain" } },
	{ "annotate", { "lines" } },  { "funclatency", { "latency" } }, { "timeout", { "follow" } },
};

void foreign_offer(struct suggestions *similar)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].word, similar->word))
			continue;
		similar->n = 0;
		for (size_t j = 0; j < ARRAY_SIZE(rows[i].ours) && rows[i].ours[j]; j++)
			suggestion_add(similar, rows[i].ours[j]);
	}
}
