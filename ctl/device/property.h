/* SPDX-License-Identifier: GPL-2.0-or-later */
/* property.h - the properties of the current task, as property_list.h has them. */
#ifndef KTRACE_PROPERTY_H
#define KTRACE_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

struct property {
	const char *name;	/* "uid": of the field, the variable $uid and the key --by uid */
	const char *option;	/* "UID", or NULL */
	enum kt_cur number;	/* KT_NR_CURS: it is text */
	bool is_signed;
	uint8_t columns;	/* that its value takes at least, where it is printed for people */
};

extern const struct property properties[];
extern const size_t nr_properties;

/* NULL: there is none such. */
const struct property *property_named(const char *name);
const struct property *property_numbered(enum kt_cur number);

/* In expressions the name of the task is current->comm. */
static inline bool property_is_variable(const struct property *property)
{
	return property->number != KT_NR_CURS;
}

#endif
