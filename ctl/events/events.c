// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - find rows and sets, and take their texts apart.  See events.h. */
#include "ctl/events/events.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "ctl/events/rows.h"

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
		if (!strncmp(at, name, len) && (!at[len] || !strncmp(at + len, OR, strlen(OR))))
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

static bool unknown_set(const char *name, struct error *err)
{
	struct suggestions similar = { .word = name };
	char buf[256];

	for (size_t i = 0; i < NR_EVENT_SETS; i++)
		suggestion_offer(&similar, sets[i].name);
	suggestion_offer(&similar, "core");
	suggestion_offer(&similar, "all");
	return error_set(err, STATUS_USAGE, "'%s' is no set of events: %s", name,
			 suggestion_say(similar.names, similar.n, "'events' lists the sets", buf, sizeof(buf)));
}

static bool choose_one(const char *name, struct event_choice *out, struct error *err)
{
	if (!strcmp(name, "all")) {
		out->sets = (1U << NR_EVENT_SETS) - 1;
		return true;
	}
	if (!strcmp(name, "core")) {
		out->core = true;
		return true;
	}
	for (size_t i = 0; i < NR_EVENT_SETS; i++) {
		if (strcmp(name, sets[i].name))
			continue;
		out->sets |= 1U << i;
		out->named |= 1U << i;
		return true;
	}
	return unknown_set(name, err);
}

bool events_choose(const char *text, struct event_choice *out, struct error *err)
{
	*out = (struct event_choice){ 0 };
	for (;;) {
		const size_t len = strcspn(text, ",");
		AUTO_FREE char *name = mem_strndup(text, len);

		if (!choose_one(name, out, err))
			return false;
		if (!text[len])
			return true;
		text += len + 1;
	}
}

bool events_chosen(const struct event_choice *choice, const struct event_row *row)
{
	return choice->sets & 1U << row->set || (choice->core && row->flags & EVENT_CORE);
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
