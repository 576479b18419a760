// SPDX-License-Identifier: GPL-2.0-or-later
/* arch.c - look up registers by name and by number.  See arch.h. */
#include "arch/arch.h"

#include <string.h>
#include <strings.h>

const struct arch_reg *arch_reg_by_name(const struct arch_ops *arch, const char *name)
{
	const struct arch_reg *reg;

	name += *name == '%' || *name == '$';
	for (reg = arch->regs; reg->name; reg++)
		if (!strcasecmp(reg->name, name))
			return reg;
	return NULL;
}

/* The first row of a number is its full-width name. */
const char *arch_reg_name(const struct arch_ops *arch, uint16_t dwarf)
{
	const struct arch_reg *reg;

	for (reg = arch->regs; reg->name; reg++)
		if (reg->dwarf == dwarf)
			return reg->name;
	return NULL;
}
