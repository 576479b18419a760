// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - find rows and sets, and take their texts apart.  See events.h. */
#include "ctl/ask/events/events.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/events/rows.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"

#define OR	" or "

/* -------------------------------------------------------------------- rows */

static const struct event_row *first_of_architecture(void)
{
	return arch_native.event_rows->name ? arch_native.event_rows : NULL;
}

const struct event_row *events_next(const struct event_row *row)
{
	if (!row)
		return event_rows;
	if ((++row)->name)
		return row;
	return row == event_rows_end ? first_of_architecture() : NULL;
}

/* Is name one of the alternatives? */
static bool is_among(const char *alternatives, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = alternatives; at; at = strstr(at, OR)) {
		at += at == alternatives ? 0 : strlen(OR);
		if (*at == *name && !strncmp(at, name, len) && (!at[len] || !strncmp(at + len, OR, strlen(OR))))
			return true;
	}
	return false;
}

const struct event_row *events_of_tracepoint(const char *name)
{
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row))
		if (row->system && is_among(row->at, name))
			return row;
	return NULL;
}

const struct event_row *events_named(const char *name)
{
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row))
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* -------------------------------------------------------------------- sets */

static const struct {
	const char *name, *says;
} sets[NR_EVENT_SETS] = {
	[EVENTS_SCHED] = { "sched", "which task runs on which CPU, and who woke it" },
	[EVENTS_IRQ] = { "irq", "interrupts of devices, timers and other CPUs" },
	[EVENTS_SOFTIRQ] = { "softirq", "the delayed part of interrupts" },
	[EVENTS_SYSCALLS] = { "syscalls", "system calls with their arguments and results" },
	[EVENTS_FAULTS] = { "faults", "page faults and other traps" },
	[EVENTS_TIMERS] = { "timers", "timers of the kernel and of processes" },
	[EVENTS_WORKQUEUE] = { "workqueue", "work that kernel threads do for others" },
	[EVENTS_PROCESS] = { "process", "processes and threads: begin, exec, end" },
	[EVENTS_SIGNALS] = { "signals", "signals sent and delivered" },
	[EVENTS_FS] = { "fs", "files opened, waits for buffers" },
	[EVENTS_BLOCK] = { "block", "requests to disks" },
	[EVENTS_MM] = { "mm", "pages allocated and freed, waits for pages" },
	[EVENTS_SWAP] = { "swap", "pages read from and written to swap space" },
	[EVENTS_NET] = { "net", "packets in and out, data sent and received by sockets" },
	[EVENTS_IPC] = { "ipc", "message queues, semaphores and shared memory created" },
	[EVENTS_POWER] = { "power", "frequencies and idle states of the CPUs" },
};

const char *events_set_name(enum event_set set)
{
	return sets[set].name;
}

const char *events_set_says(enum event_set set)
{
	return sets[set].says;
}

/* ------------------------------------------------------------------ choices */

struct word {
	char *name;	/* of a set, or a pattern of events */
	bool leaves_out;
};

/* The next of the words; *words moves behind it.  False: there are no more.  The caller frees out->name. */
static bool next_word(const char **words, struct word *out)
{
	const char *start = *words;
	size_t len;

	if (!start)
		return false;
	out->leaves_out = *start == '-';
	start += out->leaves_out;
	len = strcspn(start, ",");
	out->name = mem_strndup(start, len);
	*words = start[len] ? start + len + 1 : NULL;
	return true;
}

/* Is this the name of a set that the row belongs to? */
static bool is_set_of(const char *name, const struct event_row *row)
{
	return !strcmp(name, "all") || (!strcmp(name, "core") && row->flags & EVENT_CORE) || !strcmp(name, sets[row->set].name);
}

static bool fits(const struct word *word, const struct event_row *row)
{
	return is_set_of(word->name, row) || !fnmatch(word->name, row->name, 0);
}

static bool unknown_word(const char *name, struct error *err)
{
	struct suggestions similar = { .word = name };
	char buf[256];

	for (size_t i = 0; i < NR_EVENT_SETS; i++)
		suggestion_offer(&similar, sets[i].name);
	suggestion_offer(&similar, "core");
	suggestion_offer(&similar, "all");
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row))
		suggestion_offer(&similar, row->name);
	return error_set(err, STATUS_USAGE, "'%s' is no set of events, and no event: %s", name,
			 suggestion_say(similar.names, similar.n, "'events' lists both", buf, sizeof(buf)));
}

static bool check_word(const struct word *word, struct event_choice *out, struct error *err)
{
	bool fitted = false;

	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		fitted |= fits(word, row);
		if (!word->leaves_out && !strcmp(word->name, sets[row->set].name))
			out->sets |= 1U << row->set;
	}
	return fitted || unknown_word(word->name, err);
}

bool events_choose(const char *words, struct event_choice *out, struct error *err)
{
	struct word word;
	bool ok = true;

	*out = (struct event_choice){ .words = words };
	while (ok && next_word(&words, &word)) {
		ok = check_word(&word, out, err);
		free(word.name);
	}
	return ok;
}

bool events_chosen(const struct event_choice *choice, const struct event_row *row)
{
	const char *words = choice->words;
	bool chosen = false;
	struct word word;

	while (next_word(&words, &word)) {
		if (fits(&word, row))
			chosen = !word.leaves_out;
		free(word.name);
	}
	return chosen;
}

/* ------------------------------------------------------------------- texts */

char *events_alternative(const char **text)
{
	const char *start = *text, *end = start ? strstr(start, OR) : NULL;

	if (!start)
		return NULL;
	*text = end ? end + strlen(OR) : NULL;
	return end ? mem_strndup(start, end - start) : mem_strdup(start);
}

bool events_is_object(const char *expression, size_t *len, enum show *show)
{
	const char *colon = strrchr(expression, ':');

	*len = colon ? colon - expression : 0;
	return colon && show_named(colon + 1, strlen(colon + 1), show) && show_is_of_object(*show);
}

/* Every field has the form "name = expressions"; fields are separated by "; ". */
bool events_field(const char **text, struct event_field *out)
{
	const char *start = *text, *value = start ? strstr(start, " = ") : NULL;
	const size_t len = start ? strcspn(start, ";") : 0;

	if (!value)
		return false;
	out->name = start;
	out->name_len = value - start;
	value += strlen(" = ");
	out->expressions = mem_strndup(value, start + len - value);
	*text = start[len] ? start + len + strlen("; ") : NULL;
	return true;
}
