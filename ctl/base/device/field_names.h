/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field_names.h - the names that values of a field have: enumerators, bools, flags. */
#ifndef KTRACE_FIELD_NAMES_H
#define KTRACE_FIELD_NAMES_H

#include "ctl/base/device/desc.h"

/* Give a value a name, which is copied. */
void field_add_name(struct field *field, int64_t value, const char *name);
/* Copy the names of `from` into `to`.  Old names of `to` are not freed. */
void field_copy_names(struct field *to, const struct field *from);
/* The field has no names any more. */
void field_drop_names(struct field *field);

#endif
