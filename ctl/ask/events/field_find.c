// SPDX-License-Identifier: GPL-2.0-or-later
/* field_find.c - fields by name.  See field_find.h. */
#include "ctl/ask/events/field_find.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

/* Rows have LTTng's names: a tid is a thread's number, which tracefs calls pid. */
static const struct {
	const char *recorded, *tracefs;
} names[] = {
	{ "tid", "pid" }, { "prev_tid", "prev_pid" }, { "next_tid", "next_pid" }, { "old_tid", "old_pid" },
};

/* Expressions that begin or end so are recorded under a name that has another value in tracefs. */
static const struct {
	const char *recorded, *tracefs;
	bool begins;
} values[] = {
	{ " - 100", "", false },
	{ "->tgid", "->pid", false },
	{ "preempt ? 0 : ", "preempt ? 0x100 : ", true },
};

/* An object has no value. */
static bool find_recorded(const char *fields, const char *name, struct event_field *out)
{
	enum show show;
	size_t len;

	while (events_field(&fields, out)) {
		if (out->name_len == (int)strlen(name) && !strncmp(out->name, name, out->name_len) &&
		    !events_is_object(out->expressions, &len, &show))
			return true;
		free(out->expressions);
	}
	return false;
}

bool field_find(const char *fields, const char *name, struct event_field *out)
{
	bool found = find_recorded(fields, name, out);

	for (size_t i = 0; !found && i < ARRAY_SIZE(names); i++)
		found = !strcmp(names[i].tracefs, name) && find_recorded(fields, names[i].recorded, out);
	return found;
}

const char *field_of_tracefs(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].recorded, name))
			return names[i].tracefs;
	return NULL;
}

char *field_in_tracefs(const char *expression)
{
	const size_t len = strlen(expression);

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const size_t part = strlen(values[i].recorded), at = values[i].begins ? 0 : len - part;

		if (len > part && !strncmp(expression + at, values[i].recorded, part))
			return mem_printf("%.*s%s%s", (int)at, expression, values[i].tracefs, expression + at + part);
	}
	return NULL;
}
