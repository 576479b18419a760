/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orc.h - the frame base at an instruction of the kernel, from the tables of its ORC unwinder.
 *
 * A kernel that has them is built without frame pointers.  They are in its memory, which is read through /proc/kcore.
 */
#ifndef KTRACE_ORC_H
#define KTRACE_ORC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/resolve/probe_point.h"

/* At which address of the kernel's memory the tables are; entries of ARCH_ORC_BYTES, sorted by the address of the code. */
struct orc_tables {
	uint64_t ips, entries;	/* numbers of four bytes, each relative to its own place; the entries */
	size_t nr;
	bool (*read)(void *arg, uint64_t addr, void *to, size_t size);
	void *arg;
};

enum orc_answer { ORC_ABSENT, ORC_NOT_COVERED, ORC_BASE, ORC_UNKNOWN };

/*
 * *reg, by DWARF number, + *offset is the frame base.  ORC_UNKNOWN: *why has the reason; ORC_ABSENT: this kernel has no
 * tables; ORC_NOT_COVERED: they are not of this address, which is that of a module.
 */
enum orc_answer orc_base(const struct target *target, uint64_t addr, uint16_t *reg, int32_t *offset, const char **why);
enum orc_answer orc_base_in(const struct orc_tables *tables, uint64_t addr, uint16_t *reg, int32_t *offset, const char **why);

#endif
