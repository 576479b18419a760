// SPDX-License-Identifier: GPL-2.0-or-later
/* orc.c - see orc.h. */
#include "ctl/ask/resolve/orc.h"

#include "ctl/base/device/memory_read.h"

static const char unreadable[] = "the kernel's unwind tables cannot be read (/proc/kcore)";

#define SAMPLES		64	/* entries that tell which type is that of ordinary code */

static bool read_ip(const struct orc_tables *tables, size_t i, uint64_t *out)
{
	const uint64_t at = tables->ips + 4 * i;
	int32_t relative;

	if (!tables->read(tables->arg, at, &relative, sizeof(relative)))
		return false;
	*out = at + (int64_t)relative;
	return true;
}

static bool read_entry(const struct orc_tables *tables, size_t i, uint8_t out[ARCH_ORC_BYTES])
{
	return tables->read(tables->arg, tables->entries + ARCH_ORC_BYTES * i, out, ARCH_ORC_BYTES);
}

/* The last entry at or before addr.  *found: there is one. */
static bool find(const struct orc_tables *tables, uint64_t addr, size_t *out, bool *found)
{
	size_t low = 0, high = tables->nr;
	uint64_t ip;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (!read_ip(tables, middle, &ip))
			return false;
		if (ip <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	*found = low > 0 && low < tables->nr;
	*out = low - 1;
	return true;
}

/* The numbers of types differ between kernels; nearly all entries are of ordinary code. */
static bool type_of_code(const struct orc_tables *tables, uint8_t *out)
{
	unsigned int seen[4] = { 0 };
	uint8_t entry[ARCH_ORC_BYTES];

	for (size_t i = 0; i < SAMPLES; i++) {
		if (!read_entry(tables, tables->nr / SAMPLES * i, entry))
			return false;
		seen[arch_native.orc_type(entry) & 3]++;
	}
	*out = 0;
	for (uint8_t type = 1; type < 4; type++)
		*out = seen[type] > seen[*out] ? type : *out;
	return true;
}

enum orc_answer orc_base_in(const struct orc_tables *tables, uint64_t addr, uint16_t *reg, int32_t *offset, const char **why)
{
	uint8_t entry[ARCH_ORC_BYTES], type;
	bool found;
	size_t i;

	*why = unreadable;
	if (!find(tables, addr, &i, &found))
		return ORC_UNKNOWN;
	*why = "the kernel's unwind tables do not have this address";
	if (!found)
		return ORC_NOT_COVERED;
	*why = unreadable;
	if (!read_entry(tables, i, entry) || !type_of_code(tables, &type))
		return ORC_UNKNOWN;
	*why = "the kernel's unwind tables tell of no frame there";
	return arch_native.orc_type(entry) == type && arch_native.orc_base(entry, reg, offset) ? ORC_BASE : ORC_UNKNOWN;
}

static uint64_t symbol(const struct symtab *tab, const char *name)
{
	const struct sym *const *first;

	return symtab_by_name(tab, name, NULL, &first) ? first[0]->addr : 0;
}

static bool read_kernel(void *arg, uint64_t addr, void *to, size_t size)
{
	return memory_read(arg, addr, to, size);
}

enum orc_answer orc_base(const struct target *target, uint64_t addr, uint16_t *reg, int32_t *offset, const char **why)
{
	struct orc_tables tables = { .read = read_kernel };
	enum orc_answer answer;
	struct error err;
	uint64_t end;

	if (!arch_native.orc_base || !target->tab)
		return ORC_ABSENT;
	tables.ips = symbol(target->tab, "__start_orc_unwind_ip");
	tables.entries = symbol(target->tab, "__start_orc_unwind");
	end = symbol(target->tab, "__stop_orc_unwind_ip");
	if (!tables.ips || !tables.entries)
		return ORC_ABSENT;
	tables.nr = end > tables.ips ? (end - tables.ips) / 4 : 0;
	tables.arg = memory_open("", &err);
	*why = unreadable;
	if (!tables.arg || tables.nr < SAMPLES)
		answer = ORC_UNKNOWN;
	else
		answer = orc_base_in(&tables, addr, reg, offset, why);
	memory_close(tables.arg);
	return answer;
}
