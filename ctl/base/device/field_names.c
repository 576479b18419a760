// SPDX-License-Identifier: GPL-2.0-or-later
/* field_names.c - see field_names.h. */
#include "ctl/base/device/field_names.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

void field_add_name(struct field *field, int64_t value, const char *name)
{
	field->names = MEM_MORE(field->names, field->nr_names);
	field->names[field->nr_names++] = (struct field_name){ value, mem_strdup(name) };
}

void field_copy_names(struct field *to, const struct field *from)
{
	to->names = NULL;
	to->nr_names = 0;
	for (size_t i = 0; i < from->nr_names; i++)
		field_add_name(to, from->names[i].value, from->names[i].name);
}

void field_drop_names(struct field *field)
{
	for (size_t i = 0; i < field->nr_names; i++)
		free(field->names[i].name);
	free(field->names);
	field->names = NULL;
	field->nr_names = 0;
}
