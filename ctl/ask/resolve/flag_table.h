/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag_table.h - the names of flags, from the running kernel.
 *
 * They differ from kernel to kernel.  The kernel has tables of those of gfp_t, vm_flags_t and pages, for printk().
 */
#ifndef KTRACE_FLAG_TABLE_H
#define KTRACE_FLAG_TABLE_H

#include "ctl/ask/resolve/probe_point.h"

/* Flags that are all set have the name.  Those of several flags come first. */
struct flag_name {
	uint64_t mask;
	const char *name;
};

struct flag_table {
	const struct flag_name *v;
	size_t n;
};

/* Is it a type whose flags have a table? */
bool flag_table_has(const char *type);
/* The names of the flags of such a type; they stay.  False: err is set. */
bool flag_table_of(const struct target *target, const char *type, struct flag_table *out, struct error *err);
/*
 * The flag of a name as the kernel's sources have it: GFP_KERNEL, __GFP_ZERO, VM_DONTEXPAND.  False: there is none; err->text
 * is "" if the name is no such name, and otherwise says why.
 */
bool flag_table_named(const struct target *target, const char *name, uint64_t *mask, struct error *err);

#endif
