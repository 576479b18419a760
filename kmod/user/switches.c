// SPDX-License-Identifier: GPL-2.0-only
/* switches.c - see switches.h. */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/user/switches.h"

/* Is the switch in another page than the one before it?  Each page is pinned once if its switches follow each other. */
static bool begins_page(const struct kt_switches *switches, u32 i)
{
	return !i || switches->v[i].address >> PAGE_SHIFT != switches->v[i - 1].address >> PAGE_SHIFT;
}

static int read_all(struct kt_switches *switches, const struct kt_user_site __user *from)
{
	struct kt_user_site site;
	u32 i;

	for (i = 0; i < switches->nr; i++) {
		cond_resched();
		if (copy_from_user(&site, &from[i], sizeof(site)))
			return -EFAULT;
		if (site.reserved || site.id > KT_USER_MAX_SITES)
			return -EINVAL;
		switches->v[i] = (struct kt_switch){ .address = site.address, .id = site.id };
		switches->nr_pages += begins_page(switches, i);
	}
	return 0;
}

struct kt_switches *kt_switches_read(const struct kt_user_sites *arg)
{
	struct kt_switches *switches;
	int err;

	if (!arg->nr || arg->nr > KT_USER_MAX_SITES)
		return ERR_PTR(-EINVAL);
	switches = kvzalloc(struct_size(switches, v, arg->nr), GFP_KERNEL_ACCOUNT);
	if (!switches)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&switches->link);
	switches->part = arg->part;
	switches->nr = arg->nr;
	err = read_all(switches, u64_to_user_ptr(arg->sites));
	switches->nr_kept = switches->nr_pages;
	if (!err) {
		switches->pages = kvcalloc(switches->nr_pages, sizeof(*switches->pages), GFP_KERNEL_ACCOUNT);
		err = switches->pages ? 0 : -ENOMEM;
	}
	if (!err)
		return switches;
	kt_switches_free(switches);
	return ERR_PTR(err);
}

/* The first page of a huge page, which stays in memory as a whole. */
static struct page *whole(const struct kt_switches *switches, u32 i)
{
	return compound_head(switches->pages[i]);
}

static int count_rest(struct kt_switches *switches, kt_more_pages_fn more, void *arg)
{
	const u32 last = switches->nr_pinned - 1, nr = compound_nr(whole(switches, last));

	return nr == 1 || (last && whole(switches, last) == whole(switches, last - 1)) ? 0 : more(arg, switches, nr - 1);
}

/* The page is made present, and the process' own. */
static int pin_page(struct kt_switches *switches, unsigned long address, kt_more_pages_fn more, void *arg)
{
	struct page *page;
	const int n = pin_user_pages_fast(address & PAGE_MASK, 1, FOLL_WRITE | FOLL_LONGTERM, &page);

	/* Kernels differ in what they say of an address that is none, and of a page that they cannot move. */
	if (n != 1)
		return n == -ENOMEM || n == -EINTR ? n : -EFAULT;
	/* What is in a file, or shared, may not belong to the process alone.  Nothing is written, so it is not made dirty. */
	if (!PageAnon(page)) {
		unpin_user_page(page);
		return -EINVAL;
	}
	switches->pages[switches->nr_pinned++] = page;
	return count_rest(switches, more, arg);
}

int kt_switches_pin(struct kt_switches *switches, kt_more_pages_fn more, void *arg)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < switches->nr; i++) {
		struct kt_switch *at = &switches->v[i];

		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (begins_page(switches, i))
			err = pin_page(switches, at->address, more, arg);
		if (!err)
			at->at = (u8 *)page_address(switches->pages[switches->nr_pinned - 1]) + offset_in_page(at->address);
	}
	return err;
}

void kt_switches_set(const struct kt_switches *switches, const unsigned long *wanted)
{
	u32 i;

	for (i = 0; i < switches->nr; i++)
		WRITE_ONCE(*switches->v[i].at, wanted && test_bit(switches->v[i].id, wanted));
}

void kt_switches_free(struct kt_switches *switches)
{
	if (!switches)
		return;
	unpin_user_pages_dirty_lock(switches->pages, switches->nr_pinned, true);
	kvfree(switches->pages);
	kvfree(switches);
}
