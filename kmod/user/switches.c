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

/* The page is made present, and the process' own.  Each page is pinned once if its switches follow each other. */
static int pin_page(struct kt_switches *switches, unsigned long address, unsigned long *last)
{
	struct page **page = &switches->pages[switches->nr_pages];
	int n;

	if (switches->nr_pages && address >> PAGE_SHIFT == *last)
		return 0;
	n = pin_user_pages_fast(address & PAGE_MASK, 1, FOLL_WRITE | FOLL_LONGTERM, page);
	if (n != 1)
		return n < 0 ? n : -EFAULT;
	switches->nr_pages++;
	*last = address >> PAGE_SHIFT;
	/* What is in a file, or shared, may not belong to the process alone. */
	return PageAnon(*page) ? 0 : -EINVAL;
}

static int pin_one(struct kt_switches *switches, const struct kt_user_site __user *from, unsigned long *last)
{
	struct kt_switch *to = &switches->v[switches->nr];
	struct kt_user_site site;
	int err;

	if (copy_from_user(&site, from, sizeof(site)))
		return -EFAULT;
	if (site.reserved || site.id > KT_USER_MAX_SITES)
		return -EINVAL;
	err = pin_page(switches, site.address, last);
	if (err)
		return err;
	to->at = (u8 *)page_address(switches->pages[switches->nr_pages - 1]) + offset_in_page(site.address);
	to->id = site.id;
	switches->nr++;
	return 0;
}

static int pin_all(struct kt_switches *switches, const struct kt_user_sites *arg)
{
	const struct kt_user_site __user *from = u64_to_user_ptr(arg->sites);
	unsigned long last = 0;
	int err = 0;
	u32 i;

	for (i = 0; !err && i < arg->nr; i++) {
		cond_resched();
		err = fatal_signal_pending(current) ? -EINTR : pin_one(switches, &from[i], &last);
	}
	return err;
}

struct kt_switches *kt_switches_pin(const struct kt_user_sites *arg)
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
	switches->pages = kvcalloc(arg->nr, sizeof(*switches->pages), GFP_KERNEL_ACCOUNT);
	err = switches->pages ? pin_all(switches, arg) : -ENOMEM;
	if (!err)
		return switches;
	kt_switches_free(switches);
	return ERR_PTR(err);
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
	unpin_user_pages_dirty_lock(switches->pages, switches->nr_pages, true);
	kvfree(switches->pages);
	kvfree(switches);
}
