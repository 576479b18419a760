/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo.h - what debug information says of an address. */
#ifndef KTRACE_DEBUGINFO_H
#define KTRACE_DEBUGINFO_H

#include "ctl/resolve/probe_point.h"
#include "symbols/index/scope.h"

/* What is known of an address. */
struct addr_info {
	uint64_t addr;
	struct debug_unit *unit;
	struct dbindex *ix;
	uint32_t offset;
	const struct ix_func *func;	/* that covers it, NULL: none */
	const char *file;		/* of its line; "" and 0 where none is known */
	uint32_t line;
};

/* False with err set where nothing is known, and why. */
bool addr_info_find(const struct target *target, uint64_t addr, struct addr_info *out, struct error *err);
/* "fs/read_write.c:590", "" where it is not known or would have to be worked out first. */
const char *addr_info_line(const struct target *target, uint64_t addr, char *buf, size_t size);
/* The unit of a module ("" the kernel) with an index of all of it. */
struct dbindex *unit_index(const struct target *target, const char *module, struct debug_unit **unit,
			   struct error *err);

/* The same where lines or inlined copies are asked for, which BTF has not. */
struct dbindex *unit_code_index(const struct target *target, const char *module, struct debug_unit **unit,
				struct error *err);

/* The name of a register for location.h. */
const char *dwarf_reg_name(uint16_t dwarf);

/* The cause in err; returns false. */
bool debuginfo_failed(const struct debug_error *why, struct error *err);

#endif
