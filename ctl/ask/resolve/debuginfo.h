/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo.h - look up an address in the debug information. */
#ifndef KTRACE_DEBUGINFO_H
#define KTRACE_DEBUGINFO_H

#include "ctl/ask/resolve/probe_point.h"
#include "symbols/index/location.h"

/* Debug information of an address. */
struct addr_info {
	uint64_t addr;
	struct debug_unit *unit;
	struct dbindex *ix;
	uint32_t offset;
	const struct ix_func *func;	/* the function that covers it; NULL: none */
	const char *file;		/* of its line; "" and line 0: unknown */
	uint32_t line;
	bool is_entry;			/* the first own instruction of a function, or before it */
	bool is_clone;			/* of a function whose parameters the compiler changed */
};

/* Fill in *out.  False: nothing is known; err has the reason. */
bool addr_info_find(const struct target *target, uint64_t addr, struct addr_info *out, struct error *err);
/* "fs/read_write.c:590"; "" if it is unknown, or an index would have to be built first.  Returns buf. */
const char *addr_info_line(const struct target *target, uint64_t addr, char *buf, size_t size);
/* The unit of a module ("": the kernel), with a complete index. */
struct dbindex *unit_index(const struct target *target, const char *module, struct debug_unit **unit,
			   struct error *err);

/* The same for lines and inlined copies, which BTF does not have. */
struct dbindex *unit_code_index(const struct target *target, const char *module, struct debug_unit **unit,
				struct error *err);

/* Where locations are asked for. */
struct loc_at addr_info_at(const struct addr_info *info);
/* The name of a register, for location.h. */
const char *dwarf_reg_name(uint16_t dwarf);

/* The target has no debug information: put the reason in err.  Returns false. */
bool debuginfo_unused(const struct target *target, struct error *err);

/* Put the cause in err.  Returns false. */
bool debuginfo_failed(const struct debug_error *why, struct error *err);

#endif
