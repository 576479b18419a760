// SPDX-License-Identifier: GPL-2.0-or-later
/* property.c - the properties of the current task.  See property.h. */
#include "ctl/base/device/property.h"

#include <string.h>

#include "ctl/base/memory.h"

enum { UNSIGNED, SIGNED };

#define NUMBER(OPTION, name, sign, columns, ...)	{ #name, #OPTION, KT_CUR_##OPTION, sign, columns },
#define VARIABLE(OPTION, name, sign)			{ #name, NULL, KT_CUR_##OPTION, sign, 1 },
#define TEXT(OPTION, name, ...)				{ #name, #OPTION, KT_NR_CURS, UNSIGNED, 0 },

const struct property properties[] = {
#include "ctl/base/device/property_list.h"
};

const size_t nr_properties = ARRAY_SIZE(properties);

const struct property *property_named(const char *name)
{
	for (size_t i = 0; i < nr_properties; i++)
		if (!strcmp(properties[i].name, name))
			return &properties[i];
	return NULL;
}

const struct property *property_numbered(enum kt_cur number)
{
	for (size_t i = 0; i < nr_properties; i++)
		if (properties[i].number == number)
			return &properties[i];
	return NULL;
}
