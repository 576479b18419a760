// SPDX-License-Identifier: GPL-2.0-only
/*
 * jump_label.c - see jump_label.h.
 *
 * The kernel's jump_label_text_reserved() compares an address with all entries of its table.  On an architecture with labels
 * of several lengths, it also decodes the instruction at each entry below that address (arch_jump_entry_size(), since 5.14).
 * One call then executes several hundred thousand instructions.  So ktrace calls that function only if a label is near the
 * address.
 */
#include <linux/jump_label.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/text/blocks.h"
#include "kmod/text/jump_label.h"

#define LONGEST	5	/* bytes of a label, on any architecture */

static const struct jump_entry *table, *table_end;
static struct kt_blocks blocks;

void kt_jump_labels_init(void)
{
	const struct jump_entry *at;

	table = (const void *)kt_ksym_find("__start___jump_table");
	table_end = (const void *)kt_ksym_find("__stop___jump_table");
	if (!table_end)
		table = NULL;
	if (!table)
		return;
	kt_blocks_init(&blocks);
	for (at = table; at < table_end; at++)
		kt_blocks_add(&blocks, jump_entry_code(at), LONGEST);
}

void kt_jump_labels_exit(void)
{
	kt_blocks_exit(&blocks);
}

bool kt_jump_labels(const struct jump_entry **first, const struct jump_entry **end)
{
	*first = table;
	*end = table_end;
	return table;
}

/* Is a label near these bytes?  True as well if ktrace does not know: in a module, or without the table. */
static bool may_have(unsigned long first, unsigned long last)
{
	const struct jump_entry *at;

	if (!table || !kt_core_kernel_text(first))
		return true;
	if (!kt_blocks_may_have(&blocks, first, last))
		return false;
	for (at = table; at < table_end; at++)
		if (jump_entry_code(at) <= last && jump_entry_code(at) + LONGEST > first)
			return true;
	return false;
}

bool kt_jump_label_has(unsigned long first, unsigned long last)
{
	return may_have(first, last) && kt_jump_label_text_reserved((void *)first, (void *)last);
}
