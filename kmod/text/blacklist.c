// SPDX-License-Identifier: GPL-2.0-only
/*
 * blacklist.c - see blacklist.h.
 *
 * The kernel's within_kprobe_blacklist() compares an address with all of its about 900 entries.  If none has it, the kernel looks
 * up the name of the symbol: the entry of a function holds for f.part.0, too.  This takes about 6,000 instructions.  So ktrace
 * has a sorted copy of the entries for the kernel's own text, which are never changed after the boot, and asks the kernel where
 * one of them may have the address, and where the name has a suffix.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/text/blacklist.h"

struct area {
	unsigned long start, end;
};

static struct area *areas;		/* by start; NULL: there is no copy */
static size_t nr;

static int compare(const void *a, const void *b)
{
	const struct area *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Under the mutex of the list. */
static void copy(const struct list_head *list)
{
	const struct kprobe_blacklist_entry *entry;
	size_t i, n = 0;

	list_for_each_entry(entry, list, list)
		n++;
	areas = kcalloc(n + 1, sizeof(*areas), GFP_KERNEL);
	if (!areas)
		return;
	list_for_each_entry(entry, list, list)
		if (kt_core_kernel_text(entry->start_addr))
			areas[nr++] = (struct area){ entry->start_addr, entry->end_addr };
	sort(areas, nr, sizeof(*areas), compare, NULL);
	/* Areas may overlap: one that ends later than those behind it reaches into them. */
	for (i = 1; i < nr; i++)
		areas[i].end = max(areas[i].end, areas[i - 1].end);
}

void kt_blacklist_init(void)
{
	const struct list_head *list = (void *)kt_ksym_find("kprobe_blacklist");
	struct mutex *lock = (void *)kt_ksym_find("kprobe_mutex");

	if (!list || !lock || !kt_have(arch_within_kprobe_blacklist))
		return;
	mutex_lock(lock);
	copy(list);
	mutex_unlock(lock);
}

void kt_blacklist_exit(void)
{
	kfree(areas);
}

static bool has_area(unsigned long addr)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (areas[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < areas[low - 1].end;
}

bool kt_blacklist_has(unsigned long addr, bool is_plain)
{
	if (areas && is_plain && kt_core_kernel_text(addr) && !has_area(addr) && !kt_arch_within_kprobe_blacklist(addr))
		return false;
	return kt_within_kprobe_blacklist(addr);
}
