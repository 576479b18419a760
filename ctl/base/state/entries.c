// SPDX-License-Identifier: GPL-2.0-or-later
/* entries.c - see entries.h. */
#include "ctl/base/state/entries.h"

#include <string.h>

/* The fields of each kind, and the array in which its text is. */
static const struct form {
	size_t fields;
	size_t name;		/* offset */
	bool at_end;		/* the name fills the rest of the entry */
} forms[KT_NR_STATES] = {
	[KT_STATE_TASKS] = { sizeof(struct kt_state_task), offsetof(struct kt_state_task, name), true },
	[KT_STATE_PIDS] = { sizeof(struct kt_state_pids), 0, false },
	[KT_STATE_FILES] = { sizeof(struct kt_state_file), offsetof(struct kt_state_file, name), true },
	[KT_STATE_MAPS] = { sizeof(struct kt_state_map), offsetof(struct kt_state_map, name), true },
	[KT_STATE_END] = { sizeof(struct kt_state_cpu), 0, false },
};

const struct kt_state_head *entries_next(struct entries *entries)
{
	const struct form *form = &forms[entries->kind];
	const size_t left = entries->end - entries->at;
	const struct kt_state_head *head = (const void *)entries->at;

	if (left < form->fields || head->len < form->fields || head->len > left || head->len % 8)
		return NULL;
	if (form->at_end && !memchr(entries->at + form->name, '\0', head->len - form->name))
		return NULL;
	entries->at += head->len;
	return head;
}
