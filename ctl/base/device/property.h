/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property.h - properties of the current task, from property_list.h. */
#ifndef KTRACE_PROPERTY_H
#define KTRACE_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

struct property {
	const char *name;	/* "uid": the name of the field, the variable $uid and the key of --by */
	const char *option;	/* "UID", or NULL */
	enum kt_cur number;	/* KT_NR_CURS: it is a text */
	bool is_signed;
	uint8_t columns;	/* least width of its value in text output */
};

extern const struct property properties[];
extern const size_t nr_properties;

/* Find a property.  NULL: there is none. */
const struct property *property_named(const char *name);
const struct property *property_numbered(enum kt_cur number);

/* The name of the task is not a variable: expressions use current->comm. */
static inline bool property_is_variable(const struct property *property)
{
	return property->number != KT_NR_CURS;
}

#endif
