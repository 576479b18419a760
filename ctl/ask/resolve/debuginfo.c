// SPDX-License-Identifier: GPL-2.0-or-later
/* debuginfo.c - look up an address in the debug information.  See debuginfo.h. */
#include "ctl/ask/resolve/debuginfo.h"

#include <stdio.h>

#include "symbols/index/calling.h"
#include "symbols/index/line.h"

bool debuginfo_failed(const struct debug_error *why, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s", why->text);
}

bool debuginfo_unused(const struct target *target, struct error *err)
{
	if (target->no_debug && *target->no_debug)
		return error_set(err, STATUS_FAILURE, "%s", target->no_debug);
	return error_set(err, STATUS_FAILURE, "debug information is not used here: leave out the option that needs it");
}

/* -------------------------------------------------------------------- spots */

const char *dwarf_reg_name(uint16_t dwarf)
{
	return arch_reg_name(&arch_native, dwarf);
}

static const char *module_at(const struct target *target, uint64_t addr)
{
	const struct sym *sym = target->tab ? symtab_by_addr(target->tab, addr) : NULL;

	return sym ? sym->module : "";
}

static void find_line(struct addr_info *info)
{
	struct ix_line row;
	const bool is_known = dbindex_line_at(info->ix, info->offset, &row);

	info->file = is_known ? dbindex_file_name(info->ix, row.file) : "";
	info->line = is_known ? row.line & LINE_MASK : 0;
}

/*
 * The instructions before the first own one do not change the parameters; in Go there are others behind them.  BTF
 * describes nothing but the entry.
 */
static void find_entry(const struct target *target, struct addr_info *info)
{
	const struct sym *sym = target->tab ? symtab_by_addr(target->tab, info->addr) : NULL;

	if (!info->func || !sym)
		return;
	info->is_clone = calling_is_clone(sym->name);
	info->is_entry = info->addr - sym->addr == info->offset - info->func->low && probe_point_is_entry(target, sym, info->addr);
	if (info->is_entry && debug_unit_is_btf(info->unit))
		info->offset = info->func->low;
}

struct loc_at addr_info_at(const struct addr_info *info)
{
	static struct calling calling;

	calling = (struct calling){
		.args = arch_native.dwarf_args, .nr_args = arch_native.nr_dwarf_args,
		.first_vector = arch_native.dwarf_vector_arg, .nr_vectors = arch_native.nr_dwarf_vector_args,
		.is_aapcs = arch_native.args_by_reference,
	};
	return (struct loc_at){
		.addr = info->offset, .is_entry = info->is_entry, .is_clone = info->is_clone, .calling = &calling,
		.name = dwarf_reg_name,
	};
}

bool addr_info_find(const struct target *target, uint64_t addr, struct addr_info *out, struct error *err)
{
	struct debug_error why;

	*out = (struct addr_info){ .addr = addr, .file = "" };
	if (!target->debug)
		return debuginfo_unused(target, err);
	out->unit = debug_unit(target->debug, module_at(target, addr), &why);
	out->ix = out->unit ? debug_index_at(out->unit, addr, &why) : NULL;
	if (!out->ix)
		return debuginfo_failed(&why, err);
	if (!debug_to_offset(out->unit, addr, &out->offset))
		return error_set(err, STATUS_FAILURE, "0x%llx: no code that %s knows", (unsigned long long)addr,
				 debug_unit_path(out->unit));
	out->func = dbindex_func_at(out->ix, out->offset);
	find_line(out);
	find_entry(target, out);
	return true;
}

const char *addr_info_line(const struct target *target, uint64_t addr, char *buf, size_t size)
{
	struct debug_unit *unit = NULL;
	struct addr_info info;

	buf[0] = '\0';
	if (target->debug)
		unit = debug_unit_casual(target->debug, module_at(target, addr), NULL);
	if (unit && debug_index_ready(unit) && addr_info_find(target, addr, &info, NULL) && info.line)
		snprintf(buf, size, "%s:%u", info.file, info.line);
	return buf;
}

static struct dbindex *index_of(const struct target *target, const char *module, bool of_code,
				struct debug_unit **unit, struct error *err)
{
	struct dbindex *ix = NULL;
	struct debug_error why;

	if (!target->debug) {
		debuginfo_unused(target, err);
		return NULL;
	}
	*unit = debug_unit(target->debug, module, &why);
	if (*unit)
		ix = of_code ? debug_index_of_code(*unit, &why) : debug_index(*unit, &why);
	if (!ix)
		debuginfo_failed(&why, err);
	return ix;
}

struct dbindex *unit_index(const struct target *target, const char *module, struct debug_unit **unit,
			   struct error *err)
{
	return index_of(target, module, false, unit, err);
}

struct dbindex *unit_code_index(const struct target *target, const char *module, struct debug_unit **unit,
				struct error *err)
{
	return index_of(target, module, true, unit, err);
}
